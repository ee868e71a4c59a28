"""Colours, marks, sizes and words of the elements of a picture."""

import textwrap
from dataclasses import dataclass

LONGEST_NAME = 60
LETTER_WIDTH = 0.56  # of the font's size, on average
MOST_TITLE_LINES = 4  # a longer text is shortened
POINTS_PER_INCH = 72

# Distinguishable without colours by lightness, and by colour-blind eyes (Okabe and Ito).
PALETTE = ["#000000", "#0072b2", "#d55e00", "#009e73", "#56b4e9", "#e69f00", "#cc79a7", "#f0e442",
           "#888888"]  # fmt: skip

# The sample is grey. Laws have the paper's colours (blue; red, yellow) in shades that differ in
# lightness too; their marks and dashes differ as well, so that a picture needs no colours.
DARK, LIGHT, RING, SHADE = "#101418", "#b4b4b4", "#6e7f80", "#efe9da"
BOUND = "#8fbce6"  # of the outer bound
MARK = "#009e73"  # the velocity before the impact


@dataclass(frozen=True)
class Style:
    """How a Series is drawn. Those above others have smaller marks: equal outcomes stay visible."""

    colour: str
    marker: str
    size: float  # points
    dashes: object = "none"  # of matplotlib
    hollow: bool = False
    edged: bool = True
    layer: int = 0  # higher ones are drawn above, negative ones below the sample; in one layer, later ones

    def line(self):
        return {"color": self.colour, "linewidth": 1.3, "linestyle": self.dashes}

    def mark(self):
        face, edge, width = self.colour, DARK, 0.6
        if self.hollow:
            face, edge, width = "none", self.colour, 1.8
        elif not self.edged:
            width = 0.0
        return {
            "marker": self.marker, "markersize": self.size, "markerfacecolor": face,
            "markeredgecolor": edge, "markeredgewidth": width,
        }  # fmt: skip


# Of results that share a picture: without the colour of MARK and yellow, those that differ most in lightness first.
SHARED_COLOURS = [PALETTE[i] for i in (1, 5, 0, 6, 4, 2, 8)]

STYLES = {
    "simultaneous": Style("#0072b2", "s", 9.0, "-", hollow=True),
    "sequence": Style("#d7301f", "^", 7.0, (0, (5, 2))),
    "other sequences": Style("#f0c808", "v", 5.0, (0, (1, 1.5))),
    "sought": Style("#cc79a7", "*", 8.0, "-"),
    "searched": Style("#8c5ab8", ".", 4.0, edged=False, layer=-1),
}


def shortened(text, longest=LONGEST_NAME):
    """At most so many letters of a text, without its middle."""
    if len(text) <= longest:
        return text
    return text[: longest // 2] + "\u2026" + text[len(text) - (longest - 1) // 2 :]


def plain(name, longest=LONGEST_NAME):
    """A name for matplotlib: shortened, and escaped so that it is no formula."""
    return shortened(name, longest).replace("\\", "/").replace("$", r"\$")


def wrapped(text, inches, points):
    """A text for matplotlib in lines that fit this width in inches in letters of so many points."""
    letters = int(inches * POINTS_PER_INCH / (LETTER_WIDTH * points))
    parts = shortened(text, MOST_TITLE_LINES * letters).splitlines()
    return "\n".join(plain(line, letters) for part in parts for line in textwrap.wrap(part, letters))


SHARED_MARKERS = ["o", "s", "^", "D"]  # their number and that of the colours have no common divisor
RING_POINTS = 4.0  # diameter of a ring around a mark, beyond that mark's
MOST_SHARED = len(SHARED_COLOURS) * len(SHARED_MARKERS)


def shared_style(number, layer, count, points, covered=0):
    """The style, in a layer from 0 on, of the result `number` of `count` that share a picture, of which
    the largest has so many outcomes; one that others above it cover, so many times, is a ring around them."""
    widest = 5.0  # points, of the lowest layer beyond the highest
    size = dot_size(points) + min(1.6, widest / max(count - 1, 1)) * (count - 1 - layer) + RING_POINTS * covered
    colour, marker = SHARED_COLOURS[number % len(SHARED_COLOURS)], SHARED_MARKERS[number % len(SHARED_MARKERS)]
    return Style(colour, marker, size, hollow=covered > 0, edged=False, layer=layer)


def dot_size(count):
    """Smaller dots for more outcomes, in points."""
    return 5.0 if count <= 1_000 else 3.5 if count <= 5_000 else 2.5 if count <= 50_000 else 1.8


def ring_size(count):
    """Diameter and line width of net members, in points: smaller for more members."""
    return (6.0, 0.9) if count <= 100 else (5.0, 0.6) if count <= 500 else (4.5, 0.35)
