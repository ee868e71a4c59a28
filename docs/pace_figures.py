"""Figure 1 of Pace and Burden by `carom derivative`: outcomes of three bipeds that are dropped."""

import json
import subprocess

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

BIPEDS = {"rigid_biped": "#d55e00", "soft_biped": "#0072b2", "flywheel_biped": "#009e73"}


def derivative(carom, name, angle):
    command = [carom, "derivative", name, "--json", "--set", f"angle={angle!r}"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def bipeds(carom, path):
    """The rotation rate at the end against the angle at the start, with the tangents at 0."""
    figure = Figure(figsize=(10.5, 3.8), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    for axes, (name, colour) in zip(figure.subplots(1, 3), BIPEDS.items()):
        half = np.linspace(0.004, 0.2, 25)
        for angles in (-half[::-1], half):
            rates = []
            for angle in angles:
                found = derivative(carom, name, float(angle))
                rates.append(found["right"]["state"][found["outcome"]])
            axes.plot(angles, rates, color=colour, lw=2)
        found = derivative(carom, name, 0.0)
        entry = found["outcome"]
        for side, sign in (("left", -1), ("right", 1)):
            rate, slope = found[side]["state"][entry], found[side]["slope"][entry]
            reach = np.array([0, sign * 0.12])
            axes.plot(reach, rate + slope * reach, "k--", lw=1, zorder=3)
            label = f"{side}: {rate:+.3f} rad/s" if not found["continuous"] else f"{side}: {slope:+.4f} /s"
            axes.plot(0, rate, "o", ms=5, mfc="white" if not found["continuous"] else "k", mec="k", zorder=4)
            axes.text(0.5 + 0.03 * sign, 0.93, label, transform=axes.transAxes, fontsize=8,
                      ha="right" if sign < 0 else "left")  # fmt: skip
        axes.axvline(0, color="0.8", lw=0.8, zorder=0)
        axes.set(title=name.replace("_", " "), xlabel="angle at the start (rad)")
        axes.margins(y=0.2)
    figure.axes[0].set_ylabel("rotation rate at 1.4 s (rad/s)")
    figure.savefig(path)


FIGURES = {"pace-1": bipeds}
