"""The outer bound in pictures of made-up results: what they call proved. Run as test_plot.py."""

import unittest

import numpy as np
from made_up_results import PlotCase, add_bound, add_sought, write_result
from sealing import sealed

from carom import panels, plot, result_file

SQUARE = [[x, 0.0, y, 0.0] for x in (0.0, 0.2) for y in (0.0, 0.2)]  # of the normal and tangential velocity of A


class Bounds(PlotCase):
    def bounded(self, vertices=SQUARE, **bound):
        """The legend's entry, or an empty one, and the remark of a result with this bound."""
        write_result(self.file)
        add_bound(self.file, vertices, **bound)
        return next((label for label in self.labels() if "bound" in label), ""), self.remark()

    def test_is_drawn_behind_the_outcomes(self):
        write_result(self.file)
        add_bound(self.file, [*SQUARE, SQUARE[0]])
        with sealed(self.file, mode="a") as file:
            del file["bound/vertices_count"]
            file["bound/vertices_count"] = np.array([4, 1], "u4")  # a square and a point
        result = result_file.read(self.file, 10**6)
        self.assertEqual([len(piece) for piece in result.bound], [4, 1])
        panel = panels.choose(result)[0][0]  # tangential and normal velocity of A
        self.assertEqual(len(panel.bound[0]), 4)
        self.assertAlmostEqual(np.abs(panel.bound[0]).max(), 0.2)

    def test_of_any_number_of_steps_is_proved(self):
        label, remark = self.bounded()
        self.assertEqual(label, "outer bound (proved)")
        self.assertIn("In any number of steps no outcome leaves the outer bound; "
                      "the widest gap is 0.075 m/s (A normal).", remark)  # fmt: skip

    def test_of_few_steps_says_how_many(self):
        label, remark = self.bounded(status=1, steps=1)
        self.assertEqual(label, "outer bound (proved, at most 1 step)")
        self.assertIn("Of paths of at most 1 step, no outcome leaves the outer bound; the widest gap", remark)
        label, remark = self.bounded(status=1, steps=3, outcomes=203, outside=197, worst=0.5123)
        self.assertEqual(label, "outer bound (at most 3 steps)")
        self.assertIn("Of paths of at most 3 steps, no outcome leaves the outer bound; "
                      "but 197 of 203 outcomes are outside, by up to 0.51 m/s.", remark)  # fmt: skip
        _, remark = self.bounded(status=1, steps=3, outcomes=0)
        self.assertIn("no outcomes could be compared with it.", remark)
        self.assertNotIn("gap", remark)

    def test_of_the_inclusion_is_of_the_limit_and_may_not_be_verified(self):
        label, remark = self.bounded(scope=1)
        self.assertEqual(label, "outer bound (proved, h \u2192 0)")
        self.assertIn("In the limit h \u2192 0 no outcome leaves the outer bound; the widest gap", remark)
        label, remark = self.bounded(scope=1, verified=1, outside=7, worst=0.00031)
        self.assertEqual(label, "outer bound (not verified, h \u2192 0)")
        self.assertIn("In the limit h \u2192 0 no outcome should leave the outer bound, which is not verified; "
                      "but 7 of 200 outcomes are outside, by up to 0.00031 m/s.", remark)  # fmt: skip

    def test_that_outcomes_contradict_is_not_called_proved(self):
        label, remark = self.bounded(outside=1, worst=0.1)
        self.assertEqual(label, "outer bound")
        self.assertIn("but 1 of 200 outcomes are outside, by up to 0.1 m/s.", remark)

    def test_gaps_along_directions_have_no_unit(self):
        names = ["A normal", "A tangential", "B normal", "B tangential", "0,0,1,0", "A tangential"]
        for widest, gap in ((1, "0.5 m/s (A tangential)"), (4, "0.5 (0,0,1,0)"), (5, "0.5 m/s (A tangential)")):
            ends = np.zeros((6, 4))
            ends[widest] = [-0.5, 0.0, 0.0, 0.0]
            self.assertIn(f"the widest gap is {gap}.", self.bounded(names=names, ends=ends)[1])

    def test_that_cannot_be_seen_has_no_entry_in_the_legend(self):
        point, on_the_axis = np.zeros((1, 4)), [[0.0, 0.0, x, 0.0] for x in (0.0, 0.3)]
        for vertices in (point, on_the_axis):
            label, remark = self.bounded(vertices)
            self.assertEqual(label, "")
            self.assertIn("The outer bound is too thin to be seen.", remark)
        label, remark = self.bounded(np.zeros((0, 4)), method=1)
        self.assertEqual(label, "")
        self.assertIn("no outcome leaves the outer bound (not drawn); the widest gap", remark)

    def test_long_remarks_are_within_the_picture_and_below_the_legend(self):
        write_result(self.file, contacts=1, stored=False)
        add_bound(self.file, [[0.0, 0.0], [0.2, 0.2], [0.2, 0.0]], scope=1, verified=1, outside=7, worst=0.1)
        figure = self.figure()
        figure.canvas.draw()
        remark, legend = figure.texts[-1].get_window_extent(), figure.legends[0].get_window_extent()
        self.assertGreaterEqual(remark.x0, 0.0)
        self.assertLessEqual(remark.x1, figure.bbox.width)
        self.assertLess(remark.y1, legend.y1)
        labels = [text.get_window_extent() for text in figure.legends[0].get_texts()]
        self.assertFalse(any(remark.overlaps(label) for label in labels))


if __name__ == "__main__":
    unittest.main()
