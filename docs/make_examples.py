#!/usr/bin/env python3
"""Makes docs/examples.md and its pictures: sets of the five systems, a brick and a quadruped, sampled
by defaults. With --figure halm-N, or N alone, the picture of one figure of Halm and Posa instead, with
--figure seghete-N that of one of Seghete and Murphey, with --figure uchida-N of one of Uchida, Sherman
and Delp, with --figure pace-N that of one of Pace and Burden,
and with --figure anderson-N that of one of Anderson and Revzen."""

import argparse
import importlib
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent
PICTURES = DOCS / "examples"
MOST_MODES = 6
ROUNDING = 1e-12  # m/s: what is nearer differs in its last digits only
SLOW = "disk_stack"  # a minute or two: no test samples it
THIN = ["--max-points", "6000", "--paths", "80"]  # small files, and something to see

EXAMPLES = [
    "rocking_block",
    "compass_gait",
    "box_wall",
    "ramone",
    "disk_stack",
    "scenarios/brick_corners.toml",
    "scenarios/mujoco_quadruped.toml",
]

# Figures of Halm and Posa that show sets: system, and panels other than the usual ones.
SETS = {
    "halm-9": ("rocking_block", ["normal A,normal B", "tangential A,normal A"]),
    "halm-10": ("compass_gait", []),
    "halm-11": ("box_wall", []),
    "halm-13": ("ramone", []),
    "halm-14": (
        "disk_stack",
        ["normal A,normal B", "normal C,normal D", "tangential A,normal A",
         "tangential C,normal C", "tangential E,normal E"],
    ),
}  # fmt: skip
AREA_PATHS = 1 << 18  # as many as carom plot draws
SET_POINTS = 200_000

# All figures; what is no set is drawn by the program author_figures.py.
FIGURES = {
    "halm": ["7", "8", "9", "10", "11", "12", "13", "14"],
    "seghete": ["2b", "4", "5", "8"],
    "uchida": ["10", "12", "15"],
    "anderson": ["3"],
    "pace": ["1"],
}


def run(arguments):
    """Standard output of a command; its errors go to the terminal."""
    print("$", " ".join(arguments), flush=True)
    return subprocess.run(arguments, check=True, stdout=subprocess.PIPE, text=True).stdout


def make_example(carom, scenario, folder):
    """Samples and draws one scenario; returns its report."""
    name = Path(scenario).stem
    file = folder / f"{name}.h5"
    report = json.loads(run([carom, "sample", scenario, "-o", str(file), "--json"]))
    run([carom, "plot", str(file), *THIN, "-o", str(PICTURES / f"{name}.png")])
    return report


def make_set(carom, figure, picture):
    """Samples as many trajectories as the system brings along, and draws what one figure of the paper shows."""
    system, axes = SETS[figure]
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / f"{system}.h5")
        run(
            [carom, "sample", system, "--paths", str(AREA_PATHS), "--samples", str(SET_POINTS),
             "--hold-out", "0", "--no-search", "-o", file, "-q"]
        )  # fmt: skip
        panels = [word for pair in axes for word in ("--axes", pair)]
        title = f"{system}: what Figure {figure.partition('-')[2]} of Halm and Posa shows"
        run([carom, "plot", file, *panels, "--title", title, "-o", str(picture)])


def percent(share):
    return f"{100.0 * share:.3g} %"


def solution_shares(report):
    """'1: 9.9 %, 3: 90.1 %' of the steps."""
    solutions = report["solutions"]
    if solutions["method"] == "unique":
        return "1, proven"
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
        f"| {report['evidence']['search']['members']:,} "
        f"| {rounded_up(last['miss_bound'])} ({last['misses']} of {last['trials']:,}) |"
    )


def distance(value):
    return "0" if value < ROUNDING else f"{value:.2g}"


def laws_by_mode(report):
    """Which outcomes of the simultaneous and the sequential law end in a contact mode, and how far from the net."""
    alike = {}
    for outcome in report["comparison"]["outcomes"]:
        alike.setdefault(outcome["contacts"], {}).setdefault(outcome["law"], []).append(outcome)
    texts = {}
    for contacts, laws in alike.items():
        parts = []
        for law, outcomes in laws.items():
            orders = sum(len(outcome["orders"]) for outcome in outcomes)
            what = law if law == "simultaneous" else f"{orders} sequence{'s' * (orders > 1)}"
            ends = [distance(end(outcome["net_distance"] for outcome in outcomes)) for end in (min, max)]
            shown = ends[0] if ends[0] == ends[1] else " to ".join(ends)
            outside = sum(not outcome["inside"] for outcome in outcomes)
            parts.append(f"{what} ({shown}{f', **{outside} outside**' if outside else ''})")
        texts[contacts] = ", ".join(parts)
    return texts


