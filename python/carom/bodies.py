"""Rigid bodies in the plane and the floors around them, as files of motions and of sets hold them."""

from dataclasses import dataclass

import numpy as np
from matplotlib.collections import PatchCollection
from matplotlib.patches import Circle, Polygon

from carom.space import SpatialWorld, frame_around
from carom.styles import DARK, LIGHT, MARK, PALETTE, plain

DISC, POLYGON, POINTS = range(3)  # `world/shape` of a file
FILL = PALETTE[1]
LONGEST_LABEL = 18  # of a contact
SHORT_LABEL = 6
LABEL_ROWS = 3  # neighbouring contacts with long names have their labels at so many heights
LABEL_POINTS = 9.0  # from a contact to its label, and from one height to the next
LABEL_BOX = {"boxstyle": "round,pad=0.1", "facecolor": "white", "alpha": 0.6, "linewidth": 0}
ARROW = 0.2  # of the bodies' extent: the longest velocity
STILL = 1e-9  # m/s


@dataclass
class World:
    """Coordinates are x, y and angle of each free body, and the angle of each hinged one."""

    shapes: np.ndarray  # of each body: DISC, POLYGON or POINTS
    radii: np.ndarray
    corners: list  # of each body (c, 2); its points
    carriers: np.ndarray  # of each body: the one with its hinge, or -1
    hinges: np.ndarray  # (bodies, 4): x, y in the carrier's coordinates and in its own
    floors: list  # (normal, offset) of each


@dataclass
class Configuration:
    """A world right before its impact."""

    world: World
    position: np.ndarray  # (nq,)
    velocity: np.ndarray
    contacts: list  # (name, place, normal) of each


def read_world(group):
    """The bodies of the group /world, a World or a SpatialWorld; None if it has none."""
    if "shape" not in group:
        return None
    first = group["first_corner"][:]
    corners = group["corners"][:] if "corners" in group else np.zeros((0, 2))
    floors = []
    if "floor_normal" in group:
        floors = list(zip(group["floor_normal"][:], group["floor_offset"][:]))
    shapes, radii = group["shape"][:], group["radius"][:]
    corners = [corners[a:b] for a, b in zip(first[:-1], first[1:])]
    if "carrier" not in group:
        return SpatialWorld(shapes, radii, corners, floors)
    return World(
        shapes=shapes,
        radii=radii,
        corners=corners,
        carriers=group["carrier"][:],
        hinges=group["hinge"][:],
        floors=floors,
    )


def turned(angle, point):
    """A point of a body in the directions of the world, for each angle: (..., 2)."""
    sine, cosine = np.sin(angle), np.cos(angle)
    return np.stack([cosine * point[0] - sine * point[1], sine * point[0] + cosine * point[1]], axis=-1)


def body_poses(world, position):
    """Centre (..., 2) and angle (...) of each body at positions (..., nq)."""
    poses, next_coordinate = [], 0
    for carrier, hinge in zip(world.carriers, world.hinges):
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


def bars(world, body):
    """Points that lines lead to from a body's centre, in its coordinates: of a body without a shape its hinges
    and its own points, of a disc the hinges outside."""
    hinged = [world.hinges[other, :2] for other in np.flatnonzero(world.carriers == body)]
    if world.shapes[body] == DISC:
        return [point for point in hinged if np.linalg.norm(point) > world.radii[body]]
    own = [world.hinges[body, 2:]] if world.carriers[body] >= 0 else []
    return [*own, *hinged, *world.corners[body]] if world.shapes[body] == POINTS else []


def body_patches(world, position):
    """The bodies at a position (nq,)."""
    patches = []
    for body, (centre, angle) in enumerate(body_poses(world, position)):
        radius, corners = world.radii[body], world.corners[body]
        if world.shapes[body] == DISC:
            patches.append(Circle(centre, radius))
            patches.append(Polygon([centre, centre + turned(angle, [radius, 0.0])], closed=False))
        elif world.shapes[body] == POLYGON:
            patches.append(Polygon([centre + turned(angle, corner) for corner in corners], closed=True))
        patches.extend(Polygon([centre, centre + turned(angle, point)], closed=False)
                       for point in bars(world, body))  # fmt: skip
        if world.shapes[body] == POINTS:
            patches.extend(Circle(centre + turned(angle, point), radius) for point in corners if radius > 0.0)
    return patches


