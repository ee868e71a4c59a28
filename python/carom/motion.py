"""Draws the motions that `carom roll` writes: tubes over time, the phase plane, bodies at several times."""

import shutil
from dataclasses import dataclass

import numpy as np
from matplotlib.animation import FFMpegWriter, PillowWriter
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PatchCollection
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon

from carom.result_file import scenario_name, text
from carom.sealed_file import BadFile, format_of, opened
from carom.styles import DARK, LIGHT, PALETTE, RING, SHADE, plain

DOTS_PER_INCH = 150
MOST_TUBES = 6  # coordinates that have a panel
MOST_LINES = 60  # rollouts drawn one by one
MOST_BODIES = 40  # rollouts drawn over each other
SNAPSHOTS = 6
FRAMES_PER_SECOND = 25
WHOLE = (0, 1, 8, 9, 10)  # statuses of rollouts that have all their states
DISC, POLYGON, POINTS = range(3)  # `world/shape` of a file
MOVIES = {".gif": "Pillow", ".mp4": "ffmpeg"}


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
    failed: int
    shapes: np.ndarray  # of each body: DISC, POLYGON or POINTS
    radii: np.ndarray
    corners: list  # of each body (c, 2); its points
    carriers: np.ndarray  # of each body: the one with its hinge, or -1
    hinges: np.ndarray  # (bodies, 4): x, y in the carrier's coordinates and in its own
    floors: list  # (normal, offset) of each


def is_motion(path):
    """Whether a file says that it is one of rollouts."""
    return format_of(path) == "carom rollouts"


def read(path):
    """The motions of a file. Raises BadFile."""
    with opened(path, "carom rollouts") as file:
        rollouts, world = file["rollouts"], file["world"]
        whole = np.isin(rollouts["status"][:], WHOLE)
        if not whole.any():
            raise BadFile(f"{path} has no rollout that reached its duration (must have one to be drawn)")
        has_bodies = "shape" in world
        first = world["first_corner"][:] if has_bodies else [0]
        corners = world["corners"][:] if "corners" in world else np.zeros((0, 2))
        floors = []
        if "floor_normal" in world:
            floors = list(zip(world["floor_normal"][:], world["floor_offset"][:]))
        return Motion(
            name=scenario_name(text(file.attrs["scenario"]), path),
            time=rollouts["time"][:],
            position=rollouts["position"][:][whole],
            velocity=rollouts["velocity"][:][whole] if "velocity" in rollouts else None,
            least=rollouts["least"][:][whole],
            greatest=rollouts["greatest"][:][whole],
            coordinates=[text(name) for name in rollouts["coordinates"][:]],
            units=[text(unit) for unit in rollouts["units"][:]],
            velocities=[text(name) for name in rollouts["velocities"][:]] if "velocities" in rollouts else [],
            failed=int((~whole).sum()),
            shapes=world["shape"][:] if has_bodies else [],
            radii=world["radius"][:] if has_bodies else [],
            carriers=world["carrier"][:] if has_bodies else [],
            hinges=world["hinge"][:] if has_bodies else [],
            corners=[corners[a:b] for a, b in zip(first[:-1], first[1:])],
            floors=floors,
        )


def is_angle(motion, coordinate):
    return motion.units[coordinate] == "rad"


def shown(motion, coordinate, values):
    """Values of a coordinate in the unit of its axis."""
    return np.degrees(values) if is_angle(motion, coordinate) else values


def label(motion, coordinate):
    unit = "deg" if is_angle(motion, coordinate) else motion.units[coordinate]
    return f"{motion.coordinates[coordinate]}{', ' if unit else ''}{unit}"


def widest(motion):
    """Coordinates, those first whose rollouts differ most beside a body's size."""
    size = float(np.max(np.ptp(motion.position, axis=(0, 1)))) or 1.0
    spread = np.ptp(motion.position, axis=0).max(axis=0)
    angles = [is_angle(motion, coordinate) for coordinate in range(len(spread))]
    order = np.argsort(-spread / np.where(angles, 1.0, size), kind="stable")
    return [int(i) for i in order]


def some(motion, count):
    """Numbers of at most `count` rollouts, evenly from the least to the greatest end of the coordinate
    that differs most, so that rare ends are seen."""
    order = np.argsort(motion.position[:, -1, widest(motion)[0]], kind="stable")
    return order[np.unique(np.linspace(0, len(order) - 1, count).round().astype(int))]


