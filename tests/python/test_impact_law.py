"""carom.ImpactLaw: bits, batches in parts, contacts that are not active."""

import carom
import numpy as np
import pytest

NAMES = ["mass_matrix", "normal_jacobian", "tangent_jacobian", "friction", "pre_impact_velocity"]


def random_batch(size, contacts=2, velocities=3, tangent_rows=1, seed=0):
    random = np.random.default_rng(seed)
    root = random.normal(size=(size, velocities, velocities))
    velocity = random.normal(size=(size, velocities))
    normals = random.normal(size=(size, contacts, velocities))
    return {
        "mass_matrix": root @ root.transpose(0, 2, 1) + np.eye(velocities),
        "normal_jacobian": normals,
        "tangent_jacobian": random.normal(size=(size, contacts * tangent_rows, velocities)),
        "friction": random.uniform(0.0, 1.0, (size, contacts)),
        "pre_impact_velocity": velocity,
    }


def problem_of(batch, index):
    return carom.ImpactProblem(**{name: batch[name][index] for name in NAMES})


def part_of(batch, rows):
    return {name: batch[name][rows] for name in NAMES}


@pytest.mark.parametrize(
    ("shape", "options"),
    [
        ({}, {}),
        ({"contacts": 1, "velocities": 2}, {"caps": "simplex", "max_steps": 20}),
        ({"contacts": 3, "velocities": 4}, {"solutions": "all"}),
        ({"contacts": 2, "velocities": 6, "tangent_rows": 2}, {"solutions": "cover"}),
        ({"contacts": 2}, {"caps": "weighted:1,0.3", "norm": "kinetic", "epsilon": 1e-4}),
        ({"contacts": 2}, {"caps": "sobol"}),
        ({"contacts": 2}, {"problem_id": 70}),
    ],
)
def test_an_outcome_has_the_bits_of_sample(shape, options):
    size, step = 40, 5
    batch = random_batch(size, **shape)
    law = carom.ImpactLaw(seed=11, **options)
    outcomes = law(step, **batch)
    assert len(outcomes) == size and outcomes.velocity.shape == batch["pre_impact_velocity"].shape
    first_id = options.get("problem_id", 0)
    for index in range(size):
        given = {"max_steps": 100, **options, "problem_id": first_id + index}
        stated = {**LAW_DEFAULTS, **given}
        trajectories = carom.sample(problem_of(batch, index), step + 1, seed=11, **stated)
        for name in ["velocity", "status", "impulse", "energy", "lcp_count"]:
            np.testing.assert_array_equal(
                getattr(outcomes, name)[index], getattr(trajectories, name)[step]
            )


# Of ImpactLaw, where sample() chooses for the problem.
LAW_DEFAULTS = {"caps": "uniform", "solutions": "first", "epsilon": 0.01}


def test_the_same_problem_for_many_indices_is_a_batch_of_sample(two_contacts):
    size, step = 300, 2
    batch = {name: np.stack([array] * size) for name, array in two_contacts.items()}
    problem = carom.ImpactProblem(**two_contacts)
    outcomes = carom.ImpactLaw(seed=3)(step, **batch)
    trajectories = carom.sample([problem] * size, 4, seed=3, max_steps=100, **LAW_DEFAULTS)
    np.testing.assert_array_equal(
        outcomes.velocity, trajectories.velocity.reshape(size, 4, 3)[:, step]
    )


def test_a_batch_in_parts_gives_the_outcomes_of_the_whole():
    batch = random_batch(5000)
    law = carom.ImpactLaw(seed=2)
    whole = law(9, **batch)
    for begin, end in [(0, 1), (1, 4100), (4100, 5000)]:
        part = law(9, **part_of(batch, slice(begin, end)), first=begin)
        np.testing.assert_array_equal(part.velocity, whole.velocity[begin:end])
        np.testing.assert_array_equal(part.impulse, whole.impulse[begin:end])
    again = carom.ImpactLaw(seed=2, threads=1)(9, **batch)
    assert again.checksum == whole.checksum
    assert law(10, **batch).checksum != whole.checksum
    assert carom.ImpactLaw(seed=3)(9, **batch).checksum != whole.checksum


def test_outcomes_separate_and_lose_energy():
    batch = random_batch(2000, seed=5)
    outcomes = carom.ImpactLaw()(0, **batch)
    ended = outcomes.status == 0
    assert ended.mean() > 0.99
    speeds = np.einsum("bmn,bn->bm", batch["normal_jacobian"], outcomes.velocity)[ended]
    assert speeds.min() >= -1e-7
    v = batch["pre_impact_velocity"]
    before = 0.5 * np.einsum("bi,bij,bj->b", v, batch["mass_matrix"], v)
    assert (outcomes.energy <= before * (1 + 1e-12)).all()


