#!/usr/bin/env python3
"""Makes docs/examples.md and its pictures: the five systems' sets, sampled with all solutions and
certified. With --figure N, the picture of one figure of Halm and Posa instead."""

import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np

DOCS = Path(__file__).resolve().parent
PICTURES = DOCS / "examples"
PILOT = 4096  # trajectories whose outcomes' diameter scales epsilon
RESOLUTION = 0.02  # epsilon as a share of the diameter
CONFIDENCE = 0.999
FIRST_TRAJECTORIES = 16384
MOST_MODES = 6
WIDTH = 100  # of the report of carom sample, with the indent
ROUNDING = 1e-12  # m/s: what is nearer differs in its last digits only
SLOW = {"disk_stack": "<!-- not run: takes minutes; `make examples` runs it -->\n"}  # see tests/docs
THIN = ["--max-points", "6000", "--paths", "80"]  # small files, and something to see

# Per system: wanted bound on the miss probability, step limit (the paper's leaves 1 % of the compass
# gait's trajectories unfinished, and those count as misses).
SYSTEMS = {
    "rocking_block": {"miss": 1e-3, "max_steps": 10},
    "compass_gait": {"miss": 1e-3, "max_steps": 20},
    "box_wall": {"miss": 1e-3, "max_steps": 10},
    "ramone": {"miss": 1e-3, "max_steps": 20},
    "disk_stack": {"miss": 1e-2, "max_steps": 10},
}

# Figures of Halm and Posa: system, trajectories, and panels other than the usual ones.
FIGURES = {
    9: ("rocking_block", 16384, ["normal A,normal B", "tangential A,normal A"]),
    10: ("compass_gait", 65536, []),
    11: ("box_wall", 65536, []),
    13: ("ramone", 65536, []),
    14: (
        "disk_stack",
        65536,
        ["normal A,normal B", "normal C,normal D", "tangential A,normal A",
         "tangential C,normal C", "tangential E,normal E"],
    ),
}  # fmt: skip


def run(arguments):
    """Standard output of a command; its errors go to the terminal."""
    print("$", " ".join(arguments), flush=True)
    return subprocess.run(arguments, check=True, stdout=subprocess.PIPE, text=True).stdout


def diameter(points):
    """Greatest distance between two rows."""
    squares = np.einsum("ij,ij->i", points, points)
    greatest = 0.0
    for start in range(0, len(points), 512):
        part = slice(start, start + 512)
        distances = squares[part, None] + squares[None, :] - 2.0 * points[part] @ points.T
        greatest = max(greatest, float(distances.max()))
    return math.sqrt(max(greatest, 0.0))


def two_digits_below(value):
    """Rounded down to two significant digits."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.floor(value / unit) * unit:.2g}")


def pilot_diameter(carom, system, options, folder):
    file = str(folder / f"{system}_pilot.h5")
    run(
        [carom, "sample", system, "--solutions", "all", "--trajectories", str(PILOT),
         "--max-steps", str(options["max_steps"]), "--hold-out", "0", "--no-comparison",
         "--paths", "0", "-o", file, "-q"]
    )  # fmt: skip
    with h5py.File(file) as result:
        return diameter(result["samples/velocity"][:][result["samples/status"][:] == 0])


def make_example(carom, system, options, folder):
    """Samples, certifies and draws one system; returns its report and the command."""
    epsilon = two_digits_below(RESOLUTION * pilot_diameter(carom, system, options, folder))
    command = [
        "sample", system, "--solutions", "all", "--epsilon", f"{epsilon:g}",
        "--max-steps", str(options["max_steps"]), "--trajectories", str(FIRST_TRAJECTORIES),
        "--miss", f"{options['miss']:g}", "--confidence", f"{CONFIDENCE:g}",
        "--seek-extremes", "0",
    ]  # fmt: skip
    file = folder / f"{system}.h5"
    report = json.loads(run([carom, *command, "--samples", "20000", "-o", str(file), "--json"]))
    run([carom, "plot", str(file), *THIN, "-o", str(PICTURES / f"{system}.png")])
    return report, "carom " + " ".join(command) + f" -o {system}.h5"


def make_figure(carom, number):
    """Samples and draws what one figure of the paper shows."""
    system, trajectories, axes = FIGURES[number]
    (DOCS / "figures").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / f"{system}.h5")
        run(
            [carom, "sample", system, "--solutions", "all", "--trajectories", str(trajectories),
             "--samples", "20000", "--hold-out", "0", "-o", file, "-q"]
        )  # fmt: skip
        panels = [word for pair in axes for word in ("--axes", pair)]
        picture = DOCS / "figures" / f"figure_{number:02}.png"
        title = f"{system}: what Figure {number} of Halm and Posa shows"
        run([carom, "plot", file, *panels, *THIN, "--title", title, "-o", str(picture)])


def percent(share):
    return f"{100.0 * share:.3g} %"


def solution_shares(report):
    """'1: 9.9 %, 3: 90.1 %' of the steps."""
    solutions = report["solutions"]
    shares = [
        f"{number.replace('_', ' ')}: {percent(count / solutions['steps'])}"
        for number, count in solutions["steps_by_solutions"].items()
        if count
    ]
    if solutions["steps_with_continuum"]:
        shares.append(f"a continuum: {percent(solutions['steps_with_continuum'] / solutions['steps'])}")
    return ", ".join(shares)


def rounded_up(value):
    """Two digits that claim no more than was shown."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return f"{math.ceil(value / unit) * unit:.1e}"