def draw_tube(axes, motion, coordinate):
    """What all rollouts did, what 90 % of them did at each time, their median, and some of them."""
    time = motion.time
    least = shown(motion, coordinate, motion.least[:, :, coordinate].min(axis=0))
    greatest = shown(motion, coordinate, motion.greatest[:, :, coordinate].max(axis=0))
    values = shown(motion, coordinate, motion.position[:, :, coordinate])
    low, middle, high = np.quantile(values, [0.05, 0.5, 0.95], axis=0)
    # The extremes are those since the time before.
    edges = np.concatenate([[0.0], time])
    axes.fill_between(edges, np.append(least, least[-1]), np.append(greatest, greatest[-1]), step="post",
                      color=SHADE, linewidth=0, label="all, since the time before")  # fmt: skip
    axes.fill_between(time, low, high, color=LIGHT, linewidth=0, label="90 %")
    axes.plot(time, values[some(motion, MOST_LINES)].T, color=RING, linewidth=0.3, alpha=0.6)
    axes.plot(time, middle, color=DARK, linewidth=1.4, label="median")
    axes.set_ylabel(label(motion, coordinate))
    axes.set_xlim(0.0, time[-1])


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
    axes.legend(loc="best", fontsize=7, frameon=False)


def draw_plane(axes, motion, one, other):
    """Two coordinates of a state without velocities at all times, and at the end."""
    x, y = motion.position[:, :, one], motion.position[:, :, other]
    axes.plot(x[:MOST_LINES].T, y[:MOST_LINES].T, color=RING, linewidth=0.4, alpha=0.6)
    axes.plot(x[:, -1], y[:, -1], "o", color=PALETTE[2], markersize=3, linewidth=0,
              label=f"at {motion.time[-1]:g} s")  # fmt: skip
    axes.set_xlabel(label(motion, one))
    axes.set_ylabel(label(motion, other))
    axes.legend(loc="best", fontsize=7, frameon=False)


def turned(angle, point):
    """A point of a body in the directions of the world, for each angle: (..., 2)."""
    sine, cosine = np.sin(angle), np.cos(angle)
    return np.stack([cosine * point[0] - sine * point[1], sine * point[0] + cosine * point[1]], axis=-1)


def body_poses(motion, position):
    """Centre (..., 2) and angle (...) of each body at positions (..., nq)."""
    poses, next_coordinate = [], 0
    for carrier, hinge in zip(motion.carriers, motion.hinges):
        if carrier < 0:
            centre = position[..., next_coordinate : next_coordinate + 2]
            angle = position[..., next_coordinate + 2]
            next_coordinate += 3
        else:
            its_centre, its_angle = poses[carrier]
            angle = position[..., next_coordinate]
            centre = its_centre + turned(its_angle, hinge[:2]) - turned(angle, hinge[2:])
            next_coordinate += 1
        poses.append((centre, angle))
    return poses


def bars(motion, body):
    """Points that a body without a shape is drawn through, in its coordinates: its hinges, and its own."""
    hinged = [motion.hinges[other, :2] for other in np.flatnonzero(motion.carriers == body)]
    own = [motion.hinges[body, 2:]] if motion.carriers[body] >= 0 else []
    return [*own, *hinged, *motion.corners[body]]


def body_patches(motion, position):
    """The bodies at a position (nq,)."""
    patches = []
    for body, (centre, angle) in enumerate(body_poses(motion, position)):
        radius, corners = motion.radii[body], motion.corners[body]
        if motion.shapes[body] == DISC:
            patches.append(Circle(centre, radius))
            patches.append(Polygon([centre, centre + turned(angle, [radius, 0.0])], closed=False))
        elif motion.shapes[body] == POLYGON:
            patches.append(Polygon([centre + turned(angle, corner) for corner in corners], closed=True))
        else:
            patches.extend(Polygon([centre, centre + turned(angle, point)], closed=False)
                           for point in bars(motion, body))  # fmt: skip
            patches.extend(Circle(centre + turned(angle, point), radius) for point in corners if radius > 0.0)
    return patches


def frame_of(motion):
    """Limits of x and y that show all bodies at all times."""
    poses = body_poses(motion, motion.position)
    limits = []
    for axis in (0, 1):
        lows, highs = [], []
        for body, (centre, _) in enumerate(poses):
            points = bars(motion, body) if motion.shapes[body] == POINTS else motion.corners[body]
            reach = motion.radii[body] + max((np.linalg.norm(point) for point in points), default=0.0)
            lows.append(centre[..., axis].min() - reach)
            highs.append(centre[..., axis].max() + reach)
        margin = 0.05 * (max(highs) - min(lows))
        limits.append((min(lows) - margin, max(highs) + margin))
    return limits


