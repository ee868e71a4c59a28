#!/usr/bin/env python3
"""How wide bounds are (docs/bounds.md). Needs carom and NumPy:
PYTHONPATH=build/release/python bench/bounds.py

For each invented problem beyond the limits of hulls, widths of the contact speeds, summed over all
contacts, in parts of what the kinetic energy allows:
  orders   of the bound by the orders of last pushes
  found    of the outcomes that an exploration finds
and besides:
  outside  how far an outcome lies outside, in parts of the fastest contact before the impact
  s        time of the proof"""

import argparse
import time

import numpy as np

import carom
from invented_problems import PROBLEMS, load


def width(bound):
    return sum(one["high"] - one["low"] for one in bound.directions)


def row(problem, orders, budget):
    energy = carom.bound(problem, orders=0)
    if energy.method != "energy":
        return None
    begin = time.perf_counter()
    bound = carom.bound(problem, orders=orders)
    seconds = time.perf_counter() - begin
    outcomes = carom.explore(problem, budget=budget, progress=False).net.velocity
    rows = np.array([one["row"] for one in bound.directions])
    low, high = ([one[end] for one in bound.directions] for end in ("low", "high"))
    speeds = outcomes @ rows.T
    outside = max(np.max(speeds - high), np.max(low - speeds))
    before = np.abs(rows @ problem.pre_impact_velocity).max()
    return [
        f"{width(bound) / width(energy):.3f}",
        f"{np.ptp(speeds, axis=0).sum() / width(energy):.3f}",
        f"{outside / before:.0e}",
        f"{seconds:.1f}",
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=list(PROBLEMS), metavar="NAME")
    parser.add_argument("--orders", type=int, default=100)
    parser.add_argument("--budget", type=int, default=100_000, help="LCPs of the exploration")
    options = parser.parse_args()
    print("| problem | orders | found | outside | s |\n|---|---|---|---|---|")
    for name in options.names:
        cells = row(load(name), options.orders, options.budget)
        if cells is not None:
            print("|", " | ".join([name, *cells]), "|", flush=True)


if __name__ == "__main__":
    main()