def summary_row(system, report):
    certificate = report["evidence"]["certificate"]
    last = certificate["tests"][-1]
    return (
        f"| [{system}](#{system}) | {report['trajectories']:,} | {report['lcps']['mean']:.3f} "
        f"| {solution_shares(report)} | {report['net']['epsilon']:g} | {report['net']['size']:,} "
        f"| {rounded_up(last['miss_bound'])} ({last['misses']} of {last['trials']:,}) |"
    )


def mode_table(report):
    rows = ["| after the impact | share | 95 % interval |", "| --- | --- | --- |"]
    table = report["modes"]["table"]
    for mode in table[:MOST_MODES]:
        rows.append(
            f"| {mode['text']} | {percent(mode['share'])} "
            f"| {percent(mode['low'])} to {percent(mode['high'])} |"
        )
    rest = sum(mode["share"] for mode in table[MOST_MODES:])
    if rest > 0:
        rows.append(f"| {len(table) - MOST_MODES} others | {percent(rest)} | |")
    return "\n".join(rows)


def distance(value):
    return "0" if value < ROUNDING else f"{value:.2g}"


def law_table(report):
    rows = ["| law | order or modes | after the impact | distance to the net |"]
    rows.append("| --- | --- | --- | --- |")
    for outcome in report["comparison"]["outcomes"]:
        orders = outcome["orders"]
        shown = "; ".join(orders[:2]) + (f"; {len(orders) - 2} more" if len(orders) > 2 else "")
        place = "within epsilon" if outcome["inside"] else "**outside**"
        rows.append(
            f"| {outcome['law']} | {shown} | {outcome['contacts']} "
            f"| {distance(outcome['net_distance'])}, {place} |"
        )
    return "\n".join(rows)


def at_rest(report):
    """Share of the outcomes in which every contact sticks."""
    return sum(
        mode["share"]
        for mode in report["modes"]["table"]
        if all(contact == "sticks" for contact in mode["contacts"])
    )


def coverage(sentence):
    """The report's paragraph: lines of at most WIDTH bytes, so that a test can compare them."""
    lines = ["Coverage", " "]
    for word in sentence.split():
        if len(f"{lines[-1]} {word}".encode()) > WIDTH:
            lines.append(" ")
        lines[-1] += f" {word}"
    return "\n".join(lines)


def section(system, report, command):
    certificate = report["evidence"]["certificate"]
    paragraphs = [
        f"## {system}",
        f"{SLOW.get(system, '')}```bash\n{command} | sed -n '/^Coverage/,$p'\n```",
        f"<!-- output -->\n```text\n{coverage(certificate['sentence'])}\n...\n```",
        f"![Post-impact velocities of {system}](examples/{system}.png)",
        f"All contacts at rest: {percent(at_rest(report))} of the outcomes.",
        mode_table(report),
        law_table(report),
    ]
    notes = (DOCS / "examples" / f"{system}.note.md")
    if notes.exists():
        paragraphs.append(notes.read_text().strip())
    return "\n\n".join(paragraphs)


HEADER = """# The five systems, all solutions, certified

Made by `docs/make_examples.py` (`make examples`); do not edit by hand. Each set is sampled with
`--solutions all` and caps uniform on (0, h]; epsilon is 2 % of the diameter of a pilot's outcomes; M
grows until a hold-out test bounds the miss probability with confidence 99.9 %. A search then looks for
the ends of the set along each contact's axes; its outcomes join the net (stars in the pictures). The
step limit is above the paper's where the paper's leaves trajectories unfinished.

| system | trajectories | LCPs per trajectory | outcomes per step | epsilon | net | miss bound |
| --- | --- | --- | --- | --- | --- | --- |
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("--carom", default="carom", help="the program (default: carom)")
    parser.add_argument("--only", choices=SYSTEMS, help="one system, and no examples.md")
    parser.add_argument("--figure", type=int, choices=FIGURES, help="one figure of the paper")
    options = parser.parse_args()
    if options.figure:
        make_figure(options.carom, options.figure)
        return
    PICTURES.mkdir(exist_ok=True)
    reports = {}
    with tempfile.TemporaryDirectory() as folder:
        for system, wanted in SYSTEMS.items():
            if options.only in (None, system):
                reports[system] = make_example(options.carom, system, wanted, Path(folder))
    if options.only:
        print(section(options.only, *reports[options.only]))
        return
    rows = "\n".join(summary_row(system, report) for system, (report, _) in reports.items())
    sections = "\n\n".join(section(system, *made) for system, made in reports.items())
    (DOCS / "examples.md").write_text(f"{HEADER}{rows}\n\n{sections}\n")


if __name__ == "__main__":
    sys.exit(main())
