"""carom.sample: bits, arrays, batches."""

import copy
import gc
import json
import pickle
import subprocess
import warnings
from pathlib import Path

import carom
import numpy as np
import pytest


def command_line(program, *arguments):
    run = subprocess.run([program, *arguments, "--json"], check=True, capture_output=True)
    return json.loads(run.stdout)


@pytest.mark.parametrize(
    ("system", "options"),
    [
        ("rocking_block", {"trajectories": 5000, "seed": 1}),
        ("rocking_block", {"trajectories": 3000, "seed": 9, "caps": "0.5*simplex + 0.5*corners:4"}),
        ("compass_gait", {"trajectories": 2000, "seed": 3, "solutions": "all"}),
        ("box_wall", {"trajectories": 1500, "seed": 4, "solutions": "table", "problem_id": 6}),
        ("disk_stack", {"trajectories": 400, "norm": "kinetic", "epsilon": 0.02}),
        ("rocking_block", {"trajectories": 700, "impulse_step": 0.05}),
    ],
)
def test_the_same_options_give_the_bits_of_the_command_line(carom_program, system, options):
    flags = [text for name, value in options.items()
             for text in ("--" + name.replace("_", "-"), str(value))]  # fmt: skip
    told = command_line(carom_program, "sample", system, *flags, "--hold-out", "0")
    samples = carom.sample(system, **options)
    assert samples.checksum == told["checksum"]
    assert int((samples.status == 0).sum()) == told["outcomes"]
    found = carom.post_impact_set(system, **options, hold_out=0)
    assert found.summary.checksum == told["checksum"]
    assert len(found.net) == told["net"]["size"]


def test_matrices_have_the_defaults_of_a_scenario_file(tmp_path, carom_program, two_contacts):
    rows = {name: array.tolist() for name, array in two_contacts.items()}
    scenario = tmp_path / "block.toml"
    scenario.write_text(
        'system = "matrices"\n[problem]\n' + "\n".join(f"{k} = {v}" for k, v in rows.items())
    )
    told = command_line(carom_program, "sample", str(scenario), "--trajectories", "1000")
    problem = carom.ImpactProblem(**two_contacts)
    assert carom.sample(problem, 1000).checksum == told["checksum"]
    assert carom.sample(scenario, 1000).checksum == told["checksum"]
    # epsilon follows h where nothing states it, in a file and here.
    text = scenario.read_text()
    scenario.write_text(text + "\n[sampling]\nimpulse_step = 0.005\n")
    small = carom.sample(problem, 1000, impulse_step=0.005)
    assert small.checksum == carom.sample(scenario, 1000).checksum


def test_problems_and_scenarios_go_to_other_processes(two_contacts):
    problem = carom.ImpactProblem(**two_contacts, contact_names=["left", "right"])
    world = carom.load_scenario(Path(__file__).parents[2] / "scenarios" / "falling_boxes.toml")
    for sent in (problem, carom.load_scenario("compass_gait"), world, world.problem):
        received = pickle.loads(pickle.dumps(sent))
        assert repr(received) == repr(sent)
        assert carom.sample(received, 100).checksum == carom.sample(sent, 100).checksum
    rolled = (carom.roll(one, rollouts=3) for one in
              (world, pickle.loads(pickle.dumps(world))))  # fmt: skip
    assert len({found.position.tobytes() for found in rolled}) == 1
    received = pickle.loads(pickle.dumps(problem))
    assert received.contact_names == problem.contact_names
    assert (received.mass_matrix == problem.mass_matrix).all()


def test_chunks_and_threads_change_no_bit():
    whole = carom.sample("compass_gait", 3000, seed=5)
    parts = carom.sample("compass_gait", 3000, seed=5, chunk=77, threads=1)
    assert whole.checksum == parts.checksum
    np.testing.assert_array_equal(whole.velocity, parts.velocity)


def test_arrays_are_views_that_keep_their_memory():
    samples = carom.sample("rocking_block", 100)
    velocity = samples.velocity
    assert velocity.shape == (100, 3)
    assert samples.impulse.shape == (100, 2, 2)
    assert velocity.dtype == np.float64 and samples.status.dtype == np.uint8
    assert velocity.flags.c_contiguous and velocity.flags.writeable
    assert not velocity.flags.owndata
    assert np.shares_memory(velocity, samples.velocity)
    kept = velocity.copy()
    del samples
    gc.collect()
    np.testing.assert_array_equal(velocity, kept)
    problem = carom.load_scenario("rocking_block").problem
    assert np.shares_memory(problem.mass_matrix, problem.mass_matrix)
    assert not problem.mass_matrix.flags.writeable


