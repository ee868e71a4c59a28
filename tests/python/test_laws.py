import json
import subprocess

import numpy as np
import pytest

import carom


def balls(**more):
    normals = [[-1, 1, 0], [0, -1, 1]]
    return carom.ImpactProblem(
        np.diag([1.0, 2.0, 3.0]), normals, np.zeros((2, 3)), 0.0, [2, 1, 0], **more
    )


def test_nets_have_the_epsilon_of_the_command_line(carom_program):
    run = subprocess.run([carom_program, "laws", "rocking_block", "--trajectories", "512", "--json"],
                         check=True, capture_output=True)  # fmt: skip
    told = json.loads(run.stdout)
    found = carom.laws("rocking_block", 512)
    assert found["norm"] == told["norm"]
    inside = np.array(told["inside"], dtype=float)
    np.testing.assert_array_equal(found["inside"], inside)
    for mine, its in zip(found["laws"], told["laws"], strict=True):
        if mine["set"] is not None:
            assert (len(mine["set"].net), mine["set"].net.epsilon) == (its["members"], its["epsilon"])
    assert len({law["epsilon"] for law in told["laws"] if "epsilon" in law}) > 2  # sets of e = 0 are smaller


def test_impacts_in_turn_are_sampled():
    samples = carom.sample(balls(), 1000, law="propagative")
    assert samples.impacts.shape == (1000,)
    assert (samples.impacts == 3).all()
    assert samples.lcp_count is None and samples.final_step is None
    ends = np.unique(samples.velocity.round(6), axis=0)
    listed = carom.outcomes(balls())["outcomes"]
    assert np.allclose(sorted(tuple(one["velocity"]) for one in listed), ends, atol=1e-5)
    with pytest.raises(carom.InputError, match="restitution is 0.1 and 0.2"):
        carom.outcomes(balls(), restitution=[0.1, 0.2])


@pytest.mark.parametrize("law", ["set_valued", "simultaneous", "sequential", "propagative", "plus"])
def test_rows_and_ends_of_every_law_are_read_back(law, tmp_path):
    file = tmp_path / "result.h5"
    found = carom.post_impact_set(
        balls(), trajectories=50, law=law, hold_out=0, output=file, directions=[[1, 0, 0]]
    )
    rows = carom.sample(balls(), 50, law=law)
    read = carom.read(file)
    assert np.array_equal(read.samples.velocity, rows.velocity)
    for column in ("lcp_count", "impacts", "intervals", "rounds"):
        own, other = getattr(rows, column), getattr(read.samples, column)
        assert (own is None) == (other is None)
        assert own is None or np.array_equal(own, other)
    (ends,) = found.directions
    speeds = rows.outcomes[:, 0]
    assert (ends["found_low"], ends["found_high"]) == (speeds.min(), speeds.max())


def test_a_problem_without_friction_needs_no_tangents():
    problem = carom.ImpactProblem(
        np.diag([1.0, 2.0, 3.0]), [[-1, 1, 0], [0, -1, 1]], pre_impact_velocity=[2, 1, 0]
    )
    stated = carom.ImpactProblem(
        np.diag([1.0, 2.0, 3.0]), [[-1, 1, 0], [0, -1, 1]], friction=0, pre_impact_velocity=[2, 1, 0]
    )
    for one in (problem, stated):
        assert np.array_equal(one.tangent_jacobian, np.zeros((2, 3)))
        assert np.array_equal(one.friction, np.zeros(2))
    with pytest.raises(carom.InputError, match="tangent_jacobian is missing"):
        carom.ImpactProblem(np.eye(1), [[1.0]], friction=0.1, pre_impact_velocity=[-1])
    assert carom.outcomes(problem)["states"] == carom.outcomes(balls())["states"]
    with pytest.raises(carom.InputError, match="pre_impact_velocity is missing"):
        carom.ImpactProblem(np.eye(1), [[1.0]])


def test_restitution_is_of_the_problem_or_a_keyword():
    problem = balls(restitution=0.5)
    assert problem.restitution.tolist() == [0.5, 0.5]
    assert balls().restitution.size == 0
    of_problem = carom.sample(problem, 50, law="propagative", law_options={"plastic": "projection"})
    by_keyword = carom.sample(balls(), 50, law="propagative", restitution=0.5, plastic="projection")
    assert np.array_equal(of_problem.velocity, by_keyword.velocity)
    both = carom.sample([balls(), balls()], 50, law="propagative", restitution=0.5)
    assert np.array_equal(both.velocity[:50], carom.sample(problem, 50, law="propagative").velocity)
    with pytest.raises(carom.InputError, match="must be from 0 to 1"):
        balls(restitution=[0.5, 2.0])
    with pytest.raises(carom.InputError, match="must be 0 with law sequential"):
        carom.sample(problem, 50, law="sequential")


