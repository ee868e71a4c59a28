"""The panels of a picture: which there are, their ranges, and what is drawn in them."""

from dataclasses import dataclass

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

MOST_PANELS = 12
MOST_RINGS = 2_000  # net members; more would hide the outcomes
PANEL_INCHES = (4.0, 3.3)
CAPTION_INCHES = 1.25  # title above and legend below
LONGEST_NAME, LONGEST_TITLE = 24, 100

# Okabe and Ito's colours: distinct for every kind of colour vision, and in grey.
DARK, LIGHT, RING, MARK, SHADE = "#101418", "#a9a9a9", "#0072b2", "#d55e00", "#efe9da"

MARGIN = 0.07  # of the range, on each side
ZOOM_BELOW = 1 / 3  # outcomes that fill less than this of a panel get one of their own
POINT_BELOW = 1e-6  # of the range: an extent that is rounding noise
LEAST_HALF_RANGE = 0.05  # m/s, where everything is at one place


def plain(name, longest=LONGEST_NAME):
    """A name as matplotlib shall print it: short, and no formula."""
    if len(name) > longest:
        name = name[: longest - 1] + "\u2026"
    return name.replace("\\", "/").replace("$", r"\$")


def limits(values, scale=None):
    """Limits of an axis around finite values; never collapsed. `scale` is used where they are."""
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
    outcomes: np.ndarray
    net: np.ndarray
    paths: np.ndarray  # P x length x 2
    before: np.ndarray  # 2

    def full_limits(self, axis):
        parts = [self.outcomes[:, axis], self.net[:, axis], self.paths[..., axis].ravel()]
        return limits(np.concatenate([*parts, [self.before[axis], 0.0]]))

    def zoom_limits(self):
        points = self.outcomes if len(self.outcomes) else np.zeros((1, 2))
        extents = np.ptp(points, axis=0)
        scale = float(np.max(extents)) / 2
        full = [np.ptp(self.full_limits(axis)) for axis in (0, 1)]
        if scale <= POINT_BELOW * max(full):
            scale = 0.1 * max(full)  # one point: the surroundings are all there is to see
        # Zero stays in sight where it is near: it separates leaving from approaching.
        near = [
            np.append(points[:, axis], 0.0)
            if np.min(np.abs(points[:, axis])) <= 2 * scale
            else points[:, axis]
            for axis in (0, 1)
        ]
        return limits(near[0], scale), limits(near[1], scale)

    def needs_zoom(self):
        """Whether the outcomes are more than a point, but small in the whole."""
        if not len(self.outcomes):
            return False
        shares = [
            np.ptp(self.outcomes[:, axis]) / np.ptp(self.full_limits(axis)) for axis in (0, 1)
        ]
        extended = [share for share in shares if share > POINT_BELOW]
        return bool(extended) and min(extended) < ZOOM_BELOW

    def draw(self, axes, zoom, mark_zoom=False):
        """Draws whole, or zoomed to the outcomes; `mark_zoom` frames what a zoom shows."""
        axes.set_visible(True)
        zoomed = self.zoom_limits()
        x_limits, y_limits = zoomed if zoom else (self.full_limits(0), self.full_limits(1))
        self.draw_half_planes(axes, x_limits, y_limits)
        axes.add_collection(
            LineCollection(self.paths, colors=LIGHT, linewidths=0.6, zorder=2, rasterized=True)
        )
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
        axes.plot(
            *self.before, "X", color=MARK, markersize=9, markeredgecolor="white",
            markeredgewidth=0.8, zorder=7,
        )  # fmt: skip
        axes.set(xlim=x_limits, ylim=y_limits, xlabel=self.x_label, ylabel=self.y_label)
        axes.tick_params(labelsize=8)
        axes.locator_params(nbins=6)
        axes.xaxis.label.set_size(9)
        axes.yaxis.label.set_size(9)
        if zoom:
            axes.set_title("zoomed to the outcomes", fontsize=8, color=RING, loc="right", pad=3)
            for spine in axes.spines.values():
                spine.set(edgecolor=RING, linestyle=(0, (4, 2)))

    def draw_half_planes(self, axes, x_limits, y_limits):
        """Shades where a contact still approaches, with thin lines at zero."""
        below = min(y_limits[0], 0.0)
        axes.axhspan(below, 0.0, color=SHADE, linewidth=0, zorder=0)
        if self.x_is_normal:
            axes.axvspan(min(x_limits[0], 0.0), 0.0, color=SHADE, linewidth=0, zorder=0)
        axes.axhline(0.0, color="#808080", linewidth=0.6, zorder=3)
        axes.axvline(0.0, color="#808080", linewidth=0.6, zorder=3)


