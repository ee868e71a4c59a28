"""One panel of a picture: its ranges and contents."""

import textwrap
from dataclasses import dataclass

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import ListedColormap
from matplotlib.patches import Polygon, Rectangle

from carom.styles import BOUND, DARK, LIGHT, MARK, RING, SHADE, dot_size, plain, ring_size

MOST_RINGS = 2_000  # net members; more would hide the outcomes
MOST_LINES = 2_000  # paths; more are an area
AREA_PIXELS = (500, 400)  # of such an area
MANY_POINTS = 1_000  # of a Series: a picture of vectors holds them as pixels

MARGIN = 0.07  # of the range, on each side
LEAST_SEEN = 0.002  # of the range: a bound that is smaller cannot be seen, about a pixel
ZOOM_BELOW = 1 / 3  # outcomes that fill less than this of a panel get one of their own
POINT_BELOW = 1e-6  # of the range: an extent that is rounding noise
THIN = {"color": "#808080", "linewidth": 0.6, "zorder": 3}  # lines at zero
ROW_HALF, BOUND_HALF = 0.6, 0.3  # of the distance of two strips: around the outer ones, and of a bound
ROW_LETTERS = 16  # of a line of a strip's name
LEAST_HALF_RANGE = 0.05  # m/s, where everything is at one place


def limits(values, scale=None):
    """Limits of an axis around finite values. If the values are equal, `scale` gives the range."""
    low, high = float(np.min(values)), float(np.max(values))
    half = (high - low) / 2
    if half <= POINT_BELOW * max(scale or 0.0, abs(low), abs(high), LEAST_HALF_RANGE):
        half = scale or max(LEAST_HALF_RANGE, 0.5 * abs(high))
    centre = (low + high) / 2
    return centre - half * (1 + 2 * MARGIN), centre + half * (1 + 2 * MARGIN)


