"""Draws the post-impact sets of result files in contact coordinates, as Figures 9 to 11 of
Halm & Posa do: python -m carom.plot FILE ... [-o PICTURE]."""

import argparse
import os
import sys
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

try:
    import h5py  # noqa: F401  (named here, so that one message covers all that is missing)
    import matplotlib
    import numpy as np
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
except ImportError as missing:
    print(
        f"carom: error: {sys.executable} has no {missing.name} (Debian packages: python3-h5py, "
        "python3-matplotlib, python3-numpy; or let CAROM_PYTHON be a Python that has them)",
        file=sys.stderr,
    )
    sys.exit(2)

from carom import bodies, caption, graph, heat_map, motion, movie, overlay, panels, result_file
from carom.panel import set_sizes
from carom.sealed_file import BadFile
from carom.styles import MOST_SHARED, plain, shortened

BAD_INPUT, RUN_FAILED = 2, 1  # exit codes, those of the carom command
DEFAULT_MAX_POINTS = 200_000  # more would not show, at this size of a picture
DOTS_PER_INCH = 150
BODIES_SHARE = 0.8  # of a panel's width
MOST_NAMES = 12  # of contacts in a message
LONGEST_COUNTS = 140  # letters of a line that lists the outcomes of each result

# Kinds of files that cannot share a picture: what they do, how to tell them, what draws them, and flags that it takes.
DRAWN_ALONE = (
    ("lists outcomes", graph.is_outcomes, graph.draw_file, ()),
    ("is a grid", heat_map.is_grid, heat_map.draw_file, ()),
    ("holds motions", motion.is_motion, motion.draw_file, ("--axes",)),
)

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


def outcome_counts(results):
    """'4 096 outcomes each', or the number of each result where a line has room for them."""
    counts = [one.outcome_count for one in results]
    if len(set(counts)) == 1:
        return counted(counts[0], "outcome") + " each"
    listed = ",  ".join(f"{name}: {counted(count, 'outcome')}"
                        for name, count in zip(overlay.names_of(results), counts, strict=True))  # fmt: skip
    if len(listed) <= LONGEST_COUNTS:
        return listed
    return f"{grouped(min(counts))} to {counted(max(counts), 'outcome')} each"


def describe(results):
    """Two lines: the scenario, and the sample with its M trajectories."""
    result = results[0]
    if len(results) > 1:
        names = list(dict.fromkeys(one.name for one in results))
        return ", ".join(names) + ": approximate post-impact sets", outcome_counts(results)
    size = f"{grouped(result.lcps)} LCPs" if result.lcps else f"M = {grouped(result.trajectories)}"
    facts = [
        size + ("" if result.complete else " (incomplete)"),
        counted(result.outcome_count, "outcome"),
        f"\u03b5 = {result.epsilon:g} ({result.norm.capitalize()} norm)",
        "net of " + counted(result.net_size, "member"),
    ]
    kind = "explored" if result.lcps else "approximate"
    return f"{shortened(result.name)}: {kind} post-impact set", ",  ".join(facts)


def remarks(results, hidden_contacts, hidden_tangent="", hides_bound=False):
    """Data that the picture leaves out, one sentence each. `hidden_tangent` would draw a tangent."""
    lines = []
    for name, result in zip(overlay.names_of(results), results, strict=True):
        whose = f" of {plain(name)}" if len(results) > 1 else ""
        if result.lcps:
            lines.append(f"Members{whose} were searched for: their density is no probability.")
        elif not result.rows_stored and result.net_size:
            lines.append(f"No rows{whose} are stored: points are the members of the net.")
        elif len(result.outcomes) < result.outcome_count:
            lines.append(f"Drawn: the first {grouped(len(result.outcomes))} outcomes{whose}.")
        if result.outcome_count == 0:
            lines.append(f"No trajectory{whose} ended separated: there are no outcomes.")
    if len(results) == 1 and results[0].bound_remark:
        lines.append(results[0].bound_remark)
    if hides_bound:
        lines.append("The outer bound is too thin to be seen.")
    if hidden_tangent:
        lines.append("Of each contact's tangents, the one along which outcomes differ more is drawn "
                     f'(--axes "{hidden_tangent}" draws the other one).')  # fmt: skip
    if hidden_contacts:
        lines.append(f"Not drawn: {counted(hidden_contacts, 'more contact')}.")
    return " ".join(lines)