def test_restitution_of_the_set_valued_law_adds_no_energy():
    found = carom.post_impact_set("rocking_block", 500, restitution=0.8, hold_out=0)
    before, energy = found.summary.energy_before, found.summary.energy
    assert energy[1] <= before * (1 + 1e-9)
    assert energy[0] >= 0.6 * before
    assert "no restitution" in found.comparison_note


def test_laws_side_by_side():
    found = carom.laws(balls(), 500, restitutions=[0, 1])
    names = [one["law"] for one in found["laws"]]
    assert names == ["set_valued"] * 2 + ["simultaneous", "sequential"] + ["propagative"] * 2 + ["plus"] * 2
    assert found["inside"].shape == (8, 8)
    assert (np.diag(found["inside"]) == 1).all()
    assert found["laws"][5]["set"].net.velocity.shape == (2, 3)
    (refused,) = [one for one in carom.laws("compass_gait", 100)["laws"] if one["law"] == "propagative"]
    assert refused["set"] is None and "friction" in refused["refusal"]


def test_laws_refuse_a_law_that_changes_nothing():
    with pytest.raises(carom.InputError, match="law is given"):
        carom.laws(balls(), 10, law="plus")
    assert carom.laws(balls(), 10, law="plus", theta_max=0.1)["laws"]


def test_restitution_is_a_number_or_one_per_contact():
    def of(restitution):
        found = carom.post_impact_set("rocking_block", 10, restitution=restitution, hold_out=0)
        return list(found.scenario.problem.restitution)

    assert of(0.5) == [0.5, 0.5]
    assert of([0.8, 0.3]) == [0.8, 0.3]


def test_compression_and_expansion_take_numbers_of_their_own():
    cradle = carom.ImpactProblem(
        np.eye(3), [[-1, 1, 0], [0, -1, 1]], np.zeros((2, 3)), 0.0, [1, 0, 0], restitution=1.0
    )
    samples = carom.sample(cradle, 3, law="plus", law_options={"theta_max": 0.1})
    assert np.allclose(samples.velocity, [[0, 0, 1]] * 3, atol=1e-12)
    assert (samples.rounds == 3).all() and (samples.intervals >= 3).all()
    assert samples.impacts is None
    with pytest.raises(carom.InputError, match="theta_max is 2"):
        carom.sample(cradle, 3, law="plus", theta_max=2)


def test_numbers_of_law_plus_are_dicts_where_they_are_drawn():
    drawn = {"min": 0.2, "max": np.float64(0.6)}
    samples = carom.sample(balls(), 200, law="plus", law_options={"e_min": drawn})
    assert len(np.unique(samples.velocity, axis=0)) == 200
    again = carom.sample(balls(), 200, law="plus", e_min="{min = 0.2, max = 0.6}")
    assert np.array_equal(samples.velocity, again.velocity)
    each = carom.sample(balls(), 200, law="plus", e_min=[drawn, {"mean": 0.5, "deviation": 0.1}])
    assert not np.array_equal(samples.velocity, each.velocity)
    exact = carom.sample(balls(), 2, law="plus", v_plastic={"min": 0.1, "max": 0.1})
    assert np.array_equal(exact.velocity, carom.sample(balls(), 2, law="plus").velocity)
    found = carom.post_impact_set(balls(), 100, law="plus", theta_max={"mean": 0.2, "deviation": 0.1})
    assert "theta_max {mean = 0.2, deviation = 0.1}" in found.certificate.sentence()
    text = 'system = "rocking_block"\n[law]\nname = "plus"\ntheta_max = {min = 0.1, max = 0.2}\n'
    assert carom.parse_scenario(text).sampling.theta_max == "{min = 0.1, max = 0.2}"
    with pytest.raises(carom.InputError, match="e_min is .* \\(must be a number, {min"):
        carom.sample(balls(), 2, law="plus", e_min={"low": 0.1, "high": 0.2})
    with pytest.raises(carom.InputError, match="v_capture is .*must be a number"):
        carom.sample(balls(), 2, law="set_valued", v_capture={"min": 0.1, "max": 0.2})