def test_torch_takes_the_memory_by_dlpack():
    torch = pytest.importorskip("torch")
    samples = carom.sample("rocking_block", 100)
    tensor = torch.from_dlpack(samples.velocity)
    assert tensor.data_ptr() == samples.velocity.ctypes.data
    np.testing.assert_array_equal(tensor.numpy(), samples.velocity)
    velocity = samples.velocity.copy()
    del samples
    gc.collect()
    np.testing.assert_array_equal(tensor.numpy(), velocity)


def test_rows_add_up():
    samples = carom.sample("rocking_block", 500, seed=2)
    mass = carom.load_scenario("rocking_block").problem.mass_matrix
    energy = 0.5 * np.einsum("ri,ij,rj->r", samples.velocity, mass, samples.velocity)
    np.testing.assert_allclose(samples.energy, energy, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(samples.outcomes, samples.velocity[samples.status == 0])
    first = carom.sample("rocking_block", 50, solutions="first")
    assert first.solution_count is None
    every = carom.sample("rocking_block", 50, solutions="all").solution_count
    assert every.shape == (50, 10)
    assert len(samples) == 500


def test_several_problems_in_one_call(two_contacts):
    slow = carom.ImpactProblem(**two_contacts)
    fast = carom.ImpactProblem(**{**two_contacts, "pre_impact_velocity": [0.1, 0.0, -2.0]})
    both = carom.sample([slow, fast], 300, seed=4, impulse_step=0.3)
    one = carom.sample(slow, 300, seed=4, impulse_step=0.3)
    other = carom.sample(fast, 300, seed=4, impulse_step=0.3, problem_id=1)
    np.testing.assert_array_equal(both.velocity.reshape(2, 300, 3)[0], one.velocity)
    np.testing.assert_array_equal(both.velocity.reshape(2, 300, 3)[1], other.velocity)
    with pytest.raises(carom.InputError, match="problems is empty"):
        carom.sample([], 10)


@pytest.mark.parametrize("restitution", [[0.2, 0.8], np.array([0.2, 0.8]), "0.2,0.8"])
@pytest.mark.parametrize("law", ["set_valued", "plus"])
def test_each_contact_has_its_own_restitution(law, restitution):
    balls = carom.ImpactProblem(np.eye(2), np.eye(2), np.zeros((2, 2)), [0.0, 0.0], [-1.0, -1.0])
    set_of_all = carom.post_impact_set(balls, 10, law=law, restitution=restitution, hold_out=0)
    for problems in [balls, [balls, balls]]:
        samples = carom.sample(problems, 10, law=law, restitution=restitution)
        np.testing.assert_allclose(samples.velocity, [[0.2, 0.8]] * samples.velocity.shape[0], atol=1e-12)
        np.testing.assert_array_equal(samples.velocity[0], set_of_all.net.velocity[0])
    alike = carom.sample([balls, balls], 10, law=law, restitution=0.5)
    np.testing.assert_allclose(alike.velocity, 0.5, atol=1e-12)


def test_few_rows_wait_for_no_pilot_and_have_the_bits_of_many(two_contacts):
    """Rows that reach the limit of steps depend on epsilon, which a pilot then chooses."""
    problem = carom.ImpactProblem(**two_contacts)
    for options in ({}, {"max_steps": 1}, {"impulse_step": 3e-4}, {"solutions": "table", "max_steps": 2}):
        few = carom.sample(problem, 20, **options)
        many = carom.sample(problem, 300, **options)
        np.testing.assert_array_equal(few.velocity, many.velocity[:20])
        assert bool(few.final_step.any()) == bool(many.final_step[:20].any())
    assert carom.sample(problem, 20, max_steps=1).final_step.any()


def test_each_problem_of_a_list_has_its_own_impulse_step(two_contacts):
    """As alone: with one h for all, the fastest of them would take hundreds of tiny steps."""
    velocity = np.array(two_contacts["pre_impact_velocity"])
    problems = [
        carom.ImpactProblem(**{**two_contacts, "pre_impact_velocity": speed * velocity}) for speed in (0.1, 1.0, 30.0)
    ]
    options = {"trajectories": 50, "seed": 3, "epsilon": 0.01, "max_steps": 500}
    together = carom.sample(problems, **options)
    for place, problem in enumerate(problems):
        alone = carom.sample(problem, problem_id=place, **options)
        rows = slice(50 * place, 50 * place + 50)
        np.testing.assert_array_equal(together.velocity[rows], alone.velocity)
        np.testing.assert_array_equal(together.lcp_count[rows], alone.lcp_count)
    stated = carom.sample(problems, impulse_step=0.5, **options)
    assert (stated.velocity != together.velocity).any()


def test_rows_stay_on_a_device_where_there_is_one():
    with pytest.raises(carom.InputError, match=r"backend in use is cpu .*must be cuda"):
        carom.sample_on_device("rocking_block", 50, backend="cpu")
    with pytest.raises(TypeError, match="unexpected keyword argument 'seeed'"):
        carom.sample_on_device("rocking_block", 50, seeed=1)
    with pytest.raises(carom.InputError, match="problems is empty"):
        carom.sample_on_device([], 50)
    try:
        rows = carom.sample_on_device("rocking_block", 5000, seed=3)
    except carom.InputError as error:
        assert "backend in use is cpu" in str(error)
        pytest.skip("no GPU")
    samples = carom.sample("rocking_block", 5000, seed=3, backend="cpu")
    np.testing.assert_array_equal(rows.to_host().velocity, samples.velocity)
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        velocity = torch.from_dlpack(rows.velocity)
        assert velocity.is_cuda
        np.testing.assert_array_equal(velocity.cpu().numpy(), samples.velocity)


def test_a_set_has_what_the_report_has(tmp_path):
    found = carom.post_impact_set("rocking_block", 4096, seed=1, hold_out=1000, net_size=5,
                                  verify_net=True, seek_extremes=0)  # fmt: skip
    assert found.complete and found.summary.outcomes == 4096
    assert found.summary.status["separated"] == 4096
    assert sum(mode.count for mode in found.modes) == 4096
    assert found.modes[0].interval[0] < found.modes[0].share < found.modes[0].interval[1]
    assert found.certificate.tests[0].trials == 1000
    assert "probability" in found.certificate.sentence()
    assert {outcome.law for outcome in found.comparison} == {"simultaneous", "sequential"}
    assert found.selection.velocity.shape == (5, 3)
    assert found.net_check.holds and found.sought
    assert len(found.net.index) == len(found.net) == len(found.net.velocity)


def test_a_search_goes_beyond_the_trajectories(tmp_path, carom_program):
    brick = Path(__file__).parents[2] / "scenarios/brick_corners.toml"
    options = {"trajectories": 1024, "hold_out": 0, "comparison": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", carom.CaromWarning)
        found = carom.post_impact_set(brick, **options, output=tmp_path / "brick.h5")
        plain = carom.post_impact_set(brick, **options, search=False)
    search = found.search
    assert plain.search is None and 0 < search.members == len(found.net) - len(plain.net)
    own = found.net.index >= 2**63 + 2**62
    np.testing.assert_array_equal(found.net.velocity[own], search.velocity[found.net.index[own] - (2**63 + 2**62)])
    speeds = search.velocity @ found.scenario.problem.tangent_jacobian.T
    for i, (least, greatest) in enumerate(found.tangential_velocity):
        sampled = found.summary.tangential_velocity[i]
        assert least == pytest.approx(min(sampled[0], speeds[:, i].min()), abs=1e-12)
        assert greatest == pytest.approx(max(sampled[1], speeds[:, i].max()), abs=1e-12)
    assert found.normal_velocity != found.summary.normal_velocity and found.energy[1] >= found.summary.energy[1]
    assert found.hull().violation(search.velocity).max() <= found.sampled.tolerance
    assert len(found.sampled) > len(plain.sampled)

    flags = ("--trajectories", "1024", "--hold-out", "0", "--no-comparison")
    told = command_line(carom_program, "sample", str(brick), *flags)
    assert told["evidence"]["search"]["members"] == search.members
    assert told["evidence"]["search"]["islands_apart"] == search.islands_apart > 2 * found.net.epsilon
    assert [tuple(ends) for ends in told["contacts"][0]["tangential_velocity"]] == found.tangential_velocity[:2]
    assert any(note["code"] == "search_open" for note in told["notes"])
    again = carom.read(tmp_path / "brick.h5").set
    np.testing.assert_array_equal(again.search.velocity, search.velocity)
    np.testing.assert_array_equal(again.net.index, found.net.index)


def test_a_result_file_comes_back(tmp_path, carom_program):
    file = tmp_path / "block.h5"
    found = carom.post_impact_set("rocking_block", 2000, seed=3, output=file)
    result = carom.read(file)
    assert result.set.summary.checksum == found.summary.checksum
    assert result.samples.checksum == found.summary.checksum
    assert result.scenario.sampling.seed == 3
    np.testing.assert_array_equal(result.set.net.velocity, found.net.velocity)
    by_command = tmp_path / "command.h5"
    subprocess.run([carom_program, "sample", "rocking_block", "--trajectories", "2000", "--seed",
                    "3", "-q", "-o", by_command], check=True)  # fmt: skip
    assert carom.read(by_command).samples.checksum == result.samples.checksum


def test_what_a_result_file_keeps_can_be_said(tmp_path):
    file = tmp_path / "block.h5"
    found = carom.post_impact_set("rocking_block", 2000, output=file, samples=300, paths=5,
                                  shard_rows=100)  # fmt: skip
    rows = carom.read(file).samples
    assert len(rows) == 300 and len(list((tmp_path / "block.h5.rows").iterdir())) == 3
    expected = carom.sample("rocking_block", 300)
    np.testing.assert_array_equal(rows.velocity, expected.velocity)
    assert found.summary.trajectories == 2000
    with pytest.raises(carom.InputError, match="samples is given \\(must be with output"):
        carom.post_impact_set("rocking_block", 2000, samples=300)
    with pytest.raises(carom.InputError, match="output is \"\" \\(must be a file"):
        carom.post_impact_set("rocking_block", 2000, output="")


def test_steps_and_their_solutions():
    solved = carom.solve_step("rocking_block", caps=[0.1, 0.2])
    assert solved.status == "solved"
    assert solved.residual <= 1e-9 and solved.energy_after <= solved.energy_before
    answers = carom.solutions("rocking_block", caps=[0.1, 0.2])
    np.testing.assert_allclose(answers[0].velocity, solved.post_velocity, atol=1e-12)
    assert len(carom.solutions("rocking_block", simultaneous=True)) >= 1
    with pytest.raises(IndexError):
        answers[len(answers)]


def test_a_law_is_chosen_by_name_and_its_own_options():
    samples = carom.sample("rocking_block", 400, law="sequential", max_steps=50)
    assert len({tuple(row.round(9)) for row in samples.outcomes}) == 2
    plain = carom.sample("rocking_block", 50, caps="simplex")
    same = carom.sample("rocking_block", 50, law="set_valued", law_options={"caps": "simplex"})
    assert plain.checksum == same.checksum
    found = carom.post_impact_set("rocking_block", 100, law="simultaneous", hold_out=64)
    assert found.certificate.law == "simultaneous"
    assert found.certificate.caps is None
    with pytest.raises(carom.InputError, match="caps is in law_options, too"):
        carom.sample("rocking_block", 5, caps="simplex", law_options={"caps": "simplex"})
    with pytest.raises(carom.InputError, match="caps is not an option of law sequential"):
        carom.sample("rocking_block", 5, law="sequential", caps="simplex")
    with pytest.raises(carom.InputError, match='law is "sequentiel"'):
        carom.sample("rocking_block", 5, law="sequentiel")


def test_samples_can_be_pickled():
    for law in ("set_valued", "plus"):
        samples = carom.sample("rocking_block", 50, law=law)
        for again in (pickle.loads(pickle.dumps(samples)), copy.deepcopy(samples)):
            assert again.checksum == samples.checksum and repr(again) == repr(samples)
            np.testing.assert_array_equal(again.impulse, samples.impulse)
            assert (again.lcp_count is None) == (law == "plus")


def test_samples_without_an_outcome_are_told():
    with pytest.warns(carom.CaromWarning, match=r"50 of 50 trajectories have no outcome \(50 step_limit\)"):
        found = carom.sample("rocking_block", 50, max_steps=1, impulse_step=1e-6)
    assert (found.status != 0).all()
    with pytest.warns(carom.CaromWarning, match="trajectories have no outcome"):
        found = carom.sample("compass_gait", 200, max_steps=2)
    assert 0 < (found.status != 0).sum() < 200
    block = carom.load_scenario("rocking_block").problem
    rising = carom.ImpactProblem(block.mass_matrix, block.normal_jacobian, block.tangent_jacobian, block.friction, [0, 1, 0])
    with pytest.warns(carom.CaromWarning, match="no contact approaches"):
        carom.sample(rising, 10)
