#!/usr/bin/env python3
"""What the default h shows beside the stopping impulse, which leaves friction out.

For each invented problem, and for random ones, of which friction raises the default h: the share of
the net's members that lie outside the other h's net (farther than 2 epsilon, epsilon the larger
one of both runs), and for comparison the share between two seeds of one h.

    python3 bench/default_step.py [--random COUNT]
"""

import argparse
import warnings

import carom
import invented_problems
import numpy as np
from scipy.spatial import cKDTree


def random_problem(random):
    """Random masses, Jacobians, velocity and friction; 2 or 3 contacts in the plane."""
    contacts, velocities = random.integers(2, 4), random.integers(3, 7)
    root = random.normal(size=(velocities, velocities))
    return carom.ImpactProblem(
        root @ root.T + 0.3 * np.eye(velocities),
        random.normal(size=(contacts, velocities)),
        random.normal(size=(contacts, velocities)),
        random.uniform(0, 1.5, contacts),
        random.normal(size=velocities),
    )


def outside(net, other, distance):
    return np.mean(cKDTree(other).query(net)[0] > distance)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--random", type=int, default=80, metavar="COUNT", help="random problems")
    count = parser.parse_args().random
    warnings.simplefilter("ignore")
    random = np.random.default_rng(11)
    problems = {f"matrices {i}": random_problem(random) for i in range(count)}
    for name, (make, *_) in invented_problems.PROBLEMS.items():
        if make is invented_problems.system:
            continue
        problem = invented_problems.load(name)
        if problem.contacts * problem.tangent_dimension <= 8:  # others take minutes
            problems[name] = problem
    shares = []
    print("problem             h / H   gain   loss  seeds  another law outside, H -> h")
    for name, problem in problems.items():
        found = carom.post_impact_set(problem, trajectories=4096, hold_out=0)
        h, stopping = found.scenario.sampling.impulse_step, problem.stopping_impulse()
        if not h > 1.001 * stopping > 0:
            continue
        before = carom.post_impact_set(
            problem, trajectories=4096, hold_out=0, impulse_step=stopping
        )
        epsilon = max(its.scenario.sampling.epsilon for its in (found, before))

        def net(step, seed):
            its = carom.post_impact_set(
                problem, trajectories=4096, impulse_step=step, epsilon=epsilon, seed=seed,
                hold_out=0, comparison=False
            )  # fmt: skip
            return its.net.velocity

        new, old, other = net(h, 1), net(stopping, 1), net(stopping, 2)
        warned = [any(n["code"] == "other_law_outside" for n in its.notes) for its in (before, found)]
        row = [outside(one, its, 2 * epsilon) for one, its in ((new, old), (old, new), (other, old))]
        shares.append(row)
        print(f"{name:18} {h / stopping:6.2f} " + " ".join(f"{share:6.3f}" for share in row), *warned, flush=True)
    print(f"of {len(problems)} problems {len(shares)}; means", np.mean(shares, axis=0).round(4))


if __name__ == "__main__":
    main()
