"""Pictures of made-up results. Run: python3 -m unittest discover -s tests/python."""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import h5py
import matplotlib
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from carom import graph, overlay, panels, plot, result_file, styles  # noqa: E402
from sealing import sealed  # noqa: E402

STATUS = {"separated": 0, "step_limit": 1, "ray": 2, "pivot_limit": 3, "residual": 4}


def write_result(path, contacts=2, velocities=None, status=None, tangent_rows=1, paths=5, net=None,
                 before=None, stored=True, names=None, scenario="made_up"):  # fmt: skip
    """A result file as docs/result_file.md says; nv = 2 m, coordinates are contact speeds."""
    nv = contacts * (1 + tangent_rows)
    if velocities is None:
        velocities = np.random.default_rng(1).uniform(0.0, 0.1, (200, nv))
    count = len(velocities)
    status = np.zeros(count, "u1") if status is None else np.asarray(status, "u1")
    before = np.full(nv, -1.0) if before is None else np.asarray(before, float)
    net = velocities[status == 0][:3] if net is None else net
    with sealed(path) as file:
        file.attrs.update(format_version=1, scenario=f'name = "{scenario}"\n', complete=1)
        identity = np.eye(nv)
        problem = file.create_group("problem")
        problem["normal_jacobian"] = identity[:contacts]
        problem["tangent_jacobian"] = identity[contacts:]
        problem["pre_impact_velocity"] = before
        problem["contact_names"] = names or [chr(ord("A") + i) for i in range(contacts)]
        rows = count if stored else 0
        file["samples/velocity"] = velocities[:rows]
        file["samples"].create_dataset("status", data=status[:rows], dtype=h5py.enum_dtype(STATUS))
        file["net/index"] = np.arange(len(net), dtype="u8")
        file["net/velocity"] = net
        file["net"].attrs.update(epsilon=0.01, norm="euclidean")
        steps = np.linspace(1.0, 0.0, 4)[None, :, None]
        file["paths/velocity"] = np.repeat(steps * before, paths, axis=0).reshape(paths, 4, nv)
        file["summary/status_counts"] = np.bincount(status, minlength=5).astype("u8")
        file["summary"].attrs["trajectories"] = count


def add_sought(path, velocities, objectives, directions):
    """Adds /sought: the outcome found at each end of a quantity."""
    with sealed(path, mode="a") as file:
        group = file.create_group("sought")
        group["velocity"] = np.array(velocities)
        group["objective"] = np.array([name.encode() for name in objectives])
        group["direction"] = np.array(directions)


def add_laws(path, outcomes):
    """Adds /comparison: (law, order, velocity, velocities on the way between) of each outcome."""
    law_type = h5py.enum_dtype({"simultaneous": 0, "sequential": 1}, basetype="u1")
    with sealed(path, mode="a") as file:
        before = file["problem/pre_impact_velocity"][:]
        group = file.create_group("comparison")
        velocity = np.array([outcome[2] for outcome in outcomes], float)
        paths = [np.array([before, *outcome[3], outcome[2]], float) for outcome in outcomes]
        group["velocity"] = velocity
        group.create_dataset("law", data=[outcome[0] for outcome in outcomes], dtype=law_type)
        group["order"] = [outcome[1] for outcome in outcomes]
        group["terminated"] = np.ones(len(outcomes), "u1")
        group["path"] = np.concatenate(paths)
        group["path_count"] = np.array([len(one) for one in paths], "u4")
        group.attrs["note"] = ""


# Velocities (normal of A, of B, tangential of A, of B) that three laws make of a fall.
LAWS = [
    (0, "11", [0.0, 0.0, 0.0, 0.0], []),
    (1, "A,B", [0.1, 0.0, 0.0, 0.02], [[0.0, -0.5, 0.0, 0.01]]),
    (1, "B,A", [0.0, 0.3, 0.0, 0.0], [[-0.5, 0.0, 0.0, 0.0]]),
]


LAW_KINDS = ["simultaneous", "sequence", "other sequences"]


def styles_of(*kinds):
    return [styles.STYLES[kind] for kind in kinds]


class PlotTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = self.folder / "result.h5"
        self.picture = self.folder / "result.png"

    def run_plot(self, *arguments):
        """Exit code and what was said on standard error."""
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            try:
                code = plot.main([str(argument) for argument in arguments])
            except SystemExit as end:
                code = end.code
        return code, said.getvalue()

    def figure(self, max_points=10_000):
        return plot.draw([result_file.read(self.file, max_points)])

    def visible_axes(self):
        return [axes for axes in self.figure().axes if axes.get_visible()]

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

    def test_space_uses_the_first_tangent_row(self):
        write_result(self.file, contacts=4, tangent_rows=2, before=[0.0] * 12)
        panel = panels.choose(result_file.read(self.file, 1))[0][1]
        row = np.random.default_rng(1).uniform(0.0, 0.1, (200, 12))[0]
        np.testing.assert_allclose(panel.outcomes, [[row[4 + 2], row[1]]])
        self.assertEqual(panel.x_label, "tangential velocity (m/s) of\nB along its first tangent")

    def test_the_outer_bound_is_drawn_behind_the_outcomes(self):
        path = self.folder / "bound.h5"
        write_result(path)
        square = np.array([[x, 0.0, y, 0.0] for x in (0.0, 0.2) for y in (0.0, 0.2)])
        with sealed(path, mode="a") as file:
            bound = file.create_group("bound")
            bound.attrs.update(status=0, steps=0)
            bound["vertices"] = np.concatenate([square, square[:1]])  # a square and a point
            bound["vertices_count"] = np.array([4, 1], "u4")
            bound["names"] = [b"A normal"]
            bound["ends"] = np.array([[0.0, 0.2, 0.0, 0.125]])
        result = result_file.read(path, 10**6)
        self.assertEqual([len(piece) for piece in result.bound], [4, 1])
        self.assertIn("widest gap is 0.075 m/s (A normal)", result.bound_remark)
        panel = panels.choose(result)[0][0]  # tangential and normal velocity of A
        self.assertEqual(len(panel.bound[0]), 4)
        self.assertAlmostEqual(np.abs(panel.bound[0]).max(), 0.2)
        figure = plot.draw([result])
        legend = [text.get_text() for text in figure.legends[0].get_texts()]
        self.assertIn("outer bound (proved)", legend)

    def test_outlines_are_convex_hulls(self):
        points = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0.5, 0.5], [0.5, 0.0]], float)
        corners = panels.convex_outline(points)
        self.assertEqual({tuple(corner) for corner in corners}, {(0, 0), (1, 0), (1, 1), (0, 1)})
        line = panels.convex_outline(np.array([[0.0, 0.0], [1.0, 1.0], [0.5, 0.5]]))
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

    def labels(self):
        """Words of the legend."""
        return [text.get_text() for text in self.figure().legends[0].get_texts()]

    def test_laws_are_drawn_in_contact_coordinates_with_their_way(self):
        write_result(self.file)
        add_laws(self.file, LAWS)
        left, centre, _ = panels.choose(result_file.read(self.file, 10))[0]
        self.assertEqual([series.style for series in centre.series], styles_of(*LAW_KINDS))
        np.testing.assert_allclose(centre.series[1].velocities, [[0.1, 0.0]])
        np.testing.assert_allclose(left.series[1].velocities, [[0.0, 0.1]])
        np.testing.assert_allclose(centre.series[1].paths, [[[-1, -1], [0, -0.5], [0.1, 0.0]]])
        np.testing.assert_allclose(centre.series[2].velocities, [[0.0, 0.3]])

    def test_the_legend_names_laws_only_where_the_file_has_them(self):
        write_result(self.file)
        sample = self.labels()
        self.assertFalse([label for label in sample if "law" in label or "sequence" in label])
        add_laws(self.file, LAWS)
        self.assertEqual(
            self.labels(),
            [*sample, "simultaneous law", "sequence A,B, \u2026", "sequence B,A, \u2026"],
        )
        add_sought(self.file, [[0.4, 0.0, 0.0, 0.0]], ["greatest x"], [[0.0] * 4])
        self.assertEqual(self.labels()[-1], "outcomes sought at the ends")
        self.assertEqual(self.run_plot(self.file), (0, ""))

    def test_laws_have_the_colours_of_the_paper_and_a_mark_each(self):
        blue, red, yellow = (
            styles.STYLES[kind] for kind in LAW_KINDS
        )
        for style, strong, weak in ((blue, [2], [0]), (red, [0], [1, 2]), (yellow, [0, 1], [2])):
            channels = matplotlib.colors.to_rgb(style.colour)
            for one in strong:
                for other in weak:
                    self.assertGreater(channels[one], channels[other] + 0.4)
        for attribute in ("marker", "size", "dashes"):
            values = {str(getattr(style, attribute)) for style in (blue, red, yellow)}
            self.assertEqual(len(values), 3, attribute)

    def test_other_orders_are_one_kind_and_only_the_first_of_them_has_a_line(self):
        write_result(self.file)
        add_laws(self.file, [*LAWS, (1, "again", [0.0, 0.2, 0.0, 0.0], [])])
        series = result_file.read(self.file, 10).series
        self.assertEqual(series[-1].label, "2 other sequences")
        self.assertEqual((len(series[-1].velocities), len(series[-1].paths)), (2, 1))

    def test_a_long_sequence_has_no_line_and_an_unfinished_one_no_mark(self):
        write_result(self.file)
        add_laws(self.file, [LAWS[0], (1, "A,B", LAWS[1][2], [[0.0] * 4] * 50), LAWS[2]])
        with sealed(self.file, mode="a") as file:
            file["comparison/terminated"][2] = 0
        series = result_file.read(self.file, 10).series
        self.assertEqual([one.style for one in series], styles_of("simultaneous", "sequence"))
        self.assertEqual(series[1].paths, [])

    def test_zoomed_panels_keep_laws_and_sought_outcomes_in_view(self):
        write_result(self.file)  # outcomes within 0.1, pre-impact velocity at -1
        add_laws(self.file, LAWS)
        add_sought(self.file, [[0.2, 0.25, -0.15, 0.0]], ["greatest x"], [[0.0] * 4])
        zoomed = self.visible_axes()[3:]
        for axes, points in zip(zoomed, ([[0, 0.1], [-0.15, 0.2]], [[0, 0.3], [0.2, 0.25]])):
            for x, y in points:
                self.assertTrue(axes.get_xlim()[0] < x < axes.get_xlim()[1], (x, y))
                self.assertTrue(axes.get_ylim()[0] < y < axes.get_ylim()[1], (x, y))
            self.assertLess(np.ptp(axes.get_xlim()), 0.6)

    def test_axes_can_be_named(self):
        write_result(self.file, contacts=3, names=["A", "toe, left", "C"], before=[0.0] * 6)
        result = result_file.read(self.file, 10)
        figure = plot.draw([result], axes=["normal A, normal toe, left", "tangential C,normal A"])
        labels = [(axes.get_xlabel(), axes.get_ylabel()) for axes in figure.axes]
        self.assertEqual(
            labels,
            [
                ("normal velocity of A (m/s)", "normal velocity of toe, left (m/s)"),
                ("tangential velocity of C (m/s)", "normal velocity of A (m/s)"),
            ],
        )
        panel = panels.parse_axes(result, "tangential C,tangential A")
        np.testing.assert_array_equal(panel.outcomes, result.outcomes[:, [5, 3]])
        self.assertFalse(panel.x_is_normal or panel.y_is_normal)

    def test_axes_can_be_directions_whose_ends_were_sought(self):
        write_result(self.file, contacts=2, before=[0.0] * 4)
        row = [0.0, 0.0, 1.0, -1.0]
        ends = ["greatest slip, both", "least slip, both"]
        add_sought(self.file, [[0.1] * 4, [0.2] * 4], ends, [row, row])
        result = result_file.read(self.file, 10)
        panel = panels.parse_axes(result, "slip, both,normal A")
        np.testing.assert_array_equal(panel.outcomes[:, 0], result.outcomes @ [0, 0, 1, -1])
        self.assertEqual(panel.x_label, "slip, both")
        with self.assertRaisesRegex(plot.BadAxes, "or a direction of slip, both"):
            plot.draw([result], axes=["slip,normal A"])

    def test_space_has_a_second_tangent(self):
        write_result(self.file, contacts=1, tangent_rows=2, before=[0.0] * 3)
        result = result_file.read(self.file, 10)
        panel = panels.parse_axes(result, "tangential A,tangential2 A")
        np.testing.assert_array_equal(panel.outcomes, result.outcomes[:, [1, 2]])
        self.assertEqual(panel.y_label, "tangential velocity (m/s) of\nA along its second tangent")
        write_result(self.file)
        planar = result_file.read(self.file, 1)
        self.assertIsNone(panels.parse_axes(planar, "normal A,tangential2 A"))

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
        code, said = self.run_plot(*[self.file] * 25)
        self.assertEqual(code, 2)
        self.assertIn("25 files are given (must be <= 24)", said)

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
        refused("does not begin as a file of Carom does", self.file)
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


class WithoutTangents(unittest.TestCase):
    def test_normals_of_neighbours_share_a_panel(self):
        result = mock.Mock(contact_names=["A", "B", "C"], tangent_jacobian=np.zeros((3, 1, 3)),
                           normal_jacobian=np.eye(3), series=[], outcomes=np.zeros((1, 3)), net=np.zeros((1, 3)),
                           paths=np.zeros((0, 2, 3)), pre_impact_velocities=-np.ones((1, 3)), bound=[])  # fmt: skip
        chosen, hidden = panels.choose(result)
        self.assertEqual(hidden, 0)
        self.assertEqual([(panel.x_label, panel.y_label) for panel in chosen],
                         [("normal velocity of A (m/s)", "normal velocity of B (m/s)"),
                          ("normal velocity of B (m/s)", "normal velocity of C (m/s)")])  # fmt: skip


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

    def draw(self, listed):
        with tempfile.TemporaryDirectory() as folder:
            file, picture = Path(folder) / "balls.json", Path(folder) / "balls.png"
            file.write_text(json.dumps(listed))
            errors = io.StringIO()
            with contextlib.redirect_stderr(errors):
                code = plot.main([str(file), "-o", str(picture)])
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


if __name__ == "__main__":
    unittest.main()
