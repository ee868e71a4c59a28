"""Title above the panels of a picture, and the legend below them."""

import textwrap

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from carom.styles import BOUND, DARK, LIGHT, MARK, RING, SHADE, plain, wrapped

LONGEST_SERIES = 40
TITLE_POINTS, FACTS_POINTS = 13, 9
TITLE_LINE_INCHES, FACTS_LINE_INCHES = 0.23, 0.16
HEAD_SPACE_INCHES = 0.23  # around title and facts
FOOT_INCHES = 0.50  # with one row of the legend
LEGEND_ROW_INCHES = 0.18
REMARK_LINE_INCHES, REMARK_LETTERS_PER_INCH = 0.13, 17
LEAST_MARK, MOST_MARK = 5.0, 10.0  # points, of a legend's entry
LEGEND_COLUMN_INCHES = 2.0  # wide enough for the longest usual label


def legend_entries(result):
    """Entries of the series that exist: the sample first, then the laws."""
    point = {"linestyle": "none"}
    before = "pre-impact velocity" if len(result.pre_impact_velocities) == 1 else "pre-impact velocities"
    entries = [Line2D([], [], marker="X", color=MARK, markersize=8, label=before, **point)]
    if result.paths.size:
        entries.append(Line2D([], [], color=LIGHT, label="velocities on the way"))
    if len(result.outcomes):
        entries.append(Line2D([], [], marker=".", color=DARK, label="outcomes", **point))
    if len(result.net):
        ring = {"markerfacecolor": "none", "markeredgecolor": RING, "markersize": 5}
        label = "members of the \u03b5-net"
        entries.append(Line2D([], [], marker="o", label=label, **ring, **point))
    if result.bound:
        entries.append(Patch(facecolor=BOUND, alpha=0.5, label=result.bound_label))
    entries.append(Patch(facecolor=SHADE, edgecolor="#808080", label="a contact approaches"))
    for series in result.series:
        line = series.style.line() if series.paths else point
        mark = series.style.mark()
        mark["markersize"] = min(max(mark["markersize"], LEAST_MARK), MOST_MARK)
        label = plain(series.label, LONGEST_SERIES)
        entries.append(Line2D([], [], label=label, **line, **mark))
    return entries


def legend_rows(result, width):
    """Number of legend rows in a picture of this width in inches; 1 for the sample alone."""
    columns = int(width / LEGEND_COLUMN_INCHES)
    return -(-len(legend_entries(result)) // columns) if result.series or result.bound else 1


def remark_lines(remark, width):
    """The remark in lines that fit below a picture of this width in inches."""
    return textwrap.wrap(remark, int(width * REMARK_LETTERS_PER_INCH))


def foot_inches(result, remark, width):
    further_lines = max(0, len(remark_lines(remark, width)) - 1)
    further_rows = legend_rows(result, width) - 1
    return FOOT_INCHES + LEGEND_ROW_INCHES * further_rows + REMARK_LINE_INCHES * further_lines


def title_inches(headline, width):
    """Height of the title in a picture of this width in inches."""
    return TITLE_LINE_INCHES * len(wrapped(headline, width, TITLE_POINTS).splitlines())


def head_inches(headline, facts, width):
    lines = wrapped(facts, width, FACTS_POINTS).splitlines()
    return HEAD_SPACE_INCHES + title_inches(headline, width) + FACTS_LINE_INCHES * len(lines)


def caption_inches(result, headline, facts, remark, width):
    """Height of everything except the panels."""
    return head_inches(headline, facts, width) + foot_inches(result, remark, width)


def add_caption(figure, result, headline, facts, remark):
    """Adds title, legend and remark; the panels get the rest of the figure."""
    width, height = figure.get_size_inches()
    lines = remark_lines(remark, width)
    figure.suptitle(wrapped(headline, width, TITLE_POINTS), fontsize=TITLE_POINTS, y=1 - 0.12 / height, va="top")
    figure.text(0.5, 1 - (0.17 + title_inches(headline, width)) / height, wrapped(facts, width, FACTS_POINTS),
                fontsize=FACTS_POINTS, ha="center", va="top")  # fmt: skip
    figure.text(0.5, 0.06 / height, "\n".join(lines), fontsize=8, ha="center", va="bottom", style="italic")
    entries = legend_entries(result)
    figure.legend(
        handles=entries, loc="lower center", ncol=-(-len(entries) // legend_rows(result, width)),
        fontsize=8, frameon=False, handlelength=2.8 if result.series else 2.0,
        bbox_to_anchor=(0.5, (0.06 + REMARK_LINE_INCHES * len(lines) if lines else 0.08) / height),
    )  # fmt: skip
    foot = foot_inches(result, remark, width) / height
    figure.set_layout_engine(
        "constrained", rect=(0.004, foot, 0.992, 1 - foot - head_inches(headline, facts, width) / height)
    )
