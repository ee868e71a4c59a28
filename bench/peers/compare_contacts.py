#!/usr/bin/env python3
"""A plate that falls on 100 springs, through Carom, SUNDIALS and SciPy: for each the loosest setting whose
motions all end within an error, and its processor time per motion. One table, from one run."""

import argparse
import datetime
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from machine import commit, processor  # noqa: E402

PROGRAMS = {"contacts_carom": "", "contacts_sundials": "libsundials-dev"}  # and Debian's package
SCIPY_TOLERANCES = [1e-6, 1e-7, 1e-8, 1e-9, 1e-10]
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

NOTES = """\
One thread; microseconds of processor time for 2 s of motion, about 400 events. Errors: of the largest component of
the last state, against Carom's `safe` at 0.25 ms. The loosest setting at which all motions are within {error:g};
Carom has 1000 motions, SUNDIALS the first 100 of them, SciPy the first {scipy}. Worst over median: of the errors.
Last column: the time over that of Carom's fastest. SciPy has one event function for each guard, of which
NumPy computes all at a time."""


def read_plate(file):
    numbers = iter(Path(file).read_text().split())

    def take(count):
        return np.array([float(next(numbers)) for _ in range(count)])

    springs, motions = int(next(numbers)), int(next(numbers))
    height, mass, inertia, stiffness, damping, gravity, duration = take(7)
    return {
        "places": take(springs), "height": height, "mass": mass, "inertia": inertia,
        "stiffness": stiffness / springs, "damping": damping / springs, "gravity": gravity,
        "duration": duration, "starts": take(6 * motions).reshape(-1, 6),
        "ends": take(6 * motions).reshape(-1, 6), "events": take(motions).astype(int),
    }  # fmt: skip


def move(plate, start, method, tolerance):
    """The last state and the number of events, by SciPy."""
    places, height = plate["places"], plate["height"]
    signs = np.ones(len(places))  # -1 of springs that touch: what an event function is multiplied by

    last_time, values = None, None

    def guard(k):
        def value(at, state):
            nonlocal last_time, values
            if at != last_time:
                values = (signs * (height + np.tan(state[2]) * (state[0] - places) - state[1])).tolist()
                last_time = at
            return values[k]

        value.terminal = True
        value.direction = 1.0
        return value

    guards = [guard(k) for k in range(len(places))]
    count = total = squares = 0.0

    def field(_, state):
        x, z, theta, speed_x, speed_z, rate = state
        tangent = np.tan(theta)
        square_secant = 1.0 + tangent * tangent
        turning = square_secant * rate
        stiffness, damping = plate["stiffness"], plate["damping"]
        at_origin = stiffness * (height + tangent * x - z) + damping * (tangent * speed_x - speed_z + x * turning)
        per_place = stiffness * tangent + damping * turning
        force = at_origin * count - per_place * total
        moment = x * force - (at_origin * total - per_place * squares)
        return [speed_x, speed_z, rate, -tangent * force / plate["mass"],
                force / plate["mass"] - plate["gravity"], -square_secant * moment / plate["inertia"]]  # fmt: skip

    at, state, events = 0.0, start, 0
    while True:
        last_time = None
        part = solve_ivp(field, (at, plate["duration"]), state, method=method, rtol=tolerance, atol=tolerance,
                         events=guards)  # fmt: skip
        at, state = part.t[-1], part.y[:, -1]
        if part.status != 1:
            return state, events
        signs[[k for k, times in enumerate(part.t_events) if len(times)]] *= -1.0
        touching = places[signs < 0.0]
        count, total, squares = float(len(touching)), touching.sum(), (touching**2).sum()
        events += sum(len(times) for times in part.t_events)


def scipy_lines(plate, motions, error):
    for method in ("RK45", "DOP853"):
        for tolerance in SCIPY_TOLERANCES:
            begun = time.process_time()
            found = [move(plate, plate["starts"][i], method, tolerance) for i in range(motions)]
            seconds = time.process_time() - begun
            errors = [np.abs(state - plate["ends"][i]).max() for i, (state, _) in enumerate(found)]
            wrong = sum(events != plate["events"][i] for i, (_, events) in enumerate(found))
            yield {"solver": f"SciPy {method}", "setting": f"tolerance {tolerance:.0e}", "motions": motions,
                   "median": float(np.median(errors)), "worst": max(errors), "wrong_events": wrong,
                   "us_per_motion": 1e6 * seconds / motions}  # fmt: skip
            if max(errors) <= error:
                break


def table(lines, error):
    good = {}
    for line in lines:
        if line["worst"] <= error and line["wrong_events"] == 0:
            best = good.get(line["solver"])
            if best is None or line["us_per_motion"] < best["us_per_motion"]:
                good[line["solver"]] = line
    fastest = min(line["us_per_motion"] for name, line in good.items() if name.startswith("Carom"))
    print("| solver | setting | motions | median error | worst error | worst / median | us per motion | / Carom |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for solver in dict.fromkeys(line["solver"] for line in lines):
        line = good.get(solver)
        if line is None:
            print(f"| {solver} | none of those tried | | | | | | |")
            continue
        print(f"| {solver} | {line['setting']} | {line['motions']} | {line['median']:.1e} | {line['worst']:.1e} "
              f"| {line['worst'] / line['median']:.1f} | {line['us_per_motion']:,.0f} "
              f"| {line['us_per_motion'] / fastest:,.1f} |")  # fmt: skip


def slopes(lines):
    """Of the median error over the step, between the longest and the shortest one."""
    for solver in dict.fromkeys(line["solver"] for line in lines):
        if solver.startswith("Carom"):
            points = [(float(line["setting"].split()[1]), line["median"]) for line in lines if line["solver"] == solver]
            steps, errors = np.log(np.array(points)).T
            print(f"{solver}: slope of the median error over the step {np.polyfit(steps, errors, 1)[0]:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where contacts_carom and its peers were built")
    parser.add_argument("--error", type=float, default=1e-6)
    parser.add_argument("--scipy", type=int, default=3, help="motions by SciPy, a second or more each")
    options = parser.parse_args()
    file = options.folder.resolve() / "plate.txt"
    subprocess.run([options.folder.resolve() / "contacts_carom", "reference", file], check=True)
    load = os.getloadavg()[0]
    lines = []
    for program, package in PROGRAMS.items():
        path = options.folder.resolve() / program
        if not path.exists():
            print(f"{program}: not built (Debian: {package}; then run make peers)")
            continue
        done = subprocess.run([path, file], env=ENVIRONMENT, check=True, capture_output=True, text=True)
        lines += [json.loads(line) for line in done.stdout.splitlines()]
    if options.scipy > 0:
        lines += scipy_lines(read_plate(file), options.scipy, options.error)
    print(f"{processor()}, {os.cpu_count()} cores, load {load:.2f} at the start; "
          f"{datetime.date.today()}, commit {commit()}")  # fmt: skip
    print(NOTES.format(error=options.error, scipy=options.scipy), end="\n\n")
    table(lines, options.error)
    print()
    slopes(lines)


if __name__ == "__main__":
    main()
