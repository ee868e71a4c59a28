"""Draws the motions that `carom roll` writes: tubes over time, the phase plane, bodies at several times."""

import json
import re
from dataclasses import dataclass

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PatchCollection
from matplotlib.figure import Figure

from carom import bodies, mujoco_bodies, space
from carom.bodies import FILL, read_world
from carom.mujoco_bodies import NoBodies, read_model
from carom.result_file import scenario_name, text
from carom.sealed_file import BadFile, format_of, opened
from carom.styles import DARK, LIGHT, PALETTE, RING, SHADE, shortened, wrapped

DOTS_PER_INCH = 150
MOST_TUBES = 6  # coordinates that have a panel, unless more are asked about or named
LONGEST_NAMES = 300  # letters of a message's list of coordinates
MOST_LINES = 60  # rollouts drawn one by one
MOST_BODIES = 40  # rollouts drawn over each other
SNAPSHOTS = 6
LABEL_LENGTH = 20  # characters of a line beside a panel
TITLE_LINE_INCHES = 0.2
WIDTH, TITLE_POINTS = 11.0, 10  # inches, of the picture, and letters of its title
STRIP_INCHES = (1.0, 2.6)  # least and greatest height of the bodies at several times
MOST_TICKS = 5  # below a panel as narrow as the phase plane
WHOLE = (0, 1, 8, 9, 10, 13, 14)  # statuses of rollouts that have all their states
QUATERNION = ("qw", "qx", "qy", "qz")
NEGLIGIBLE = 1e-9  # m, rad, and a part of the largest range of a unit: less is rounding noise
LEAST_HALF_RANGE = 1e-3  # m, rad, of a panel that is flat
OUTSIDE_BAND = 0.05  # of the rollouts, below a band of 90 % and above it


@dataclass
class Motion:
    """What a picture shows of a file of rollouts."""

    name: str
    time: np.ndarray  # (T,), s
    position: np.ndarray  # (R, T, nq) of the rollouts that are whole
    velocity: np.ndarray | None  # None: the state is no position
    least: np.ndarray
    greatest: np.ndarray
    coordinates: list
    units: list  # of each: "m", "rad" or ""
    velocities: list  # names; those of coordinates whose rate they are
    asked: list  # coordinates that questions are about
    failed: int
    complete: bool  # or an interrupted run
    world: bodies.World | space.SpatialWorld | mujoco_bodies.MujocoWorld | None
    no_bodies: str  # why there is no world, if it could be missed

    @property
    def view(self):
        """The module that draws its bodies."""
        views = {bodies.World: bodies, space.SpatialWorld: space, mujoco_bodies.MujocoWorld: mujoco_bodies}
        return views[type(self.world)]

    def frame(self):
        """Limits of x and y, and z in space, around the bodies at all times, in the plane also at those between
        the kept ones."""
        drawn = some(self, MOST_BODIES)
        positions = [self.position[drawn]]
        if self.view is bodies:  # least and greatest numbers of a quaternion are none
            positions += [self.least[drawn], self.greatest[drawn]]
        return self.view.frame_of(self.world, np.concatenate(positions, axis=1))


def part_of(coordinate):
    """'qw' of 'box.qw'."""
    return coordinate.rsplit(".", 1)[-1]


def with_equal_signs(position, coordinates):
    """Positions (R, T, nq) in which each quaternion, whose sign is arbitrary, is on the side of the first
    rollout's start, as in the quantiles of `carom roll`."""
    for first in (i for i, name in enumerate(coordinates) if part_of(name) == QUATERNION[0]):
        own = position[..., first : first + len(QUATERNION)]
        own *= np.where((own * own[0, 0]).sum(axis=2, keepdims=True) < 0.0, -1.0, 1.0)
    return position


def is_motion(path):
    """Whether a file says that it is one of rollouts."""
    return format_of(path) == "carom rollouts"


def asked_of(scenario, coordinates):
    """The coordinates that the questions of a scenario are about: canonical TOML, whose lists of texts are JSON."""
    ask = re.search(r"^\[roll\]\n(?:[^\[\n].*\n)*?ask = (.*)", scenario, re.MULTILINE)
    questions = json.loads(ask.group(1), strict=False) if ask else []
    names = {re.match("(.*)[<>]", question).group(1).strip(" |") for question in questions}
    return [i for i, name in enumerate(coordinates) if name in names]


