"""Carom's law plus beside Simbody's solver of the same law: time of an impact and answers."""

import json
import statistics
import subprocess

PROGRAM = "peer_simbody"
EQUAL = 1e-8  # of contact speeds, relative to the fastest one before the impact
BROKEN = 1e-6  # residual
GROUPS = {  # by the beginning of a problem's name
    "Example 1, one corner": "example1",
    "Example 2, four corners": "example2",
    "Example 3, five balls": "example3",
    "random, one dense contact or two": "generic",
    "random, brick": "brick",
    "random, block": "block",
    "random, row of masses": "chain",
}

NOTES = f"""\
Law plus of Carom and Simbody's PLUSImpulseSolver in the same rounds, one core, a slip turns by 30 degrees at
most, as is fixed there. Time per impact: median of the group, of impacts with equal answers (contact speeds
to {EQUAL:g} of the fastest). Residual: friction outside its cone, a pull, or friction that does not oppose the
slip at the end of a round in which nothing slid before, of the largest impulse; an approach at the end, or
speeds that are not those of the impulses, of the fastest speed. "broken": above {BROKEN:g}."""


def run(folder, rounds):
    """One entry per problem; its times are medians of the rounds."""
    lines = {}
    for _ in range(rounds):
        done = subprocess.run([folder / PROGRAM], capture_output=True, text=True, check=True)
        for text in done.stdout.splitlines():
            line = json.loads(text)
            lines.setdefault(line["problem"], []).append(line)
    problems = []
    for all_of_one in lines.values():
        one = dict(all_of_one[0])
        for key in ("carom_ns", "simbody_ns"):
            if key in one:
                one[key] = statistics.median(line[key] for line in all_of_one)
        problems.append(one)
    return problems


def is_equal(one):
    return one.get("difference", 1.0) <= EQUAL


def speeds(problems):
    """Rows of the table: what was compared, and times of equal answers."""
    rows = [("impacts", "equal answers", "Carom, us", "Simbody, us", "ratio", "(least - most)")]
    for group, begin in [*GROUPS.items(), ("all", "")]:
        own = [one for one in problems if one["problem"].startswith(begin) and "simbody_ns" in one]
        equal = [one for one in own if is_equal(one)]
        if not equal:
            continue
        ratios = [one["simbody_ns"] / one["carom_ns"] for one in equal]
        microseconds = [
            f"{statistics.median(one[key] for one in equal) / 1000:.2f}"
            for key in ("carom_ns", "simbody_ns")
        ]
        rows.append((group, f"{len(equal)} of {len(own)}", *microseconds,
                     f"{statistics.median(ratios):.1f}", f"({min(ratios):.1f} - {max(ratios):.1f})"))  # fmt: skip
    return rows


def verdict(problems):
    """Who is right where answers differ."""
    unequal = [one for one in problems if "difference" in one and not is_equal(one)]
    broken = {
        name: [one for one in unequal if one[f"{key}_residual"] > BROKEN]
        for name, key in (("Carom", "carom"), ("Simbody", "simbody"))
    }
    worst = {
        name: max((one[f"{key}_residual"] for one in problems if f"{key}_residual" in one), default=0.0)
        for name, key in (("Carom", "carom"), ("Simbody", "simbody"))
    }
    near = sum(one["difference"] <= 1e-4 for one in unequal)
    failed = [one["problem"] for one in problems if one["status"] == "separated" and "difference" not in one]
    lines = [f"Answers differ in {len(unequal)}, in {near} of them by less than 1e-4. Broken: " +
             ", ".join(f"{name} {len(list_)}" for name, list_ in broken.items()) +
             "; largest residual of all: " +
             ", ".join(f"{name} {value:.1e}" for name, value in worst.items()) + "."]  # fmt: skip
    if failed:
        lines.append(f"Simbody ended without an answer: {', '.join(failed)}.")
    no_outcome = sum(one["status"] != "separated" for one in problems)
    lines.append(f"Without an outcome by the law, not compared: {no_outcome}.")
    return lines


def report(folder, rounds):
    """Lines of text; none if the program was not built."""
    if not (folder / PROGRAM).exists():
        return ["Simbody: not installed (Debian: libsimbody-dev and its source; then run make peers)"]
    problems = run(folder, rounds)
    rows = speeds(problems)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    table = [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths))
        ).rstrip()
        for row in rows
    ]
    return [*NOTES.splitlines(), "", *table, "", *verdict(problems)]
