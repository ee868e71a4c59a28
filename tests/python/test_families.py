"""Problems from MuJoCo, data sets and grids from Python equal those of the command line."""

import json
import os
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest

import carom

ROOT = Path(__file__).resolve().parents[2]
CAROM = os.environ["CAROM_EXECUTABLE"]


def run(*arguments):
    done = subprocess.run([CAROM, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


GRID = """
scenario = "rocking_block"
[axes]
impact_angle_deg = {values = [-30.0, 0.0, 30.0]}
drop_speed = {values = [0.2, 0.4]}
[sampling]
trajectories = 500
"""


def test_billiards_of_the_shipped_grid_follow_the_closed_formula():
    grid = carom.grid(ROOT / "examples" / "billiards_grid.toml")
    shown = np.asarray(grid["colliding"]) != 0
    assert shown.sum() == 552  # not 180 degrees, and no balls that overlap
    ratio, angle = np.asarray(grid["values"])[shown].T
    theta = np.radians(angle)
    found = grid["net_diameter"][shown] / np.sqrt(2 * grid["energy_before"][shown])
    share = 1 / (1 + ratio**3)  # of ball a in the mass of a and c
    along = share * np.cos(theta)
    xi = 4 * np.sqrt(2) * share**1.5 * np.abs(np.cos(theta)) * np.cos(theta / 2) * np.sqrt(1 - along)
    twice = along > -0.309  # both orders take two impacts
    assert twice.sum() > 450
    np.testing.assert_allclose(found[twice], xi[twice], atol=1e-9)


def test_a_grid_equals_that_of_the_command_line(tmp_path):
    spec = write(tmp_path / "grid.toml", GRID)
    told = json.loads(run("grid", str(spec), "-o", str(tmp_path / "one.h5"), "--json"))
    found = carom.grid(spec, tmp_path / "two.h5", progress=False)
    assert (tmp_path / "one.h5").read_bytes() == (tmp_path / "two.h5").read_bytes()
    assert found["shape"] == (3, 2)
    assert found["names"] == ["parameters.impact_angle_deg", "parameters.drop_speed"]
    np.testing.assert_array_equal(found["values"][1], [-30.0, 0.4])
    assert int(found["checksum"].sum(dtype=np.uint64)) == int(told["checksum"], 16)
    assert found["net_diameter"].max() == told["largest_net_diameter"]["net_diameter"]
    assert {name: int((count > 0).sum()) for name, count in found["modes"].items()} == told[
        "states_by_mode"
    ]
    # The block is symmetric, though not its random numbers.
    assert found["net_diameter"][1] == pytest.approx(found["net_diameter"][5], abs=0.05)


def test_a_grid_answers_questions_about_each_state(tmp_path):
    asked = ["A normal > 0.1", "A normal < -1"]
    spec = write(tmp_path / "grid.toml", f"ask = {json.dumps(asked)}\n" + GRID)
    found = carom.grid(spec, tmp_path / "grid.h5", progress=False)["answers"]
    told = json.loads(run("grid", str(spec), "-o", str(tmp_path / "grid.h5"), "--json"))["answers"]
    assert [its["question"] for its in found] == [its["question"] for its in told] == asked
    for its, counts in zip(found, told):
        for answer in ("yes", "no", "no_within", "open"):
            assert (its["answer"] == answer).sum() == counts[answer]
        beyond = its["found"] > 0.1 if its is found[0] else its["found"] < -1.0
        np.testing.assert_array_equal(its["answer"] == "yes", beyond)
    assert {"yes", "no"} <= set(found[0]["answer"])
    assert set(found[1]["answer"]) == {"no"}
    with h5py.File(tmp_path / "grid.h5") as file:
        answers = file["answers"]
        codes = np.array(["", "open", "no_within", "no", "yes"])[answers["answer"][:, 0]]
        np.testing.assert_array_equal(codes, found[0]["answer"])
        np.testing.assert_array_equal(answers["found"][:, 1], found[1]["found"])
        np.testing.assert_array_equal(answers["value"][:], [0.1, -1.0])
        np.testing.assert_array_equal(answers["greater"][:], [1, 0])


def test_a_refused_grid_leaves_no_file_that_refuses_the_corrected_one(tmp_path):
    right = GRID.replace("drop_speed = {values = [0.2, 0.4]}", "friction = {values = [0.5]}")
    spec = write(tmp_path / "grid.toml", right.replace("[0.5]", "[-0.5]"))
    output = tmp_path / "grid.h5"
    command = [CAROM, "grid", str(spec), "-o", str(output)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "friction" in done.stderr
    assert not output.exists()
    write(spec, right)
    run(*command[1:])


def test_a_data_set_equals_that_of_the_command_line(tmp_path):
    spec = ROOT / "examples" / "quick_states.toml"
    run("dataset", str(spec), "-o", str(tmp_path / "one"), "--quiet")
    counts = carom.generate(spec, tmp_path / "two", progress=False)
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert names == sorted(path.name for path in (tmp_path / "two").iterdir())
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert counts["problems"] == counts["train"] + counts["validation"] + counts["test"]
    assert carom.generate(spec, tmp_path / "two")["shards_found"] == counts["shards"]


def test_a_folder_tells_notes_members_left_out_and_other_laws(tmp_path):
    from carom.dataset import DatasetFolder

    text = """scenario = "rocking_block"
invalid = "skip"
[axes]
friction = {values = [0.3, -0.5, 0.6]}
[sampling]
trajectories = 16
termination_tolerance = 0.01
[outcomes]
per_problem = 8
comparison = true
"""
    counts = carom.generate(write(tmp_path / "spec.toml", text), tmp_path / "set", progress=False)
    assert [note["code"] for note in counts["notes"]] == ["coarse_termination", "left_out"]
    assert counts["notes"][0]["sentence"].startswith("in 2 of 3 members, the first is member 0 (")
    data = DatasetFolder(tmp_path / "set")
    assert list(data.skipped()) == [1] and "friction is -0.5" in data.skipped()[1]
    assert {member: [code for code, _ in notes] for member, notes in data.notes().items()} == {
        0: ["coarse_termination"], 2: ["coarse_termination"],
    }  # fmt: skip
    for i in range(len(data)):
        laws = data.problem(i)["comparison"]
        assert set(laws["law"]) == {0, 1} and laws["velocity"].shape[1] == 3
        assert all(isinstance(order, str) for order in laws["order"])
        assert "comparison" not in data.problem(i, ["velocity"])
        assert data.problem(i)["restitution"].shape == (2,)


DROPS = """
scenario = "rocking_block"
problems = 4
[axes]
drop_height = {min = 0.01, max = 0.1}
tilt_deg = {values = [0.0, 1.0]}
[roll]
rollouts = 3
duration = 0.3
times = [0.0, 0.1, 0.2]
[shards]
problems = 3
"""


def test_a_data_set_of_rollouts_has_the_states_of_each_member(tmp_path):
    from carom.dataset import DatasetFolder

    spec = write(tmp_path / "drops.toml", DROPS)
    counts = carom.generate(spec, tmp_path / "drops", progress=False)
    assert counts["outcomes"] == sum(counts["rollouts"].values()) == 24
    data = DatasetFolder(tmp_path / "drops", verify=True)
    assert data.index["coordinates"] == ["x", "y", "angle"]
    assert len(DatasetFolder(tmp_path / "drops", "test")) == 0
    with pytest.raises(ValueError, match="no problem in the split 'test'"):
        DatasetFolder(tmp_path / "drops", "test").transitions()
    rows = data.transitions()
    for i in range(len(data)):
        problem = data.problem(i)
        height, tilt = problem["values"]
        text = f"""system = "rocking_block"
[parameters]
drop_height = {float(height)!r}
tilt_deg = {float(tilt)!r}
"""
        scenario = write(tmp_path / "one.toml", text)
        found = carom.roll(scenario, rollouts=3, duration=0.3, times=[0.0, 0.1, 0.2], problem_id=i)
        for name in ("position", "velocity", "status", "end_time", "event_time", "first_impact_velocity"):
            np.testing.assert_array_equal(problem["outcomes"][name], getattr(found, name))
        state, following, seconds = carom.transitions(found)
        mine = rows["problem"] == i
        np.testing.assert_array_equal(rows["state"][mine], state)
        np.testing.assert_array_equal(rows["next_state"][mine], following)
        np.testing.assert_array_equal(rows["seconds"][mine], seconds)
        assert (rows["values"][mine] == [height, tilt]).all()


def test_rollouts_are_read_with_torch_alike_at_once_and_one_by_one(tmp_path):
    torch = pytest.importorskip("torch")
    from carom.torch import ImpactDataset

    lossy = DROPS.replace("rollouts = 3", "rollouts = 30")
    lossy += "[sampling]\nimpulse_step = 0.5\nmax_steps = 2\n"
    with pytest.warns(carom.CaromWarning, match="impact that still collided"):
        counts = carom.generate(write(tmp_path / "drops.toml", lossy), tmp_path / "drops")
    kept = ImpactDataset(tmp_path / "drops", split=None)
    read = ImpactDataset(tmp_path / "drops", split=None, keep=False)
    assert kept[0]["position"].shape == kept[0]["velocity"].shape == (30, 4, 3)
    assert 0 < sum(int(item["mask"].sum()) for item in kept) == counts["outcomes"] < 240
    for one, other in zip(kept, read):
        assert list(one) == list(other)
        assert all(torch.equal(one[name], other[name]) for name in one)


def test_mistakes_are_input_errors(tmp_path):
    spec = write(tmp_path / "bad.toml", GRID.replace("count", "cuont").replace("values", "valeus"))
    with pytest.raises(carom.InputError, match="valeus"):
        carom.grid(spec)
    with pytest.raises(carom.InputError, match="cannot open"):
        carom.generate(tmp_path / "none.toml", tmp_path / "folder")


def test_a_mujoco_model_is_the_built_in_system():
    pytest.importorskip("mujoco")
    model = ROOT / "scenarios" / "mujoco" / "rocking_block.xml"
    try:
        problem = carom.from_mujoco(model, keyframe=0)
    except carom.InputError as error:
        if "built without" in str(error):
            pytest.skip(str(error))
        raise
    block = carom.load_scenario("rocking_block").problem
    np.testing.assert_allclose(problem.mass_matrix, block.mass_matrix, atol=1e-9)
    np.testing.assert_allclose(problem.normal_jacobian, block.normal_jacobian, atol=1e-9)
    np.testing.assert_allclose(problem.pre_impact_velocity, block.pre_impact_velocity, atol=1e-9)
    faster = carom.from_mujoco(model, qvel=[0.1, -1.0, 0.0], keyframe=0)
    np.testing.assert_array_equal(faster.pre_impact_velocity, [0.1, -1.0, 0.0])
    with pytest.raises(carom.InputError, match="qvel"):
        carom.from_mujoco(model, qvel=[1.0], keyframe=0)
    for geoms in [[1, 2], [["floor", 2]], [["floor"]], [None]]:
        with pytest.raises(carom.InputError, match=r"geoms holds .* \(must hold names, or pairs"):
            carom.from_mujoco(model, geoms=geoms)
    with pytest.raises(carom.InputError):
        carom.from_mujoco(ROOT / "none.xml")


@pytest.mark.filterwarnings("ignore::carom.CaromWarning")
def test_tables_of_single_sets_are_told_not_to_count(tmp_path):
    (tmp_path / "block.toml").write_text('system = "rocking_block"\n[bound]\n[evidence]\nseek_extremes = 0\n')
    axes = "[axes]\nfriction = {values = [0.3, 0.6]}\n[sampling]\ntrajectories = 16\n"
    (tmp_path / "grid.toml").write_text('scenario = "block.toml"\n' + axes)
    notes = carom.grid(tmp_path / "grid.toml", tmp_path / "grid.h5")["notes"]
    (told,) = [note for note in notes if note["code"] == "single_set_tables"]
    assert "[bound], [evidence] of the scenario count for carom sample alone" in told["text"]