def read(path):
    """The motions of a file. Raises BadFile."""
    with opened(path, "carom rollouts") as file:
        rollouts = file["rollouts"]
        whole = np.isin(rollouts["status"][:], WHOLE)
        if not whole.any():
            raise BadFile(f"{path} has no rollout that reached its duration (must have one to be drawn)")
        scenario = text(file.attrs["scenario"])
        coordinates = [text(name) for name in rollouts["coordinates"][:]]
        world, no_bodies = read_world(file["world"]), ""
        if world is None:
            try:
                world = read_model(scenario, len(coordinates))
            except NoBodies as error:
                no_bodies = str(error)
        return Motion(
            name=scenario_name(scenario, path),
            time=rollouts["time"][:],
            position=with_equal_signs(rollouts["position"][:][whole], coordinates),
            velocity=rollouts["velocity"][:][whole] if "velocity" in rollouts else None,
            least=rollouts["least"][:][whole],
            greatest=rollouts["greatest"][:][whole],
            coordinates=coordinates,
            units=[text(unit) for unit in rollouts["units"][:]],
            velocities=[text(name) for name in rollouts["velocities"][:]] if "velocities" in rollouts else [],
            asked=asked_of(scenario, coordinates),
            failed=int((~whole).sum()),
            complete=bool(file.attrs["complete"]),
            world=world,
            no_bodies=no_bodies,
        )


def is_of_quaternion(motion, coordinate):
    return part_of(motion.coordinates[coordinate]) in QUATERNION


def is_angle(motion, coordinate):
    return motion.units[coordinate] == "rad"


def shown(motion, coordinate, values):
    """Values of a coordinate in the unit of its axis."""
    return np.degrees(values) if is_angle(motion, coordinate) else values


def label(motion, coordinate):
    unit = "deg" if is_angle(motion, coordinate) else motion.units[coordinate]
    return f"{motion.coordinates[coordinate]}{', ' if unit else ''}{unit}"


def widest(motion):
    """Coordinates, those first whose rollouts differ most beside a body's size; where they hardly
    differ, those that move most."""
    size = float(np.max(np.ptp(motion.position, axis=(0, 1)))) or 1.0
    hardly = 0.01  # of what a coordinate moves
    spread = np.ptp(motion.position, axis=0).max(axis=0) + hardly * np.ptp(motion.position, axis=(0, 1))
    angles = [is_angle(motion, coordinate) for coordinate in range(len(spread))]
    order = np.argsort(-spread / np.where(angles, 1.0, size), kind="stable")
    return [int(i) for i in order]


def some(motion, count):
    """Numbers of at most `count` rollouts, evenly from the least to the greatest end of the coordinate
    that differs most, so that rare ends are seen."""
    order = np.argsort(motion.position[:, -1, widest(motion)[0]], kind="stable")
    return order[np.unique(np.linspace(0, len(order) - 1, count).round().astype(int))]


def flat_limits(motion, coordinate):
    """Limits that show a coordinate as flat whose range is rounding noise; None for others."""
    unit, of_quaternion = motion.units[coordinate], is_of_quaternion(motion, coordinate)
    ranges = np.ptp(motion.position, axis=(0, 1))
    largest = ranges[[i for i, its in enumerate(motion.units) if its == unit]].max()
    reach = ranges[coordinate]
    if not of_quaternion:
        reach = motion.greatest[:, :, coordinate].max() - motion.least[:, :, coordinate].min()
    scale = 1.0 if unit or of_quaternion else 0.0
    if reach >= NEGLIGIBLE * max(largest, scale):
        return None
    middle = float(motion.position[:, :, coordinate].mean())
    half = max(largest / 2, LEAST_HALF_RANGE)
    return shown(motion, coordinate, middle - half), shown(motion, coordinate, middle + half)


def draw_reach(axes, motion, coordinate):
    """What all rollouts did, in between the times, too."""
    least = shown(motion, coordinate, motion.least[:, :, coordinate].min(axis=0))
    greatest = shown(motion, coordinate, motion.greatest[:, :, coordinate].max(axis=0))
    # The extremes are those since the time before.
    edges = np.concatenate([[0.0], motion.time])
    axes.fill_between(edges, np.append(least, least[-1]), np.append(greatest, greatest[-1]), step="post",
                      color=SHADE, linewidth=0, label="all, between kept times too")  # fmt: skip


