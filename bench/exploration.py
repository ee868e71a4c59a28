#!/usr/bin/env python3
"""What an exploration finds beside random caps, with as many LCPs (RESULTS.md, docs/explore.md).

Usage: bench/exploration.py [SYSTEM ...]   (needs the Python package; prints a Markdown table)
"""

import math
import sys
import warnings
from pathlib import Path

import carom
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
# Scenario, budget in LCPs, epsilon (None: that of the scenario), solutions: all of each step, which
# take a search for more than two contacts, or Lemke's, which are all of the quadruped's.
SYSTEMS = {
    "rocking_block": ("rocking_block", 1_000_000, None, "auto"),
    "compass_gait": ("compass_gait", 1_000_000, 0.002, "auto"),
    "box_wall": ("box_wall", 1_000_000, 0.002, "auto"),
    "ramone": ("ramone", 1_000_000, None, "auto"),
    "disk_stack": ("disk_stack", 1_000_000, 0.02, "first"),
    "brick": (str(ROOT / "scenarios/brick_corners.toml"), 200_000, 0.1, "first"),
    "quadruped": (str(ROOT / "scenarios/mujoco_quadruped.toml"), 200_000, None, "first"),
}


def ends_of(problem, velocities):
    """Least and greatest contact speeds: 2 m (1 + d) numbers, each a greatest value."""
    rows = np.concatenate([problem.normal_jacobian, problem.tangent_jacobian])
    speeds = velocities @ rows.T
    return np.concatenate([speeds.max(axis=0), -speeds.min(axis=0)])


def random_caps(scenario, lcps, caps, **options):
    """A sample of about as many LCPs with these caps, and the ends of all its outcomes."""
    pilot = carom.sample(scenario, trajectories=2_000, caps=caps, **options)
    each = pilot.lcp_count.mean() + pilot.final_step.mean()
    count = max(100, math.ceil(lcps / each))
    found = carom.post_impact_set(
        scenario, trajectories=count, caps=caps, hold_out=0, comparison=False, search=False, **options
    )
    summary = found.summary
    ends = np.concatenate([summary.normal_velocity, summary.tangential_velocity])
    return len(found.net), np.concatenate([ends[:, 1], -ends[:, 0]]), summary.lcps


def row(name, part):
    """One line of the table: a system at h / part."""
    place, budget, epsilon, solutions = SYSTEMS[name]
    scenario = carom.load_scenario(place)
    problem = scenario.problem
    h = scenario.sampling.impulse_step
    if h is None:
        h = carom.post_impact_set(place, trajectories=100, hold_out=0).scenario.sampling.impulse_step
    steps = scenario.sampling.max_steps
    common = {"impulse_step": h / part, "solutions": solutions}
    if epsilon is not None:
        common["epsilon"] = epsilon
    found = carom.explore(place, budget=budget, max_steps=max(steps, 100), **common)
    common["epsilon"] = found.net.epsilon
    m = len(problem.normal_jacobian)
    random = [
        random_caps(place, found.lcps, caps, max_steps=min(steps * part, 65_535), **common)
        for caps in ("uniform", f"corners:{max(m - 1, 2)}")
    ]
    own = ends_of(problem, found.sampled.points)
    widest = np.max([own, *(ends for _, ends, _ in random)], axis=0)
    before = np.concatenate([problem.normal_jacobian, problem.tangent_jacobian])
    scale = np.abs(before @ problem.pre_impact_velocity).max()
    moves = widest > -np.concatenate([widest[len(before) :], widest[: len(before)]]) + 1e-6 * scale
    size = widest + np.concatenate([widest[len(before) :], widest[: len(before)]])

    def reach(ends):
        """Mean range of the contact speeds, of the widest range found."""
        ranges = ends[: len(before)] + ends[len(before) :]
        some = moves[: len(before)]
        return (ranges[some] / size[: len(before)][some]).mean() if some.any() else 1.0

    cells = [f"{count:,} ({reach(ends):.2f})" for count, ends, _ in random]
    cells.append(f"{len(found.net):,} ({reach(own):.2f})")
    cells.append(f"{found.islands_cover:.2f}")
    print(f"| {name} | {h / part:.3g} | {found.lcps:,} | " + " | ".join(cells) + " |", flush=True)


def main():
    warnings.simplefilter("ignore")
    print("| system | h, N·s | LCPs | uniform caps | corner caps | explored | islands cover |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in sys.argv[1:] or SYSTEMS:
        for part in (1, 10, 100):
            row(name, part)


if __name__ == "__main__":
    main()
