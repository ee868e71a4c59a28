"""Pictures of made-up results. Run: python3 -m unittest discover -s tests/python."""

import contextlib
import io
import json
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import h5py
import numpy as np

from made_up_results import PlotCase, write_result
from sealing import sealed

from carom import graph, overlay, panel, panels, plot, result_file


class Pictures(PlotCase):
    def test_writes_a_png_beside_the_result_and_nothing_else(self):
        write_result(self.file)
        self.assertEqual(self.run_plot(self.file), (0, ""))
        self.assertEqual(self.picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(sorted(os.listdir(self.folder)), ["result.h5", "result.png"])

    def test_the_same_result_gives_the_same_bytes(self):
        write_result(self.file)
        for suffix in (".png", ".pdf", ".svg"):
            one, other = self.folder / ("one" + suffix), self.folder / ("other" + suffix)
            self.assertEqual(self.run_plot(self.file, "-o", one)[0], 0)
            self.assertEqual(self.run_plot(self.file, "-o", other)[0], 0)
            self.assertEqual(one.read_bytes(), other.read_bytes(), suffix)

    def test_two_contacts_have_their_normal_velocities_in_the_centre(self):
        write_result(self.file, names=["heel", "toe"], before=[0.0] * 4)
        labels = [(axes.get_xlabel(), axes.get_ylabel()) for axes in self.visible_axes()]
        self.assertEqual(
            labels,
            [
                ("tangential velocity of heel (m/s)", "normal velocity of heel (m/s)"),
                ("normal velocity of heel (m/s)", "normal velocity of toe (m/s)"),
                ("tangential velocity of toe (m/s)", "normal velocity of toe (m/s)"),
            ],
        )

    def test_outcomes_are_drawn_in_contact_coordinates_without_the_dropped(self):
        velocities = np.array([[0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8], [0.2, 0.1, 0.0, 0.0]])
        write_result(self.file, velocities=velocities, status=[0, 1, 0])
        left, centre, right = panels.choose(result_file.read(self.file, 10))[0]
        np.testing.assert_allclose(left.outcomes, [[0.3, 0.1], [0.0, 0.2]])
        np.testing.assert_allclose(centre.outcomes, [[0.1, 0.2], [0.2, 0.1]])
        np.testing.assert_allclose(right.outcomes, [[0.4, 0.2], [0.0, 0.1]])

    def test_outcomes_that_are_small_in_the_whole_are_zoomed_in_a_second_row(self):
        write_result(self.file)  # outcomes within 0.1, pre-impact velocity at -1
        self.assertEqual(len(self.visible_axes()), 6)
        zoomed = self.visible_axes()[3:]
        self.assertLess(np.ptp(zoomed[0].get_xlim()), 0.2)

    def test_any_number_of_contacts_is_drawn(self):
        for contacts, count in ((1, 1), (3, 3), (5, 5), (12, 12), (24, 12)):
            write_result(self.file, contacts=contacts, before=[0.0] * (2 * contacts))
            self.assertEqual(len(self.visible_axes()), count, contacts)
        texts = [text.get_text() for text in self.figure().texts]
        self.assertIn("Not drawn: 12 more contacts.", texts)

    def test_space_uses_the_first_tangent_row_where_outcomes_differ_along_none(self):
        write_result(self.file, contacts=4, tangent_rows=2, before=[0.0] * 12)
        panel = panels.choose(result_file.read(self.file, 1))[0][1]
        row = np.random.default_rng(1).uniform(0.0, 0.1, (200, 12))[0]
        np.testing.assert_allclose(panel.outcomes, [[row[4 + 2], row[1]]])
        self.assertEqual(panel.x_label, "tangential velocity (m/s) of\nB along its first tangent")

    def test_space_uses_the_tangent_along_which_outcomes_differ_more(self):
        ends = np.zeros((2, 6))  # normal of A, of B, two tangents of A, two of B
        ends[1] = [0.0, 0.0, 0.1, 0.3, 0.2, 0.1]
        write_result(self.file, tangent_rows=2, velocities=ends, names=["A", "B"])
        left, _, right = panels.choose(result_file.read(self.file, 10))[0]
        np.testing.assert_allclose(left.outcomes[:, 0], [0.0, 0.3])
        np.testing.assert_allclose(right.outcomes[:, 0], [0.0, 0.2])
        self.assertEqual(left.x_label, "tangential velocity (m/s) of\nA along its second tangent")
        self.assertEqual(right.x_label, "tangential velocity (m/s) of\nB along its first tangent")
        self.assertIn('(--axes "tangential A,normal A" draws the other one)', self.remark())
        write_result(self.file)
        self.assertNotIn("tangent", self.remark())

    def test_outlines_are_convex_hulls(self):
        points = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0.5, 0.5], [0.5, 0.0]], float)
        corners = panel.convex_outline(points)
        self.assertEqual({tuple(corner) for corner in corners}, {(0, 0), (1, 0), (1, 1), (0, 1)})
        line = panel.convex_outline(np.array([[0.0, 0.0], [1.0, 1.0], [0.5, 0.5]]))
        self.assertEqual({tuple(corner) for corner in line}, {(0.0, 0.0), (1.0, 1.0)})

    def test_axes_never_collapse(self):
        for velocity in (np.zeros(4), np.full(4, 0.25), np.full(4, 1e-17)):
            for before in (np.zeros(4), np.full(4, -1.0)):
                write_result(self.file, velocities=np.tile(velocity, (9, 1)), before=before)
                for axes in self.visible_axes():
                    for low, high in (axes.get_xlim(), axes.get_ylim()):
                        self.assertGreater(high - low, 0.01)
                self.assertEqual(self.run_plot(self.file), (0, ""))

    def test_reads_only_the_paths_that_it_draws(self):
        write_result(self.file, paths=7)
        with sealed(self.file, mode="a") as file:
            file["paths/velocity"][...] = np.arange(7)[:, None, None]
        with mock.patch.object(result_file, "MOST_PATHS", 3):
            paths = result_file.read(self.file, 10).paths
        np.testing.assert_array_equal(paths[:, 0, 0], [0, 3, 6])

    def test_fewer_or_no_paths_are_drawn_when_asked_for(self):
        write_result(self.file, paths=7)
        self.assertEqual(len(result_file.read(self.file, 10, max_paths=3).paths), 3)
        none = plot.draw([result_file.read(self.file, 10, max_paths=0)])
        words = [text.get_text() for text in none.legends[0].get_texts()]
        self.assertNotIn("velocities on the way", words)
        self.assertIn("velocities on the way", self.labels())
        self.assertEqual(self.run_plot(self.file, "--paths", 0), (0, ""))

    def test_says_when_there_are_no_outcomes(self):
        write_result(self.file, status=[1] * 200, paths=0)
        self.assertEqual(self.run_plot(self.file), (0, ""))
        texts = " ".join(text.get_text() for text in self.figure().texts)
        self.assertIn("there are no outcomes", texts)

    def test_draws_the_net_when_no_rows_are_stored(self):
        write_result(self.file, stored=False)
        self.assertEqual(len(result_file.read(self.file, 10).outcomes), 3)
        texts = " ".join(text.get_text() for text in self.figure().texts)
        self.assertIn("No rows are stored", texts)

    def test_draws_the_first_outcomes_of_a_long_run_and_says_so(self):
        with mock.patch.object(result_file, "BLOCK_ROWS", 16):
            write_result(self.file, status=[1, 0] * 100)
            outcomes = result_file.read(self.file, 30).outcomes
        with h5py.File(self.file) as file:
            np.testing.assert_array_equal(outcomes, file["samples/velocity"][1:60:2])
        texts = " ".join(text.get_text() for text in self.figure(30).texts)
        self.assertIn("Drawn: the first 30 outcomes.", texts)

    def test_long_names_of_many_contacts_collide_with_nothing(self):
        names = [f"{side}_{leg}_foot_{end}_corner_of_the_sole_{'x' * 20}" for side in ("left", "right")
                 for leg in ("front", "middle", "rear") for end in ("heel", "toe")]  # fmt: skip
        tiny = np.random.default_rng(1).uniform(-3e-5, 3e-5, (50, 24))
        for offset in (0.0, 12345.0):
            write_result(self.file, contacts=12, names=names, velocities=tiny + offset)
            figure = self.figure()
            figure.canvas.draw()
            boxes = []
            for axes in figure.axes:
                if not axes.get_visible():
                    continue
                labels = [axes.xaxis.label, axes.yaxis.label]
                boxes += [text.get_window_extent() for text in labels]
                for ticks in (axes.get_xticklabels(), axes.get_yticklabels()):
                    extents = [tick.get_window_extent() for tick in ticks if tick.get_visible()]
                    for one, other in zip(extents, extents[1:]):
                        self.assertFalse(one.overlaps(other), offset)
            for i, one in enumerate(boxes):
                self.assertFalse(any(one.overlaps(other) for other in boxes[:i]), offset)
            labels = {axes.get_xlabel() for axes in figure.axes if axes.get_visible()}
            self.assertEqual(len(labels), 12)

    def test_results_that_share_a_picture_keep_their_own_colours_names_and_jacobians(self):
        ends = np.array([[0.1, 0.2, 0.3, 0.4], [0.2, 0.1, 0.0, 0.0]])
        write_result(self.file, velocities=ends, scenario="one")
        other = self.folder / "other.h5"
        write_result(other, velocities=2.0 * ends, before=[-3.0] * 4, scenario="second")
        with sealed(other, mode="a") as file:
            file["problem/normal_jacobian"][...] *= 10.0
        results = [result_file.read(file, 10) for file in (self.file, other)]
        one, second = panels.choose(overlay.share(results))[0][1].series
        np.testing.assert_allclose(one.velocities, ends[:, :2])
        np.testing.assert_allclose(second.velocities, 20.0 * ends[:, :2])
        self.assertNotEqual(one.style.colour, second.style.colour)
        self.assertGreater(one.style.layer, second.style.layer)  # the smaller set is above
        self.assertLess(one.style.size, second.style.size)
        self.assertEqual([one.label, second.label], ["one", "second"])
        figure = plot.draw(results)
        words = [text.get_text() for text in figure.legends[0].get_texts()]
        self.assertEqual(
            words, ["pre-impact velocities", "a contact approaches", "one", "second"]
        )
        self.assertEqual(self.run_plot(self.file, other), (0, ""))
        self.assertTrue((self.folder / "result+other.png").exists())
        # Two runs of one scenario are told apart by their files.
        write_result(other, velocities=ends, scenario="one")
        results[1] = result_file.read(other, 10)
        self.assertEqual(overlay.names_of(results), ["result", "other"])
        self.assertIn("one: approximate post-impact sets", plot.describe(results)[0])

    def test_outcomes_that_others_cover_are_rings_around_them(self):
        def styles_of(*sets):
            files = [self.folder / f"{number}.h5" for number in range(len(sets))]
            for file, velocities in zip(files, sets, strict=True):
                write_result(file, velocities=np.array(velocities))
            results = [result_file.read(file, 10) for file in files]
            return [series.style for series in overlay.share(results).series]

        one, other = [0.1, 0.0, 0.0, 0.0], [0.0, 0.1, 0.0, 0.0]
        below, above = styles_of([one] * 3, [one])
        self.assertTrue(below.hollow)
        self.assertFalse(above.hollow)
        self.assertGreater(below.size, above.size + 2.0)
        self.assertLess(below.layer, above.layer)
        outer, inner, disc = styles_of([one], [np.add(one, 1e-12)], [one])
        self.assertGreater(outer.size, inner.size + 2.0)
        self.assertEqual([outer.hollow, inner.hollow, disc.hollow], [True, True, False])
        self.assertFalse(any(style.hollow for style in styles_of([one, other], [one])))
        self.assertFalse(any(style.hollow for style in styles_of([one], [other])))

    def test_only_results_of_the_same_contacts_share_a_picture(self):
        write_result(self.file)
        other = self.folder / "other.h5"

        def refused(words, **made):
            write_result(other, **made)
            code, said = self.run_plot(self.file, other)
            self.assertEqual((code, len(said.splitlines())), (2, 1), said)
            self.assertIn(words, said)

        refused("has 6 velocities and", contacts=3)
        refused("has the contacts A, C and", names=["A", "C"])
        write_result(self.file, contacts=3)
        refused("has two tangents a contact and", contacts=2, tangent_rows=2)
        code, said = self.run_plot(*[self.file] * 29)
        self.assertEqual(code, 2)
        self.assertIn("29 files are given (must be <= 28)", said)

    def test_long_titles_take_several_lines_above_the_panels(self):
        write_result(self.file)
        title = "a title of many words, " * 6
        figure = plot.draw([result_file.read(self.file, 10)], title)
        figure.canvas.draw()
        self.assertEqual(figure._suptitle.get_text().split(), title.split())
        box = figure._suptitle.get_window_extent()
        self.assertTrue(figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1)
        for below in (figure.texts[-2], figure.axes[0]):
            self.assertLess(below.get_window_extent().y1, box.y0)

    def test_titles_have_the_scenarios_name(self):
        for scenario, name in (
            ('name = "a \\"left\\" foot"\nsystem = "matrices"\n', 'a "left" foot'),
            ('system = "ramone"\n', "ramone"),
            ('system = "matrices"\n[problem]\nname = "no"\n', "result"),
        ):
            self.assertEqual(result_file.scenario_name(scenario, self.file), name)

    def test_names_are_never_read_as_formulas(self):
        write_result(self.file, names=["$\\frac{$", "x" * 100_000])
        self.assertEqual(self.run_plot(self.file), (0, ""))

    def test_bad_input_is_one_line_and_exit_code_2(self):
        def refused(words, *arguments):
            code, said = self.run_plot(*arguments)
            self.assertEqual(code, 2)
            self.assertIn(words, said.splitlines()[-1])

        refused("does not exist", self.file)
        self.file.write_text("no HDF5")
        refused("does not begin as a file of Carom does", self.file)
        h5py.File(self.file, "w").close()
        refused(f"does not begin as a file of Carom does (must be {result_file.DRAWN})", self.file)
        h5py.File(self.file, "w", userblock_size=512).close()
        refused("has no seal", self.file)
        write_result(self.file)
        refused("(its folder must exist)", self.file, "-o", self.folder / "no" / "x.png")
        refused("(must end in .png, .pdf, .svg, .gif, .mp4)", self.file, "-o", self.folder / "x.h5")
        refused("(must be >= 1)", self.file, "--max-points", 0)
        refused("--paths is -1 (must be >= 0)", self.file, "--paths=-1")
        refused('--axes is "normal A,normal Q" (must be', self.file, "--axes", "normal A,normal Q")
        refused("(must be <= 12)", self.file, *["--axes=normal A,normal B"] * 13)
        unlucky = self.folder / "result.png"
        self.file.rename(unlucky)
        before = unlucky.read_bytes()
        (self.folder / "link.png").symlink_to(unlucky)
        refused("(must not be the result itself)", unlucky)
        refused("(must not be the result itself)", unlucky, "-o", self.folder / "link.png")
        self.assertEqual(unlucky.read_bytes(), before)
        unlucky.rename(self.file)
        with sealed(self.file, mode="a") as file:
            del file["net/velocity"]
        refused("cannot be read", self.file)
        with sealed(self.file, mode="a") as file:
            file.attrs["format_version"] = 2
        refused("has format_version 2 (this Carom reads up to 1)", self.file)

    def test_a_failed_write_leaves_the_old_picture(self):
        write_result(self.file)
        self.picture.write_bytes(b"old")
        full = OSError(28, "No space left on device")
        with mock.patch("matplotlib.figure.Figure.savefig", side_effect=full):
            code, said = self.run_plot(self.file)
        self.assertEqual(code, 1)
        self.assertIn("No space left on device", said)
        self.assertEqual(self.picture.read_bytes(), b"old")
        self.assertEqual(sorted(os.listdir(self.folder)), ["result.h5", "result.png"])