class BadAxes(Exception):
    """Axes that a result does not have; the message names them in one line."""


def panels_named(result, axes):
    """The panels of --axes."""
    chosen = []
    for words in axes:
        panel = panels.parse_axes(result, words)
        if panel is None:
            kinds = "normal, tangential" + (", tangential2" if result.is_spatial else "")
            others = ", ".join(plain(name) for name in list(result.directions)[:MOST_NAMES])
            others = f", or a direction of {others}" if others else ""
            names = ", ".join(plain(name) for name in result.contact_names[:MOST_NAMES])
            first = plain(result.contact_names[0])
            raise BadAxes(
                f'--axes is "{words}" (must be two of "{kinds}", each with a contact of {names}, '
                f'as in "tangential {first},normal {first}"{others})'
            )
        chosen.append(panel)
    return chosen


def draw_bodies(axes, configuration):
    speed = bodies.draw_configuration(axes, configuration)
    axes.set_title(f"right before the impact (longest arrow: {speed:.3g} m/s)", fontsize=8)
    set_sizes(axes)


def columns_of(result, chosen):
    """Of each column: its width in panels, and what it shows, from above, as functions that draw into axes.
    A zoom is below its panel, or beside it if there is no other panel."""
    columns = []
    if result.configuration is not None:
        columns.append((BODIES_SHARE, [partial(draw_bodies, configuration=result.configuration)]))
    for panel in chosen:
        cells = [partial(panel.draw, zoom=False, mark_zoom=panel.needs_zoom())]
        if panel.needs_zoom():
            cells.append(partial(panel.draw, zoom=True))
        columns.extend([(1.0, cells)] if len(chosen) > 1 else [(1.0, [cell]) for cell in cells])
    return columns


