#!/usr/bin/env python3
"""Runs every benchmark of a build folder and prints one table per stage. Options that begin with
--benchmark_ go to Google Benchmark; with --benchmark_repetitions the figures are medians."""

import argparse
import collections
import datetime
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from machine import commit, processor

SOURCES = Path(__file__).resolve().parent
# What is timed, per row: a counter of the program, or what its items are.
COSTS = ("ns/LCP", "us/problem", "ns/sample")
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
ALL_OVER_ONE = ("one / all threads", r"threads:all", "threads:1")

NOTES = """\
One call: wall time of one pass through what is timed. A ratio is the other line's cost over this
one's: above 1, this line is the faster. "-": not measured, or nothing to compare with."""


@dataclass
class Stage:
    """How a program's figures are shown."""

    title: str
    item: str = "sample"  # what items_per_second counts
    hidden: tuple = ()  # columns that would only repeat others
    ratios: list = field(default_factory=list)  # header, pattern of names, the name compared with


STAGES = {  # in the order of the data's way; programs that are not here follow, without ratios
    "bench_step_lcp": Stage("One step LCP", item="LCP", hidden=("ms per call",)),
    "bench_instruction_sets": Stage(
        "Instruction sets (0: the best that this processor has)",
        ratios=[("0 / this", r"/\d+$", "/0")],
    ),
    "bench_sampler": Stage(
        "Sampler, trajectories into buffers (first: solutions first, 1 thread, M 16384)",
        hidden=("ns/sample",),
        ratios=[("first / this", r"^([^/]+)/.*", r"\1/cpu/threads:1/M:16384"), ALL_OVER_ONE],
    ),
    "bench_batch": Stage(
        "Batches of rocking blocks (2^17 trajectories in all), and construction of their samplers",
        hidden=("ns/sample", "hit rate"),
        ratios=[("1 problem / this", r"^(sample/.*problems):\d+", r"\1:1"), ALL_OVER_ONE],
    ),
    "bench_impact_law": Stage("A simulator's impact law (one outcome per world, 1 thread)"),
    "bench_net": Stage("Epsilon-net"),
    "bench_counting": Stage("Summary and contact modes"),
    "bench_run": Stage("Runs (sampling, net, summary and modes)", ratios=[ALL_OVER_ONE]),
    "bench_certificate": Stage("Hold-out tests", ratios=[ALL_OVER_ONE]),
}