class GraphOfStates(unittest.TestCase):
    """What carom outcomes --json lists: two orders of impacts with outcomes of their own."""

    LISTED = {
        "name": "balls", "states": 4, "outcomes": [{}, {}], "contact_names": ["A", "B"],
        "verdict": {"kind": "not guaranteed"},
        "graph": {
            "states": [
                {"speeds": [-1, -1], "probability": 1.0, "impacts": 0, "outcome": False},
                {"speeds": [1, -2], "probability": 0.5, "impacts": 1, "outcome": False},
                {"speeds": [0, 1], "probability": 0.5, "impacts": 1, "outcome": True},
                {"speeds": [1, 2], "probability": 0.5, "impacts": 2, "outcome": True},
            ],
            "impacts": [{"from": 0, "to": 1, "contact": 0}, {"from": 0, "to": 2, "contact": 1},
                        {"from": 1, "to": 3, "contact": 1}],
        },
    }  # fmt: skip

    def draw(self, listed, *flags):
        with tempfile.TemporaryDirectory() as folder:
            file, picture = Path(folder) / "balls.json", Path(folder) / "balls.png"
            file.write_text(json.dumps(listed))
            errors = io.StringIO()
            with contextlib.redirect_stderr(errors):
                code = plot.main([str(file), "-o", str(picture), *flags])
            return code, errors.getvalue(), picture.exists()

    def test_is_drawn_in_layers_of_impacts(self):
        places = graph.places(self.LISTED["graph"])
        self.assertEqual([place[0] for place in places.values()], [0, 1, 1, 2])
        self.assertEqual(len(set(places.values())), 4)
        self.assertEqual(self.draw(self.LISTED), (0, "", True))

    def test_that_is_too_large_or_none_is_refused(self):
        code, errors, drawn = self.draw({**self.LISTED, "graph": None, "states": 206})
        self.assertEqual((code, drawn), (2, False))
        self.assertIn("206 states (must have at most 60", errors)
        self.assertIn("has no graph", self.draw({"name": "x"})[1])

    def test_takes_no_flags_of_samples(self):
        for flag, value in (("--axes", "normal A,normal B"), ("--paths", "0"), ("--max-points", "9")):
            code, errors, drawn = self.draw(self.LISTED, flag, value)
            self.assertEqual((code, drawn), (2, False))
            self.assertIn(f"must have no {flag}, which is for other files", errors)


if __name__ == "__main__":
    unittest.main()
