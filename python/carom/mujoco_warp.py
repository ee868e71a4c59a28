"""Impacts of MuJoCo Warp's worlds, made where its arrays are (docs/mujoco.md); needs `mujoco_warp` and `warp`."""

from __future__ import annotations

from typing import Any

import mujoco
import mujoco_warp
import numpy as np
import warp as wp

from carom._checks import finite_number, whole_number
from carom._core import MOST_VELOCITIES, InputError
from carom._warp_kernels import (  # noqa: F401
    BALL,
    JOINT,
    NO_IMPACT,
    NO_OUTCOME,
    OUTCOME,
    TENDON,
    Limits,
    Rows,
    list_contacts,
    write_contacts,
    write_masses,
    write_velocities,
)


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
                ends.append((BALL, id, -1, position[id], velocity[id]))
        else:
            ends += [(JOINT, id, sign, position[id], velocity[id]) for sign in (1, -1)]
    ends += [(TENDON, id, sign, 0, 0) for id in np.flatnonzero(tendons) for sign in (1, -1)]
    disabled = mujoco.mjtDisableBit.mjDSBL_LIMIT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    if int(model.opt.disableflags) & int(disabled):
        ends = []
    limits = Limits()
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
        self._limits = _limits_of(model, data) if limits else Limits()
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

        launch(write_masses, (count, model.nv), model.M_rownnz, model.M_rowadr, model.M_colind, data.M, data.qvel,
               its["mass_matrix"], velocity)  # fmt: skip
        rows, limits = Rows(), self._limits
        rows.count, rows.kind, rows.owner = data.nefc, efc.type, efc.id
        rows.is_sparse, rows.J = model.is_sparse, efc.J
        rows.rownnz, rows.rowadr, rows.colind = efc.J_rownnz, efc.J_rowadr, efc.J_colind
        rows.geom, rows.point, rows.first = contact.geom, contact.geomcollisionid, contact.efc_address
        rows.friction = wp.array(ptr=contact.friction.ptr, shape=(contact.friction.shape[0], 5), dtype=float,
                                 device=self.device)  # fmt: skip
        limits.qpos, limits.length, limits.J = data.qpos, data.ten_length, data.ten_J
        launch(list_contacts, count, self.contacts, wp.float64(self.threshold), wp.float64(self.distance),
               wp.int64(model.ngeom + 1), rows, limits, velocity, self._places, self._keys, its["active"],
               self._result)  # fmt: skip
        launch(write_contacts, normal.shape, rows, limits, self._places, its["active"], normal,
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
        wp.launch(write_velocities, dim=self.data.nworld, device=self.device,
                  inputs=(velocity, status, self._result, self.data.qvel))  # fmt: skip
        return self._result