def dot_size(count):
    """Smaller dots for more outcomes, in points."""
    return 5.0 if count <= 1_000 else 3.5 if count <= 5_000 else 2.5 if count <= 50_000 else 1.8


def ring_size(count):
    """Diameter and line width of net members, in points: finer for more of them."""
    return (6.0, 0.9) if count <= 100 else (5.0, 0.6) if count <= 500 else (4.5, 0.35)


def thinned(points, most):
    """At most `most` of the rows, evenly spread."""
    if len(points) <= most:
        return points
    return points[np.linspace(0, len(points) - 1, most).astype(int)]


def make_panel(result, x_row, y_row, x_label, y_label, x_is_normal=False):
    rows = np.stack([x_row, y_row], axis=1)  # nv x 2
    return Panel(
        x_label, y_label, x_is_normal, result.outcomes @ rows, result.net @ rows,
        result.paths @ rows, result.pre_impact_velocity @ rows,
    )  # fmt: skip


def choose(result):
    """The panels of a result, and how many contacts have none."""
    names = [plain(name) for name in result.contact_names]
    along = "\nalong its first tangent" if result.tangent_rows > 1 else ""
    contacts = [
        make_panel(
            result, tangent, normal,
            f"tangential velocity of {name}{along} (m/s)", f"normal velocity of {name} (m/s)",
        )
        for name, tangent, normal in zip(names, result.tangent_jacobian, result.normal_jacobian)
    ]  # fmt: skip
    if len(contacts) == 2:
        both = make_panel(
            result, *result.normal_jacobian,
            *(f"normal velocity of {name} (m/s)" for name in names), x_is_normal=True,
        )  # fmt: skip
        contacts.insert(1, both)
    return contacts[:MOST_PANELS], max(0, len(contacts) - MOST_PANELS)


def grid(count):
    """Columns and rows for a number of panels."""
    columns = count if count <= 4 else 3 if count <= 6 else 4
    return columns, -(-count // columns)


def add_caption(figure, headline, facts, remark):
    """Title above the panels; room for the legend below."""
    height = figure.get_figheight()
    figure.suptitle(headline, fontsize=13, y=1 - 0.12 / height, va="top")
    figure.text(0.5, 1 - 0.40 / height, facts, fontsize=9, ha="center", va="top")
    figure.text(0.5, 0.06 / height, remark, fontsize=8, ha="center", va="bottom", style="italic")
    figure.set_layout_engine("constrained", rect=(0.004, 0.5 / height, 0.992, 1 - 1.12 / height))


def add_legend(figure, result, above_remark):
    """One legend for all panels, below them, with what is there only."""
    point = {"linestyle": "none"}
    entries = [
        Line2D([], [], marker="X", color=MARK, markersize=8, label="pre-impact velocity", **point)
    ]
    if result.paths.size:
        entries.append(Line2D([], [], color=LIGHT, label="velocities on the way"))
    if len(result.outcomes):
        entries.append(Line2D([], [], marker=".", color=DARK, label="outcomes", **point))
    if len(result.net):
        ring = {"markerfacecolor": "none", "markeredgecolor": RING, "markersize": 5}
        label = "members of the \u03b5-net"
        entries.append(Line2D([], [], marker="o", label=label, **ring, **point))
    entries.append(Patch(facecolor=SHADE, edgecolor="#808080", label="a contact approaches"))
    figure.legend(
        handles=entries, loc="lower center", ncol=len(entries), fontsize=8, frameon=False,
        bbox_to_anchor=(0.5, (0.18 if above_remark else 0.08) / figure.get_figheight()),
    )  # fmt: skip
