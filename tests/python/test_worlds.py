"""Worlds that differ: contacts that are not active, numbers that are none, limits that some reach."""

import pickle

import carom
import numpy as np
import pytest
from test_impact_law import law_defaults, NAMES, random_batch


@pytest.mark.parametrize("caps", [None, "weighted:1,0.5,0.2"])
def test_contacts_that_are_not_active_are_left_out(caps):
    batch = random_batch(60, contacts=3, velocities=4)
    active = np.random.default_rng(1).integers(0, 2, (60, 3)).astype(bool)
    active[0] = False
    hidden = {name: batch[name].copy() for name in NAMES}
    for name in ["normal_jacobian", "tangent_jacobian", "friction"]:
        hidden[name][~active] = np.nan  # not looked at
    outcomes = carom.ImpactLaw(seed=4, caps=caps)(1, **hidden, active=active)
    np.testing.assert_array_equal(outcomes.velocity[0], batch["pre_impact_velocity"][0])
    assert outcomes.status[0] == 0
    scales = np.array([1, 0.5, 0.2])
    for index in range(60):
        kept = active[index]
        assert (outcomes.impulse[index][~kept] == 0).all()
        if not kept.any():
            continue
        problem = carom.ImpactProblem(
            batch["mass_matrix"][index], batch["normal_jacobian"][index][kept],
            batch["tangent_jacobian"][index][kept], batch["friction"][index][kept],
            batch["pre_impact_velocity"][index])  # fmt: skip
        own = caps and "weighted:" + ",".join(map(str, scales[kept]))
        stated = {**law_defaults(problem), "caps": own}
        alone = carom.sample(problem, 2, seed=4, problem_id=index, **stated)
        np.testing.assert_array_equal(outcomes.velocity[index], alone.velocity[1])
        np.testing.assert_array_equal(outcomes.impulse[index][kept], alone.impulse[1])


@pytest.mark.parametrize("name", ["mass_matrix", "pre_impact_velocity"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_no_number_is_refused_without_active_contacts_too(name, value):
    batch = random_batch(5)
    batch[name][3].flat[1] = value
    inactive = np.zeros((5, 2), dtype=bool)
    with pytest.raises(carom.InputError, match=rf"^problem 3: {name} has an entry that is no number"):
        carom.ImpactLaw(strict=True)(0, **batch, active=inactive)
    with pytest.warns(carom.CaromWarning, match="^1 of 5 problems broke a rule"):
        outcomes = carom.ImpactLaw()(0, **batch, active=inactive)
    assert [carom.STATUS[status] for status in outcomes.status] == ["separated"] * 3 + ["bad_input", "separated"]
    np.testing.assert_array_equal(outcomes.velocity, batch["pre_impact_velocity"])


def test_the_first_problem_that_breaks_a_rule_is_named():
    batch = random_batch(5)
    batch["friction"][[0, 3]] = -1.0
    batch["pre_impact_velocity"][:] = -batch["normal_jacobian"].sum(axis=1)  # some contact approaches, ...
    batch["normal_jacobian"][0, 1] = batch["normal_jacobian"][0, 0]
    batch["pre_impact_velocity"][0] = batch["normal_jacobian"][0, 0]  # ... but none of this problem
    with pytest.warns(carom.CaromWarning, match=r"^1 of 5 .* The first: problem 13: friction is -1"):
        outcomes = carom.ImpactLaw()(0, **batch, first=10)
    assert list(np.flatnonzero(outcomes.status)) == [3]
    with pytest.raises(carom.InputError, match="^problem 0: friction is -1"):  # looks at all
        pickle.loads(pickle.dumps(carom.ImpactLaw(strict=True)))(0, **batch)


def test_a_diverged_world_keeps_its_velocity_and_the_others_are_served():
    batch = random_batch(300)
    law = carom.ImpactLaw(seed=9)
    healthy = law(3, **batch)
    batch["pre_impact_velocity"][7, 2] = np.nan
    batch["normal_jacobian"][20] = np.inf
    batch["mass_matrix"][150] = -np.eye(3)
    broken = [7, 20, 150]
    with pytest.warns(carom.CaromWarning, match="^3 of 300 problems broke a rule") as told:
        outcomes = law(3, **batch)
        law(4, **batch)
    assert len(told) == 1, "a simulator need not hear it at each step"
    rest = np.setdiff1d(np.arange(300), broken)
    for name in ["velocity", "impulse", "energy", "status"]:
        np.testing.assert_array_equal(getattr(outcomes, name)[rest], getattr(healthy, name)[rest])
    assert (outcomes.status[broken] == carom.STATUS.index("bad_input")).all()
    np.testing.assert_array_equal(outcomes.velocity[broken], batch["pre_impact_velocity"][broken])
    assert (outcomes.impulse[broken] == 0).all() and np.isnan(outcomes.energy[broken]).all()
    assert outcomes.status_counts == {**healthy.status_counts, "separated": 297, "bad_input": 3}
    with pytest.raises(carom.InputError, match="^problem 7: pre_impact_velocity"):
        carom.ImpactLaw(strict=True)(3, **batch)


def test_more_active_contacts_than_compiled_are_a_bad_world():
    batch = random_batch(3, contacts=18, velocities=9, tangent_rows=2)
    active = np.ones((3, 18), dtype=bool)
    active[[0, 2], 4] = False
    with pytest.warns(carom.CaromWarning):
        outcomes = carom.ImpactLaw()(0, **batch, active=active)
    assert [carom.STATUS[status] for status in outcomes.status] == ["separated", "bad_input", "separated"]
    with pytest.raises(carom.InputError, match="126 LCP unknowns.*compiled capacity"):
        carom.ImpactLaw()(0, **batch)  # no problem could keep the rule


def test_worlds_that_end_at_the_step_limit_are_counted_and_told():
    batch = random_batch(50)
    law = carom.ImpactLaw(max_steps=1)
    with pytest.warns(carom.CaromWarning, match=r"of 50 problems still collided after max_steps = 1:"):
        outcomes = law(0, **batch)
    assert outcomes.status_counts["step_limit"] == (outcomes.status == 1).sum() > 0
    assert sum(outcomes.status_counts.values()) == 50
