"""The panels of made-up results: laws, axes that are named, contacts. Run as test_plot.py."""

import unittest
from unittest import mock

import matplotlib
import numpy as np
from made_up_results import LAWS, PlotCase, add_bound, add_laws, add_search, add_sought, write_result
from sealing import sealed

from carom import panels, plot, result_file, styles

LAW_KINDS = ["simultaneous", "sequence", "other sequences"]


def styles_of(*kinds):
    return [styles.STYLES[kind] for kind in kinds]


class Axes(PlotCase):
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

    def test_outcomes_of_the_search_lie_below_the_sample_and_are_counted(self):
        write_result(self.file)
        add_search(self.file, [[0.3, 0.2, 0.1, 0.0], [0.2, 0.0, 0.0, 0.0]], members=1)
        self.assertEqual(self.labels()[-1], "2 found by search, 1 in the net")
        panel = panels.choose(result_file.read(self.file, 10))[0][1]
        axes = mock.MagicMock()
        panel.draw_series(axes)
        self.assertLess(axes.plot.call_args.kwargs["zorder"], 4)  # of the sample
        np.testing.assert_allclose(panel.series[0].velocities.shape, (2, 2))
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

    def test_sequences_of_long_names_have_the_numbers_of_their_contacts(self):
        write_result(self.file, names=["front left outer pad", "front left inner pad"])
        orders = ("{1},{0}".format(*["front left outer pad", "front left inner pad"]), "front left outer pad")
        add_laws(self.file, [(1, order, *LAWS[1][2:]) for order in orders])
        labels = [series.label for series in result_file.read(self.file, 10).series]
        self.assertEqual(labels, ["contacts 2,1, \u2026 in turn", "sequence front left outer pad"])

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


class WithoutTangents(unittest.TestCase):
    def test_normals_of_neighbours_share_a_panel(self):
        result = mock.Mock(contact_names=["A", "B", "C"], speed_units=["m/s"] * 3, tangent_jacobian=np.zeros((3, 1, 3)), friction=np.zeros(3),
                           normal_jacobian=np.eye(3), series=[], outcomes=np.zeros((1, 3)), net=np.zeros((1, 3)),
                           paths=np.zeros((0, 2, 3)), pre_impact_velocities=-np.ones((1, 3)), bound=[])  # fmt: skip
        chosen, hidden = panels.choose(result)
        self.assertEqual(hidden, 0)
        self.assertEqual([(panel.x_label, panel.y_label) for panel in chosen],
                         [("normal velocity of A (m/s)", "normal velocity of B (m/s)"),
                          ("normal velocity of B (m/s)", "normal velocity of C (m/s)")])  # fmt: skip


