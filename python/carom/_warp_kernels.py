"""Kernels of MuJoCo Warp that gather the impacts of its worlds (carom.mujoco_warp)."""

import mujoco
import warp as wp

NO_IMPACT, OUTCOME, NO_OUTCOME = 0, 1, 2  # what a call says of a world

_ROW = mujoco.mjtConstraint
_FRICTIONLESS = int(_ROW.mjCNSTR_CONTACT_FRICTIONLESS)
_PYRAMIDAL, _ELLIPTIC = int(_ROW.mjCNSTR_CONTACT_PYRAMIDAL), int(_ROW.mjCNSTR_CONTACT_ELLIPTIC)
JOINT, BALL, TENDON = 0, 1, 2  # what has a limit
_POINTS = wp.constant(wp.int64(1024))  # more than a pair of geoms has


@wp.struct
class Rows:
    """Constraint rows, as MuJoCo Warp has them, and what they are of."""

    count: wp.array(dtype=int)
    kind: wp.array2d(dtype=int)
    owner: wp.array2d(dtype=int)
    is_sparse: bool
    J: wp.array3d(dtype=float)
    rownnz: wp.array2d(dtype=int)
    rowadr: wp.array2d(dtype=int)
    colind: wp.array3d(dtype=int)
    geom: wp.array(dtype=wp.vec2i)
    point: wp.array(dtype=int)
    first: wp.array2d(dtype=int)
    friction: wp.array2d(dtype=float)


@wp.struct
class Limits:
    """The limits of a model, and where their joints and tendons are."""

    kind: wp.array(dtype=int)
    id: wp.array(dtype=int)
    sign: wp.array(dtype=int)  # -1: the upper end
    position: wp.array(dtype=int)  # in qpos
    velocity: wp.array(dtype=int)  # in qvel
    joint_range: wp.array2d(dtype=wp.vec2)
    joint_margin: wp.array2d(dtype=float)
    qpos: wp.array2d(dtype=float)
    tendon_range: wp.array2d(dtype=wp.vec2)
    tendon_margin: wp.array2d(dtype=float)
    length: wp.array2d(dtype=float)
    J: wp.array2d(dtype=float)
    rownnz: wp.array(dtype=int)
    rowadr: wp.array(dtype=int)
    colind: wp.array(dtype=int)


@wp.func
def _row_entry(rows: Rows, world: int, row: int, j: int) -> wp.float64:
    if not rows.is_sparse:
        return wp.float64(rows.J[world, row, j])
    begin = rows.rowadr[world, row]
    for k in range(begin, begin + rows.rownnz[world, row]):
        if rows.colind[world, 0, k] == j:
            return wp.float64(rows.J[world, 0, k])
    return wp.float64(0.0)


@wp.func
def _rotation(limits: Limits, world: int, limit: int) -> wp.vec4d:
    """Of a ball joint: the direction of its turn, of length 1 or 0, and its angle in [0, pi]."""
    at = limits.position[limit]
    w = wp.float64(limits.qpos[world, at])
    x = wp.float64(limits.qpos[world, at + 1])
    y = wp.float64(limits.qpos[world, at + 2])
    z = wp.float64(limits.qpos[world, at + 3])
    sine = wp.sqrt(x * x + y * y + z * z)
    if sine == wp.float64(0.0):
        return wp.vec4d()
    towards = wp.where(w < wp.float64(0.0), wp.float64(-1.0), wp.float64(1.0)) / sine
    return wp.vec4d(x * towards, y * towards, z * towards, wp.float64(2.0) * wp.atan2(sine, wp.abs(w)))


@wp.func
def _limit_gap(limits: Limits, world: int, limit: int) -> wp.float64:
    """m or rad, less the margin."""
    kind = limits.kind[limit]
    id = limits.id[limit]
    ends = wp.vec2()
    margin = float(0.0)
    value = wp.float64(0.0)
    if kind == TENDON:
        ends = limits.tendon_range[world % limits.tendon_range.shape[0], id]
        margin = limits.tendon_margin[world % limits.tendon_margin.shape[0], id]
        value = wp.float64(limits.length[world, id])
    else:
        ends = limits.joint_range[world % limits.joint_range.shape[0], id]
        margin = limits.joint_margin[world % limits.joint_margin.shape[0], id]
        if kind == BALL:
            value = _rotation(limits, world, limit)[3]
        else:
            value = wp.float64(limits.qpos[world, limits.position[limit]])
    gap = value - wp.float64(ends[0])
    if limits.sign[limit] < 0:
        end = ends[1]
        if kind == BALL:
            end = wp.max(ends[0], ends[1])
        gap = wp.float64(end) - value
    return gap - wp.float64(margin)


@wp.func
def _limit_entry(limits: Limits, world: int, limit: int, j: int) -> wp.float64:
    """Of the row that gives how fast a joint or tendon moves away from its limit."""
    sign = wp.float64(limits.sign[limit])
    kind = limits.kind[limit]
    if kind == TENDON:
        id = limits.id[limit]
        for k in range(limits.rowadr[id], limits.rowadr[id] + limits.rownnz[id]):
            if limits.colind[k] == j:
                return sign * wp.float64(limits.J[world, k])
        return wp.float64(0.0)
    at = j - limits.velocity[limit]
    if kind == BALL:
        if at < 0 or at > 2:
            return wp.float64(0.0)
        return sign * _rotation(limits, world, limit)[at]
    return wp.where(at == 0, sign, wp.float64(0.0))