def changes_side(motion, coordinate):
    """Whether a quaternion, at each time but the last, is about to come to the other side of the start
    (R, T - 1), and so to change its sign; other coordinates never do."""
    if not is_of_quaternion(motion, coordinate):
        return np.zeros((len(motion.position), len(motion.time) - 1), dtype=bool)
    first = coordinate - QUATERNION.index(part_of(motion.coordinates[coordinate]))
    own = motion.position[..., first : first + len(QUATERNION)]
    return (own[:, 1:] * own[:, :-1]).sum(axis=2) < 0.0


def broken(values, breaks):
    """Values (..., 2 T - 1) at times and between them, none where a line is to be broken (..., T - 1)."""
    line = np.empty((*values.shape[:-1], 2 * values.shape[-1] - 1))
    line[..., ::2] = values
    line[..., 1::2] = np.where(breaks, np.nan, 0.5 * (values[..., 1:] + values[..., :-1]))
    return line


def draw_tube(axes, motion, coordinate):
    """What all rollouts did, what 90 % of them did at each time, their median, and some of them."""
    time = motion.time
    if not is_of_quaternion(motion, coordinate):  # its extremes are of both signs
        draw_reach(axes, motion, coordinate)
    values = shown(motion, coordinate, motion.position[:, :, coordinate])
    breaks = changes_side(motion, coordinate)
    quantiles = np.quantile(values, [OUTSIDE_BAND, 0.5, 1.0 - OUTSIDE_BAND], axis=0)
    levels = broken(quantiles, breaks.mean(axis=0) > OUTSIDE_BAND)
    drawn = some(motion, MOST_LINES)
    at = broken(time, np.zeros(len(time) - 1, dtype=bool))
    differ = np.ptp(values, axis=0).max() > NEGLIGIBLE * np.ptp(values)
    axes.fill_between(at, levels[0], levels[2], color=LIGHT, linewidth=0, label="90 %" if differ else None)
    axes.plot(at, broken(values[drawn], breaks[drawn]).T, color=RING, linewidth=0.3, alpha=0.6)
    axes.plot(at, levels[1], color=DARK, linewidth=1.4, label="median")
    name = label(motion, coordinate)
    is_long = len(name) > LABEL_LENGTH
    axes.set_ylabel("\n".join(name.rsplit(".", 1)) if is_long else name)
    axes.set_xlim(0.0, time[-1])
    if limits := flat_limits(motion, coordinate):
        axes.set_ylim(limits)


def draw_phase(axes, motion, coordinate):
    """Position and velocity at all times, and at the end."""
    position = shown(motion, coordinate, motion.position[:, :, coordinate])
    rate = motion.velocities.index(motion.coordinates[coordinate])
    velocity = shown(motion, coordinate, motion.velocity[:, :, rate])
    lines = some(motion, MOST_LINES)
    axes.plot(position[lines].T, velocity[lines].T, color=RING, linewidth=0.4, alpha=0.6)
    axes.plot(position[:, -1], velocity[:, -1], "o", color=PALETTE[2], markersize=3, linewidth=0,
              label=f"at {motion.time[-1]:g} s")  # fmt: skip
    unit = "deg" if is_angle(motion, coordinate) else motion.units[coordinate] or "1"
    axes.set_xlabel(label(motion, coordinate))
    axes.set_ylabel(f"its velocity, {unit}/s")
    if limits := flat_limits(motion, coordinate):
        axes.set_xlim(limits)
    axes.locator_params(axis="x", nbins=MOST_TICKS)
    axes.legend(loc="best", fontsize=7, frameon=False)


def draw_plane(axes, motion, one, other):
    """Two coordinates of a state without velocities at all times, and at the end."""
    x, y = motion.position[:, :, one], motion.position[:, :, other]
    axes.plot(x[:MOST_LINES].T, y[:MOST_LINES].T, color=RING, linewidth=0.4, alpha=0.6)
    axes.plot(x[:, -1], y[:, -1], "o", color=PALETTE[2], markersize=3, linewidth=0,
              label=f"at {motion.time[-1]:g} s")  # fmt: skip
    axes.set_xlabel(label(motion, one))
    axes.set_ylabel(label(motion, other))
    axes.locator_params(axis="x", nbins=MOST_TICKS)
    axes.legend(loc="best", fontsize=7, frameon=False)