class WithoutFriction(PlotCase):
    """B and C of three contacts have no friction and no tangential velocity."""

    def chosen(self, contacts=3, friction=(1.0, 0.0, 0.0), slip=0.0):
        velocities = np.zeros((4, 2 * contacts))
        velocities[:, 1] = [0.1, 0.2, 0.3, 0.4]
        velocities[:, contacts - 1] += 2.0
        velocities[0, contacts + 1] = slip
        before = [-1.0] * contacts + [-1.0] + [0.0] * (contacts - 1)
        write_result(self.file, contacts, velocities, paths=0, before=before, friction=friction)
        return panels.choose(result_file.read(self.file, 10))

    def test_contacts_share_a_panel_with_a_strip_each(self):
        (rough, strips), hidden = self.chosen()
        self.assertEqual((hidden, rough.y_label), (0, "normal velocity of A (m/s)"))
        self.assertEqual(strips.names, ["B", "C"])
        own = strips.outcomes[strips.outcomes[:, 1] == 0.0]
        np.testing.assert_allclose(np.sort(own[:, 0]), [0.1, 0.2, 0.3, 0.4])
        np.testing.assert_allclose(strips.outcomes[strips.outcomes[:, 1] == 1.0][:, 0], [2.0] * 4)
        np.testing.assert_allclose(strips.before, [[-1.0, 0.0], [-1.0, 1.0]])
        [axes] = [its for its in self.visible_axes() if its.get_xlabel() == "normal velocity (m/s)"]
        self.assertEqual([tick.get_text() for tick in axes.get_yticklabels()], ["B", "C"])
        self.assertGreater(*axes.get_ylim())  # B is above C

    def test_contacts_that_slip_or_may_stick_have_panels_of_their_own(self):
        for made in ({"slip": 0.01}, {"friction": (1.0, 1.0, 0.0)}):
            chosen, _ = self.chosen(**made)
            self.assertEqual([type(panel) for panel in chosen], [panels.Panel, panels.Panel, panels.Strips])

    def test_one_of_two_contacts_is_seen_beside_the_other(self):
        chosen, _ = self.chosen(contacts=2, friction=(1.0, 0.0))
        self.assertEqual([panel.x_label for panel in chosen],
                         ["tangential velocity of A (m/s)", "normal velocity of A (m/s)"])  # fmt: skip

    def test_strips_are_counted_with_the_panels(self):
        friction = [1.0] * 13 + [0.0] * 2
        write_result(self.file, 15, np.zeros((1, 30)), friction=friction, paths=0, before=[-1.0] * 15 + [0.0] * 15)
        chosen, hidden = panels.choose(result_file.read(self.file, 10))
        self.assertEqual((len(chosen), hidden, chosen[-1].names), (panels.MOST_PANELS, 2, ["N", "O"]))

    def test_bounds_are_ranges(self):
        self.chosen()
        add_bound(self.file, [[0.0] * 6, [0.0, 0.5, 3.0, 0.0, 0.0, 0.0]])
        bounds = panels.choose(result_file.read(self.file, 10))[0][1].bound
        self.assertEqual([(its[:, 0].min(), its[:, 0].max()) for its in bounds], [(0.0, 0.5), (0.0, 3.0)])
        self.assertLess(bounds[0][:, 1].max(), bounds[1][:, 1].min())

    def test_limits_may_be_of_angles(self):
        write_result(self.file, 4, friction=[1.0, 1.0, 0.0, 0.0], names=["A", "B", "rail", "knee upper limit"],
                     velocities=np.zeros((1, 8)), before=[-1.0] * 4 + [0.0] * 4, units=["m/s"] * 3 + ["rad/s"])  # fmt: skip
        result = result_file.read(self.file, 10)
        self.assertEqual(panels.label(result, "normal velocity", 3), "normal velocity (rad/s) of\nknee upper limit")
        self.assertEqual(panels.choose(result)[0][-1].x_label, "normal velocity (m/s or rad/s)")


class Layout(PlotCase):
    def test_a_panel_without_a_zoom_is_as_tall_as_one_with_its_zoom(self):
        ends = np.random.default_rng(1).uniform(0.0, 0.1, (50, 6))
        ends[0, [1, 4]] = 1.0
        write_result(self.file, contacts=3, velocities=ends, paths=0)
        figure = self.figure()
        figure.canvas.draw()
        a, b, c, *zooms = figure.axes
        self.assertEqual(len(zooms), 2)
        tall = b.get_window_extent()
        self.assertAlmostEqual(tall.y1, a.get_window_extent().y1, delta=2.0)
        self.assertAlmostEqual(tall.y0, zooms[0].get_window_extent().y0, delta=2.0)

    def test_a_band_has_a_second_row_only_for_zooms(self):
        write_result(self.file, contacts=7, before=[0.0] * 14)
        columns = plot.columns_of(result_file.read(self.file, 10), self.panels())
        bands = plot.bands_of(columns)
        self.assertEqual([(len(band), plot.rows_of(band)) for band in bands], [(3, 1), (4, 1)])
        write_result(self.file, contacts=7)
        columns[-1:] = plot.columns_of(result_file.read(self.file, 10), self.panels())[-1:]
        self.assertEqual([plot.rows_of(band) for band in plot.bands_of(columns)], [1, 2])

    def panels(self):
        return panels.choose(result_file.read(self.file, 10))[0]


if __name__ == "__main__":
    unittest.main()
