"""The impact update of many different worlds, on the CPU and where the worlds are."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from carom import _core
from carom._core import STATUS, DeviceSamples, InputError, SampleSet
from carom._notes import CaromWarning


class ImpactLaw:
    """The impact update of a simulator: one random outcome for each of many different problems.

    Parameters
    ----------
    seed, problem_id : 32 bits each (a seed None is 1); problem i has the stream problem_id + i
    max_steps : greatest number of steps; default: 1,000 LCPs, 20,000 of law "sequential",
        100,000 impacts, 20,000 intervals
    law, law_options : as for `sample()`; `v_before`, a velocity of the law's own, is refused
    epsilon, norm, termination_tolerance, threads : as for `sample()`
    caps : of the set-valued law; default: as of `sample()`, by the number of a problem's active
        contacts; "uniform" is faster and, with many contacts, draws a part of the set
    solutions : of the set-valued law, "first", "cover" or "all"; default: "cover"
    strict : a problem that breaks a rule (NaN, a mass matrix that is not positive definite) raises
        InputError; else its row has the status "bad_input" and its velocity comes back as it was

    `law(step, ...)` is a pure function of (seed, step, index of the problem): calling it again, with
    another number of threads, or with the batch in parts, gives the same bits. Outcome i of a step
    is trajectory `step` of `sample()` for that problem with problem_id + i and the same options
    (impulse_step, too). The first call with problems that end without an outcome, by each status,
    says so by a CaromWarning; `status_counts` of what it returns has them of every call.
    """

    def __init__(
        self,
        seed: int | None = 1,
        *,
        problem_id: int = 0,
        max_steps: int | None = None,
        law: str | None = None,
        law_options: dict[str, Any] | None = None,
        epsilon: float | None = None,
        norm: str = "euclidean",
        termination_tolerance: float = 1e-8,
        caps: str | None = None,
        solutions: str | None = None,
        threads: int = 0,
        strict: bool = False,
    ) -> None:
        self._options = {name: value for name, value in locals().items() if name != "self"}
        self._law = _core.ImpactLaw(dict(self._options))
        self._warned: set[str] = set()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied by its options: other processes draw the same outcomes."""
        options = dict(self._options)
        return functools.partial(type(self), **options), ()

    def __call__(
        self,
        step: int,
        mass_matrix: ArrayLike,
        normal_jacobian: ArrayLike,
        tangent_jacobian: ArrayLike,
        friction: ArrayLike,
        pre_impact_velocity: ArrayLike,
        *,
        restitution: ArrayLike | None = None,
        active: ArrayLike | None = None,
        impulse_step: ArrayLike | None = None,
        friction_directions: int | None = None,
        first: int = 0,
        out: Any = None,
        progress: bool = False,
    ) -> SampleSet:
        """One outcome per problem.

        Parameters
        ----------
        step : number of the simulator's step, 64 bits
        mass_matrix : (B, nv, nv), or for all problems (nv, nv) or (1, nv, nv)
        normal_jacobian : (B, m, nv), or for all (m, nv) or (1, m, nv)
        tangent_jacobian : (B, m, nv) in the plane, (B, 2 m, nv) in space, or for all without B or with 1
        friction : (B, m), for all problems (m,) or (1, m), for all contacts (B, 1), or a number
        pre_impact_velocity : (B, nv)
        restitution : as friction, 0 to 1, for laws that have it; default: the law's own
        active : (B, m) flags; an inactive contact is left out of its problem, and the other arrays'
            entries for it are ignored
        impulse_step : h, N·s: a number or (B,); default: each problem's stopping impulse, what
            a contact needs where friction jams it, 1 N·s where no contact approaches
        friction_directions : k; 2 in the plane, 4 in space by default
        first : index of the first problem, if the batch is a part of a larger one
        out : (B, nv) float32 or float64 array or tensor that the velocities are written to as well;
            it may be `pre_impact_velocity` itself, and shares no memory with other arguments

        Returns
        -------
        SampleSet whose row i is the outcome of problem `first + i`: velocity (B, nv), status (B,)
        (0 an outcome, 1 still colliding after max_steps, 7 a problem that breaks a rule), impulse
        (B, m, 1 + d), energy (B,), and counts of the law's steps. Where no contact approaches, the
        velocity does not change.

        >>> import carom, numpy as np
        >>> law = carom.ImpactLaw(seed=7)
        >>> falling = dict(
        ...     mass_matrix=np.stack([np.eye(2)] * 3), normal_jacobian=[[[0.0, 1.0]]] * 3,
        ...     tangent_jacobian=[[[1.0, 0.0]]] * 3, friction=[[0.5]] * 3,
        ...     pre_impact_velocity=[[0.1, -1.0], [0.0, -2.0], [0.3, 0.5]])
        >>> law(0, **falling).velocity.round(12) + 0.0
        array([[0. , 0. ],
               [0. , 0. ],
               [0.3, 0.5]])
        """
        problems = (
            mass_matrix, normal_jacobian, tangent_jacobian, friction, pre_impact_velocity, restitution,
            active, impulse_step, friction_directions, first,
        )  # fmt: skip
        if out is not None:
            _refuse_shared(
                out, mass_matrix=mass_matrix, normal_jacobian=normal_jacobian, tangent_jacobian=tangent_jacobian,
                friction=friction, restitution=restitution, active=active, impulse_step=impulse_step,
            )  # fmt: skip
        found = self._law(step, *problems, out, progress)
        if found.status.any():
            self._warn_of(found, lambda: self._first_rule(step, found.status, *problems))
        return found

    def _first_rule(self, step: int, status: Any, *problems: Any) -> str:
        """What the first problem that breaks a rule breaks; `out` has left its velocity as it was."""
        index = int(np.flatnonzero(status == STATUS.index("bad_input"))[0])
        *arrays, friction_directions, first = problems
        axes = (3, 3, 3, 2, 2, 2, 2, 1)  # of arrays with an entry per problem
        own = [
            its[index : index + 1] if its is not None and np.ndim(its) == count and len(its) > 1 else its
            for its, count in zip(arrays, axes, strict=True)
        ]
        law = _core.ImpactLaw({**self._options, "strict": True})
        try:
            law(step, *own, friction_directions, first + index, None, False)
        except InputError as error:
            return str(error)
        return "unknown"

    def _warn_of(self, found: SampleSet, first_rule: Callable[[], str]) -> None:
        """Once of each kind: a simulator makes a thousand calls a second."""
        for status, count in found.status_counts.items():
            if status == "separated" or status in self._warned:
                continue
            self._warned.add(status)
            if status == "bad_input":
                text = f"broke a rule: their velocity is as it was. The first: {first_rule()}"
            elif status == "step_limit":
                limit = f"max_steps = {self._law.max_steps}" + ("" if found.rounds is None else " or max_rounds")
                text = f"still collided after {limit}: their velocity is the last"
                if self._options.get("law") in (None, "set_valued"):
                    text += " (where friction jams a contact, it needs a larger impulse_step)"
            else:
                text = f"failed ({status}): their velocity is the last"
            warnings.warn(f"{count} of {len(found)} problems {text}", CaromWarning, stacklevel=3)


