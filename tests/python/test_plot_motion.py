"""Pictures of made-up motions. Run as test_plot.py."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np
from matplotlib.figure import Figure
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from carom import bodies, motion, movie, plot, space, styles  # noqa: E402
from carom.sealed_file import BadFile  # noqa: E402


def made_up(position, coordinates, units):
    """Motions through these positions (R, T, nq)."""
    position = np.array(position, float)
    return motion.Motion(
        name="made_up", time=np.linspace(0.0, 1.0, position.shape[1]), position=position, velocity=None,
        least=position - 0.0, greatest=position + 0.0, coordinates=coordinates, units=units, velocities=[],
        asked=[], failed=0, complete=True, world=None, no_bodies="",
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

    def test_band_and_median_break_off_where_some_have_changed_sides_before(self):
        """Of ten rollouts beyond a half turn, nine change sides at the second time and one at the third."""
        half = np.array([0.45, 0.55, 0.6, 0.65]) * np.pi
        turned = np.stack([np.stack([0 * half, np.cos(half - late), np.sin(half - late), 0 * half, 0 * half], axis=1)
                           for late in [0.0] * 9 + [0.07 * np.pi]])  # fmt: skip
        turned = np.concatenate([np.tile([0.0, 1.0, 0.0, 0.0, 0.0], (10, 1, 1)), turned], axis=1)
        its = made_up(motion.with_equal_signs(turned, self.NAMES), self.NAMES, ["m", "", "", "", ""])
        self.assertEqual(motion.changes_side(its, 2).sum(axis=0).tolist(), [0, 9, 1, 0])
        axes = tube(its, 2)
        np.testing.assert_array_equal(np.isnan(axes.lines[-1].get_ydata()), np.isin(range(9), [3, 5]))
        heights = [np.ptp(path.vertices[:, 1]) for path in axes.collections[0].get_paths()]
        self.assertLess(max(heights), 1.1)  # from 0 to 1, or around -1: never from -1 to 1

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


class Panels(unittest.TestCase):
    NAMES = ["trunk.z", *(f"joint {i}" for i in range(8))]
    SCENARIO = """[bound]
ask = ["joint 6 > 0"]

[roll]
step = 0.01
ask_not = ["joint 5 > 0"]
ask = ["|trunk.z| < 0.2 m by 1 s", "joint 7 > 0.1 rad at 1 s", "impacts > 5"]