def bands_of(columns):
    """The columns in bands one below the other, as even as can be."""
    count = -(-len(columns) // panels.most_columns(len(columns)))
    ends = [len(columns) * band // count for band in range(count + 1)]
    return [columns[first:end] for first, end in zip(ends[:-1], ends[1:])]


def width_of(band):
    """In panels."""
    return sum(width for width, _ in band)


def rows_of(band):
    return max(len(cells) for _, cells in band)


def draw_band(figure, band):
    """Columns beside each other; one without a zoom has the whole height."""
    grid = figure.add_gridspec(rows_of(band), len(band), width_ratios=[width for width, _ in band])
    for row in range(rows_of(band)):
        for column, (_, cells) in enumerate(band):
            if row < len(cells):
                cells[row](figure.add_subplot(grid[row if len(cells) > 1 else slice(None), column]))


def draw(results, title=None, axes=()):
    """A matplotlib figure of one result or several, with the panels of `axes`, or automatic ones."""
    result = results[0] if len(results) == 1 else overlay.share(results)
    matplotlib.rcdefaults()
    matplotlib.rcParams["svg.hashsalt"] = "carom"
    chosen, hidden = (panels_named(result, axes), 0) if axes else panels.choose(result)
    hides_bound = bool(result.bound) and not any(panel.shows_bound() for panel in chosen)
    remark = remarks(results, hidden, "" if axes else panels.hidden_tangent(result), hides_bound)
    if hides_bound:
        result = replace(result, bound=[])
    headline, facts = describe(results)
    headline = title or headline
    bands = bands_of(columns_of(result, chosen))
    width = max(max(map(width_of, bands)), 2) * panels.PANEL_INCHES[0]
    rows = [rows_of(band) for band in bands]
    height = sum(rows) * panels.PANEL_INCHES[1] + caption.caption_inches(result, headline, facts, remark, width)
    figure = Figure(figsize=(width, height), dpi=DOTS_PER_INCH)
    FigureCanvasAgg(figure)
    for part, band in zip(figure.subfigures(len(bands), 1, squeeze=False, height_ratios=rows)[:, 0], bands):
        draw_band(part, band)
    caption.add_caption(figure, result, headline, facts, remark)
    return figure


def save(figure, path):
    """Writes a picture and replaces `path` as a whole."""
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


class Parser(argparse.ArgumentParser):
    """Errors as those of all commands."""

    def error(self, message):
        self.exit(BAD_INPUT, f"carom: error: {message}\n")


def parse_arguments(arguments):
    parser = Parser(prog="carom plot", description=__doc__.split(":")[0] + ".")
    parser.add_argument(
        "files", metavar="FILE", nargs="+",
        help="of 'carom sample' (several share a picture), 'laws', 'grid' or 'roll'",
    )  # fmt: skip
    parser.add_argument("-o", "--output", metavar="PICTURE", help=".png (default), .pdf or .svg; .gif or .mp4 of motions")
    parser.add_argument("--title", help="replaces the first line of the title")
    parser.add_argument(
        "--max-points", type=int, metavar="N",
        help=f"draw at most this many outcomes (default: {DEFAULT_MAX_POINTS})",
    )  # fmt: skip
    parser.add_argument(
        "--axes", action="append", default=[], metavar="X,Y",
        help="a panel, as 'normal A,normal B' or 'tangential A,normal A', of motions a coordinate; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--paths", type=int, metavar="N",
        help="draw the velocities on the way of at most this many trajectories",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    if options.max_points is not None and options.max_points < 1:
        parser.error(f"--max-points is {options.max_points} (must be >= 1)")
    if options.paths is not None and options.paths < 0:
        parser.error(f"--paths is {options.paths} (must be >= 0)")
    if len(options.axes) > panels.MOST_PANELS:
        parser.error(f"--axes is given {len(options.axes)} times (must be <= {panels.MOST_PANELS})")
    if len(options.files) > MOST_SHARED:
        parser.error(f"{len(options.files)} files are given (must be <= {MOST_SHARED})")
    files = [Path(name) for name in options.files]
    together = files[0].with_name("+".join(file.stem for file in files) + ".png")
    options.output = Path(options.output or together)
    endings = [*METADATA, *movie.MOVIES]
    if options.output.suffix.lower() not in endings:
        parser.error(f"--output is {options.output} (must end in {', '.join(endings)})")
    if not options.output.parent.is_dir():
        parser.error(f"--output is {options.output} (its folder must exist)")
    if any(same_file(options.output, file) for file in files):
        parser.error(f"--output is {options.output} (must not be the result itself)")
    return options


def drawn_alone(options):
    """What draws the file if its kind cannot share a picture; None for results of carom sample."""
    flags = {"--axes": options.axes or None, "--paths": options.paths, "--max-points": options.max_points}
    for file in options.files:
        for words, is_its, draw_file, its_flags in DRAWN_ALONE:
            if not is_its(file):
                continue
            if len(options.files) > 1:
                raise BadFile(f"{file} {words} (must have a picture of its own)")
            if given := [flag for flag, value in flags.items() if value is not None and flag not in its_flags]:
                raise BadFile(f"{file} {words} (must have no {given[0]}, which is for other files)")
            return draw_file
    return None


def main(arguments=None):
    """Runs the command; returns its exit code."""
    options = parse_arguments(arguments)
    try:
        alone = drawn_alone(options)
        if options.output.suffix.lower() in movie.MOVIES:
            if alone is not motion.draw_file:
                raise BadFile(f"{options.output} is a movie (must be of the motions of carom roll)")
            if options.axes:
                raise BadFile(f"{options.output} is a movie (must have no --axes, which is for pictures)")
            movie.save(options.files[0], options.output, options.title)
            print(f"wrote {options.output}")
            return 0
        if alone:
            chosen = {"names": options.axes} if options.axes else {}  # of motions
            figure = alone(options.files[0], options.title, **chosen)
        else:
            limits = [
                default if given is None else given
                for given, default in ((options.max_points, DEFAULT_MAX_POINTS), (options.paths, result_file.MOST_PATHS))
            ]
            results = [result_file.read(file, *limits) for file in options.files]
            figure = draw(results, options.title, options.axes)
    except (BadFile, BadAxes) as error:
        print(f"carom: error: {error}", file=sys.stderr)
        return BAD_INPUT
    try:
        save(figure, options.output)
    except OSError as error:
        print(f"carom: error: cannot write {options.output} ({error.strerror})", file=sys.stderr)
        return RUN_FAILED
    print(f"wrote {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
