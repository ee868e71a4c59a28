"""carom.bound: the numbers of the command line, pieces as arrays, errors that name the argument."""

import carom
import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::carom.CaromWarning")


def test_pieces_are_polytopes_whose_vertices_reach_the_bounds():
    found = carom.bound("rocking_block")
    assert found.closed and found.status == "closed" and found.verified == "exact"
    for piece in found.pieces:
        outside = piece["normals"] @ piece["vertices"].T - piece["offsets"][:, None]
        assert outside.max() < 1e-14
    for direction in found.directions:
        values = np.concatenate([piece["vertices"] @ direction["row"] for piece in found.pieces])
        assert values.min() == pytest.approx(direction["low"], abs=1e-15)
        assert values.max() == pytest.approx(direction["high"], abs=1e-15)


def test_stated_directions_follow_the_contact_speeds():
    rows = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    by_number = carom.bound("rocking_block", directions=rows).directions
    assert [d["name"] for d in by_number[4:]] == ["direction 1", "direction 2"]
    by_name = carom.bound("rocking_block", directions={"spin": rows[0]}).directions
    assert by_name[4]["name"] == "spin"
    assert by_name[4]["high"] == by_number[4]["high"] > 0.09
    assert carom.bound("rocking_block", directions=rows[0]).directions[4]["name"] == "direction 1"
    mixed = carom.bound("rocking_block", directions=["B normal", rows[0]]).directions[4:]
    assert [d["name"] for d in mixed] == ["B normal", "direction 2"]
    run = {"trajectories": 100, "hold_out": 0, "comparison": False}
    found = carom.post_impact_set("rocking_block", directions={"spin": rows[0]}, **run).directions
    assert found[-1]["name"] == "spin"


def test_excess_tells_outcomes_from_what_cannot_happen():
    found = carom.bound("compass_gait")
    samples = carom.sample("compass_gait", trajectories=500)
    outcomes = samples.velocity[samples.status == 0]
    assert len(outcomes) > 100
    assert max(found.excess(v) for v in outcomes) < 5e-9
    assert (found.excess(outcomes) == [found.excess(v) for v in outcomes]).all()
    problem = carom.load_scenario("compass_gait").problem
    assert found.excess(problem.pre_impact_velocity) > 1e-3


def test_questions_are_answered_by_what_is_found_and_proved():
    ask = ["A normal > 0.09", "A normal > 0.0931", "|spin| > 0.05"]
    spin = {"spin": [0.0, 0.0, 1.0]}
    proved = carom.bound("rocking_block", directions=spin, ask=ask).answers
    assert [one["answer"] for one in proved] == ["open", "no", "open"]  # nothing was looked for
    assert all(np.isnan(one["found"]) for one in proved)
    few = {"directions": spin, "ask": ask}
    sampled = carom.post_impact_set("rocking_block", trajectories=4096, **few)
    explored = carom.explore("rocking_block", budget=20_000, **few)
    for found in (sampled, explored):
        assert [one["answer"] for one in found.answers] == ["yes", "no", "yes"]
        first = found.answers[0]
        assert first["question"] == ask[0]
        assert 0.09 < first["found"] <= first["bound"] < 0.0931
        assert found.bound.closed and found.directions[0]["name"] == "spin"
    single = carom.post_impact_set("rocking_block", 256, ask=ask[0], law="plus")
    assert [one["answer"] for one in single.answers] == ["open"] and single.bound is None
    assert single.scenario.outputs["ask"] == ask[:1]
    with pytest.raises(carom.InputError, match="ask is 3"):
        carom.explore("rocking_block", ask=3)
    with pytest.raises(carom.InputError, match='ask has "A normal", without > or <'):
        carom.bound("rocking_block", ask="A normal")


def test_scope_of_the_inclusion():
    found = carom.bound("rocking_block", "inclusion")
    assert found.scope == "inclusion" and found.verified == "exact"
    assert found.contacts[0]["normal"][1] == pytest.approx(0.0930183853, abs=1e-7)


def test_rounds_and_steps_are_those_of_the_status():
    closed = carom.bound("rocking_block")
    assert closed.closed and closed.rounds >= 1
    open_ended = carom.bound("compass_gait", rounds=1, orders=0)
    assert carom.bound("rocking_block").steps is None
    assert not open_ended.closed and open_ended.status == f"at most {open_ended.steps} step"


