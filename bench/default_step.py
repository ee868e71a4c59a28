#!/usr/bin/env python3
"""What the default h shows beside the stopping impulse, which leaves friction out.

For each invented problem, and for random ones, of which friction raises the default h: the share of
the net's members that lie outside the other h's net (farther than 2 epsilon, epsilon the larger
one of both runs), and for comparison the share between two seeds of one h.

With --bodies, of single bodies with random contacts, inertias from 1e-4 to 1 kg m^2 at 1 kg and
friction up to 2: how much of the ends of the contacts' velocities each h misses, as a part of the
widest range of one of them, where the ends are those of all three h together.

    python3 bench/default_step.py [--random COUNT] [--bodies COUNT]
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


def random_body(random, contacts):
    """A body in the plane with contacts at random points, some of which approach."""
    while True:
        point = random.uniform(-1, 1, (contacts, 2)) * [1.0, 0.6]
        angle = np.radians(random.choice([90, 90, 90, 0, 180, 45, 135, 70], contacts))
        normal = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        tangent = np.stack([normal[:, 1], -normal[:, 0]], axis=1)
        rows = [np.column_stack([a, point[:, 0] * a[:, 1] - point[:, 1] * a[:, 0]]) for a in (normal, tangent)]
        friction = random.choice([0, 0.1, 0.5, 1, 2.0], contacts)
        inertia = 10.0 ** random.uniform(-4, 0)
        velocity = random.normal(size=3) * [1, 1, 2]
        if (rows[0] @ velocity < -0.05).any():
            return carom.ImpactProblem(np.diag([1.0, 1.0, inertia]), *rows, friction, velocity)


def ends(problem, step):
    """Least and greatest velocities of the contacts (2, 2 m) in an unrecorded run with this h."""
    rows = carom.sample(problem, impulse_step=step, trajectories=16384, max_steps=3000).outcomes
    speeds = rows @ np.vstack([problem.normal_jacobian, problem.tangent_jacobian]).T
    return np.stack([speeds.min(axis=0), speeds.max(axis=0)]) if len(rows) else None


def missing_ends(count, contacts):
    random = np.random.default_rng(21)
    missed, ratios = {"H": [], "h": [], "100 H": []}, []
    while len(ratios) < count:
        problem = random_body(random, contacts)
        stopping = problem.stopping_impulse()
        try:
            found = carom.post_impact_set(problem, trajectories=16, hold_out=0, comparison=False)
        except carom.NoOutcomeError as error:
            found = error.found
        step = found.scenario.sampling.impulse_step
        steps = {"H": stopping, "h": step, "100 H": 100 * stopping}
        its = {name: ends(problem, value) for name, value in steps.items()}
        known = np.array([both for both in its.values() if both is not None])
        least, greatest = known[:, 0].min(axis=0), known[:, 1].max(axis=0)
        width = (greatest - least).max()
        ratios.append(step / stopping)
        one_point = width < 1e-5 * np.linalg.norm(problem.pre_impact_velocity)
        for name, both in its.items():
            gap = 1.0 if both is None else np.maximum(both[0] - least, greatest - both[1]).max() / width
            missed[name].append(0.0 if one_point else gap)
    print(f"{count} bodies, {contacts} contacts; h / H: 90 % {np.quantile(ratios, 0.9):.3g},"
          f" 99 % {np.quantile(ratios, 0.99):.3g}")  # fmt: skip
    for name, gaps in missed.items():
        gaps = np.array(gaps)
        print(f"  {name:6} misses {gaps.mean():.4f} on average; over 1, 5, 20 % in",
              *((gaps > part).sum() for part in (0.01, 0.05, 0.2)), flush=True)  # fmt: skip


def outside(net, other, distance):
    return np.mean(cKDTree(other).query(net)[0] > distance)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--random", type=int, default=80, metavar="COUNT", help="random problems")
    parser.add_argument("--bodies", type=int, metavar="COUNT", help="random bodies instead")
    arguments = parser.parse_args()
    count = arguments.random
    warnings.simplefilter("ignore")
    if arguments.bodies:
        for contacts in (2, 3):
            missing_ends(arguments.bodies, contacts)
        return
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
        found = carom.post_impact_set(problem, trajectories=4096, hold_out=0, search=False)
        h, stopping = found.scenario.sampling.impulse_step, problem.stopping_impulse()
        if not h > 1.001 * stopping > 0:
            continue
        before = carom.post_impact_set(
            problem, trajectories=4096, hold_out=0, search=False, impulse_step=stopping
        )
        epsilon = max(its.scenario.sampling.epsilon for its in (found, before))

        def net(step, seed):
            its = carom.post_impact_set(
                problem, trajectories=4096, impulse_step=step, epsilon=epsilon, seed=seed,
                hold_out=0, comparison=False, search=False
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
