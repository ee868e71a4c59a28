"""Impacts of MuJoCo Warp's worlds, made where its arrays are (docs/mujoco.md); needs `mujoco_warp` and `warp`."""

from __future__ import annotations

from typing import Any

import mujoco
import mujoco_warp
import numpy as np
import warp as wp

from carom._checks import finite_number, whole_number
from carom._core import MOST_VELOCITIES, InputError

NO_IMPACT, OUTCOME, NO_OUTCOME = 0, 1, 2  # what a call says of a world

_ROW = mujoco.mjtConstraint
_FRICTIONLESS = int(_ROW.mjCNSTR_CONTACT_FRICTIONLESS)
_PYRAMIDAL, _ELLIPTIC = int(_ROW.mjCNSTR_CONTACT_PYRAMIDAL), int(_ROW.mjCNSTR_CONTACT_ELLIPTIC)
_JOINT, _BALL, _TENDON = 0, 1, 2  # what has a limit
_POINTS = wp.constant(wp.int64(1024))  # more than a pair of geoms has


@wp.struct
class _Rows:
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
class _Limits:
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
def _row_entry(rows: _Rows, world: int, row: int, j: int) -> wp.float64:
    if not rows.is_sparse:
        return wp.float64(rows.J[world, row, j])
    begin = rows.rowadr[world, row]
    for k in range(begin, begin + rows.rownnz[world, row]):
        if rows.colind[world, 0, k] == j:
            return wp.float64(rows.J[world, 0, k])
    return wp.float64(0.0)


@wp.func
def _rotation(limits: _Limits, world: int, limit: int) -> wp.vec4d:
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
def _limit_gap(limits: _Limits, world: int, limit: int) -> wp.float64:
    """m or rad, less the margin."""
    kind = limits.kind[limit]
    id = limits.id[limit]
    ends = wp.vec2()
    margin = float(0.0)
    value = wp.float64(0.0)
    if kind == _TENDON:
        ends = limits.tendon_range[world % limits.tendon_range.shape[0], id]
        margin = limits.tendon_margin[world % limits.tendon_margin.shape[0], id]
        value = wp.float64(limits.length[world, id])
    else:
        ends = limits.joint_range[world % limits.joint_range.shape[0], id]
        margin = limits.joint_margin[world % limits.joint_margin.shape[0], id]
        if kind == _BALL:
            value = _rotation(limits, world, limit)[3]
        else:
            value = wp.float64(limits.qpos[world, limits.position[limit]])
    gap = value - wp.float64(ends[0])
    if limits.sign[limit] < 0:
        end = ends[1]
        if kind == _BALL:
            end = wp.max(ends[0], ends[1])
        gap = wp.float64(end) - value
    return gap - wp.float64(margin)


@wp.func
def _limit_entry(limits: _Limits, world: int, limit: int, j: int) -> wp.float64:
    """Of the row that gives how fast a joint or tendon moves away from its limit."""
    sign = wp.float64(limits.sign[limit])
    kind = limits.kind[limit]
    if kind == _TENDON:
        id = limits.id[limit]
        for k in range(limits.rowadr[id], limits.rowadr[id] + limits.rownnz[id]):
            if limits.colind[k] == j:
                return sign * wp.float64(limits.J[world, k])
        return wp.float64(0.0)
    at = j - limits.velocity[limit]
    if kind == _BALL:
        if at < 0 or at > 2:
            return wp.float64(0.0)
        return sign * _rotation(limits, world, limit)[at]
    return wp.where(at == 0, sign, wp.float64(0.0))


@wp.func
def _normal_entry(rows: _Rows, limits: _Limits, world: int, place: int, j: int) -> wp.float64:
    """Of a constraint row's contact, or of limit -1 - place. Rows of pyramids are n + mu t and n - mu t."""
    if place < 0:
        return _limit_entry(limits, world, -1 - place, j)
    n = _row_entry(rows, world, place, j)
    if rows.kind[world, place] == _PYRAMIDAL and place + 1 < rows.kind.shape[1]:
        n = wp.float64(0.5) * (n + _row_entry(rows, world, place + 1, j))
    return n


