"""Rigid bodies in space and the floors around them, as files of motions hold them, seen from afar: what
carom.bodies draws of bodies in the plane."""

from dataclasses import dataclass

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.patches import Circle, Polygon

from carom.styles import DARK, LIGHT

BALL, BOX = 0, 3  # `world/shape` of a file; others are points
AZIMUTH, ELEVATION = np.radians([-60.0, 20.0])  # of the eye
FACES = ([0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7])  # of a box, seen from outside
GRID_LINES = 12  # of a floor, along the longest side of the box
EDGE_ON = 0.05  # a half-space whose normal has a smaller part towards the eye has no grid
BEHIND, ON_FLOOR, IN_FRONT = 0.0, 0.5, 2.0  # of bodies, which are at 1
ROUNDING = 1e-6  # of the largest extent, around a box: it holds a floor that is its side
MARGIN = 0.05  # of the larger extent, around a picture
NEAR = 1.0  # of the bodies' extent: half-spaces farther from their middle are not drawn
LEVEL = 0.5  # a half-space whose normal has a smaller part upwards has no shadows
TOWARDS_EYE = np.array([np.cos(ELEVATION) * np.cos(AZIMUTH), np.cos(ELEVATION) * np.sin(AZIMUTH), np.sin(ELEVATION)])
RIGHT = np.array([-np.sin(AZIMUTH), np.cos(AZIMUTH), 0.0])
PICTURE = np.array([RIGHT, np.cross(TOWARDS_EYE, RIGHT)])  # axes of the picture
CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
EDGES = [(a, b) for a in range(8) for b in range(a) if np.abs(CORNERS[a] - CORNERS[b]).sum() == 1]
ROUND = np.linspace(0.0, 2 * np.pi, 16, endpoint=False)
CIRCLE = np.array([np.cos(ROUND), np.sin(ROUND)]).T


@dataclass
class SpatialWorld:
    """Coordinates are x, y, z and the quaternion w, x, y, z of each body."""

    shapes: np.ndarray  # of each body
    radii: np.ndarray
    corners: list  # of each body (c, 3): its points; of a ball its centre
    floors: list  # (normal, offset) of each

    def places(self, position):
        """Of each body at a position (nq,): its points (c, 3) and radius, m."""
        return zip(body_points(self, position), self.radii)


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


def frame_of(world, positions):
    """Limits of x, y and z that show all bodies at all positions (..., nq)."""
    places = [(points.reshape(-1, 3), radius) for points, radius in world.places(positions)]
    low = np.min([points.min(axis=0) - radius for points, radius in places], axis=0)
    high = np.max([points.max(axis=0) + radius for points, radius in places], axis=0)
    return box_around(world.floors, low, high)


def box_around(floors, low, high):
    """Limits of x, y and z just around bodies and the half-spaces near them."""
    middle, reach = (low + high) / 2, NEAR * np.max(high - low)
    feet = [middle + (offset - middle @ normal) * normal for normal, offset in floors]
    ends = [low, high, *(foot for foot in feet if np.linalg.norm(foot - middle) <= reach)]
    return frame_around(np.min(ends, axis=0), np.max(ends, axis=0), ROUNDING)


def frame_around(low, high, margin):
    """Limits of all axes, with a margin as a part of the largest extent."""
    space = margin * np.max(high - low)
    return list(zip(low - space, high + space))


def box_corners(box):
    low, high = np.transpose(box)
    return low + CORNERS * (high - low)


def picture_limits(box):
    """Limits of the picture of a box."""
    seen = box_corners(box) @ PICTURE.T
    return frame_around(seen.min(axis=0), seen.max(axis=0), MARGIN)


def cut(box, normal, offset):
    """Where the surface of a half-space meets the edges of a box (c, 3)."""
    corners = box_corners(box)
    heights = corners @ normal - offset
    crossed = [(a, b) for a, b in EDGES if (heights[a] > 0.0) != (heights[b] > 0.0)]
    parts = [heights[a] / (heights[a] - heights[b]) for a, b in crossed]
    return np.array([corners[a] + part * (corners[b] - corners[a]) for (a, b), part in zip(crossed, parts)])


def tangents_of(normal):
    """Two unit vectors along the surface of a half-space."""
    first = np.eye(3)[np.argmin(np.abs(normal))]
    first = first - (first @ normal) * normal
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(normal, first)])


def draw_floors(axes, world, box):
    """The surfaces of half-spaces as far as the box reaches: a grid on those that face the eye; others are in
    front of the bodies, which are seen through them."""
    spacing = np.max(np.ptp(box, axis=1)) / GRID_LINES
    for normal, offset in world.floors:
        points = cut(box, normal, offset)
        if not len(points):
            continue
        facing = normal @ TOWARDS_EYE
        surface = Polygon(outline(points @ PICTURE.T), facecolor=LIGHT, edgecolor=DARK, alpha=0.25, linewidth=0.6,
                          zorder=BEHIND if facing > 0.0 else IN_FRONT)  # fmt: skip
        axes.add_patch(surface)
        if facing < EDGE_ON:
            continue
        tangents, lines = tangents_of(normal), []
        for along, across in (tangents, tangents[::-1]):
            steps, ends = points @ along / spacing, points @ across
            for step in spacing * np.arange(np.ceil(steps.min()), np.floor(steps.max()) + 1):
                line = [offset * normal + step * along + end * across for end in (ends.min(), ends.max())]
                lines.append(np.array(line) @ PICTURE.T)
        grid = LineCollection(lines, colors=LIGHT, linewidths=0.5, zorder=BEHIND)
        axes.add_collection(grid)
        grid.set_clip_path(surface)


def shadow_patches(world, position):
    """What the bodies at a position (nq,) cover of the floor, so that their heights can be told; none where
    no half-space is level."""
    normal, offset = max(world.floors, key=lambda floor: floor[0][2], default=(np.zeros(3), 0.0))
    if normal[2] < LEVEL:
        return []
    patches = []
    for points, radius in world.places(position):
        feet = points - np.outer(points @ normal - offset, normal)
        if radius > 0.0:
            feet = (feet[:, None] + radius * CIRCLE @ tangents_of(normal)).reshape(-1, 3)
        patches.append(Polygon(outline(feet @ PICTURE.T)))
    return patches
