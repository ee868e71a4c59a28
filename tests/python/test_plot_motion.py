"""Pictures of made-up motions. Run as test_plot.py."""

import sys
import unittest
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from carom import motion  # noqa: E402


def made_up(position, coordinates, units):
    """Motions through these positions (R, T, nq)."""
    position = np.array(position, float)
    return motion.Motion(
        name="made_up", time=np.linspace(0.0, 1.0, position.shape[1]), position=position, velocity=None,
        least=position - 0.0, greatest=position + 0.0, coordinates=coordinates, units=units, velocities=[],
        failed=0, complete=True, world=None, no_bodies="",
    )  # fmt: skip


def tube(its, coordinate):
    axes = Figure().subplots()
    motion.draw_tube(axes, its, coordinate)
    return axes


class RoundingNoise(unittest.TestCase):
    def its(self, noise):
        """x falls by 1 m and the angle is noise, of two rollouts at three times."""
        x = [[1.0, 0.5, 0.0]] * 2
        angle = noise * np.array([[0.0, 1.0, -1.0], [0.0, -1.0, 1.0]])
        return made_up(np.stack([x, angle, 2.0 + angle], axis=2), ["x", "angle", "y"], ["m", "rad", "m"])

    def test_is_drawn_flat(self):
        its = self.its(1e-15)
        low, high = tube(its, 1).get_ylim()
        self.assertAlmostEqual(high, np.degrees(motion.LEAST_HALF_RANGE))
        self.assertAlmostEqual(low, -high)
        np.testing.assert_allclose(tube(its, 2).get_ylim(), [1.5, 2.5])  # as long as that of x

    def test_ends_at_a_billionth(self):
        for coordinate in (1, 2):
            self.assertLess(np.ptp(tube(self.its(1e-8), coordinate).get_ylim()), 1e-5)

    def test_of_what_moved_between_the_times_is_none(self):
        its = self.its(0.0)
        its.greatest[0, 1, 1] = 0.1
        self.assertIsNone(motion.flat_limits(its, 1))


class Quaternions(unittest.TestCase):
    NAMES = ["box.x", "box.qw", "box.qx", "box.qy", "box.qz"]

    def turning(self, signs):
        """Two rollouts that turn alike by half a turn in four times, with these signs of their quaternions."""
        half = np.linspace(0.0, np.pi / 2, 4)
        turned = np.stack([0 * half, np.cos(half), np.sin(half), 0 * half, 0 * half], axis=1)
        turned = np.stack([turned] * 2)
        turned[:, :, 1:] *= np.array(signs)[:, :, None]
        return turned

    def test_of_one_orientation_are_drawn_as_one(self):
        expected = self.turning([[1.0] * 4] * 2)
        for signs in ([[1, 1, 1, 1], [-1, -1, -1, -1]], [[1, 1, -1, -1], [1, -1, 1, -1]]):
            np.testing.assert_array_equal(motion.with_equal_signs(self.turning(signs), self.NAMES), expected)

    def test_beyond_a_half_turn_are_on_the_side_of_the_start(self):
        """As in the report's quantiles; no line is drawn from there to here."""
        half = np.linspace(0.0, 0.75 * np.pi, 4)  # 270 degrees
        turned = np.stack([0 * half, np.cos(half), np.sin(half), 0 * half, 0 * half], axis=1)
        for sign in (1.0, -1.0):
            raw = np.stack([turned, turned])
            raw[1, 1:, 1:] *= sign
            its = made_up(motion.with_equal_signs(raw, self.NAMES), self.NAMES, ["m", "", "", "", ""])
            np.testing.assert_allclose(its.position[:, 3, 1:3], [[np.sqrt(0.5), -np.sqrt(0.5)]] * 2)
            self.assertTrue((its.position[..., 1] >= 0.0).all())
            breaks = motion.changes_side(its, 1)
            np.testing.assert_array_equal(breaks, [[False, False, True]] * 2)
            lines = motion.broken(its.position[..., 1], breaks)
            np.testing.assert_array_equal(lines[:, ::2], its.position[..., 1])
            np.testing.assert_array_equal(np.isnan(lines), [[False] * 5 + [True, False]] * 2)
            self.assertFalse(motion.changes_side(its, 0).any())
            median = tube(its, 1).lines[-1].get_ydata()
            np.testing.assert_array_equal(np.isnan(median), [False] * 5 + [True, False])

    def test_of_each_body_have_a_sign_of_their_own(self):
        one, other = self.turning([[1] * 4, [-1] * 4]), self.turning([[1] * 4, [1] * 4])
        names = [*self.NAMES, *(name.replace("box", "ball") for name in self.NAMES)]
        made = motion.with_equal_signs(np.concatenate([one, other], axis=2), names)
        np.testing.assert_array_equal(made[..., :5], made[..., 5:])

    def test_have_no_reach(self):
        its = made_up(self.turning([[1.0] * 4] * 2), self.NAMES, ["m", "", "", "", ""])
        reach = "all, between kept times too"
        self.assertIn(reach, tube(its, 0).get_legend_handles_labels()[1])
        self.assertNotIn(reach, tube(its, 1).get_legend_handles_labels()[1])


if __name__ == "__main__":
    unittest.main()
