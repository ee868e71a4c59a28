"""carom.roll(): motions in time as arrays, files and pictures."""

import os
import subprocess
import sys
from pathlib import Path

import carom
import numpy as np
import pytest

SCENARIO = """
system = "planar"
world.friction = 1.0
[[body]]
name = "box"
size = [0.4, 0.2]
mass = 1.0
position = [0.0, 0.3]
[[body]]
name = "ball"
radius = 0.1
mass = 1.0
position = [0.05, 0.7]
[[floor]]
"""


@pytest.fixture
def scenario(tmp_path):
    file = tmp_path / "drop.toml"
    file.write_text(SCENARIO)
    return file



def test_pictures_draw_every_whole_rollout():
    from carom import motion

    assert set(motion.WHOLE) == set(carom._core.WHOLE_ROLLOUTS)


def test_columns_have_their_shapes_and_do_not_depend_on_the_number_of_rollouts(scenario):
    few = carom.roll(scenario, rollouts=10, duration=0.5, times=[0.0, 0.2])
    many = carom.roll(scenario, rollouts=30, duration=0.5, times=np.array([0.0, 0.2]), threads=1)
    assert few.time.tolist() == [0.0, 0.2, 0.5]
    assert few.coordinates[3] == "ball.x"
    assert few.position.shape == few.greatest.shape == (10, 3, 6)
    assert few.first_impact_velocity.shape == (10, 6)
    assert few.event_time.shape == (10, 16)
    assert (many.position[:10] == few.position).all()
    assert (few.position[:, 0] == [0.0, 0.3, 0.0, 0.05, 0.7, 0.0]).all()
    assert {carom.ROLLOUT_STATUS[s] for s in few.status} <= {"moving", "at_rest"}
    assert (few.least <= few.position).all() and (few.position <= few.greatest).all()


def test_the_bits_are_those_of_the_command_line(scenario, tmp_path):
    for problem in ("rocking_block", str(scenario)):
        file = str(tmp_path / "told.h5")
        command = [os.environ["CAROM_EXECUTABLE"], "roll", problem, "--rollouts", "20", "--duration", "0.5"]
        subprocess.run([*command, "-o", file, "--quiet"], check=True, capture_output=True)
        told = carom.read(file)
        found = carom.roll(problem, rollouts=20, duration=0.5)
        for column in ("position", "velocity", "event_time", "lcps"):
            np.testing.assert_array_equal(getattr(found, column), getattr(told, column))


def test_energy_does_not_grow_by_impacts(scenario):
    found = carom.roll(scenario, rollouts=20, duration=1.0)
    assert np.isfinite(found.end_energy).all()
    assert (found.event_energy[found.event_time >= 0] < 9.81 * 2.0).all()


def test_questions_and_quantiles():
    found = carom.roll("rocking_block", rollouts=64, duration=0.2, ask=["end_time < 1 s"])
    (answer,) = found.answers
    assert answer["yes"] == answer["rollouts"] == 64
    assert answer["interval"][0] > 0.9
    lowest, *_, highest = np.moveaxis(found.position_quantiles, -1, 0)
    assert (lowest == found.position.min(axis=0)).all()
    assert (highest == found.position.max(axis=0)).all()
    asking = Path(__file__).parents[2] / "scenarios" / "tall_block.toml"
    for ask, count in ((None, 1), ("impacts > 0", 1), (["impacts > 0", "impacts > 1"], 2), ([], 0)):
        assert len(carom.roll(asking, rollouts=2, ask=ask).answers) == count
    for single in ("trajectories", "epsilon", "norm"):  # of single impacts
        with pytest.raises(TypeError, match=single):
            carom.roll("rocking_block", **{single: 1})
    for ask in (5, [1, 2], {3: 4}):
        with pytest.raises(carom.InputError, match="ask is .* .must be a question, or a list of them"):
            carom.roll("rocking_block", ask=ask)
    for found in (None, "rocking_block"):
        with pytest.raises(carom.InputError, match="found is .* .must be a RollResult"):
            carom.transitions(found)
    with pytest.raises(carom.InputError, match="angel"):
        carom.roll("rocking_block", ask=["angel > 1 rad by 0.1 s"])
    with pytest.raises(carom.InputError, match="only the impact"):
        carom.roll(str(Path(__file__).parents[2] / "scenarios" / "matrices_example.toml"))


def test_every_law_rolls():
    for law in ("set_valued", "simultaneous", "sequential", "plus"):
        found = carom.roll("rocking_block", rollouts=4, duration=0.2, law=law)
        assert (found.status <= 1).all(), law
    drawn = carom.roll("rocking_block", rollouts=64, duration=0.1, solutions="all")
    assert not [note for note in drawn.notes if note["code"] == "cover_solutions"]


def test_restitution_bounces(scenario):
    plastic = carom.roll(scenario, rollouts=1, duration=0.4)
    elastic = carom.roll(scenario, rollouts=1, duration=0.4, restitution=0.8)
    assert elastic.end_energy[0] > 10 * plastic.end_energy[0]


