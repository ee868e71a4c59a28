#!/usr/bin/env python3
"""How much of the set each distribution of caps reaches (docs/choosing.md, Caps). Needs carom and
NumPy: PYTHONPATH=build/release/python bench/caps.py

The reference of a problem joins the outcomes of many distributions, at h and h/3, with those of the
sequential law. Distances are in the kinetic norm, in parts of the reference's diameter:
  range    mean share of the reference's ranges of all contact speeds
  covered  share of the members of the reference's net at 5 % that an outcome lies within 5 % of
  far      greatest distance from a member of that net to the nearest outcome
  net      members of the net at 1 %
  laws     greatest distance from an outcome of the sequential or simultaneous law
  LCPs     mean per trajectory
  lost     share of trajectories without an outcome"""

import argparse
import math

import numpy as np

import carom
from invented_problems import PROBLEMS, load

REFERENCE = ("uniform", "simplex", *(f"corners:{power}" for power in (2, 4, 8, 16, 32, 64)))
COARSE, FINE = 0.05, 0.01  # parts of the diameter
MOST_MEMBERS = 1000  # of the reference's net
POINT = 1e-6  # a smaller set, in parts of the speed before the impact, is one outcome
COLUMNS = ("range", "covered", "far", "net", "laws", "LCPs", "lost")


def candidates(contacts):
    def corners(factor):
        return f"corners:{min(64, factor * contacts)}"

    return {
        "uniform": "uniform",
        "simplex": "simplex",
        "corners:4": "corners:4",
        "u, c4": "uniform + corners:4",
        "e(2m)": f"early_{corners(2)}",
        "e(4m)": f"early_{corners(4)}",
        "e(8m)": f"early_{corners(8)}",
        "u, e(4m)": f"uniform + early_{corners(4)}",
        "c(2m)": corners(2),
        "c(8m)": corners(8),
        "u, c(m)": f"uniform + {corners(1)}",
        "u, c(2m)": f"uniform + {corners(2)}",
        "u, c(4m)": f"uniform + {corners(4)}",
        "u, 3 c(2m)": f"uniform + 3*{corners(2)}",
        "u, c(m), c(4m)": f"uniform + {corners(1)} + {corners(4)}",
        "u, c(m), 2 c(4m)": f"uniform + {corners(1)} + 2*{corners(4)}",
        "u, s, c(2m), c(8m)": f"uniform + simplex + {corners(2)} + {corners(8)}",
    }


def outcomes(problem, root, step, trajectories, seed, **law):
    """Outcomes in coordinates whose Euclidean norm is the kinetic one; LCPs; share of the lost."""
    samples = carom.sample(
        problem, trajectories, seed, impulse_step=step, epsilon=step / 100, max_steps=1000,
        threads=1, **law,
    )  # fmt: skip
    ended = samples.status == 0
    return samples.velocity[ended] @ root, samples.lcp_count.mean(), 1 - ended.mean()


def net(points, epsilon, most=math.inf):
    members = []
    while len(points) and len(members) < most:
        members.append(points[0])
        points = points[((points - points[0]) ** 2).sum(axis=1) > epsilon**2]
    return np.array(members)


def distances(places, points):
    """From each place to the nearest point."""
    squares = (points**2).sum(axis=1)
    nearest = [(squares - 2 * points @ place).min() + place @ place for place in places]
    return np.sqrt(np.maximum(nearest, 0))


def measure(problem, trajectories):
    """The reference's diameter in parts of the speed before the impact; figures per candidate."""
    root = np.linalg.cholesky(problem.mass_matrix)
    step = problem.stopping_impulse()

    def sampled(caps, part=1.0, seed=1):
        return outcomes(problem, root, part * step, trajectories, seed, caps=caps,
                        solutions="first")  # fmt: skip

    unbounded = np.full(len(problem.friction), 1e6 * step)  # caps of the simultaneous law
    laws = [
        outcomes(problem, root, step, 256, 1, law="sequential")[0],
        carom.solve_step(problem, caps=unbounded).post_velocity[None] @ root,
    ]
    reference = np.vstack(
        [sampled(caps, part, seed=2)[0] for caps in REFERENCE for part in (1, 1 / 3)] + laws
    )
    np.random.default_rng(0).shuffle(reference)
    jacobian = np.vstack([problem.normal_jacobian, problem.tangent_jacobian])
    speeds_of = np.linalg.solve(root, jacobian.T)
    speeds = reference @ speeds_of
    ends = reference[np.r_[speeds.argmax(axis=0), speeds.argmin(axis=0)]]
    diameter = max(np.linalg.norm(reference - end, axis=1).max() for end in ends)
    extent = diameter / np.linalg.norm(problem.pre_impact_velocity @ root)
    if extent < POINT:
        return extent, {}

    members = net(reference, COARSE * diameter, MOST_MEMBERS)
    found = {name: sampled(caps) for name, caps in candidates(len(problem.friction)).items()}
    everything = np.vstack([speeds, *(points @ speeds_of for points, _, _ in found.values())])
    ranges = np.ptp(everything, axis=0)
    moving = ranges > 1e-3 * ranges.max()
    figures = {}
    for name, (points, lcps, lost) in found.items():
        apart = distances(members, points) / diameter
        figures[name] = (
            (np.ptp(points @ speeds_of, axis=0) / np.where(moving, ranges, 1))[moving].mean(),
            (apart <= COARSE).mean(),
            apart.max(),
            len(net(points, FINE * diameter)),
            max(distances(law, points).max() / diameter for law in laws if len(law)),
            lcps,
            lost,
        )
    return extent, figures


def print_table(figures):
    print(" " * 20 + "".join(f"{column:>9}" for column in COLUMNS))
    for name, row in figures.items():
        cells = (f"{value:9.0f}" if column == "net" else f"{value:9.2f}"
                 for column, value in zip(COLUMNS, row))  # fmt: skip
        print(f"{name:20}{''.join(cells)}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", default=list(PROBLEMS), metavar="PROBLEM",
                        help=f"among {', '.join(PROBLEMS)} (all)")  # fmt: skip
    parser.add_argument("--trajectories", type=int, default=2048, help="per distribution")
    options = parser.parse_args()
    groups = {}
    for name in options.names:
        problem = load(name)
        extent, figures = measure(problem, options.trajectories)
        contacts = len(problem.friction)
        print(f"\n{name}: m = {contacts}, diameter {extent:.2g} of the speed before the impact")
        if not figures:
            print("one outcome")
            continue
        print_table(figures)
        size = "1" if contacts == 1 else "2" if contacts == 2 else "3 to 5" if contacts < 6 else "6 to 12"
        groups.setdefault(size, []).append(figures)
    for size, tables in sorted(groups.items()):
        print(f"\nMeans over {len(tables)} problems with m = {size}")
        print_table({name: np.mean([table[name] for table in tables], axis=0) for name in tables[0]})


if __name__ == "__main__":
    main()
