"""Rigid bodies in space and the floors around them, as files of motions hold them, seen from afar: what
carom.bodies draws of bodies in the plane."""

from dataclasses import dataclass

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.patches import Circle, Polygon

from carom.styles import LIGHT

BALL, BOX = 0, 3  # `world/shape` of a file; others are points
AZIMUTH, ELEVATION = np.radians([-60.0, 20.0])  # of the eye
FACES = ([0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7])  # of a box, seen from outside
GRID_LINES = 12  # of a floor, across the picture
EDGE_ON = 0.05  # a floor whose normal has a smaller part towards the eye is not drawn
TOWARDS_EYE = np.array([np.cos(ELEVATION) * np.cos(AZIMUTH), np.cos(ELEVATION) * np.sin(AZIMUTH), np.sin(ELEVATION)])
RIGHT = np.array([-np.sin(AZIMUTH), np.cos(AZIMUTH), 0.0])
PICTURE = np.array([RIGHT, np.cross(TOWARDS_EYE, RIGHT)])  # axes of the picture


@dataclass
class SpatialWorld:
    """Coordinates are x, y, z and the quaternion w, x, y, z of each body."""

    shapes: np.ndarray  # of each body
    radii: np.ndarray
    corners: list  # of each body (c, 3): its points; of a ball its centre
    floors: list  # (normal, offset) of each


def turned(quaternion, points):
    """Points (c, 3) of a body in fixed axes, for each quaternion (..., 4): (..., c, 3)."""
    w, vector = quaternion[..., None, :1], quaternion[..., None, 1:]
    across = 2.0 * np.cross(vector, points)
    return points + w * across + np.cross(vector, across)


def body_points(world, positions):
    """Of each body: its points (..., c, 3) at positions (..., nq)."""
    for body, corners in enumerate(world.corners):
        own = positions[..., 7 * body : 7 * body + 7]
        yield own[..., None, :3] + turned(own[..., 3:], corners)


def outline(points):
    """The corners of the convex hull of points (c, 2) of the picture, counter-clockwise."""
    ordered = sorted(map(tuple, points))

    def turns_left(a, b, c):
        return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) > 0.0

    def chain(ordered):
        hull = []
        for point in ordered:
            while len(hull) > 1 and not turns_left(hull[-2], hull[-1], point):
                hull.pop()
            hull.append(point)
        return hull[:-1]

    return chain(ordered) + chain(ordered[::-1]) or ordered[:1]


def body_patches(world, position):
    """The bodies at a position (nq,), those far from the eye first: the faces of a box that are seen, a ball
    with a line from its centre, the outline of points."""
    patches = []
    for body, points in enumerate(body_points(world, position)):
        seen, radius = points @ PICTURE.T, world.radii[body]
        if world.shapes[body] == BALL:
            spoke = turned(position[7 * body + 3 : 7 * body + 7], radius * np.eye(3)[:1])[0] @ PICTURE.T
            its = [Circle(seen[0], radius), Polygon([seen[0], seen[0] + spoke], closed=False)]
        elif world.shapes[body] == BOX:
            normals = [np.cross(points[b] - points[a], points[c] - points[b]) for a, b, c, _ in FACES]
            its = [Polygon(seen[face]) for face, normal in zip(FACES, normals) if normal @ TOWARDS_EYE > 0.0]
        else:
            its = [Polygon(outline(seen)), *(Circle(point, radius) for point in seen if radius > 0.0)]
        patches.append((points.mean(axis=0) @ TOWARDS_EYE, its))
    return [patch for _, its in sorted(patches, key=lambda pair: pair[0]) for patch in its]


def frame_of(world, positions, margin=0.05):
    """Limits of the picture that show all bodies at all positions (..., nq)."""
    seen = [(points @ PICTURE.T).reshape(-1, 2) for points in body_points(world, positions)]
    low = np.min([points.min(axis=0) - radius for points, radius in zip(seen, world.radii)], axis=0)
    high = np.max([points.max(axis=0) + radius for points, radius in zip(seen, world.radii)], axis=0)
    return frame_around(low, high, margin)


def frame_around(low, high, margin):
    """Limits of both axes, with a margin as a part of the larger extent."""
    space = margin * np.max(high - low)
    return [(low[axis] - space, high[axis] + space) for axis in (0, 1)]


def draw_floors(axes, world, limits):
    """A grid on each half-space that faces the eye."""
    middle = np.mean(limits, axis=1)
    size = np.max(np.ptp(limits, axis=1))
    spacing = size / GRID_LINES
    for normal, offset in world.floors:
        facing = normal @ TOWARDS_EYE
        if facing < EDGE_ON:
            continue
        first = np.eye(3)[np.argmin(np.abs(normal))]
        first = first - (first @ normal) * normal
        first /= np.linalg.norm(first)
        tangents = np.array([first, np.cross(normal, first)])
        # The point of the half-space's surface in the middle of the picture, and lines at multiples of the spacing.
        centre = middle @ PICTURE
        centre = centre + (offset - centre @ normal) / facing * TOWARDS_EYE
        count = int(np.ceil(GRID_LINES / facing))
        steps = spacing * np.arange(-count, count + 1)
        lines = []
        for along, across in (tangents, tangents[::-1]):
            start = np.round(centre @ across / spacing) * spacing - centre @ across
            for step in steps + start:
                ends = [centre + step * across + end * along for end in (steps[0], steps[-1])]
                lines.append(np.array(ends) @ PICTURE.T)
        axes.add_collection(LineCollection(lines, colors=LIGHT, linewidths=0.5, zorder=0))