@dataclass
class Panel:
    """Two velocities against each other. Each kind of point is an n x 2 array."""

    x_label: str
    y_label: str
    x_is_normal: bool
    y_is_normal: bool
    outcomes: np.ndarray
    net: np.ndarray
    paths: np.ndarray  # P x length x 2
    before: np.ndarray  # k x 2
    series: list  # of Series with two columns
    bound: list  # of outlines, n x 2

    def ends(self):
        """All drawn velocities after the impact, and the corners of their bound."""
        series = [some.velocities for some in self.series]
        return np.concatenate([self.outcomes, *series, *self.bound])

    def full_limits(self, axis):
        parts = [self.ends()[:, axis], self.net[:, axis], self.paths[..., axis].ravel()]
        parts += [path[:, axis] for series in self.series for path in series.paths]
        return limits(np.concatenate([*parts, self.before[:, axis], [0.0]]))

    def zoom_limits(self, velocities=(0, 1)):
        """Limits around the ends of the axes that have velocities."""
        points = self.ends()
        if not len(points):
            points = np.zeros((1, 2))
        scale = float(np.max(np.ptp(points, axis=0)[list(velocities)])) / 2
        full = [np.ptp(self.full_limits(axis)) for axis in velocities]
        if scale <= POINT_BELOW * max(full):
            scale = 0.1 * max(full)  # one point: the surroundings are all there is to see
        # Zero stays in sight where it is near: it separates leaving from approaching.
        near = [
            np.append(points[:, axis], 0.0)
            if np.min(np.abs(points[:, axis])) <= 2 * scale
            else points[:, axis]
            for axis in velocities
        ]
        return [limits(values, scale) for values in near]

    def needs_zoom(self):
        """Whether the outcomes are more than a point, but small in the panel."""
        ends = self.ends()
        if not len(ends):
            return False
        shares = [np.ptp(ends[:, axis]) / np.ptp(self.full_limits(axis)) for axis in (0, 1)]
        extended = [share for share in shares if share > POINT_BELOW]
        return bool(extended) and min(extended) < ZOOM_BELOW

    def shows_bound(self):
        """Whether its bound can be seen where the panel is drawn largest: as more than a point, and not
        just below a line at zero."""
        both = self.zoom_limits() if self.needs_zoom() else (self.full_limits(0), self.full_limits(1))
        least = LEAST_SEEN * np.ptp(both, axis=1)

        def is_seen(outline):
            wide = np.ptp(outline, axis=0) > least
            off_zero = np.abs(outline).max(axis=0) > least
            return wide.any() and (wide | off_zero).all()

        return any(is_seen(outline) for outline in self.bound)

    def draw(self, axes, zoom, mark_zoom=False):
        """Draws the whole range, or a zoom to the outcomes; `mark_zoom` frames the zoom's range."""
        zoomed = self.zoom_limits()
        x_limits, y_limits = zoomed if zoom else (self.full_limits(0), self.full_limits(1))
        self.draw_half_planes(axes, x_limits, y_limits)
        for outline in self.bound:
            axes.add_patch(Polygon(outline, facecolor=BOUND, alpha=0.35, zorder=1, linewidth=0))
            axes.add_patch(Polygon(outline, fill=False, edgecolor=BOUND, zorder=1.5, linewidth=0.8))
        self.draw_paths(axes, x_limits, y_limits)
        axes.plot(
            *self.outcomes.T, ".", color=DARK, markersize=dot_size(len(self.outcomes)),
            markeredgewidth=0, zorder=4, rasterized=True,
        )  # fmt: skip
        if zoom or not mark_zoom:
            size, width = ring_size(len(self.net))
            axes.plot(
                *thinned(self.net, MOST_RINGS).T, "o", markerfacecolor="none",
                markeredgecolor=RING, markersize=size, markeredgewidth=width, zorder=3.5,
            )  # fmt: skip
        else:
            (left, right), (low, high) = zoomed
            frame = Rectangle((left, low), right - left, high - low, fill=False, zorder=6)
            frame.set(edgecolor=RING, linewidth=0.8, linestyle=(0, (4, 2)))
            axes.add_patch(frame)
        self.draw_series(axes)
        axes.plot(
            *self.before.T, "X", color=MARK, markersize=9, markeredgecolor="white",
            markeredgewidth=0.8, zorder=7,
        )  # fmt: skip
        axes.set(xlim=x_limits, ylim=y_limits, xlabel=self.x_label, ylabel=self.y_label)
        set_sizes(axes)
        if zoom:
            axes.set_title("zoomed to the outcomes", fontsize=8, color=RING, loc="right", pad=3)
            for spine in axes.spines.values():
                spine.set(edgecolor=RING, linestyle=(0, (4, 2)))

    def draw_paths(self, axes, x_limits, y_limits):
        if len(self.paths) <= MOST_LINES:
            lines = LineCollection(self.paths, colors=LIGHT, linewidths=0.6, zorder=2, rasterized=True)
            axes.add_collection(lines)
            return
        area = covered(self.paths, x_limits, y_limits)
        axes.imshow(np.ma.masked_equal(area, 0), extent=(*x_limits, *y_limits), origin="lower", aspect="auto",
                    interpolation="nearest", cmap=ListedColormap([LIGHT]), zorder=2)  # fmt: skip

    def draw_series(self, axes):
        for number, series in enumerate(sorted(self.series, key=lambda its: its.style.layer)):
            above = 0.01 * number - (1.2 if series.style.layer < 0 else 0.0)
            for path in series.paths:
                axes.plot(*path.T, zorder=3.2 + above, **series.style.line())
            axes.plot(
                *series.velocities.T, linestyle="none", zorder=5 + above,
                rasterized=len(series.velocities) > MANY_POINTS, **series.style.mark(),
            )  # fmt: skip

    def draw_half_planes(self, axes, x_limits, y_limits):
        """Shades the half-planes where a contact still approaches, with thin lines at zero."""
        if self.y_is_normal:
            axes.axhspan(min(y_limits[0], 0.0), 0.0, color=SHADE, linewidth=0, zorder=0)
        if self.x_is_normal:
            axes.axvspan(min(x_limits[0], 0.0), 0.0, color=SHADE, linewidth=0, zorder=0)
        axes.axhline(0.0, **THIN)
        axes.axvline(0.0, **THIN)