def mode_table(report):
    """The most frequent contact modes, and those that the other laws end in."""
    rows = ["| after the impact | share | 95 % interval | other laws (distance to the net) |"]
    rows.append("| --- | --- | --- | --- |")
    laws = laws_by_mode(report)
    rest, others = 0.0, 0
    for place, mode in enumerate(report["modes"]["table"]):
        law = laws.pop(mode["text"], "")
        if place >= MOST_MODES and not law:
            rest, others = rest + mode["share"], others + 1
            continue
        interval = f"{percent(mode['low'])} to {percent(mode['high'])}"
        rows.append(f"| {mode['text']} | {percent(mode['share'])} | {interval} | {law} |")
    rows += [f"| {contacts} | 0 | | {law} |" for contacts, law in laws.items()]
    if others:
        rows.append(f"| {others} others | {percent(rest)} | | |")
    return "\n".join(rows)


def commands(made):
    """A block that samples all but the slow one, and the lines of their reports that say how good the sets are."""
    shown, scenarios = "", []
    for scenario, (name, report) in zip(EXAMPLES, made.items()):
        if name == SLOW:
            continue
        scenarios.append(scenario)
        net = report["net"]
        shown += f"Post-impact set of {name}\n"
        shown += f"  net               {net['size']} members, epsilon = {net['epsilon']:g} (euclidean norm)\n"
        shown += "".join(f"warning: {note['text']}\n" for note in report["notes"] if note["severity"] == "warning")
    return (
        "<!-- needs: mujoco -->\n```bash\n"
        f"for scenario in {' '.join(scenarios[:-2])} \\\n    {' '.join(scenarios[-2:])}; do  "
        f"# and {SLOW}: a minute or two\n"
        "  carom sample $scenario -o $(basename $scenario .toml).h5 | grep -E '^Post|^  net  |^warning'\ndone\n```\n\n"
        f"<!-- output -->\n```text\n{shown}```"
    )


def section(name, report):
    paragraphs = [
        f"## {name}",
        f"![Post-impact velocities of {name}](examples/{name}.png)",
        mode_table(report),
    ]
    remark = DOCS / "examples" / f"{name}.note.md"
    if remark.exists():
        paragraphs.append(remark.read_text().strip())
    return "\n\n".join(paragraphs)


HEADER = """# The five systems, a brick and a quadruped, by defaults

Made by `docs/make_examples.py` (`make examples`); do not edit by hand. Each set is what `carom sample`
finds without any option: all solutions of each step, and M, N, h, epsilon and caps of the scenario or, where
it states none, of Carom. The built-in systems have the paper's N, which leaves some trajectories without an
outcome: the notes below the commands say so, and which N is enough. So many members of the net are of the
[search](certificate.md#a-search-beyond-the-trajectories) beyond the trajectories. The last column is the bound of the
[certificate](certificate.md).

| system | trajectories | LCPs per trajectory | outcomes per step | epsilon | net | of the search | miss bound, 99.9 % |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("--carom", default="carom", help="the program (default: carom)")
    parser.add_argument("--only", choices=EXAMPLES, help="one example, and no examples.md")
    figures = [f"{author}-{figure}" for author in FIGURES for figure in FIGURES[author]]
    parser.add_argument("--figure", choices=figures, help="one figure of a paper",
                        type=lambda name: f"halm-{name}" if name.isdigit() else name)  # fmt: skip
    options = parser.parse_args()
    if options.figure:
        picture = DOCS / "figures" / f"{options.figure}.png"
        if options.figure in SETS:
            make_set(options.carom, options.figure, picture)
        else:  # most need the Python package
            author = options.figure.partition("-")[0]
            importlib.import_module(f"{author}_figures").FIGURES[options.figure](options.carom, picture)
        return
    PICTURES.mkdir(exist_ok=True)
    made = {}
    with tempfile.TemporaryDirectory() as folder:
        for scenario in EXAMPLES:
            if options.only in (None, scenario):
                made[Path(scenario).stem] = make_example(options.carom, scenario, Path(folder))
    sections = "\n\n".join(section(*result) for result in made.items())
    if options.only:
        print(sections)
        return
    rows = "\n".join(summary_row(*result) for result in made.items())
    (DOCS / "examples.md").write_text(f"{HEADER}{rows}\n\n{commands(made)}\n\n{sections}\n")


if __name__ == "__main__":
    sys.exit(main())
