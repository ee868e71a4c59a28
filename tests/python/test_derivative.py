"""carom.coupling() and carom.derivative(): couplings of contacts, and derivatives through impacts."""

import carom
import numpy as np
import pytest


def frictionless(mass, normals, velocity, restitution=None):
    """An impact without friction."""
    tangents = np.zeros_like(np.asarray(normals, dtype=float))
    return carom.ImpactProblem(mass, normals, tangents, 0.0, velocity, restitution=restitution)


def test_coupling_of_a_corner_is_that_by_hand():
    # The first contact alone stops the fall. If the second one is earlier, it turns the velocity to
    # (0.48, -0.36), and the first to (0.48, 0): the second opens at 0.6 * 0.48 m/s.
    found = carom.coupling(frictionless(np.eye(2), [[0, 1], [0.6, 0.8]], [0, -1]))
    np.testing.assert_allclose(found["normal"], [[1.0, 0.8], [0.8, 1.0]], atol=1e-15)
    assert found["verdict"] == "coupled"
    assert found["jump"] == pytest.approx(0.288, abs=1e-12)


def test_derivative_of_a_plastic_impact_projects_and_of_an_elastic_one_reflects():
    for restitution, vertical in ((None, 0.0), (1.0, -1.0)):
        found = carom.derivative(frictionless(np.eye(2), [[0, 1]], [0.3, -1.0], restitution))
        (order,) = found["orders"]
        assert found["differentiable"]
        np.testing.assert_allclose(order["saltation"][2:, 2:], np.diag([1.0, vertical]), atol=1e-12)
        np.testing.assert_allclose(order["velocity"], [0.3, -vertical], atol=1e-12)


def ball(restitution=0.5):
    return carom.Motion(mass=np.eye(1), gaps=lambda q: q, gap_jacobian=[[1.0]],
                        force=lambda q, v: np.array([-9.81]), restitution=[restitution])  # fmt: skip


def wrong(force):
    """A motion whose gap_jacobian is not the derivative of its gap."""
    return carom.Motion(mass=np.eye(1), gaps=np.sin, gap_jacobian=[[1.0]],
                        force=lambda q, v: np.array([force]))  # fmt: skip


def height_after(drop, end, restitution=0.5, g=9.81):
    """Height and speed of a ball after its first bounce, in closed form."""
    landing = np.sqrt(2 * drop / g)
    up, left = restitution * g * landing, end - landing
    return np.array([up * left - 0.5 * g * left**2, up - g * left])


def test_derivative_of_a_bouncing_ball_is_that_of_the_closed_form():
    found = carom.derivative(ball(), start=[1.0, 0.0], end=0.7, direction=[1.0, 0.0])
    step = 1e-6
    slope = (height_after(1.0 + step, 0.7) - height_after(1.0 - step, 0.7)) / (2 * step)
    np.testing.assert_allclose(found["right"]["state"], height_after(1.0, 0.7), atol=1e-10)
    np.testing.assert_allclose(found["right"]["slope"], slope, rtol=1e-8)
    np.testing.assert_allclose(found["derivative"][:, 0], slope, rtol=1e-8)
    assert found["right"]["impacts"][0]["slowest"] == pytest.approx(np.sqrt(2 * 9.81))


DROP = """
system = "planar"
world.friction = 0
[[body]]
name = "box"
size = [0.2, 0.4]
mass = 1.0
position = [0.0, 0.35]
angle_deg = 8.0
[[floor]]
name = "floor"
"""


def test_derivative_of_a_world_is_that_of_its_rollouts(tmp_path):
    path = tmp_path / "drop.toml"
    path.write_text(DROP)
    found = carom.derivative(path, end=0.25)
    assert found["differentiable"] and len(found["right"]["impacts"]) == 2
    assert found["coordinates"] == ["x", "y", "angle"]

    def rolled(angle):
        moved = carom.roll(path, law="simultaneous", rollouts=1, duration=0.25, step=1e-4, times=[0.25],
                           start={"position": {"angle": (angle, angle)}})  # fmt: skip
        return np.concatenate([moved.position[0, -1], moved.velocity[0, -1]])

    angle, change = np.radians(8.0), 1e-3
    np.testing.assert_allclose(found["right"]["state"], rolled(angle), atol=1e-5)
    slope = (rolled(angle + change) - rolled(angle - change)) / (2 * change)
    np.testing.assert_allclose(found["derivative"][:, 2], slope, rtol=1e-3, atol=1e-3)
    # From another start, along another direction: its slope is the same matrix's.
    start, direction = np.array([0, 0.36, 0.1, 0.2, 0, 0]), np.arange(6.0)
    other = carom.derivative(path, start=start, end=0.25, direction=direction)
    np.testing.assert_allclose(other["derivative"] @ direction, other["right"]["slope"], atol=1e-9)


def test_wrong_arguments_are_named(tmp_path):
    (tmp_path / "drop.toml").write_text(DROP)
    for call, message in [
        (lambda: carom.derivative("rocking_block", end=1.0), "friction is 1"),
        (lambda: carom.derivative(tmp_path / "drop.toml", direction=[1]), "start and direction are for"),
        (lambda: carom.derivative(tmp_path / "drop.toml", end=0.3, start=[1]), "start has 1 numbers"),
        (lambda: carom.derivative(tmp_path / "drop.toml", angle=0.3), "angle is no argument"),
        (lambda: carom.derivative(frictionless(np.eye(2), [[0, 1]], [0, -1]), end=1.0), "bodies in the plane"),
        (lambda: carom.derivative(ball()), "needs start, end and direction"),
        (lambda: carom.derivative(ball(), [1, 0], 0.7, [1, 0], angle=1.0), "angle is no argument"),
        (lambda: carom.derivative(ball(), [1, 0, 0], 0.7, [1, 0]), "start has 3 numbers .must have an even number"),
        (lambda: carom.derivative(ball(), [1, np.nan], 0.7, [1, 0]), "start has entries that are not finite"),
        (lambda: carom.derivative(ball(), [1, 0], 0.7, [0, 0]), "direction is all 0"),
        (lambda: carom.derivative(wrong(force=-9.81), [1, 0], 0.7, [1, 0]), r"gap_jacobian\[0\]\[0\] is 1 .*must be 0.540302"),
        (lambda: carom.derivative(wrong(force=np.nan), [1, 0], 0.7, [1, 0]), "force has entries that are not finite"),
        (lambda: carom.derivative("soft_biped", angel=1.0), "angel"),
        (lambda: carom.derivative("rocking_block"), "friction"),
        (lambda: carom.derivative("soft_biped", direction=[1]), "start and direction are for a Motion"),
    ]:
        with pytest.raises(carom.InputError, match=message):
            call()