def draw_floors(axes, motion, limits):
    """The insides of the half-planes, as far as the frame shows them."""
    (x0, x1), (y0, y1) = limits
    far = 10.0 * (x1 - x0 + y1 - y0)
    for normal, offset in motion.floors:
        along = np.array([normal[1], -normal[0]])
        edge = offset * normal + np.dot([0.5 * (x0 + x1), 0.5 * (y0 + y1)], along) * along
        corners = [edge - far * along, edge + far * along, edge + far * (along - normal),
                   edge - far * (along + normal)]  # fmt: skip
        axes.add_patch(Polygon(corners, closed=True, facecolor=LIGHT, edgecolor=DARK, linewidth=0.8))


def draw_bodies(axes, motion, moment, limits):
    """Some rollouts' bodies at one of the times, over each other."""
    draw_floors(axes, motion, limits)
    positions = motion.position[some(motion, MOST_BODIES), moment]
    patches = [patch for position in positions for patch in body_patches(motion, position)]
    alpha = max(0.03, min(0.5, 2.0 / len(positions)))
    axes.add_collection(PatchCollection(patches, facecolor=PALETTE[1], alpha=alpha, linewidth=0))
    axes.add_collection(PatchCollection(patches, facecolor="none", edgecolor=DARK, linewidth=0.25, alpha=0.5))
    axes.set_xlim(*limits[0])
    axes.set_ylim(*limits[1])
    axes.set_aspect("equal")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_title(f"{motion.time[moment]:.3g} s", fontsize=8)


def headline(motion):
    count = len(motion.position)
    failed = f"; {motion.failed} that failed are not shown" if motion.failed else ""
    some_only = count > MOST_BODIES and len(motion.shapes) > 0
    drawn = f"; bodies of {MOST_BODIES}, from end to end" if some_only else ""
    return f"{count} motion{'s' if count != 1 else ''} of {motion.name}{failed}{drawn}"


def draw_file(path, title=None):
    """The picture of a file of rollouts."""
    motion = read(path)
    order = widest(motion)
    tubes = sorted(order[:MOST_TUBES])
    moments = np.unique(np.linspace(0, len(motion.time) - 1, SNAPSHOTS).round().astype(int))
    tall = 1.5 * max(3, len(tubes))
    has_bodies = len(motion.shapes) > 0
    figure = Figure(figsize=(11.0, tall + (3.2 if has_bodies else 0.6)), dpi=DOTS_PER_INCH,
                    layout="constrained")  # fmt: skip
    FigureCanvasAgg(figure)
    upper, lower = figure.subfigures(2, 1, height_ratios=[tall, 2.6]) if has_bodies else (figure, None)
    left, right = upper.subfigures(1, 2, width_ratios=[3, 2])
    for axes, coordinate in zip(left.subplots(len(tubes), 1, sharex=True, squeeze=False)[:, 0], tubes):
        draw_tube(axes, motion, coordinate)
    axes.set_xlabel("time, s")
    left.axes[0].legend(loc="best", fontsize=7, frameon=False)
    moving = [coordinate for coordinate in order if motion.coordinates[coordinate] in motion.velocities]
    if moving:
        draw_phase(right.subplots(), motion, moving[0])
    elif len(order) > 1:
        draw_plane(right.subplots(), motion, order[0], order[1])
    if has_bodies:
        limits = frame_of(motion)
        for axes, moment in zip(np.atleast_1d(lower.subplots(1, len(moments))), moments):
            draw_bodies(axes, motion, moment, limits)
    hidden = len(order) - len(tubes)
    remark = f"\n{hidden} coordinates that differ less are not shown" if hidden else ""
    figure.suptitle(plain(title or headline(motion), 100) + remark, fontsize=10)
    return figure


def save_movie(path, output, title=None):
    """Writes the bodies of some rollouts over each other, at all times of a file, as a GIF or MP4."""
    suffix = output.suffix.lower()
    if suffix == ".mp4" and shutil.which("ffmpeg") is None:
        raise BadFile(f"{output} needs ffmpeg, which is not installed (must end in .gif without it)")
    motion = read(path)
    if len(motion.shapes) == 0:
        raise BadFile(f"{path} has no bodies to be shown (must be a picture, .png, .svg or .pdf)")
    limits = frame_of(motion)
    (x0, x1), (y0, y1) = limits
    height = min(8.0, max(2.0, 6.0 * (y1 - y0) / (x1 - x0)))
    figure = Figure(figsize=(6.4, height + 0.6), dpi=80, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    writer = (FFMpegWriter if suffix == ".mp4" else PillowWriter)(fps=FRAMES_PER_SECOND)
    with writer.saving(figure, str(output), dpi=80):
        for moment in range(len(motion.time)):
            axes.clear()
            draw_bodies(axes, motion, moment, limits)
            figure.suptitle(plain(title or headline(motion), 60), fontsize=9)
            writer.grab_frame()
