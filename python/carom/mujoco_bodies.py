"""Bodies of a MuJoCo model and the floors around them, seen from afar: what carom.bodies draws of bodies in the
plane."""

import re
from dataclasses import dataclass

import numpy as np
from matplotlib.patches import Polygon

from carom.space import CIRCLE, PICTURE, TOWARDS_EYE, box_around, outline
from carom.space import draw_floors, picture_limits, shadow_patches  # noqa: F401

DRAWN_GROUPS = 3  # MuJoCo's viewer shows the geoms of the first three groups
LEVELS = np.linspace(-1.0, 1.0, 9)
SPHERE = np.array([[*(np.sqrt(1.0 - z * z) * spot), z] for z in LEVELS for spot in CIRCLE])
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)


class NoBodies(Exception):
    """Why the bodies of a model cannot be drawn."""


@dataclass
class MujocoWorld:
    """Coordinates are qpos."""

    model: object  # MjModel
    data: object  # MjData, whose kinematics are those of the position drawn last
    shapes: dict  # of each geom that is drawn: its points (c, 3) in its own axes, and their radius
    floors: list  # (normal, offset) of each plane

    def places(self, position):
        """Of each geom at a position (nq,): its points (c, 3) and radius, m."""
        import mujoco

        self.data.qpos[:] = position
        mujoco.mj_kinematics(self.model, self.data)
        for geom, (points, radius) in self.shapes.items():
            axes = self.data.geom_xmat[geom].reshape(3, 3)
            yield self.data.geom_xpos[geom] + points @ axes.T, radius


def shape_of(model, geom):
    """The points of a geom in its own axes, whose convex hull it is, and their radius."""
    import mujoco

    kind, size = mujoco.mjtGeom, model.geom_size[geom]
    its = model.geom_type[geom]
    if its == kind.mjGEOM_SPHERE:
        return np.zeros((1, 3)), size[0]
    if its == kind.mjGEOM_CAPSULE:
        return np.array([[0.0, 0.0, -size[1]], [0.0, 0.0, size[1]]]), size[0]
    if its == kind.mjGEOM_CYLINDER:
        return np.array([[*(size[0] * spot), end] for end in (-size[1], size[1]) for spot in CIRCLE]), 0.0
    if its == kind.mjGEOM_BOX:
        return CORNERS * size, 0.0
    if its == kind.mjGEOM_ELLIPSOID:
        return SPHERE * size, 0.0
    if its == kind.mjGEOM_MESH:
        mesh = model.geom_dataid[geom]
        first = model.mesh_vertadr[mesh]
        vertices = model.mesh_vert[first : first + model.mesh_vertnum[mesh]]
        return vertices[np.unique(np.argmax(vertices @ SPHERE.T, axis=0))], 0.0
    return None


def read_model(scenario, coordinates):
    """The world of a scenario (canonical TOML) of a MuJoCo model with so many coordinates; None if it is of
    another system. Raises NoBodies."""
    stated = re.search(r'^\[mujoco\]\n(?:.*\n)*?model = "((?:[^"\\]|\\.)*)"', scenario, re.MULTILINE)
    if stated is None:
        return None
    path = re.sub(r"\\(.)", r"\1", stated.group(1))
    try:
        import mujoco

        load = mujoco.MjModel.from_binary_path if path.endswith(".mjb") else mujoco.MjModel.from_xml_path
        model = load(path)
    except ImportError:
        raise NoBodies("bodies of MuJoCo models need the Python package mujoco") from None
    except ValueError as error:
        raise NoBodies(f"bodies need the model {path}: {error}") from None
    if model.nq != coordinates:
        raise NoBodies(f"bodies need the model {path}, which has changed: {model.nq} coordinates, not {coordinates}")
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    drawn = [geom for geom in range(model.ngeom)
             if model.geom_group[geom] < DRAWN_GROUPS and model.geom_rgba[geom][3] > 0.0]  # fmt: skip
    shapes = {geom: shape_of(model, geom) for geom in drawn}
    normals = {geom: data.geom_xmat[geom].reshape(3, 3)[:, 2] for geom in range(model.ngeom)
               if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_PLANE}  # fmt: skip
    return MujocoWorld(
        model=model,
        data=data,
        shapes={geom: shape for geom, shape in shapes.items() if shape is not None},
        floors=[(normal.copy(), float(normal @ data.geom_xpos[geom])) for geom, normal in normals.items()],
    )


def body_patches(world, position):
    """The geoms at a position (nq,), those far from the eye first: their outlines."""
    patches = []
    for points, radius in world.places(position):
        seen = points @ PICTURE.T
        if radius > 0.0:
            seen = (seen[:, None] + radius * CIRCLE).reshape(-1, 2)
        patches.append((points.mean(axis=0) @ TOWARDS_EYE, Polygon(outline(seen))))
    return [patch for _, patch in sorted(patches, key=lambda pair: pair[0])]


def frame_of(world, positions):
    """Limits of x, y and z that show all bodies at all positions (..., nq)."""
    ends = []
    for position in positions.reshape(-1, positions.shape[-1]):
        for points, radius in world.places(position):
            ends.append([points.min(axis=0) - radius, points.max(axis=0) + radius])
    return box_around(world.floors, np.min(ends, axis=(0, 1)), np.max(ends, axis=(0, 1)))
