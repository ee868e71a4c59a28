#!/usr/bin/env python3
"""Runs Carom and every peer that was built on the same LCPs, round by round, and prints one table:
time and failures side by side."""

import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import compare_plus  # noqa: E402
from machine import commit, processor  # noqa: E402

PEERS = {  # program: (solver, Debian packages that it needs)
    "peer_carom": ("Carom", ""),
    "peer_siconos": ("Siconos", "libsiconos-numerics-dev"),
    "peer_bullet": ("Bullet", "libbullet-dev"),
    "peer_dart": ("DART", "libdart-dev libdart-external-odelcpsolver-dev"),
}
REFERENCE = "Siconos lexicolemke"
LEAST_ROUNDS = 5  # for a median and a spread that say something
# One thread for all: OpenBLAS would start others at n = 60.
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

NOTES = """\
One thread. ns per LCP: processor time, median of the rounds (least - most). Of all LCPs, wrong:
scaled residual above 1e-6, measured by one routine for all; reported: the solver says that it failed;
unnoticed: wrong and not reported; "-": not measured. Last column: the time of Siconos' lexicolemke
over the solver's, median of the rounds.
Carom's times include w, the residual and the velocity after the step, which no other's do; the
sampler's also random numbers. It takes no step whose residual is above 1e-9.
"boxed": game physics' own form of friction, which is another problem than the LCP."""


def run_round(folder, dump, programs, rows, failures):
    """Runs every program once and appends each line's time to `rows`."""
    for program in programs:
        done = subprocess.run(
            [folder / program, dump], env=ENVIRONMENT, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            reason = done.stderr.strip().splitlines()
            failures[program] = reason[-1] if reason else f"exit code {done.returncode}"
            continue
        for line in done.stdout.splitlines():
            figures = json.loads(line)
            row = rows.setdefault((figures["system"], figures["solver"]), figures | {"times": []})
            row["times"].append(figures["ns_per_lcp"])


def percent(count, total):
    if count < 0:
        return "-"
    return "0" if count == 0 else f"{100 * count / total:.3g}"


def nanoseconds(value):
    return f"{value:,.0f}"


def by_system(rows):
    """Keys of `rows`, system by system in the order of the first program."""
    systems = list(dict.fromkeys(system for system, _ in rows))
    return sorted(rows, key=lambda key: systems.index(key[0]))


def table(rows):
    """Lines of text, columns aligned."""
    cells = [("system", "n", "solver", "ns per LCP", "(least - most)", "wrong %", "reported %",
              "unnoticed %", "Siconos / this")]  # fmt: skip
    for system, solver in by_system(rows):
        row = rows[system, solver]
        median = statistics.median(row["times"])
        reference = rows.get((system, REFERENCE))
        ratio = "-"
        if reference:  # round by round, so that a slow minute of the machine cancels
            pairs = zip(reference["times"], row["times"])
            ratio = f"{statistics.median(theirs / this for theirs, this in pairs):.2f}"
        spread = f"({nanoseconds(min(row['times']))} - {nanoseconds(max(row['times']))})"
        counts = [percent(row[key], row["lcps"]) for key in ("wrong", "reported", "silent")]
        cells.append((system, str(row["n"]), solver, nanoseconds(median), spread, *counts, ratio))
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    lines = []
    previous = cells[0][0]
    for line in cells:
        if line[0] != previous:
            lines.append("")
        previous = line[0]
        lines.append("  ".join(
            cell.ljust(width) if column in (0, 2) else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths))
        ).rstrip())  # fmt: skip
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where dump_lcps and the peers were built")
    parser.add_argument("--rounds", type=int, default=LEAST_ROUNDS)
    parser.add_argument("--json", type=Path, help="write all times and counts here, too")
    options = parser.parse_args()
    if options.rounds < LEAST_ROUNDS:
        parser.error(f"--rounds is {options.rounds} (must be at least {LEAST_ROUNDS})")

    folder = options.folder.resolve()
    dump = folder / "lcps.bin"
    subprocess.run([folder / "dump_lcps", dump], check=True)
    built = [program for program in PEERS if (folder / program).exists()]
    load = os.getloadavg()[0]
    rows = {}
    failures = {}
    for number in range(options.rounds):
        print(f"\rround {number + 1} of {options.rounds}", end="", file=sys.stderr, flush=True)
        run_round(folder, dump, built, rows, failures)
    print("\r\033[K", end="", file=sys.stderr)

    print(f"{processor()}, {os.cpu_count()} cores, load {load:.2f} at the start; "
          f"{datetime.date.today()}, commit {commit()}; {options.rounds} rounds")  # fmt: skip
    print(NOTES, end="\n\n")
    print("\n".join(table(rows)))
    for program, (name, packages) in PEERS.items():
        if program in failures:
            print(f"\n{name}: failed: {failures[program]}")
        elif program not in built:
            print(f"\n{name}: not installed (Debian: {packages}; then run make peers)")
    print("\n" + "\n".join(compare_plus.report(folder, options.rounds)))
    if options.json:
        options.json.write_text(json.dumps(list(rows.values()), indent=1) + "\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
