"""Pictures of bodies before their impact. Run: python3 -m unittest discover -s tests/python."""

import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.quiver import Quiver

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from carom import bodies, panel, plot, result_file  # noqa: E402
from sealing import sealed  # noqa: E402
from made_up_results import write_result  # noqa: E402

FLOOR = (np.array([0.0, 1.0]), 0.0)


def world(shapes, radii, corners, carriers=None, hinges=None):
    count = len(shapes)
    carriers = np.full(count, -1) if carriers is None else np.array(carriers)
    hinges = np.zeros((count, 4)) if hinges is None else np.array(hinges)
    return bodies.World(np.array(shapes), np.array(radii), [np.array(own).reshape(-1, 2) for own in corners],
                        carriers, hinges, [FLOOR])  # fmt: skip


def add_disc(path, contacts):
    """Adds /world: a disc of radius 2 m on the floor, which falls at 3 m/s."""
    with sealed(path, mode="a") as file:
        group = file.create_group("world")
        group["shape"] = np.array([bodies.DISC], "i4")
        group["radius"] = [2.0]
        group["carrier"] = np.array([-1], "i4")
        group["hinge"] = np.zeros((1, 4))
        group["first_corner"] = np.zeros(2, "i4")
        group["floor_normal"], group["floor_offset"] = [FLOOR[0]], [FLOOR[1]]
        group["position"], group["velocity"] = [1.0, 2.0, 0.0], [0.0, -3.0, 0.0]
        group["contact_place"] = [[1.0, 0.0]] * contacts
        group["contact_normal"] = [[0.0, 1.0]] * contacts


class BodiesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "result.h5"

    def axes_of_bodies(self, figure):
        return [axes for axes in figure.axes if axes.get_xlabel() == "x (m)"]

    def test_are_drawn_beside_the_set_with_contacts_and_velocities(self):
        write_result(self.file, contacts=1)
        add_disc(self.file, contacts=1)
        [axes] = self.axes_of_bodies(plot.draw([result_file.read(self.file, 1000)]))
        self.assertIn("3 m/s", axes.get_title())
        self.assertEqual([text.get_text() for text in axes.texts], ["A"])
        [arrows] = [artist for artist in axes.collections if isinstance(artist, Quiver)]
        np.testing.assert_allclose([*arrows.XY, [arrows.U[0], arrows.V[0]]], [[1.0, 2.0], [0.0, -4.0 * bodies.ARROW]],
                                   atol=1e-9)  # fmt: skip

    def test_have_no_picture_where_the_file_has_none_or_results_share_one(self):
        write_result(self.file, contacts=1)
        self.assertEqual(self.axes_of_bodies(plot.draw([result_file.read(self.file, 1000)])), [])
        add_disc(self.file, contacts=1)
        result = result_file.read(self.file, 1000)
        self.assertEqual(self.axes_of_bodies(plot.draw([result, result])), [])

    def test_of_a_hinged_body_move_with_their_carrier(self):
        # A bar of 2 m hangs by its end from the edge of a disc that turns at 1 rad/s.
        pendulum = world([bodies.DISC, bodies.POINTS], [0.5, 0.0], [[], [[0.0, -1.0]]], [-1, 0],
                         [[0.0] * 4, [0.5, 0.0, 0.0, 1.0]])  # fmt: skip
        position, velocity = np.array([0.0, 5.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0, 2.0])
        found = bodies.centre_velocities(bodies.Configuration(pendulum, position, velocity, []))
        np.testing.assert_allclose(found, [[0.0, 0.0], [2.0, 0.5]], atol=1e-9)
        low, high = np.transpose(bodies.frame_of(pendulum, position, 0.0))
        np.testing.assert_allclose([low, high], [[-0.5, 3.0], [0.5, 5.5]])

    def test_that_rest_have_no_arrows(self):
        still = bodies.Configuration(world([bodies.DISC], [1.0], [[]]), np.array([0.0, 1.0, 0.0]), np.zeros(3), [])
        axes = Figure().subplots()
        bodies.draw_configuration(axes, still)
        self.assertEqual([len(artist.U) for artist in axes.collections if isinstance(artist, Quiver)], [0])


class AreaTest(unittest.TestCase):
    def area(self, *paths):
        return panel.covered(np.array(paths, float), (0.0, 1.0), (0.0, 1.0))

    def test_has_every_pixel_that_a_path_passes(self):
        columns, rows = panel.AREA_PIXELS
        level = self.area([[0.0, 0.5], [1.0, 0.5], [1.0, 0.5]])  # the last velocity is repeated
        self.assertEqual(np.flatnonzero(level.any(axis=1)).tolist(), [rows // 2])
        self.assertTrue(level[rows // 2].all())
        steep = self.area([[0.2, 0.0], [0.3, 1.0], [0.3, 1.0]])
        self.assertTrue(steep.any(axis=1).all())
        self.assertEqual(np.flatnonzero(steep.any(axis=0)).tolist(), [*range(columns // 5, 3 * columns // 10 + 1)])

    def test_is_cut_at_the_limits(self):
        columns, rows = panel.AREA_PIXELS
        long = self.area([[-1e6, 0.5], [1e6, 0.5]])
        self.assertTrue(long[rows // 2].all())
        self.assertEqual(long.sum(), columns)
        self.assertEqual(self.area([[2.0, 0.5], [3.0, 0.5]], [[-1.0, 0.9], [0.0, 2.1]]).sum(), 0)


class PathsTest(unittest.TestCase):
    def test_are_lines_if_few_and_an_area_if_many(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "result.h5"
            for paths, areas in ((panel.MOST_LINES, 0), (panel.MOST_LINES + 1, 1)):
                write_result(file, contacts=1, paths=paths)
                figure = plot.draw([result_file.read(file, 10_000)])
                drawn = {len(axes.images) for axes in figure.axes if axes.get_visible()}
                self.assertEqual(drawn, {areas})


if __name__ == "__main__":
    unittest.main()
