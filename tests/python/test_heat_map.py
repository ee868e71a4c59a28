"""The picture of a grid file: python3 -m unittest discover tests/python"""

import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from carom import heat_map, plot  # noqa: E402
from carom.sealed_file import BadFile  # noqa: E402
from sealing import sealed  # noqa: E402


def write_grid(path, done=6, shape=(2, 3)):
    """A grid whose state i has a net of the diameter i, the mode i % 2, and whose last but one is at rest."""
    total = int(np.prod(shape))
    with sealed(path, "carom grid") as file:
        file.attrs.update(
            format="carom grid", grid_format_version=1, base_scenario='system = "test"\n',
            norm="euclidean", epsilon=0.01, trajectories=100, complete=int(done == total),
        )  # fmt: skip
        file["axes/shape"] = np.array(shape, dtype=np.uint64)
        for axis, size in enumerate(shape):
            file[f"axes/{axis}/paths"] = [f"parameters.p{axis}"]
            file[f"axes/{axis}/values"] = np.arange(size, dtype=float)[:, None]
        colliding = np.ones(done, dtype=np.uint8)
        if done > 4:
            colliding[4] = 0
        file["states/checksum"] = np.zeros(done, dtype=np.uint64)
        file["states/valid"] = np.ones(done, dtype=np.uint8)
        file["states/colliding"] = colliding
        file["states/status_counts"] = np.tile([100, 0, 0, 0, 0], (done, 1))
        file["states/net_diameter"] = np.arange(done, dtype=float)
        counts = np.zeros((done, 2), dtype=np.uint64)
        counts[np.arange(done), np.arange(done) % 2] = 100
        file["modes/names"] = ["A sticks", "A separates"]
        file["modes/count"] = counts