def run_program(program, arguments):
    """Rows of one program by name, and why it failed, if it did."""
    done = subprocess.run(
        [program, "--benchmark_format=json", *arguments],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        reason = done.stderr.strip().splitlines()
        return {}, reason[-1] if reason else f"exit code {done.returncode}"
    if not done.stdout.strip():  # the filter leaves nothing
        return {}, None
    rows = {}
    try:
        listed = json.loads(done.stdout)["benchmarks"]
    except (ValueError, KeyError) as error:
        return {}, f"its output is no table in JSON ({error})"
    for row in listed:
        if row.get("error_occurred"):
            return {}, f"{row['run_name']}: {row.get('error_message', 'error')}"
        if row["run_type"] == "iteration" or row.get("aggregate_name") == "median":
            name = row["run_name"].split("/", 1)[1]
            rows[name.removesuffix("/real_time")] = row  # the median comes after its repetitions
    return rows, None


def seconds_of(row):
    return row["real_time"] * SECONDS[row["time_unit"]]


COUNTERS = {  # a program's counter: its header
    "LCP/s": "LCPs/s",
    "hit_rate": "hit rate",
    "pivots": "pivots/LCP",
    **{
        name: name
        for name in ("n", "ns/LCP", "us/problem", "samples/s", "pivots/LCP", "net size", "modes",
                     "misses", "no outcome", "failures")
    },
}  # fmt: skip


def figures_of(row, item):
    """What a table shows of one row: figures by header, those missing that it does not have."""
    figures = {"ms per call": 1e3 * seconds_of(row)}
    figures |= {header: row[name] for name, header in COUNTERS.items() if name in row}
    if "items_per_second" in row:
        figures[f"{item}s/s"] = row["items_per_second"]
    for one in ("sample", "LCP"):
        if figures.get(f"{one}s/s"):
            figures[f"ns/{one}"] = 1e9 / figures[f"{one}s/s"]
    return figures


FORMATS = {  # headers in the order of columns, and how their figures look
    "n": "{:.0f}",
    "ns/LCP": "{:,.1f}",
    "us/problem": "{:,.2f}",
    "ns/sample": "{:,.1f}",
    "ms per call": "{:,.3f}",
    "LCPs/s": "{:.3g}",
    "samples/s": "{:.3g}",
    "pivots/LCP": "{:.2f}",
    "hit rate": "{:.3f}",
    "net size": "{:,.0f}",
    "modes": "{:.0f}",
    "misses": "{:,.0f}",
    "no outcome": "{:,.0f}",
    "failures": "{:,.0f}",
}


def cost(figures):
    """What ratios are made of; None where a row has no such figure."""
    return next((figures[header] for header in COSTS if header in figures), None)


def ratio(figures, name, pattern, replacement):
    other = re.sub(pattern, replacement, name, count=1)
    if not re.search(pattern, name) or other == name or other not in figures:
        return "-"
    theirs, this = cost(figures[other]), cost(figures[name])
    if not theirs or not this:
        return "-"
    return f"{theirs / this:.2f}" if theirs > 0.1 * this else f"{theirs / this:.3f}"


def split_name(name):
    """System (or what else comes first) and the rest of a benchmark's name."""
    first, _, rest = name.partition("/")
    return first, rest.replace("/", ", ").replace(":", " ")


def table(rows, stage):
    """Lines of text, columns aligned."""
    figures = {name: figures_of(row, stage.item) for name, row in rows.items()}
    headers = [
        header for header in FORMATS
        if header not in stage.hidden and any(header in row for row in figures.values())
    ]  # fmt: skip
    cells = [("", "", *headers, *(header for header, _, _ in stage.ratios))]
    for name, row in figures.items():
        shown = [FORMATS[key].format(row[key]) if key in row else "-" for key in headers]
        ratios = [ratio(figures, name, *rule[1:]) for rule in stage.ratios]
        cells.append((*split_name(name), *shown, *ratios))
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    rows_of = collections.Counter(line[0] for line in cells)
    lines = []
    previous = ""
    for line in cells:
        if previous not in ("", line[0]) and max(rows_of[previous], rows_of[line[0]]) > 1:
            lines.append("")
        previous = line[0]
        lines.append("  ".join(
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths)) if width > 0
        ).rstrip())  # fmt: skip
    return lines


def programs():
    """Names of all benchmarks, those with a stage first. Their sources tell: a build folder may
    still hold what was deleted since."""
    names = sorted(source.stem for source in SOURCES.glob("bench_*.cpp"))
    order = list(STAGES)
    return sorted(names, key=lambda name: order.index(name) if name in order else len(order))


def main():
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("folder", type=Path, help="where the benchmarks were built")
    parser.add_argument("--filter", metavar="REGEX", help="only benchmarks whose name matches")
    parser.add_argument("--json", type=Path, help="write all figures here, too")
    options, passed_on = parser.parse_known_args()
    for argument in passed_on:
        if not re.match(r"--benchmark_\w+=", argument):
            parser.error(f"unknown option {argument} (Google Benchmark's: --benchmark_NAME=VALUE)")
    if options.filter:
        passed_on.append(f"--benchmark_filter={options.filter}")

    folder = options.folder.resolve()
    machine = (f"{processor()}, {os.cpu_count()} cores; {datetime.date.today()}, "
               f"commit {commit()}; load {os.getloadavg()[0]:.2f} at the start")  # fmt: skip
    print(f"{machine}\n{NOTES}", flush=True)
    found = {}
    failures = {}
    names = programs()
    for number, name in enumerate(names):
        if sys.stderr.isatty():
            print(f"\r{name}, {number + 1} of {len(names)}", end="", file=sys.stderr, flush=True)
        if (folder / name).exists():
            found[name], failure = run_program(folder / name, passed_on)
        else:
            found[name], failure = {}, f"not built in {folder}"
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        stage = STAGES.get(name, Stage(name))
        if failure:
            failures[name] = failure
            print(f"\n{stage.title}: {name} failed: {failure}", flush=True)
        elif found[name]:
            print(f"\n{stage.title}", *table(found[name], stage), sep="\n", flush=True)
    if not failures and not any(found.values()):
        print("\nno benchmark matches the filter")
        return 1
    if options.json:
        kept = {"machine": machine, "failures": failures, "programs": found}
        options.json.write_text(json.dumps(kept, indent=1) + "\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