def frame_of(world, positions, margin=0.05):
    """Limits of x and y that show all bodies at all positions (..., nq), with a margin as a part of the
    larger extent."""
    lows, highs = [], []
    for body, (centre, angle) in enumerate(body_poses(world, positions)):
        for point in [np.zeros(2), *bars(world, body), *world.corners[body]]:
            place = (centre + turned(angle, point)).reshape(-1, 2)
            lows.append(place.min(axis=0) - world.radii[body])
            highs.append(place.max(axis=0) + world.radii[body])
    low, high = np.min(lows, axis=0), np.max(highs, axis=0)
    return frame_around(low, high, margin)


def picture_limits(frame):
    """Limits of the picture of a frame, which are its own in the plane."""
    return frame


def shadow_patches(world, position):
    """None: heights are seen in the plane."""
    return []


def draw_floors(axes, world, limits):
    """The insides of the half-planes, as far as the frame shows them."""
    (x0, x1), (y0, y1) = limits
    far = 10.0 * (x1 - x0 + y1 - y0)
    for normal, offset in world.floors:
        along = np.array([normal[1], -normal[0]])
        edge = offset * normal + np.dot([0.5 * (x0 + x1), 0.5 * (y0 + y1)], along) * along
        corners = [edge - far * along, edge + far * along, edge + far * (along - normal),
                   edge - far * (along + normal)]  # fmt: skip
        axes.add_patch(Polygon(corners, closed=True, facecolor=LIGHT, edgecolor=DARK, linewidth=0.8))


def centre_velocities(configuration):
    """(bodies, 2), m/s."""
    instant = 1e-6  # s: what is rounded and what the bodies turn are both below what is seen
    ends = [
        np.array([centre for centre, _ in body_poses(configuration.world, position)])
        for position in (configuration.position - instant * configuration.velocity,
                         configuration.position + instant * configuration.velocity)
    ]  # fmt: skip
    return (ends[1] - ends[0]) / (2 * instant)


def label_rows(contacts):
    return LABEL_ROWS if any(len(name) > SHORT_LABEL for name, _, _ in contacts) else 1


def draw_contacts(axes, contacts, across):
    """A mark at each contact, and its name on the side that its normal points away from, within the limits
    `across`."""
    for number, (name, place, normal) in enumerate(contacts):
        away = -LABEL_POINTS * (1 + number % label_rows(contacts)) * normal
        part = (place[0] - across[0]) / (across[1] - across[0])
        axes.plot(*place, "o", color=DARK, markersize=3.5, zorder=6)
        axes.annotate(plain(name, LONGEST_LABEL), place, away, textcoords="offset points", fontsize=8, va="center",
                      ha="left" if part < 0.3 else "right" if part > 0.7 else "center", zorder=7, bbox=LABEL_BOX)  # fmt: skip


def draw_configuration(axes, configuration, limits=None, fastest=None):
    """The bodies, their contacts, and arrows for the velocities of their centres of mass. Returns the speed
    of the longest arrow, m/s: `fastest`, or the greatest of these bodies."""
    world = configuration.world
    centres = np.array([centre for centre, _ in body_poses(world, configuration.position)])
    velocities = centre_velocities(configuration)
    speeds = np.linalg.norm(velocities, axis=1)
    fastest = fastest or max(speeds.max(), STILL)
    frame = limits or frame_of(world, configuration.position, 0.0)
    size = np.max(np.ptp(frame, axis=1))
    arrows = ARROW * size / fastest * velocities
    if limits is None:
        points = np.concatenate([np.transpose(frame), centres + arrows])
        margin = (0.1 if label_rows(configuration.contacts) == 1 else 0.18) * size  # of three rows of labels
        limits = list(zip(points.min(axis=0) - margin, points.max(axis=0) + margin))
    draw_floors(axes, world, limits)
    patches = body_patches(world, configuration.position)
    axes.add_collection(PatchCollection(patches, facecolor=FILL, alpha=0.3, linewidth=0))
    axes.add_collection(PatchCollection(patches, facecolor="none", edgecolor=DARK, linewidth=1.4))
    moving = speeds > max(STILL, 1e-6 * fastest)
    axes.quiver(*centres[moving].T, *arrows[moving].T, color=MARK, angles="xy", scale_units="xy",
                scale=1.0, units="inches", width=0.025, zorder=5)  # fmt: skip
    draw_contacts(axes, configuration.contacts, limits[0])
    axes.set(xlim=limits[0], ylim=limits[1], aspect="equal", xlabel="x (m)", ylabel="y (m)")
    axes.set_anchor("N")
    return fastest