@dataclass
class Strips(Panel):
    """Normal velocities of several contacts: y is the number of a contact."""

    names: list

    def full_limits(self, axis):
        return super().full_limits(0) if axis == 0 else (len(self.names) - 1 + ROW_HALF, -ROW_HALF)

    def zoom_limits(self):
        return *super().zoom_limits((0,)), self.full_limits(1)

    def draw(self, axes, zoom, mark_zoom=False):
        super().draw(axes, zoom, mark_zoom)
        for row in range(1, len(self.names)):
            axes.axhline(row, **THIN)
        names = ["\n".join(textwrap.wrap(plain(name), ROW_LETTERS)) for name in self.names]
        axes.set_yticks(range(len(names)), names, fontsize=max(5, 8 - len(names) // 6))


def strip(velocities, rows):
    """Points of a Strips: each of the velocities (n x nv) times each of the rows (contacts x nv)."""
    speeds = velocities @ rows.T
    return np.stack([speeds, np.broadcast_to(np.arange(len(rows)), speeds.shape)], axis=-1).reshape(-1, 2)


def strip_bounds(vertices, rows):
    """Outlines of a Strips: the range of the vertices (n x nv) along each of the rows."""
    speeds = vertices @ rows.T
    return [
        np.array([[low, y - BOUND_HALF], [high, y - BOUND_HALF], [high, y + BOUND_HALF], [low, y + BOUND_HALF]])
        for y, (low, high) in enumerate(zip(speeds.min(axis=0), speeds.max(axis=0)))
    ]


def set_sizes(axes):
    """Of the letters and numbers along the axes."""
    axes.tick_params(labelsize=8)
    axes.locator_params("x", nbins=5)  # more would collide where numbers are long
    axes.locator_params("y", nbins=6)
    axes.ticklabel_format(scilimits=(-3, 4), useMathText=True)
    for axis in (axes.xaxis, axes.yaxis):
        axis.get_offset_text().set_size(8)
        axis.label.set_size(9)


def covered(paths, x_limits, y_limits):
    """Which pixels between the limits the paths (P x length x 2) pass: an array of 0 and 1, rows from below."""
    size = np.array(AREA_PIXELS)
    low = np.array([x_limits[0], y_limits[0]])
    scale = size / (np.array([x_limits[1], y_limits[1]]) - low)
    start, end = (((half - low) * scale).reshape(-1, 2) for half in (paths[:, :-1], paths[:, 1:]))
    along = end - start
    # The picture holds each segment from one part of its length to another.
    with np.errstate(divide="ignore", invalid="ignore"):
        crossings = np.sort([-start / along, (size - start) / along], axis=0)
    enter = np.maximum(crossings[0].max(axis=1), 0.0)
    leave = np.minimum(crossings[1].min(axis=1), 1.0)
    seen = enter <= leave
    start, along, enter, leave = (one[seen] for one in (start, along, enter[:, None], leave[:, None]))
    start, along = start + enter * along, (leave - enter) * along
    steps = np.abs(along).max(axis=1, initial=0.0).astype(int) + 1  # of less than a pixel
    order = np.argsort(-steps)
    start, along, steps = start[order], along[order], steps[order]
    area = np.zeros((size[1], size[0]), np.uint8)
    for number in range(steps.max(initial=-1) + 1):
        longer = np.searchsorted(-steps, -number, side="right")  # segments with so many steps
        part = number / steps[:longer, None]
        x, y = np.clip((start[:longer] + part * along[:longer]).astype(int), 0, size - 1).T
        area[y, x] = 1
    return area


def convex_outline(points):
    """The corners of the convex hull of points (n x 2) in turn, by Andrew's monotone chain; a point
    or the ends of a segment where the hull is that."""

    def chain(ordered):
        corners = []
        for point in ordered:
            while len(corners) > 1 and cross(corners[-1] - corners[-2], point - corners[-1]) <= 0.0:
                corners.pop()
            corners.append(point)
        return corners[:-1]

    def cross(one, other):
        return one[0] * other[1] - one[1] * other[0]

    ordered = np.unique(points, axis=0)  # by x, then y
    if len(ordered) < 3:
        return ordered
    return np.array(chain(ordered) + chain(ordered[::-1]))


def thinned(points, most):
    """At most `most` of the rows, evenly spread."""
    if len(points) <= most:
        return points
    return points[np.linspace(0, len(points) - 1, most).astype(int)]
