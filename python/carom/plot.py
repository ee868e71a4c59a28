"""Draws the post-impact set of a result file in contact coordinates, as Figures 9 to 11 of
Halm & Posa do: python -m carom.plot FILE [-o PICTURE]."""

import argparse
import os
import sys
import tempfile
from pathlib import Path

try:
    import h5py  # noqa: F401  (named here, so that one message covers all that is missing)
    import matplotlib
    import numpy as np
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
except ImportError as missing:
    print(
        f"carom plot: Python has no {missing.name} "
        "(Debian packages: python3-h5py, python3-matplotlib, python3-numpy)",
        file=sys.stderr,
    )
    sys.exit(2)

from carom import panels, result_file

BAD_INPUT, RUN_FAILED = 2, 1  # exit codes, those of the carom command
DEFAULT_MAX_POINTS = 200_000  # more would not show, at this size of a picture
DOTS_PER_INCH = 150

# Files that depend on nothing but the result: no dates, no version of the library.
METADATA = {
    ".png": {"Software": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    ".svg": {"Date": None, "Creator": None},
}


def grouped(number):
    """12345678 as '12 345 678', with narrow spaces."""
    return f"{number:,}".replace(",", "\u2009")


def counted(number, noun):
    """'1 member', '2 members'."""
    return f"{grouped(number)} {noun}{'' if number == 1 else 's'}"


def describe(result):
    """Two lines: the system; what was sampled, M trajectories."""
    facts = [
        f"M = {grouped(result.trajectories)}" + ("" if result.complete else " (incomplete)"),
        counted(result.outcome_count, "outcome"),
        f"\u03b5 = {result.epsilon:g} ({result.norm.capitalize()} norm)",
        "net of " + counted(result.net_size, "member"),
    ]
    return f"{panels.plain(result.system)}: approximate post-impact set", ",  ".join(facts)


def remarks(result, hidden_contacts):
    """What the picture leaves out, one sentence each."""
    lines = []
    if not result.rows_stored and result.net_size:
        lines.append("The file stores no rows: dark points are the net members.")
    elif len(result.outcomes) < result.outcome_count:
        lines.append(f"Drawn: the first {grouped(len(result.outcomes))} outcomes.")
    if result.outcome_count == 0:
        lines.append("No trajectory ended separated: there are no outcomes.")
    if hidden_contacts:
        lines.append(f"Not drawn: {counted(hidden_contacts, 'more contact')}.")
    return " ".join(lines)


def draw(result, title=None):
    """A matplotlib figure of a result."""
    matplotlib.rcdefaults()
    matplotlib.rcParams["svg.hashsalt"] = "carom"
    chosen, hidden = panels.choose(result)
    columns, bands = panels.grid(len(chosen))
    zoomed = any(panel.needs_zoom() for panel in chosen)
    rows_per_band = 2 if zoomed and len(chosen) > 1 else 1
    if zoomed and len(chosen) == 1:
        columns = 2

    width, height = panels.PANEL_INCHES
    rows = bands * rows_per_band
    figure = Figure(
        figsize=(max(columns, 2) * width, rows * height + panels.CAPTION_INCHES),
        dpi=DOTS_PER_INCH,
    )
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, squeeze=False)
    for axis in axes.flat:
        axis.set_visible(False)
    for index, panel in enumerate(chosen):
        band, column = divmod(index, columns if len(chosen) > 1 else 1)
        panel.draw(axes[band * rows_per_band][column], zoom=False, mark_zoom=zoomed)
        if zoomed:
            place = axes[0][1] if len(chosen) == 1 else axes[band * rows_per_band + 1][column]
            panel.draw(place, zoom=True)

    headline, facts = describe(result)
    remark = remarks(result, hidden)
    if title:
        headline = panels.plain(title, panels.LONGEST_TITLE)
    panels.add_caption(figure, headline, facts, remark)
    panels.add_legend(figure, result, above_remark=bool(remark))
    return figure


def save(figure, path):
    """Writes a picture; `path` is whole at any time."""
    suffix = path.suffix.lower()
    handle, part = tempfile.mkstemp(prefix=path.name + ".", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            figure.savefig(file, format=suffix[1:], metadata=METADATA[suffix])
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(part, 0o666 & ~mask)  # mkstemp keeps others out
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise


def same_file(one, other):
    """Whether two names lead to one file that exists."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="carom plot", description=__doc__.split(":")[0] + ".")
    parser.add_argument("file", metavar="FILE", help="result file of 'carom sample'")
    parser.add_argument("-o", "--output", metavar="PICTURE", help=".png (default), .pdf or .svg")
    parser.add_argument("--title", help="replaces the first line of the title")
    parser.add_argument(
        "--max-points", type=int, default=DEFAULT_MAX_POINTS, metavar="N",
        help="draw at most this many outcomes (default: %(default)s)",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    if options.max_points < 1:
        parser.error(f"--max-points is {options.max_points} (must be >= 1)")
    options.output = Path(options.output or Path(options.file).with_suffix(".png"))
    if options.output.suffix.lower() not in METADATA:
        parser.error(f"--output is {options.output} (must end in {', '.join(METADATA)})")
    if not options.output.parent.is_dir():
        parser.error(f"--output is {options.output} (its folder must exist)")
    if same_file(options.output, options.file):
        parser.error(f"--output is {options.output} (must not be the result itself)")
    return options


def main(arguments=None):
    """Runs the command; returns its exit code."""
    options = parse_arguments(arguments)
    try:
        result = result_file.read(options.file, options.max_points)
    except result_file.NotAResult as error:
        print(f"carom plot: {error}", file=sys.stderr)
        return BAD_INPUT
    try:
        save(draw(result, options.title), options.output)
    except OSError as error:
        print(f"carom plot: cannot write {options.output} ({error.strerror})", file=sys.stderr)
        return RUN_FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main())
