"""Worlds that are moved step by step."""

import numpy as np
import pytest

import carom

WORLD = """system = "planar"
world.friction = 1
[[body]]
name = "ball"
radius = 0.1
mass = 2
position = [0, 1]
[[floor]]
"""


@pytest.fixture
def ball(tmp_path):
    path = tmp_path / "ball.toml"
    path.write_text(WORLD)
    return path


def test_steps_are_the_states_of_one_roll():
    times = [0.05 * (k + 1) for k in range(8)]
    rolled = carom.roll("rocking_block", rollouts=20, duration=0.4, times=times, seed=3)
    steps = carom.Rollouts("rocking_block", 20, seconds=0.05, seed=3)
    first = steps.step()[1]
    np.testing.assert_allclose(first, rolled.velocity[:, 0], atol=1e-9)
    assert np.ptp(first[:, 2]) > 0.01  # copies differ
    for k in range(1, 8):
        position, velocity = steps.step()
    np.testing.assert_allclose(position, rolled.position[:, -1], atol=1e-5)


def test_forces_act_beside_gravity(ball):
    balls = carom.Rollouts(ball, 2, seconds=0.1)
    position, velocity = balls.step([[4.0, 0.0, 0.0], [0.0, 2 * 9.81, 0.02]])
    np.testing.assert_allclose(velocity[0], [0.2, -0.981, 0.0], atol=1e-12)
    np.testing.assert_allclose(velocity[1], [0.0, 0.0, 0.2], atol=1e-12)  # inertia 0.01
    np.testing.assert_allclose(position[0], [0.01, 1 - 0.04905, 0.0], atol=1e-12)
    assert (balls.impacts == 0).all() and (balls.status == 0).all()


def test_restarted_copies_draw_anew_and_the_others_stay():
    blocks = carom.Rollouts("rocking_block", 6, seconds=0.02, seed=5)
    first = blocks.step()[1].copy()
    blocks.restart(np.array([True, False, True, False, False, False]))
    np.testing.assert_array_equal(blocks.velocity[[1, 3, 4, 5]], first[[1, 3, 4, 5]])
    again = blocks.step()[1]
    assert (np.abs(again[[0, 2], 2] - first[[0, 2], 2]) > 1e-6).any()
    other = carom.Rollouts("rocking_block", 6, seconds=0.02, seed=5, threads=1)
    np.testing.assert_array_equal(other.step()[1], first)
    other.restart([])
    np.testing.assert_array_equal(other.velocity, first)
    other.restart(3)
    assert (np.abs(other.velocity - first).max(axis=1) > 0).tolist() == [False] * 3 + [True] + [False] * 2


def test_copies_can_be_placed(ball):
    balls = carom.Rollouts(ball, 3)
    balls.place(1, [0.5, 0.7, 0.1], [0.0, 1.0, 2.0])
    np.testing.assert_array_equal(balls.position[1], [0.5, 0.7, 0.1])
    np.testing.assert_array_equal(balls.position[0], [0.0, 1.0, 0.0])
    with pytest.raises(carom.InputError, match="copy 2 starts with .* m deep"):
        balls.place(2, [0.0, 0.05, 0.0], [0.0, 0.0, 0.0])
    with pytest.raises(carom.InputError, match="velocity has an entry that is no number"):
        balls.place(2, [0.0, 1.0, 0.0], [0.0, np.nan, 0.0])
    with pytest.raises(carom.InputError, match="copy is 3 .must be an integer from 0 to 2"):
        balls.place(3, [0.0, 1.0, 0.0], [0.0, 0.0, 0.0])
    with pytest.raises(carom.InputError, match="copy is -1"):
        balls.place(-1, [0.0, 1.0, 0.0], [0.0, 0.0, 0.0])


def test_wrong_arguments_are_named(ball):
    for copies in (0, 1.5, "3", None, True):
        with pytest.raises(carom.InputError, match="copies is .* .must be an integer from 1 to 1099511627776"):
            carom.Rollouts(ball, copies)
    for which in ([2], [-1], [0.5], "a", [True]):
        with pytest.raises(carom.InputError, match="which is .* .must be numbers below 2, or a mask"):
            carom.Rollouts(ball, 2).restart(which)
    with pytest.raises(carom.InputError, match="force is 2 x 2 .must be 2 x 3: copies x velocities"):
        carom.Rollouts(ball, 2).step(np.zeros((2, 2)))
    with pytest.raises(carom.InputError, match="force has an entry that is no number"):
        carom.Rollouts(ball, 1).step([[np.inf, 0.0, 0.0]])
    for seconds in (-1, 0, np.nan, np.inf, "1", None):
        with pytest.raises(carom.InputError, match="seconds is .* .must be a number > 0 and finite"):
            carom.Rollouts(ball, 1, seconds=seconds)
    with pytest.raises(carom.InputError, match="saved rollouts are of another world or number of copies"):
        carom.Rollouts(ball, 2)._stepper.restore(carom.Rollouts(ball, 1)._stepper.saved())
    balls = carom.Rollouts(ball, 2)
    with pytest.raises(carom.InputError, match="pickled rollouts are those of Carom 0.0 .must be"):
        balls.__setstate__(("0.0", *balls.__getstate__()[1:]))
    for misspelt in ("seeed", "rollouts", "trajectories"):
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{misspelt}'"):
            carom.Rollouts(ball, 1, **{misspelt: 3})