def test_files_are_read_and_drawn(scenario, tmp_path):
    file = tmp_path / "drop.h5"
    found = carom.roll(scenario, rollouts=10, duration=0.3, output=file)
    again = carom.read(file)
    assert (again.position == found.position).all()
    assert again.scenario.problem.contact_names == found.scenario.problem.contact_names
    for name in ("drop.png", "drop.gif"):
        command = [sys.executable, "-m", "carom.plot", str(file), "-o", str(tmp_path / name)]
        subprocess.run(command, check=True)
        assert (tmp_path / name).stat().st_size > 5000
    for flags in (["--paths", "3"], ["--max-points", "3"]):
        refused = subprocess.run(
            [sys.executable, "-m", "carom.plot", str(file), *flags], capture_output=True, text=True
        )
        assert refused.returncode == 2 and f"holds motions (must have no {flags[0]}" in refused.stderr


def test_bodies_in_space_are_rolled_stepped_and_drawn(tmp_path):
    scenario = tmp_path / "space.toml"
    scenario.write_text("""
system = "spatial"
world.friction = 1.0
[[body]]
name = "box"
size = [0.2, 0.1, 0.06]
mass = 1.0
position = [0.0, 0.0, 0.2]
[[body]]
name = "ball"
radius = 0.05
mass = 1.0
position = [0.3, 0.0, 0.1]
[[body]]
name = "hull"
points = [[0.1, 0, 0], [-0.1, 0.1, 0], [-0.1, -0.1, 0], [0, 0, 0.2]]
inertia = [0.02, 0.02, 0.03]
mass = 1.0
position = [-0.3, 0.0, 0.2]
[[floor]]
[[floor]]
point = [2.0, 0.0, 0.0]
normal = [-1.0, 0.5, 0.0]
""")
    start = {"position": {"box.turn_y": (0.1, 0.3)}}
    found = carom.roll(scenario, rollouts=8, duration=0.3, start=start, output=tmp_path / "space.h5")
    assert found.coordinates[:7] == ["box.x", "box.y", "box.z", "box.qw", "box.qx", "box.qy", "box.qz"]
    assert found.position.shape == (8, 21, 21) and found.velocity.shape == (8, 21, 18)
    np.testing.assert_allclose(np.linalg.norm(found.position[:, :, 3:7], axis=2), 1.0, atol=1e-14)
    half_turn = np.arctan2(found.position[:, 0, 5], found.position[:, 0, 3])
    assert half_turn.min() >= 0.05 and half_turn.max() <= 0.15
    state, _, _ = carom.transitions(found)
    assert state.shape[1] == 39
    for name in ("space.png", "space.gif"):
        command = [sys.executable, "-m", "carom.plot", str(tmp_path / "space.h5"), "-o", str(tmp_path / name)]
        subprocess.run(command, check=True)
        assert (tmp_path / name).stat().st_size > 5000
    copies = carom.Rollouts(scenario, 3, seconds=0.1, start=start)
    assert copies.velocities[3:6] == ["box.turn_x", "box.turn_y", "box.turn_z"]
    position, velocity = copies.step()
    assert position.shape == (3, 21) and velocity.shape == (3, 18)
    assert np.ptp(position[:, 5]) > 0.0


def test_starts_are_drawn_from_ranges():
    found = carom.roll("rocking_block", rollouts=40, duration=0.1, times=[0.0],
                       start={"position": {"y": (1.0, 1.5)}, "velocity": {"angle": (-0.1, 0.1)}})  # fmt: skip
    height, rate = found.position[:, 0, 1], found.velocity[:, 0, 2]
    assert height.min() >= 1.0 and height.max() <= 1.5 and np.ptp(height) > 0.3
    assert rate.min() >= -0.1 and rate.max() <= 0.1 and np.ptp(rate) > 0.1
    many = carom.Rollouts("rocking_block", 40, start={"position": {"y": (1.0, 1.5)}})
    assert np.ptp(many.position[:, 1]) > 0.3
    for start, message in [
        ({"place": {}}, "start has the key 'place' .must be"),
        ({"position": [1.0]}, "is no dict"),
        ({"position": {"y": 1.0}}, 'start."position".."y".'),
        ({"position": {"z": (0.0, 1.0)}}, "must be one of x, y, angle"),
    ]:
        with pytest.raises(carom.InputError, match=message):
            carom.roll("rocking_block", start=start)


def test_transitions_are_states_that_follow_each_other():
    found = carom.roll("rocking_block", rollouts=6, duration=0.3, times=[0.0, 0.1])
    state, following, time = carom.transitions(found)
    assert state.shape == following.shape == (12, 6)
    np.testing.assert_array_equal(state[1::2], following[::2])  # at 0.1 s
    np.testing.assert_array_equal(following[1::2, :3], found.position[:, -1])
    np.testing.assert_array_equal(following[1::2, 3:], found.velocity[:, -1])
    np.testing.assert_allclose(time.reshape(6, 2), [[0.1, 0.2]] * 6)