[other]
"""

    def its(self):
        """Joint i turns by i deg more in one of two rollouts; the trunk stays."""
        ends = np.array([0.0, *np.radians(range(8, 0, -1))])
        return made_up([[0 * ends, 0 * ends], [0 * ends, ends]], self.NAMES, ["m"] + ["rad"] * 8)

    def test_show_what_questions_are_about_and_the_widest(self):
        self.assertEqual(motion.asked_of(self.SCENARIO, self.NAMES), [0, 8])
        self.assertEqual(motion.asked_of("[roll]\nask = []\n", self.NAMES), [])
        self.assertEqual(motion.asked_of("[sampling]\n", self.NAMES), [])
        its = self.its()
        self.assertEqual(motion.tubes_of(its), [1, 2, 3, 4, 5, 6])
        its.asked = [0, 8]
        self.assertEqual(motion.tubes_of(its), [0, 1, 2, 3, 4, 8])
        its.asked = list(range(1, 9))
        self.assertEqual(motion.tubes_of(its), its.asked)

    def test_can_be_named(self):
        with mock.patch.object(motion, "read", lambda path: self.its()):
            figure = motion.draw_file("made.h5", None, ["joint 7", "trunk.z", "joint 7"])
            self.assertEqual([axes.get_ylabel() for axes in figure.axes[:2]], ["joint 7, deg", "trunk.z, m"])
            self.assertEqual(figure.axes[2].get_xlabel(), "joint 7, deg")
            self.assertIn("not shown: 7 of 9 coordinates", figure._suptitle.get_text())
            with self.assertRaisesRegex(BadFile, "--axes is \"joint\" .must be a coordinate of made_up: trunk.z, joint 0"):
                motion.draw_file("made.h5", None, ["joint"])

    def test_are_named_on_the_command_line_but_not_of_movies(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(motion, "read", lambda path: self.its()):
            file = Path(folder) / "made.h5"
            file.write_text('{"format":"carom rollouts"}\n')
            picture, film = file.with_suffix(".png"), file.with_suffix(".gif")
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as errors:
                self.assertEqual(plot.main([str(file), "-o", str(picture), "--axes", "joint 3"]), 0)
                self.assertEqual(plot.main([str(file), "-o", str(film), "--axes", "joint 3"]), 2)
                self.assertEqual(plot.main([str(file), "-o", str(film), "--paths", "1"]), 2)
            self.assertTrue(picture.exists() and not film.exists())
            self.assertRegex(errors.getvalue(), "(?s)must have no --axes, which is for pictures.*must have no --paths")


def disc(time, rollouts=2):
    """A disc that falls beside a floor at these times."""
    world = bodies.World(np.array([bodies.DISC]), np.array([0.1]), [np.zeros((0, 2))], np.array([-1]),
                         np.zeros((1, 4)), [(np.array([0.0, 1.0]), 0.0)])  # fmt: skip
    height = 1.0 - 0.1 * np.arange(len(time))
    its = made_up(np.stack([[0 * height, height, 0 * height]] * rollouts).transpose(0, 2, 1), ["x", "y", "angle"],
                  ["m", "m", "rad"])  # fmt: skip
    its.time, its.world = np.array(time), world
    return its


class Movies(unittest.TestCase):
    def test_frames_last_in_proportion_to_the_time_between_them(self):
        self.assertEqual(movie.frame_lengths(np.array([0.0, 0.1, 0.12, 0.17]), 0.01), [20, 4, 10, 10])
        self.assertEqual(movie.frame_lengths(np.array([0.0, 0.1, 0.12, 0.18]), 0.04), [5, 1, 3, 3])

    def test_frames_of_even_times_last_as_long_as_ever(self):
        for time in (np.linspace(0.0, 2.0, 2001), np.arange(30) * 0.1, np.array([0.0])):
            self.assertEqual(movie.frame_lengths(time, 0.01), [4] * len(time))
            self.assertEqual(movie.frame_lengths(time, 0.04), [1] * len(time))

    def test_rounding_does_not_add_up(self):
        time = np.concatenate([[0.0, 1.0], 1.0 + 1.13 * np.arange(1, 101)])
        self.assertAlmostEqual(sum(movie.frame_lengths(time, 0.01)[:-1]) / 4, time[-1], delta=0.13)

    def test_of_very_different_steps_have_an_end(self):
        lengths = movie.frame_lengths(np.array([0.0, 1e-6, 2e-6, 1.0]), 0.01)
        self.assertEqual(lengths[:2], [2, 2])
        self.assertLess(0.01 * sum(lengths), movie.MOST_SECONDS + 1.0)

    def test_gif_has_these_lengths(self):
        with tempfile.TemporaryDirectory() as folder:
            its, path = disc([0.0, 0.1, 0.12, 0.17]), Path(folder) / "disc.gif"
            movie.save_gif(movie.frames_of(its, None), path, its.time)
            with Image.open(path) as image:
                lengths = []
                for number in range(image.n_frames):
                    image.seek(number)
                    lengths.append(image.info["duration"])
            self.assertEqual(lengths, [200, 40, 100, 100])


    def test_mp4_repeats_frames(self):
        its, shown = disc([0.0, 0.1, 0.12, 0.18]), []
        with mock.patch.object(movie, "FFMpegWriter") as writer:
            def grab():
                shown.append(writer().saving.call_args.args[0].axes[0].get_title())

            writer().grab_frame.side_effect = grab
            movie.save_mp4(movie.frames_of(its, None), Path("disc.mp4"), its.time)
        self.assertEqual(shown, ["0 s"] * 5 + ["0.1 s"] + ["0.12 s"] * 3 + ["0.18 s"] * 3)


class Titles(unittest.TestCase):
    def test_of_many_words_take_several_lines_within_the_movie(self):
        its = disc([0.0, 0.1], rollouts=200)
        its.failed = 3
        figure = next(movie.frames_of(its, None))
        self.assertEqual(figure._suptitle.get_text().replace("\n", " "), motion.headline(its))
        figure.canvas.draw()
        title, whole = figure._suptitle.get_window_extent(), figure.bbox
        self.assertTrue(whole.x0 <= title.x0 and title.x1 <= whole.x1)
        self.assertFalse(title.overlaps(figure.axes[0].title.get_window_extent()))

    def test_lose_their_middle_only_beyond_some_lines(self):
        line = styles.POINTS_PER_INCH / styles.LETTER_WIDTH  # letters of one point in an inch
        words = "word " * int(line / 5 * 2)
        self.assertEqual(styles.wrapped(words, 1.0, 1.0).split(), words.split())
        self.assertIn("\u2026", styles.wrapped(words * 10, 1.0, 1.0))
        self.assertEqual(styles.wrapped("a $b\nc", 5.0, 9), "a \\$b\nc")


class Space(unittest.TestCase):
    """A ball of 0.1 m that falls between a floor and a wall at x = 0.5 m, whose back the eye sees."""

    def setUp(self):
        self.world = space.SpatialWorld(
            np.array([space.BALL]), np.array([0.1]), [np.zeros((1, 3))],
            [(np.array([0.0, 0.0, 1.0]), 0.0), (np.array([-1.0, 0.0, 0.0]), -0.5)],
        )  # fmt: skip
        self.position = np.array([[0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0], [0.3, 0.0, 0.4, 1.0, 0.0, 0.0, 0.0]])
        self.box = space.frame_of(self.world, self.position)

    def test_the_box_reaches_the_half_spaces_near_the_bodies(self):
        np.testing.assert_allclose(self.box, [[-0.1, 0.5], [-0.1, 0.1], [0.0, 1.1]], atol=1e-5)
        self.world.floors.append((np.array([1.0, 0.0, 0.0]), -9.0))
        np.testing.assert_array_equal(space.frame_of(self.world, self.position), self.box)

    def test_floor_and_wall_end_at_the_box(self):
        axes = Figure().subplots()
        space.draw_floors(axes, self.world, self.box)
        floor, wall = axes.patches

        def corners(x, y, z):
            return sorted(map(tuple, np.round(np.array(np.meshgrid(x, y, z)).reshape(3, -1).T @ space.PICTURE.T, 4)))

        for patch, expected in ((floor, corners([-0.1, 0.5], [-0.1, 0.1], [0.0])),
                                (wall, corners([0.5], [-0.1, 0.1], [0.0, 1.1]))):  # fmt: skip
            np.testing.assert_allclose(sorted(map(tuple, patch.get_xy()[:-1])), expected, atol=1e-3)
        self.assertLess(floor.get_zorder(), 1.0)
        self.assertGreater(wall.get_zorder(), 1.0)
        self.assertEqual(len(axes.collections), 1)  # the grid of the floor
        self.assertIsNotNone(axes.collections[0].get_clip_path())

    def test_shadows_lie_on_the_floor_below_the_bodies(self):
        [shadow] = space.shadow_patches(self.world, self.position[1])
        seen = shadow.get_xy()
        centre = space.PICTURE @ [0.3, 0.0, 0.0]
        np.testing.assert_allclose((seen.min(axis=0) + seen.max(axis=0)) / 2, centre, atol=1e-3)
        self.assertAlmostEqual(np.ptp(seen[:, 0]), 0.2, delta=0.01)
        self.world.floors.pop(0)
        self.assertEqual(space.shadow_patches(self.world, self.position[1]), [])


if __name__ == "__main__":
    unittest.main()