def test_a_velocity_that_separates_stays():
    batch = random_batch(200)
    speeds = np.einsum("bmn,bn->bm", batch["normal_jacobian"], batch["pre_impact_velocity"])
    apart = (speeds > 0).all(axis=1)
    assert 10 < apart.sum() < 190
    outcomes = carom.ImpactLaw()(0, **batch)
    np.testing.assert_array_equal(outcomes.velocity[apart], batch["pre_impact_velocity"][apart])
    assert (outcomes.impulse[apart] == 0).all() and (outcomes.status[apart] == 0).all()
    assert (outcomes.velocity[~apart] != batch["pre_impact_velocity"][~apart]).any(axis=1).all()


@pytest.mark.parametrize("caps", ["uniform", "weighted:1,0.5,0.2"])
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
        own = caps if caps == "uniform" else "weighted:" + ",".join(map(str, scales[kept]))
        stated = {**LAW_DEFAULTS, "caps": own}
        alone = carom.sample(problem, 2, seed=4, problem_id=index, max_steps=100, **stated)
        np.testing.assert_array_equal(outcomes.velocity[index], alone.velocity[1])
        np.testing.assert_array_equal(outcomes.impulse[index][kept], alone.impulse[1])


@pytest.mark.parametrize("name", ["mass_matrix", "pre_impact_velocity"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_no_number_is_refused_without_active_contacts_too(name, value):
    batch = random_batch(5)
    batch[name][3].flat[1] = value
    with pytest.raises(carom.InputError, match=rf"^problem 3: {name} has an entry that is no number"):
        carom.ImpactLaw()(0, **batch, active=np.zeros((5, 2), dtype=bool))


def test_the_largest_cap_may_be_one_per_problem():
    batch = random_batch(30)
    steps = np.linspace(0.1, 2.0, 30)
    law = carom.ImpactLaw(seed=6)
    outcomes = law(0, **batch, impulse_step=steps)
    for index in range(30):
        alone = carom.sample(problem_of(batch, index), 1, seed=6, problem_id=index,
                             impulse_step=steps[index], max_steps=100, **LAW_DEFAULTS)  # fmt: skip
        np.testing.assert_array_equal(outcomes.velocity[index], alone.velocity[0])
    same = law(0, **batch, impulse_step=0.7)
    each = law(0, **batch, impulse_step=np.full(30, 0.7))
    assert same.checksum == each.checksum


def test_an_empty_batch_has_no_outcomes():
    outcomes = carom.ImpactLaw()(0, **random_batch(0))
    assert len(outcomes) == 0 and outcomes.velocity.shape == (0, 3)


def test_mistakes_name_the_problem_and_the_rule():
    law = carom.ImpactLaw()
    batch = random_batch(5000)
    batch["friction"][[700, 4800], 1] = -0.5
    with pytest.raises(carom.InputError, match=r"^problem 700: friction is -0.5 \(must be >= 0\)"):
        law(0, **batch)
    with pytest.raises(carom.InputError, match=r"^problem 9700: friction"):
        law(0, **batch, first=9000)
    batch = random_batch(4)
    for change, message in [
        ({"friction": [0.5, 0.5]}, "friction is 2 numbers (must be 4 x 2: problems x contacts)"),
        ({"mass_matrix": np.eye(3)}, "mass_matrix is 3 x 3 (must be B x nv x nv"),
        ({"normal_jacobian": np.ones((4, 2, 2))}, "normal_jacobian is 4 x 2 x 2 (must be 4 x m x 3"),
        ({"tangent_jacobian": np.ones((4, 3, 3))}, "tangent_jacobian is 4 x 3 x 3 (must be 4 x 2 x 3"),
        ({"impulse_step": [0.1, 0.2]}, "impulse_step is 2 numbers (must be 4 numbers"),
        ({"impulse_step": -1.0}, "problem 0: impulse_step is -1 (must be > 0 and finite, in N·s)"),
        ({"active": [True]}, "active is 1 numbers (must be 4 x 2"),
        ({"active": [[0.5, 1.0]] * 4}, "active has other entries (must be True or False, 1 or 0)"),
        ({"active": [[np.nan, 1.0]] * 4}, "active has other entries"),
        ({"active": [[256, 1]] * 4}, "active has other entries"),
        ({"first": 2**32}, "first is 4294967296 (with problem_id"),
        ({"step": -1}, "step is -1 (must be an integer >= 0)"),
    ]:
        arguments = {"step": 0, **batch, **change}
        with pytest.raises(carom.InputError) as error:
            law(**arguments)
        assert message in str(error.value)
    with pytest.raises(carom.InputError, match='solutions is "table"'):
        carom.ImpactLaw(solutions="table")
    for epsilon in [0.0, -1.0, np.inf, np.nan]:
        with pytest.raises(carom.InputError, match="epsilon is .*must be (> 0|finite)"):
            carom.ImpactLaw(epsilon=epsilon)
    with pytest.raises(carom.InputError, match="max_steps is 0"):
        carom.ImpactLaw(max_steps=0)