def _refuse_shared(out: Any, **arrays: Any) -> None:
    """Raises InputError if writing to `out` would change one of the arrays."""
    for name, its in arrays.items():
        try:
            is_shared = np.shares_memory(out, its)
        except (TypeError, ValueError, RuntimeError):  # no arrays of the CPU, which have errors of their own
            continue
        if is_shared:
            raise InputError(f"out shares memory with {name} (must be an array of its own, or pre_impact_velocity)")


class DeviceImpactLaw:
    """The ImpactLaw of worlds whose arrays lie in the memory of a CUDA device.

    Arrays are whatever has `__dlpack__` or `__cuda_array_interface__` (torch, JAX, Warp, CuPy, Numba),
    of float64 numbers, row by row in one piece; nothing is copied to the host but worlds that double
    precision cannot decide, those with more than 12 active contacts in the plane, 8 in space (16 of law
    "propagative") or 48 velocities, those of law "propagative" with restitution below one, and with
    solutions="all" those whose steps are not proven to have one. The bits are those of ImpactLaw.

    Parameters
    ----------
    device : number of the CUDA device
    others : as of ImpactLaw
    """

    def __init__(
        self,
        seed: int | None = 1,
        *,
        device: int = 0,
        problem_id: int = 0,
        max_steps: int | None = None,
        law: str | None = None,
        law_options: dict[str, Any] | None = None,
        epsilon: float | None = None,
        norm: str = "euclidean",
        termination_tolerance: float = 1e-8,
        caps: str | None = None,
        solutions: str | None = None,
    ) -> None:
        options = {name: value for name, value in locals().items() if name not in ("self", "device")}
        self._law = _core.DeviceImpactLaw(options, device)

    def __call__(
        self,
        step: int,
        mass_matrix: Any,
        normal_jacobian: Any,
        tangent_jacobian: Any,
        friction: Any,
        pre_impact_velocity: Any,
        *,
        restitution: Any = None,
        active: Any = None,
        impulse_step: Any = None,
        friction_directions: int | None = None,
        first: int = 0,
        out: Any = None,
        stream: int | None = None,
        waits: bool = True,
    ) -> DeviceSamples | None:
        """One outcome per problem, on a stream of the device.

        Parameters
        ----------
        step, mass_matrix, ... : shapes as of ImpactLaw; friction and restitution are (B, m) or
            (m,), impulse_step (B,) or an array of one number without dimensions, active bool or uint8
        out : where the outcomes go, so that a call allocates nothing: the DeviceSamples of an earlier
            call with as many problems, or a (B, nv) array of the device for the velocities alone, which
            may be `pre_impact_velocity` itself
        stream : the device's stream as a number, such as `torch.cuda.current_stream().cuda_stream`;
            default: the default stream. The arrays must be ready on it, and stay until it is done.
        waits : whether the call waits for the outcomes and lets the CPU solve the few that double
            precision cannot decide. If not, they keep their velocity and have the status 255.

        Returns
        -------
        DeviceSamples whose row i is the outcome of problem `first + i`; None if `out` is an array
        """
        return self._law(
            step,
            mass_matrix,
            normal_jacobian,
            tangent_jacobian,
            friction,
            pre_impact_velocity,
            restitution,
            active,
            impulse_step,
            friction_directions,
            first,
            out,
            stream,
            waits,
        )