@wp.kernel
def _write_masses(
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
def _list_contacts(
    most: int,
    threshold: wp.float64,
    distance: wp.float64,
    geoms: wp.int64,
    rows: _Rows,
    limits: _Limits,
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
def _write_contacts(
    rows: _Rows,
    limits: _Limits,
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
def _write_velocities(
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


def _limits_of(model: Any, data: Any) -> Any:
    """Both ends of each joint and tendon that is limited; of a ball's angle the upper one, below half a turn."""
    ends = []  # kind, id, sign, place in qpos and in qvel
    types, limited, ranges, position, velocity, tendons = (
        its.numpy() for its in (model.jnt_type, model.jnt_limited, model.jnt_range, model.jnt_qposadr,
                                model.jnt_dofadr, model.tendon_limited)
    )  # fmt: skip
    for id in np.flatnonzero(limited):
        if types[id] == mujoco.mjtJoint.mjJNT_BALL:
            if ranges[:, id].max() < np.pi:
                ends.append((_BALL, id, -1, position[id], velocity[id]))
        else:
            ends += [(_JOINT, id, sign, position[id], velocity[id]) for sign in (1, -1)]
    ends += [(_TENDON, id, sign, 0, 0) for id in np.flatnonzero(tendons) for sign in (1, -1)]
    disabled = mujoco.mjtDisableBit.mjDSBL_LIMIT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    if int(model.opt.disableflags) & int(disabled):
        ends = []
    limits = _Limits()
    columns = np.array(ends, dtype=np.int32).reshape(-1, 5).T
    for name, column in zip(("kind", "id", "sign", "position", "velocity"), columns):
        setattr(limits, name, wp.array(np.ascontiguousarray(column), dtype=int, device=data.qvel.device))
    limits.joint_range, limits.joint_margin = model.jnt_range, model.jnt_margin
    limits.tendon_range, limits.tendon_margin = model.tendon_range, model.tendon_margin
    limits.rownnz, limits.rowadr, limits.colind = model.ten_J_rownnz, model.ten_J_rowadr, model.ten_J_colind
    return limits


class Impacts:
    """Impacts of MuJoCo Warp's worlds by the law: before a step, where contacts approach faster than a
    threshold, the velocity becomes an outcome. Mass matrices, rows of contacts, friction and limits are read
    where Warp has them; nothing is copied to the host but worlds that a DeviceImpactLaw leaves to it. Each
    world has one impact at a time.

    Parameters
    ----------
    model, data : mujoco_warp.Model and Data. Contacts of geoms are those of which Warp has constraint rows
    law : carom.DeviceImpactLaw where the arrays lie on a CUDA device, else carom.ImpactLaw
    contacts : the greatest number m of contacts, limits included, of an impact; others are left to MuJoCo
    distance : m or rad; joints and tendons this close to an end of their range are at its limit
    limits : whether limits that joints and tendons are at push back
    threshold : m/s (rad/s of limits of angles), > 0; slower impacts are MuJoCo's alone
    restitution : of all contacts; None: the law's own default

    `arrays` are what the law takes (float64): `mass_matrix` (B, nv, nv), `normal_jacobian` (B, m, nv),
    `tangent_jacobian` (B, 2 m, nv), `friction` (B, m), `pre_impact_velocity` (B, nv) and `active` (B, m), with
    contacts of worlds that have an impact.
    """

    def __init__(
        self,
        model: Any,
        data: Any,
        law: Any,
        *,
        contacts: int = 16,
        distance: float = 1e-3,
        limits: bool = True,
        threshold: float = 0.1,
        restitution: float | None = None,
    ) -> None:
        for name, held, kind in (("model", model, mujoco_warp.Model), ("data", data, mujoco_warp.Data)):
            if not isinstance(held, kind):
                raise InputError(f"{name} is {type(held).__name__} (must be mujoco_warp.{kind.__name__})")
        sizes = (data.qpos.shape[1], data.qvel.shape[1], data.M.shape[-1])
        if sizes != (model.nq, model.nv, model.M_colind.shape[0]):
            raise InputError("data is of another model")
        if not callable(law) or isinstance(law, type):
            raise InputError(f"law is {law!r} (must be a carom.DeviceImpactLaw or carom.ImpactLaw)")
        if not isinstance(limits, bool):
            raise InputError(f"limits is {limits!r} (must be True or False)")
        if model.nv > MOST_VELOCITIES:
            raise InputError(f"model has {model.nv} velocities (must have at most {MOST_VELOCITIES})")
        for what, number in (("equality constraints", model.neq), ("flexes", model.nflex)):
            if number > 0:
                raise InputError(f"model has {number} {what} (must have none, which the law cannot see)")
        pairs = model.pair_friction.numpy()
        if (pairs[..., 0] != pairs[..., 1]).any():
            raise InputError("model has a pair whose friction differs along the two tangents (must be the same)")
        self.model, self.data, self.law = model, data, law
        self.distance = finite_number("distance", distance)
        self.contacts = whole_number("contacts", contacts, 1)
        self.threshold = finite_number("threshold", threshold, positive=True)
        self.device = data.qvel.device
        count, m, nv = data.nworld, self.contacts, model.nv

        def array(*shape: int, dtype: Any = wp.float64) -> Any:
            return wp.zeros(shape, dtype=dtype, device=self.device)

        self.arrays = {
            "mass_matrix": array(count, nv, nv),
            "normal_jacobian": array(count, m, nv),
            "tangent_jacobian": array(count, 2 * m, nv),
            "friction": array(count, m),
            "pre_impact_velocity": array(count, nv),
            "active": array(count, m, dtype=wp.uint8),
        }
        self._restitution = None
        if restitution is not None:
            value = finite_number("restitution", restitution, most=1.0)
            self._restitution = wp.full((m,), value, dtype=wp.float64, device=self.device)
        self._limits = _limits_of(model, data) if limits else _Limits()
        self._places, self._keys = array(count, m, dtype=int), array(count, m, dtype=wp.int64)
        self._result = array(count, dtype=int)
        self._samples = None  # of the last call, on a device

    def read(self) -> dict[str, Any]:
        """Reads what `mujoco_warp.fwd_position` (`forward`, `step1`) found into `arrays`."""
        model, data, its = self.model, self.data, self.arrays
        efc, contact, count = data.efc, data.contact, data.nworld
        velocity, normal = its["pre_impact_velocity"], its["normal_jacobian"]

        def launch(kernel: Any, shape: Any, *inputs: Any) -> None:
            wp.launch(kernel, dim=shape, inputs=inputs, device=self.device)

        launch(_write_masses, (count, model.nv), model.M_rownnz, model.M_rowadr, model.M_colind, data.M, data.qvel,
               its["mass_matrix"], velocity)  # fmt: skip
        rows, limits = _Rows(), self._limits
        rows.count, rows.kind, rows.owner = data.nefc, efc.type, efc.id
        rows.is_sparse, rows.J = model.is_sparse, efc.J
        rows.rownnz, rows.rowadr, rows.colind = efc.J_rownnz, efc.J_rowadr, efc.J_colind
        rows.geom, rows.point, rows.first = contact.geom, contact.geomcollisionid, contact.efc_address
        rows.friction = wp.array(ptr=contact.friction.ptr, shape=(contact.friction.shape[0], 5), dtype=float,
                                 device=self.device)  # fmt: skip
        limits.qpos, limits.length, limits.J = data.qpos, data.ten_length, data.ten_J
        launch(_list_contacts, count, self.contacts, wp.float64(self.threshold), wp.float64(self.distance),
               wp.int64(model.ngeom + 1), rows, limits, velocity, self._places, self._keys, its["active"],
               self._result)  # fmt: skip
        launch(_write_contacts, normal.shape, rows, limits, self._places, its["active"], normal,
               its["tangent_jacobian"], its["friction"])  # fmt: skip
        return its

    def __call__(self, step: int) -> Any:
        """Reads the contacts, and writes outcomes to `data.qvel`.

        step : number of the call: outcomes are a function of (seed, step, world)

        Returns the array (B,) of NO_IMPACT, OUTCOME, or NO_OUTCOME where the impact is left to MuJoCo.
        """
        arrays = self.read()
        given = {**arrays, "restitution": self._restitution} if self._restitution is not None else arrays
        if self.device.is_cuda:
            stream = wp.get_stream(self.device).cuda_stream
            self._samples = self.law(step, **given, out=self._samples, stream=stream)
            velocity, status = (wp.from_dlpack(its) for its in (self._samples.velocity, self._samples.status))
        else:
            outcomes = self.law(step, **{name: its.numpy() for name, its in given.items()})
            velocity = wp.array(outcomes.velocity, dtype=wp.float64, device=self.device)
            status = wp.array(outcomes.status, dtype=wp.uint8, device=self.device)
        wp.launch(_write_velocities, dim=self.data.nworld, device=self.device,
                  inputs=(velocity, status, self._result, self.data.qvel))  # fmt: skip
        return self._result
