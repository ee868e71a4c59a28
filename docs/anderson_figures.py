"""Figure 3 of Anderson and Revzen by `carom roll`: the order of three ways across events."""

from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import carom

SCENARIOS = Path(__file__).resolve().parent.parent / "scenarios"
STEPS = 0.02 / 2 ** np.arange(6)  # s
ROUNDING = 3e-13  # errors below are not fitted
WAYS = {
    "projection": ("Euler step to the guard (the paper's)", "#d55e00", "o"),
    "safe": ("trial step and cubic", "#009e73", "s"),
    "fast": ("event function as variable", "#0072b2", "x"),
}


def last_states(step, crossing):
    found = carom.roll(SCENARIOS / "order_test.toml", step=float(step), crossing=crossing, derivative=False)
    return found.position[:, -1]


def order(_, path):
    """The error at 0.5 s, over 24 starts, against the step; and the slopes."""
    exact = last_states(1e-4, "safe")
    figure = Figure(figsize=(6.4, 4.4), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for crossing, (name, colour, marker) in WAYS.items():
        errors = np.array([np.sqrt(np.mean((last_states(step, crossing) - exact) ** 2)) for step in STEPS])
        good = errors > ROUNDING
        slope = np.polyfit(np.log(STEPS[good]), np.log(errors[good]), 1)[0]
        print(f"{crossing}: slope {slope:.2f}, errors {' '.join(f'{error:.1e}' for error in errors)}")
        axes.loglog(STEPS, errors, marker=marker, color=colour, ms=6, lw=1.2, mfc="none",
                    label=f"{crossing}: {name}, slope {slope:.2f}")  # fmt: skip
    axes.set(xlabel="step (s)", ylabel="error at 0.5 s (rms over 24 starts)",
             title="Order test: three guards, their order decides")  # fmt: skip
    axes.legend(fontsize=8, frameon=False, loc="center left")
    axes.grid(True, which="major", color="0.9", lw=0.6)
    figure.savefig(path)


FIGURES = {"anderson-3": order}