def draw_bodies(axes, motion, moment, frame):
    """Some rollouts' bodies at one of the times, over each other."""
    view, world = motion.view, motion.world
    view.draw_floors(axes, world, frame)
    positions = motion.position[some(motion, MOST_BODIES), moment]
    patches = [patch for position in positions for patch in view.body_patches(world, position)]
    shadows = [patch for position in positions for patch in view.shadow_patches(world, position)]
    alpha = max(0.03, min(0.5, 2.0 / len(positions)))
    axes.add_collection(PatchCollection(shadows, facecolor=RING, alpha=alpha, linewidth=0, zorder=space.ON_FLOOR))
    axes.add_collection(PatchCollection(patches, facecolor=FILL, alpha=alpha, linewidth=0))
    axes.add_collection(PatchCollection(patches, facecolor="none", edgecolor=DARK, linewidth=0.25, alpha=0.5))
    x_limits, y_limits = view.picture_limits(frame)
    axes.set(xlim=x_limits, ylim=y_limits, aspect="equal", xticks=[], yticks=[])
    axes.set_title(f"{motion.time[moment]:.3g} s", fontsize=8)


def headline(motion):
    count = len(motion.position)
    failed = f"; {motion.failed} that failed are not shown" if motion.failed else ""
    some_only = count > MOST_BODIES and motion.world is not None
    drawn = f"; bodies of {MOST_BODIES} of them, evenly from one extreme to the other" if some_only else ""
    incomplete = "" if motion.complete else " (incomplete)"
    return f"{count} motion{'s' if count != 1 else ''} of {shortened(motion.name)}{incomplete}{failed}{drawn}"


def strip_inches(limits, count):
    """Height of so many pictures with these limits beside each other, with their titles."""
    (x0, x1), (y0, y1) = limits
    least, most = STRIP_INCHES
    return min(most, max(least, 0.4 + WIDTH / count * (y1 - y0) / (x1 - x0)))


def named(motion, names):
    """Coordinates by their names, each once. Raises BadFile for a name that is none."""
    for name in names:
        if name not in motion.coordinates:
            ones = shortened(", ".join(motion.coordinates), LONGEST_NAMES)
            raise BadFile(f'--axes is "{name}" (must be a coordinate of {shortened(motion.name)}: {ones})')
    return list(dict.fromkeys(motion.coordinates.index(name) for name in names))


def tubes_of(motion):
    """Coordinates that questions are about, and the widest beside them."""
    others = [i for i in widest(motion) if i not in motion.asked]
    return sorted(motion.asked + others[: max(0, MOST_TUBES - len(motion.asked))])


def draw_file(path, title=None, names=()):
    """The picture of a file of rollouts, with panels of the coordinates that are named, or automatic ones."""
    motion = read(path)
    first = named(motion, names)
    tubes = first or tubes_of(motion)
    order = first + [i for i in widest(motion) if i not in first]
    moments = np.unique(np.linspace(0, len(motion.time) - 1, SNAPSHOTS).round().astype(int))
    tall = 1.5 * max(3, len(tubes))
    has_bodies = motion.world is not None
    hidden = len(order) - len(tubes)
    remark = f"\nlines join the {len(motion.time)} kept times"
    remark += f"; not shown: {hidden} of {len(order)} coordinates (--axes NAME chooses)" if hidden else ""
    remark += f"\n{motion.no_bodies}" if motion.no_bodies else ""
    above = wrapped((title or headline(motion)) + remark, WIDTH, TITLE_POINTS)
    frame = motion.frame() if has_bodies else None
    strip = strip_inches(motion.view.picture_limits(frame), len(moments)) if has_bodies else 0.0
    height = tall + strip + TITLE_LINE_INCHES * (1 + len(above.splitlines()))
    figure = Figure(figsize=(WIDTH, height), dpi=DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    upper, lower = figure.subfigures(2, 1, height_ratios=[tall, strip]) if has_bodies else (figure, None)
    left, right = upper.subfigures(1, 2, width_ratios=[3, 2])
    for axes, coordinate in zip(left.subplots(len(tubes), 1, sharex=True, squeeze=False)[:, 0], tubes):
        draw_tube(axes, motion, coordinate)
    axes.set_xlabel("time, s")
    most = max(left.axes, key=lambda tube: len(tube.get_legend_handles_labels()[0]))
    most.legend(loc="best", fontsize=7, edgecolor="none")
    moving = [coordinate for coordinate in order if motion.coordinates[coordinate] in motion.velocities]
    if moving:
        draw_phase(right.subplots(), motion, moving[0])
    elif len(order) > 1:
        draw_plane(right.subplots(), motion, order[0], order[1])
    if has_bodies:
        for axes, moment in zip(np.atleast_1d(lower.subplots(1, len(moments))), moments):
            draw_bodies(axes, motion, moment, frame)
    figure.suptitle(above, fontsize=TITLE_POINTS)
    return figure
