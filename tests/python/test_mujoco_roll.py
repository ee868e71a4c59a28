"""carom.roll() of MuJoCo's models beside the same scheme, written with MuJoCo's and Carom's Python."""

import subprocess
import sys
from pathlib import Path

import carom
import carom.mujoco
import numpy as np
import pytest
from carom import motion
from PIL import Image

try:
    import mujoco
except ModuleNotFoundError:
    mujoco = None

pytestmark = pytest.mark.skipif(
    mujoco is None or mujoco.mj_versionString() != carom._core.mujoco_version(),
    reason="needs the package mujoco, and a Carom that was built with its headers",
)

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"
DROP = SCENARIOS / "mujoco_drop.toml"


def rolled_by_hand(rollout, steps, step=1e-3, distance=1e-3, threshold=0.1, law=True):
    """States (steps + 1, nq) and (steps + 1, nv) of a rollout of the drop, and its number of impacts."""
    model = mujoco.MjModel.from_xml_path(str(SCENARIOS / "mujoco/standing_quadruped.xml"))
    model.opt.timestep = step
    model.geom_gap[:] = np.maximum(model.geom_gap, distance)  # so that near contacts are found
    model.pair_gap[:] = np.maximum(model.pair_gap, distance)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_KEY, "drop"))
    outcome_of = carom.ImpactLaw(seed=1, problem_id=0)
    positions, velocities, impacts = [data.qpos.copy()], [data.qvel.copy()], 0
    for _ in range(steps):
        mujoco.mj_fwdPosition(model, data)
        arrays = carom.mujoco.contacts(model, [data], distance=distance)
        speeds = arrays["normal_jacobian"][0] @ data.qvel
        if law and speeds.min() < -threshold:
            outcome = outcome_of(rollout + (impacts << 40), impulse_step=2.0, **arrays)
            assert outcome.status[0] == 0
            data.qvel[:] = outcome.velocity[0]
            impacts += 1
        mujoco.mj_step(model, data)
        positions.append(data.qpos.copy())
        velocities.append(data.qvel.copy())
    return np.array(positions), np.array(velocities), impacts


@pytest.mark.parametrize("law", [True, False])
def test_rollouts_are_those_of_the_scheme_step_by_step(law):
    steps = 400
    times = np.arange(0, steps + 1, 50) * 1e-3
    more = {} if law else {"impact_speed": 1e3}
    found = carom.roll(DROP, rollouts=4, duration=times[-1], times=times, impulse_step=2.0, start={},
                       ask=["impacts > 0"], **more)  # fmt: skip
    for rollout in range(4 if law else 1):
        position, velocity, impacts = rolled_by_hand(rollout, steps, law=law)
        assert found.impacts[rollout] == impacts
        np.testing.assert_allclose(found.position[rollout], position[::50], atol=1e-7)
        np.testing.assert_allclose(found.velocity[rollout], velocity[::50], atol=1e-5)
        assert (found.least[rollout].min(axis=0) <= position.min(axis=0) + 1e-7).all()
        np.testing.assert_allclose(found.greatest[rollout].max(axis=0), position.max(axis=0), atol=1e-7)
    assert (found.impacts > 0).all() == law


def test_orders_differ_where_mujoco_has_one_outcome():
    spread = {}
    for name, more in [("law", {}), ("MuJoCo", {"impact_speed": 1e3})]:
        found = carom.roll(DROP, rollouts=30, duration=0.5, start={}, ask=["impacts > 0"], **more)
        assert found.velocities[3] == "trunk.turn_x" and found.coordinates[3] == "trunk.qw"
        spread[name] = np.ptp(found.position[:, -1], axis=0).max()
    assert spread["MuJoCo"] == 0.0
    assert spread["law"] > 5e-4


def test_transitions_have_positions_and_velocities():
    found = carom.roll(DROP, rollouts=3, duration=0.4, times=[0.0, 0.2, 0.4], ask=["impacts > 0"])
    state, following, time = carom.transitions(found)
    assert state.shape == following.shape == (6, 19 + 18)
    np.testing.assert_array_equal(following[0], state[1])


def drawn(file, picture):
    command = [sys.executable, "-m", "carom.plot", str(file), "-o", str(picture)]
    return subprocess.run(command, capture_output=True, text=True)


def test_a_file_is_drawn(tmp_path):
    file, picture, movie = (tmp_path / name for name in ("drop.h5", "drop.png", "drop.gif"))
    carom.roll(DROP, rollouts=10, duration=0.3, ask=["impacts > 0"], output=file)
    assert drawn(file, picture).returncode == 0
    assert picture.stat().st_size > 10_000
    assert drawn(file, movie).returncode == 0
    with Image.open(movie) as frames:
        assert frames.n_frames == 21

    world = motion.read(file).world
    assert len(motion.mujoco_bodies.body_patches(world, world.data.qpos)) == len(world.shapes) == 17
    assert [tuple(normal) for normal, _ in world.floors] == [(0.0, 0.0, 1.0)]
    # The trunk is a box, whose outline from above one side has six corners, and a foot is a ball.
    corners = {world.model.geom(geom).name: len(shape[0]) for geom, shape in world.shapes.items()}
    assert (corners["trunk"], corners["front_left_foot"]) == (8, 1)


def test_bodies_of_a_model_that_is_gone_are_missed(tmp_path):
    model = tmp_path / "ball.xml"
    model.write_text("""<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
        <body pos="0 0 0.2"><freejoint name="ball"/><geom size="0.1"/></body></worldbody></mujoco>""")
    scenario = tmp_path / "ball.toml"
    scenario.write_text('system = "mujoco"\n[mujoco]\nmodel = "ball.xml"\n[roll]\nduration = 0.3\n')
    file = tmp_path / "ball.h5"
    carom.roll(scenario, rollouts=2, output=file)
    assert motion.read(file).world is not None
    model.unlink()
    assert drawn(file, tmp_path / "ball.png").returncode == 0
    movie = drawn(file, tmp_path / "ball.gif")
    assert movie.returncode == 2
    assert f"bodies need the model {model}" in movie.stderr


def test_a_data_set_has_rollouts_of_a_model_from_starts_along_an_axis(tmp_path):
    from carom.dataset import DatasetFolder

    spec = tmp_path / "spec.toml"
    spec.write_text(f"""
scenario = "{DROP}"
[axes]
start.position."trunk.turn_x" = {{min = -0.1, max = 0.1, count = 3}}
[roll]
rollouts = 4
duration = 0.3
ask = []
""")
    assert carom.generate(spec, tmp_path / "set", progress=False)["rollouts"]["moving"] == 12
    outcomes = DatasetFolder(tmp_path / "set").problem(2)["outcomes"]
    found = carom.roll(DROP, rollouts=4, duration=0.3, problem_id=2, ask=["impacts > 0"],
                       start={"position": {"trunk.turn_x": (0.1, 0.1)}})  # fmt: skip
    for column in ("position", "velocity", "event_time"):
        np.testing.assert_array_equal(outcomes[column], getattr(found, column))
