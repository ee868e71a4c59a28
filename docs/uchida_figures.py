"""Figures of Uchida, Sherman and Delp (2015) by the PLUS law: what is reproducible of them."""

import subprocess
import tempfile
from pathlib import Path

import h5py
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

SCENARIO = Path(__file__).resolve().parent.parent / "scenarios" / "plus_corner.toml"
STYLES = {0.01: ("#000000", "-", None), 0.15: ("#0072b2", "--", "o"), 0.25: ("#d55e00", "--", "s")}


def slips(program, theta):
    """The contact's slip before the impact and after each interval, (intervals + 1, 2), m/s."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corner.h5"
        subprocess.run(
            [program, "sample", str(SCENARIO), "--theta-max", str(theta), "--paths", "1",
             "--hold-out", "0", "-o", str(path), "-q"], check=True
        )  # fmt: skip
        with h5py.File(path) as file:
            velocities = file["paths/velocity"][0, : file["paths/count"][0]]
            return velocities @ file["problem/tangent_jacobian"][:].T


def turning(program, path):
    """Figure 10: how the slip of a corner turns, for three values of theta_max."""
    figure = Figure(figsize=(6.5, 4), dpi=150)
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for theta, (colour, line, marker) in STYLES.items():
        x, y = slips(program, theta).T
        axes.plot(x, y, line, color=colour, marker=marker, markersize=4,
                  label=f"theta_max = {theta:g} rad: {len(x) - 1} intervals")  # fmt: skip
    axes.set(xlabel="slip along x (m/s)", ylabel="slip along y (m/s)",
             title="Slip of a brick's corner during its impact (Figure 10)")  # fmt: skip
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Software": None})


FIGURES = {"uchida-10": turning}