class HeatMap(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "grid.h5"

    def tearDown(self):
        self.folder.cleanup()

    def test_the_last_axis_is_the_fastest(self):
        write_grid(self.path)
        grid = heat_map.read(self.path)
        np.testing.assert_array_equal(grid.net_diameter, [[0, 1, 2], [3, np.nan, 5]])
        np.testing.assert_array_equal(grid.main_mode, [[0, 1, 0], [1, -1, 1]])
        self.assertEqual(grid.name, "test")

    def test_labels_have_what_differs(self):
        names = ["A sticks, B slides, C sticks", "A sticks, B separates, C sticks"]
        self.assertEqual(heat_map.labels_of(names), (["B slides", "B separates"], "A sticks, C sticks"))
        self.assertEqual(heat_map.labels_of(names[:1]), (names[:1], ""))
        long = [", ".join(f"contact {i} {what}" for i in range(9)) for what in ("sticks", "slides")]
        labels, _ = heat_map.labels_of(long)
        self.assertEqual([label.replace("\n", " ") for label in labels], long)
        self.assertLessEqual(max(len(line) for label in labels for line in label.split("\n")), 60)

    def test_states_without_a_set_say_why(self):
        write_grid(self.path)
        none, of_impact = -1, heat_map.REASONS.index("no impact")
        np.testing.assert_array_equal(heat_map.read(self.path).reason, [[none] * 3, [none, of_impact, none]])
        write_grid(self.path, done=4)
        with sealed(self.path, "carom grid", "a") as file:
            file["states/valid"][1] = 0
            file["states/status_counts"][2] = 0
        self.assertEqual(heat_map.REASONS, ("left out", "no impact", "no outcome", "not sampled yet"))
        np.testing.assert_array_equal(heat_map.read(self.path).reason, [[-1, 0, 2], [-1, 3, 3]])

    def test_what_is_not_done_is_missing(self):
        write_grid(self.path, done=2)
        grid = heat_map.read(self.path)
        np.testing.assert_array_equal(grid.net_diameter[0], [0, 1, np.nan])
        self.assertTrue(np.isnan(grid.net_diameter[1]).all())
        figure = heat_map.draw(grid)
        self.assertIn("interrupted after 2 of 6 states", figure._suptitle.get_text())

    def test_the_map_shows_each_state_at_its_values(self):
        write_grid(self.path)
        axis = heat_map.draw(heat_map.read(self.path)).axes[0]
        shown = axis.collections[0].get_array().reshape(2, 3)
        self.assertEqual(shown[0, 2], 2.0)
        self.assertEqual(shown[1, 0], 3.0)
        self.assertEqual(axis.get_xlabel(), "p1")
        self.assertEqual(axis.get_ylabel(), "p0")

    def test_axes_show_whole_cells_around_the_values_which_have_ticks(self):
        write_grid(self.path)
        with sealed(self.path, "carom grid", "a") as file:
            file["axes/1/values"][...] = [[5.0], [0.3], [1.0]]
        axis = heat_map.draw(heat_map.read(self.path)).axes[0]
        np.testing.assert_allclose([axis.get_xlim(), axis.get_ylim()], [(-0.05, 7.0), (-0.5, 1.5)])
        self.assertEqual([tick.get_text() for tick in axis.get_xticklabels()], ["0.3", "1", "5"])
        np.testing.assert_array_equal(axis.get_xticks(), [0.3, 1.0, 5.0])
        np.testing.assert_allclose(heat_map.edges(np.array([0.3, 1.0, 5.0])), [-0.05, 0.65, 3.0, 7.0])
        np.testing.assert_array_equal(heat_map.edges(np.array([2.0])), [1.5, 2.5])

    def test_ticks_of_close_values_have_one_label(self):
        self.assertEqual(heat_map.tick_labels(np.array([0.0, 0.5, 5.0, 10.0])), ["0", "", "5", "10"])

    def test_cells_between_uneven_values_can_be_seen(self):
        told = []
        even = np.arange(9.0)
        np.testing.assert_array_equal(heat_map.place_cells(even, told.append), heat_map.edges(even))
        self.assertEqual(told, [])
        borders = heat_map.place_cells(np.array([0.0, 0.3, 1.0, 1e5]), lambda *ticks: told.extend(ticks))
        np.testing.assert_array_equal(np.diff(borders), [1.0] * 4)
        self.assertEqual(told[1], ["0", "0.3", "1", "1e+05"])

    def test_the_title_has_the_colon_of_the_name_alone(self):
        write_grid(self.path)
        with sealed(self.path, "carom grid", "a") as file:
            file.attrs["base_scenario"] = 'name = "grid.toml: scenario test"\n'
        title = heat_map.draw(heat_map.read(self.path))._suptitle.get_text()
        self.assertEqual(title, "grid.toml: scenario test; 100 trajectories per state")

    def test_questions_have_a_map_of_answers_each(self):
        write_grid(self.path)
        with sealed(self.path, "carom grid", "a") as file:
            file["answers/question"] = ["A normal > 0.5", "|B| > 1"]
            file["answers/value"] = [0.5, 1.0]
            file["answers/answer"] = np.array([[1, 4], [2, 4], [3, 4], [4, 4], [4, 4], [3, 4]], dtype=np.uint8)
            for name in ("found", "bound"):
                file[f"answers/{name}"] = np.zeros((6, 2))
        grid = heat_map.read(self.path)
        np.testing.assert_array_equal(grid.questions[0].answer, [[1, 2, 3], [4, np.nan, 3]])
        panel = heat_map.draw(grid).axes[3]
        self.assertEqual(panel.get_title(), "A normal > 0.5")
        shown = panel.collections[1].get_array().reshape(2, 3)  # above the reasons of others
        np.testing.assert_array_equal(np.ma.filled(shown, -1), [[1, 2, 3], [4, -1, 3]])
        legend = [entry.get_text() for entry in panel.get_legend().get_texts()]
        self.assertEqual(legend, ["open", "no within N steps", "no", "yes", "no impact"])

    def test_questions_over_one_axis_show_how_far_outcomes_reach(self):
        write_grid(self.path, shape=(6,))
        with sealed(self.path, "carom grid", "a") as file:
            file["answers/question"] = ["A normal > 0.5"]
            file["answers/value"] = [0.5]
            file["answers/answer"] = np.full((6, 1), 3, dtype=np.uint8)
            file["answers/found"] = np.linspace(0, 0.4, 6)[:, None]
            file["answers/bound"] = np.full((6, 1), 0.45)
        panel = heat_map.draw(heat_map.read(self.path)).axes[2]
        self.assertEqual(panel.get_title(), "A normal > 0.5")
        np.testing.assert_allclose(panel.lines[0].get_ydata(), [0, 0.08, 0.16, 0.24, np.nan, 0.4])  # 4 is at rest

    def test_further_axes_are_named(self):
        write_grid(self.path, done=12, shape=(2, 2, 3))
        self.assertIn("at p0 = 0", heat_map.draw(heat_map.read(self.path))._suptitle.get_text())

    def test_plot_draws_grids_of_one_axis_too(self):
        write_grid(self.path, shape=(6,))
        picture = Path(self.folder.name) / "grid.png"
        self.assertEqual(plot.main([str(self.path), "-o", str(picture)]), 0)
        self.assertGreater(picture.stat().st_size, 1000)
        self.assertEqual(plot.main([str(self.path), "--axes", "normal A,normal B"]), 2)

    def test_a_damaged_file_is_named(self):
        write_grid(self.path)
        whole = bytearray(self.path.read_bytes())
        whole[len(whole) // 2] ^= 1
        self.path.write_bytes(whole)
        with self.assertRaisesRegex(BadFile, "grid.h5 is damaged .* bytes 512 to .* checksum"):
            heat_map.read(self.path)


if __name__ == "__main__":
    unittest.main()