@wp.func
def _normal_entry(rows: Rows, limits: Limits, world: int, place: int, j: int) -> wp.float64:
    """Of a constraint row's contact, or of limit -1 - place. Rows of pyramids are n + mu t and n - mu t."""
    if place < 0:
        return _limit_entry(limits, world, -1 - place, j)
    n = _row_entry(rows, world, place, j)
    if rows.kind[world, place] == _PYRAMIDAL and place + 1 < rows.kind.shape[1]:
        n = wp.float64(0.5) * (n + _row_entry(rows, world, place + 1, j))
    return n


@wp.kernel
def write_masses(
    M_rownnz: wp.array(dtype=int),
    M_rowadr: wp.array(dtype=int),
    M_colind: wp.array(dtype=int),
    M: wp.array2d(dtype=float),
    qvel: wp.array2d(dtype=float),
    mass_matrix: wp.array3d(dtype=wp.float64),
    velocity: wp.array2d(dtype=wp.float64),
):
    """Of a world and a row: the mass matrix, of which MuJoCo keeps the lower triangle, and the velocity."""
    world, i = wp.tid()
    for k in range(M_rownnz[i]):
        at = M_rowadr[i] + k
        j = M_colind[at]
        mass_matrix[world, i, j] = wp.float64(M[world, at])
        mass_matrix[world, j, i] = wp.float64(M[world, at])
    velocity[world, i] = wp.float64(qvel[world, i])


@wp.kernel
def list_contacts(
    most: int,
    threshold: wp.float64,
    distance: wp.float64,
    geoms: wp.int64,
    rows: Rows,
    limits: Limits,
    velocity: wp.array2d(dtype=wp.float64),
    places: wp.array2d(dtype=int),
    keys: wp.array2d(dtype=wp.int64),
    active: wp.array2d(dtype=wp.uint8),
    result: wp.array(dtype=int),
):
    """Of a world: its contacts by their geoms, then the limits that are reached, in an order that no device's
    threads change; whether it has an impact; and which contacts then take part, all or none."""
    world = wp.tid()
    stored = wp.min(rows.count[world], rows.kind.shape[1])
    found = int(0)
    fastest = wp.float64(0.0)  # approach, m/s or rad/s
    for index in range(stored + limits.kind.shape[0]):
        place = index
        key = wp.int64(-1)
        if index < stored:
            kind = rows.kind[world, index]
            id = rows.owner[world, index]
            if kind == _FRICTIONLESS or kind == _PYRAMIDAL or kind == _ELLIPTIC:
                if rows.first[id, 0] == index:
                    pair = wp.int64(rows.geom[id][0]) * geoms + wp.int64(rows.geom[id][1])
                    key = pair * _POINTS + wp.int64(rows.point[id])
        else:
            limit = index - stored
            place = -1 - limit
            if _limit_gap(limits, world, limit) <= distance:
                key = geoms * geoms * _POINTS + wp.int64(limit)
        if key >= wp.int64(0):
            speed = wp.float64(0.0)
            for j in range(velocity.shape[1]):
                speed += _normal_entry(rows, limits, world, place, j) * velocity[world, j]
            fastest = wp.max(fastest, -speed)
            if found < most:
                at = found
                while at > 0 and keys[world, wp.max(at - 1, 0)] > key:
                    keys[world, at] = keys[world, at - 1]
                    places[world, at] = places[world, at - 1]
                    at -= 1
                keys[world, at] = key
                places[world, at] = place
            found += 1
    result[world] = NO_IMPACT
    if fastest > threshold:
        result[world] = OUTCOME
        if found > most or rows.count[world] > stored:  # the latter: Warp had no place for all rows
            result[world] = NO_OUTCOME
    for k in range(most):
        active[world, k] = wp.uint8(0)
        if result[world] == OUTCOME and k < found:
            active[world, k] = wp.uint8(1)


@wp.kernel
def write_contacts(
    rows: Rows,
    limits: Limits,
    places: wp.array2d(dtype=int),
    active: wp.array2d(dtype=wp.uint8),
    normal: wp.array3d(dtype=wp.float64),
    tangent: wp.array3d(dtype=wp.float64),
    friction: wp.array2d(dtype=wp.float64),
):
    """Of a world, a contact and a velocity: entries of the Jacobians, and friction."""
    world, k, j = wp.tid()
    zero = wp.float64(0.0)
    n, t1, t2, mu = zero, zero, zero, zero
    if active[world, k] != wp.uint8(0):
        place = places[world, k]
        n = _normal_entry(rows, limits, world, place, j)
        if place >= 0:
            kind = rows.kind[world, place]
            if kind != _FRICTIONLESS:
                mu = wp.float64(rows.friction[rows.owner[world, place], 0])
            if kind == _ELLIPTIC:
                t1 = _row_entry(rows, world, place + 1, j)
                t2 = _row_entry(rows, world, place + 2, j)
            if kind == _PYRAMIDAL:
                twice = wp.float64(2.0) * mu
                t1 = (_row_entry(rows, world, place, j) - _row_entry(rows, world, place + 1, j)) / twice
                t2 = (_row_entry(rows, world, place + 2, j) - _row_entry(rows, world, place + 3, j)) / twice
    normal[world, k, j] = n
    tangent[world, 2 * k, j] = t1
    tangent[world, 2 * k + 1, j] = t2
    if j == 0:
        friction[world, k] = mu


@wp.kernel
def write_velocities(
    velocity: wp.array2d(dtype=wp.float64),
    status: wp.array(dtype=wp.uint8),
    result: wp.array(dtype=int),
    qvel: wp.array2d(dtype=float),
):
    """Of a world: the outcome becomes its velocity, if there is one."""
    world = wp.tid()
    if result[world] == OUTCOME:
        if status[world] != wp.uint8(0):
            result[world] = NO_OUTCOME
        else:
            for j in range(velocity.shape[1]):
                qvel[world, j] = float(velocity[world, j])
