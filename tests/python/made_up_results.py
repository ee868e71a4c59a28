"""Results that are made up, and what tests of their pictures share."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from carom import plot, result_file  # noqa: E402
from sealing import sealed  # noqa: E402

STATUS = {"separated": 0, "step_limit": 1, "ray": 2, "pivot_limit": 3, "residual": 4}


def write_result(path, contacts=2, velocities=None, status=None, tangent_rows=1, paths=5, net=None,
                 before=None, stored=True, names=None, scenario="made_up", friction=None,
                 units=None):  # fmt: skip
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
        problem["friction"] = np.ones(contacts) if friction is None else friction
        problem["contact_names"] = names or [chr(ord("A") + i) for i in range(contacts)]
        if units:
            problem["speed_units"] = units
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


def add_search(path, velocities, members):
    """Adds /search: outcomes beyond those of the trajectories, so many of which joined the net."""
    with sealed(path, mode="a") as file:
        group = file.create_group("search")
        group["velocity"] = np.array(velocities)
        group.attrs["members"] = members


def add_bound(path, vertices, names=("A normal",), ends=((0.0, 0.2, 0.0, 0.125),), **attributes):
    """Adds /bound: a piece with these vertices, closed, exact and of any h unless `attributes` say else."""
    vertices = np.asarray(vertices, float)
    with sealed(path, mode="a") as file:
        bound = file.create_group("bound")
        given = {"scope": 0, "method": 0, "status": 0, "verified": 0, "steps": 0, "outcomes": 200, "outside": 0}
        bound.attrs.update({**given, "worst": 0.0, **attributes})
        bound["vertices"] = vertices
        bound["vertices_count"] = np.array([len(vertices)], "u4")
        bound["names"] = [name.encode() for name in names]
        bound["ends"] = np.array(ends, float)


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


class PlotCase(unittest.TestCase):
    """A folder of its own, and what is drawn of the result in it."""

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

    def labels(self):
        """Words of the legend."""
        return [text.get_text() for text in self.figure().legends[0].get_texts()]

    def remark(self):
        """Words at the bottom of the picture."""
        return self.figure().texts[-1].get_text().replace("\n", " ")