def test_bad_arguments_are_named():
    with pytest.raises(carom.InputError, match=r'scope is "all" \(must be any-h or inclusion\)'):
        carom.bound("rocking_block", "all")
    with pytest.raises(carom.InputError, match=r'"spin" of 2 numbers \(must have 3'):
        carom.bound("rocking_block", directions={"spin": [1.0, 2.0]})
    with pytest.raises(carom.InputError, match='"direction 1" is zero'):
        carom.bound("rocking_block", directions=[[0.0, 0.0, 0.0]])
    with pytest.raises(carom.InputError, match="rounds is 0"):
        carom.bound("rocking_block", rounds=0)
    with pytest.raises(carom.InputError, match="velocity has 2 entries"):
        carom.bound("rocking_block").excess([1.0, 2.0])


def test_a_run_has_its_bound_beside_it(tmp_path):
    file = tmp_path / "gait.h5"
    found = carom.post_impact_set(
        "compass_gait", trajectories=2000, max_steps=50, bound=True, directions=["A normal"], output=file
    )
    bound = found.bound
    assert (bound.status, bound.outside) == ("closed", 0)
    assert bound.outcomes == found.summary.outcomes + len(found.search.velocity)
    assert bound.directions[4]["found_high"] == bound.directions[0]["found_high"] <= 0.037451
    again = carom.read(file).set.bound
    assert [one["name"] for one in again.directions] == [one["name"] for one in bound.directions]
    assert np.array_equal(again.pieces[0]["vertices"], bound.pieces[0]["vertices"])
    assert carom.post_impact_set("compass_gait", trajectories=100).bound is None


def test_bodies_that_do_not_act_on_one_another_are_bounded_each(tmp_path):
    block = carom.load_scenario("rocking_block").problem
    none = np.zeros((2, 3))
    two = carom.ImpactProblem(
        np.kron(np.eye(2), block.mass_matrix), np.block([[block.normal_jacobian, none], [none, block.normal_jacobian]]),
        np.block([[block.tangent_jacobian, none], [none, block.tangent_jacobian]]), np.tile(block.friction, 2),
        np.tile(block.pre_impact_velocity, 2),
    )  # fmt: skip
    file = tmp_path / "two.h5"
    found = carom.post_impact_set(two, trajectories=500, bound=True, comparison=False, output=file).bound
    alone = carom.bound(block)
    assert (found.method, found.status, found.verified, found.outside) == ("groups", "closed", "exact", 0)
    for i, contact in enumerate(found.contacts):
        np.testing.assert_allclose(contact["normal"], alone.contacts[i % 2]["normal"], rtol=0, atol=1e-15)
    assert found.pieces[0]["vertices"].size == 0 and found.proved.corners is None
    again = carom.read(file).set.bound
    assert again.method == "groups" and again.contacts == found.contacts


def test_an_exploration_has_its_bound_beside_it():
    found = carom.explore("box_wall", epsilon=0.02, bound=True)
    assert found.bound.outside == 0
    gaps = [one["high"] - one["found_high"] for one in found.bound.directions]
    assert max(gaps) < 0.02


def test_a_bound_is_a_proved_set():
    bound = carom.bound("compass_gait", directions={"spread": [0.0, 0.0, -0.5, 0.5]})
    proved = bound.proved
    assert isinstance(proved, carom.ProvedSet)
    assert proved.support([0.0, 0.0, -0.5, 0.5]) == pytest.approx(bound.directions[-1]["high"], abs=1e-9)
    samples = carom.sample("compass_gait", trajectories=500)
    assert proved.violation(samples.outcomes).max() < 1e-7
    disks = carom.bound("disk_stack")
    assert (disks.method, disks.status, disks.verified) == ("orders", "closed", "certified")
    wide = carom.bound("disk_stack", orders=0)
    assert (wide.method, wide.programs) == ("energy", 0)
    assert wide.proved.support(wide.directions[0]["row"]) == pytest.approx(wide.directions[0]["high"])
    assert disks.directions[0]["high"] < 0.8 * wide.directions[0]["high"]
    assert disks.proved.support(disks.directions[0]["row"]) <= disks.directions[0]["high"] * (1 + 1e-9)
