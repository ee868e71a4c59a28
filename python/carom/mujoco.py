"""Impacts of MuJoCo's models and states (docs/mujoco.md); `mujoco` itself is imported where it is used."""

from __future__ import annotations

import copy
import importlib.util
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path as _Path
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike

from carom import _core
from carom._checks import finite_number, whole_number
from carom._core import MOST_VELOCITIES, STATUS, ImpactProblem, InputError, RunError
from carom._mujoco_log import without_log

Geoms = Sequence[Union[str, "tuple[str, str]"]]


def _find_mujoco() -> None:
    """Uses the library of the installed `mujoco` package, unless the environment names one."""
    if "CAROM_MUJOCO_LIBRARY" in os.environ:
        return
    found = importlib.util.find_spec("mujoco")
    for place in (found.submodule_search_locations or []) if found else []:
        for library in sorted(_Path(place).glob("libmujoco.so*")):
            os.environ["CAROM_MUJOCO_LIBRARY"] = str(library)
            return


def _package() -> Any:
    """The package whose objects hold structs as Carom's headers have them."""
    import mujoco

    if mujoco.mj_versionString() != _core.mujoco_version():
        raise RunError(
            f"the package mujoco is {mujoco.mj_versionString()} (must be {_core.mujoco_version() or 'left out'}, "
            "as the headers that this Carom was built with)"
        )
    return mujoco


def _address(name: str, held: Any, kind: type) -> int:
    """Where the struct of a Python object is, which lives as long as the object."""
    if not isinstance(held, kind):
        raise InputError(f"{name} is {type(held).__name__} (must be mujoco.{kind.__name__})")
    return held._address


def _is_text(model: Any) -> bool:
    return isinstance(model, str) and model.lstrip().startswith("<")


def read_model(model: Any) -> Any:
    """The mujoco.MjModel of a file, a text that begins with "<", or itself."""
    import mujoco

    if isinstance(model, mujoco.MjModel):
        return model
    try:
        if _is_text(model):
            return mujoco.MjModel.from_xml_string(model)
        return mujoco.MjModel.from_xml_path(os.fspath(model))
    except TypeError:
        raise InputError(f"model is {type(model).__name__} (must be mujoco.MjModel, a file or MJCF text)") from None
    except ValueError as error:
        raise InputError(f"model is no model that MuJoCo can read: {error}") from None


def _state(name: str, data: Any, model: int, kind: type) -> int:
    address = _address(name, data, kind)
    if data.model._address != model:
        raise InputError(f"{name} is of another model")
    return address


def from_mujoco(
    model: Any,
    data: Any = None,
    *,
    qpos: ArrayLike | None = None,
    qvel: ArrayLike | None = None,
    keyframe: str | int | None = None,
    geoms: Geoms | None = None,
    distance: float = 1e-3,
    merge: bool | int = False,
    limits: bool = True,
    friction_directions: int | None = None,
) -> ImpactProblem:
    """The impact of a MuJoCo model at a state (docs/mujoco.md).

    Parameters
    ----------
    model : MJCF or URDF file, MJCF text that begins with "<", or mujoco.MjModel
    data : mujoco.MjData of that model whose state is meant; it need not be evaluated, and stays as
        it is
    qpos, qvel : (nq,) and (nv,); None: those of the data or the keyframe, or the reference state at
        rest
    keyframe : name, or index from 0; not with data
    geoms : a name, or names and pairs of names, that select contacts; None: all contacts
    distance : m; geoms at most this far apart are in contact
    merge : of contacts of two bodies in one plane, only the corners of the points' convex hull, or, as a
        number >= 3, so many of them at most; the set becomes smaller (docs/mujoco.md)
    limits : joints and tendons within distance (m or rad) of an end of their range are stopped by it; False:
        no limit pushes back in the impact
    friction_directions : k, even, in space; None: 4, whose pyramid holds up to 29 % less than the cone

    Velocities are in MuJoCo's own coordinates, those of qvel. The library is that of the installed
    `mujoco` package unless the environment variable CAROM_MUJOCO_LIBRARY names another.
    """
    _find_mujoco()
    if _is_text(model):
        model = read_model(model)
    if friction_directions is not None:
        whole_number("friction_directions", friction_directions, 4)
    selection = keyframe, geoms, distance, merge, limits, friction_directions
    if isinstance(model, (str, os.PathLike)):
        if data is not None:
            raise InputError("data must be left out where the model is a file or text")
        return _core.from_mujoco(model, None, qpos, qvel, *selection)
    mujoco = _package()
    held = _address("model", model, mujoco.MjModel)  # of `model`, which must live until the end
    state = None if data is None else _state("data", data, held, mujoco.MjData)
    return _core.from_mujoco(held, state, qpos, qvel, *selection)


def contacts(
    model: Any,
    datas: Sequence[Any],
    *,
    geoms: Geoms | None = None,
    distance: float = 1e-3,
    merge: bool | int = False,
    limits: bool = True,
    ids: bool = False,
) -> dict[str, np.ndarray]:
    """The arrays that `carom.ImpactLaw` takes of many states of one model.

    Parameters
    ----------
    model : mujoco.MjModel
    datas : B mujoco.MjData, evaluated by mj_fwdPosition (or mj_forward, mj_step1); contacts are those
        that lie in them, and the limits that joints and tendons are at
    geoms : a name, or names and pairs of names, that select contacts; None: all contacts
    distance : m; contacts with a larger gap are left out
    merge, limits : as of `from_mujoco`
    ids : with `contact_id` (B, m): `datas[b].contact[contact_id[b, i]]` is contact i of state b, with its
        geoms and its place; -1 of a limit, or where there is no contact. `ImpactLaw` does not take it.

    Returns
    -------
    dict of `mass_matrix` (B, nv, nv), `normal_jacobian` (B, m, nv), `tangent_jacobian` (B, m d, nv),
    `friction` (B, m), `pre_impact_velocity` (B, nv), and `active` (B, m). The velocity is the data's qvel;
    where a contact approaches, without the part that breaks active equality constraints. m is the
    greatest number of contacts of a state, limits included, 1 at least; d is 1 where no contact of any state can slip
    in two directions, else 2.

    So an impact of all of them is `law(step, **carom.mujoco.contacts(model, datas))`. Another thread
    may not use the data meanwhile.
    """
    _find_mujoco()
    mujoco = _package()
    held = _address("model", model, mujoco.MjModel)
    if isinstance(datas, mujoco.MjData) or not isinstance(datas, Iterable):
        raise InputError(f"datas is {type(datas).__name__} (must be a list of mujoco.MjData)")
    datas = list(datas)  # keeps what an iterator makes until it has been read
    states = [_state(f"datas[{i}]", data, held, mujoco.MjData) for i, data in enumerate(datas)]
    return _core.mujoco_contacts(held, states, geoms, distance, merge, limits, ids)


class Worlds:
    """Many states of one MuJoCo model that move side by side: before a step, where contacts approach
    faster than a threshold, the velocity becomes an outcome of the law; all the rest is MuJoCo's.
    Contacts that move the same kinematic trees have one impact, other trees their own; where an
    equality constraint is active, all contacts of the world have one.

    Parameters
    ----------
    model : mujoco.MjModel, an MJCF file, or MJCF text that begins with "<"
    count : B
    law : carom.ImpactLaw; None: MuJoCo's contact alone
    threshold : m/s (rad/s of limits of angles); impacts that are slower are MuJoCo's alone
    distance : m; geoms at most this far apart take part in an impact; limits (m or rad) as of `from_mujoco`
    merge, limits : as of `from_mujoco`
    restitution : of all contacts; None: the law's own default
    threads : None: all

    `model` is a copy; with a law, MuJoCo finds contacts in it within `distance`, and pushes as before. `datas` are the B
    mujoco.MjData; whatever is set in them counts from the next step on. `counts`
    has the number of impacts by status (`carom.STATUS`) since the beginning: `counts[0]` had an
    outcome, the others are MuJoCo's. Pickle and `copy.deepcopy` keep all of it,
    MuJoCo's data included (0.2 MB for a world of a quadruped).
    """

    def __init__(
        self,
        model: Any,
        count: int,
        law: Any = None,
        *,
        threshold: float = 0.1,
        distance: float = 1e-3,
        merge: bool | int = False,
        limits: bool = True,
        restitution: float | None = None,
        threads: int | None = None,
    ) -> None:
        mujoco = _package()
        model = copy.copy(read_model(model))
        contacts(model, [], distance=distance, merge=merge, limits=limits)  # refuses what breaks their rules
        whole_number("count", count, 1)
        if not (law is None or callable(law)) or isinstance(law, type):
            raise InputError(f"law is {law!r} (must be a carom.ImpactLaw, or None)")
        finite_number("threshold", threshold)
        if restitution is not None:
            if law is None:
                raise InputError("restitution is given (must be with a law)")
            finite_number("restitution", restitution, most=1.0)
        if threads is not None:
            whole_number("threads", threads, 1)
        if law is not None:
            _core.mujoco_find_within(model._address, distance)
        self.model, self.law, self.threshold = model, law, threshold
        self.restitution = restitution
        self.selection = {"distance": distance, "merge": merge, "limits": limits}
        self.datas = [mujoco.MjData(model) for _ in range(count)]
        self.threads = threads or os.cpu_count()
        self.steps = 0  # of all calls of step()
        self.counts = np.zeros(len(STATUS), dtype=int)  # impacts by their status
        self._pool = ThreadPoolExecutor(self.threads)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_pool"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        mujoco = _package()
        saved = self.datas  # each with a model of its own
        self.datas = [mujoco.MjData(self.model) for _ in saved]
        for data, its in zip(self.datas, saved, strict=True):
            mujoco.mj_copyData(data, self.model, its)
        self._pool = ThreadPoolExecutor(self.threads)

    def _in_all(self, function: Callable[[int], None], which: np.ndarray) -> None:
        def run(part: np.ndarray) -> None:  # MuJoCo lets other threads run meanwhile
            for i in part:
                function(i)

        list(self._pool.map(run, np.array_split(which, self.threads)))

    def step(self, count: int = 1, moving: ArrayLike | None = None) -> np.ndarray:
        """Takes MuJoCo's time step `count` times, in the worlds of a mask (B,), or all.

        Returns a mask (B,) of worlds of which an impact had no outcome, and so was MuJoCo's, and of those
        that diverged, so that MuJoCo set them back to the model's reference state. MuJoCo's warnings
        of these go to `mujoco.set_mju_user_warning`, or nowhere.
        """
        import mujoco

        whole_number("count", count, 0)
        mask = np.ones(len(self.datas), dtype=bool) if moving is None else np.asarray(moving)
        if mask.shape != (len(self.datas),) or mask.dtype != bool:
            raise InputError(
                f"moving has the shape {mask.shape} and type {mask.dtype} (must be a mask of {len(self.datas)} worlds)"
            )
        which = np.flatnonzero(mask)
        failed = np.zeros(len(self.datas), dtype=bool)
        reasons = [int(getattr(mujoco.mjtWarning, f"mjWARN_BAD{name}")) for name in ("QPOS", "QVEL", "QACC")]

        def resets(data: Any) -> int:
            return data.warning.number[reasons].sum()

        timestep = self.model.opt.timestep

        def move(i: int) -> None:  # a step that diverges begins anew at time 0, and clears the counts
            data = self.datas[i]
            time = data.time
            is_first = time < timestep
            before = resets(data) if is_first else 0
            mujoco.mj_step(self.model, data)
            if data.time <= time or (is_first and resets(data) != before):
                failed[i] = True

        with without_log():
            for _ in range(count):
                if self.law is not None and len(which):
                    self._in_all(lambda i: mujoco.mj_fwdPosition(self.model, self.datas[i]), which)
                    self._collide(which, failed)
                self._in_all(move, which)
                self.steps += 1
        return failed

    def _collide(self, which: np.ndarray, failed: np.ndarray) -> None:
        addresses = [self.datas[i]._address for i in which]
        distance, limits = self.selection["distance"], self.selection["limits"]
        near = _core.mujoco_approach(self.model._address, addresses, distance, limits, self.threshold)
        worlds = which[near]
        if not len(worlds):
            return
        datas = [self.datas[i] for i in worlds]
        arrays = contacts(self.model, datas, **self.selection)
        active, velocity = arrays["active"], arrays["pre_impact_velocity"]
        moves, tree = self._moved_trees(arrays, datas)
        group = _groups(moves)
        speed = np.matmul(arrays["normal_jacobian"], velocity[:, :, None])[:, :, 0]  # groups do not change others'
        for first in np.unique(group[active]):
            its = active & (group == first)
            hit = (its & (speed < -self.threshold)).any(axis=1)
            moved = (moves & its[:, :, None]).any(axis=1)[:, tree]
            fits = hit & (moved.sum(axis=1) <= MOST_VELOCITIES)
            self._lose(hit & ~fits, worlds, failed, STATUS.index("bad_input"))
            if not fits.any():
                continue
            part, columns, kept = _part({**arrays, "active": its & fits[:, None]}, moved & fits[:, None])
            if self.restitution is not None:
                part["restitution"] = self.restitution
            # Groups have their own random numbers, and worlds those of their own number.
            outcomes = self.law(self.steps + (int(first) << 40), **_rows_of(part, worlds, len(self.datas)))
            status = outcomes.status[worlds]
            for i in np.flatnonzero(fits & (status == 0)):
                self.counts[0] += 1
                velocity[i, columns[i, kept[i]]] = outcomes.velocity[worlds[i], kept[i]]
                datas[i].qvel[:] = velocity[i]
            for lost in np.unique(status[fits & (status != 0)]):
                self._lose(fits & (status == lost), worlds, failed, lost)

    def _lose(self, impacts: np.ndarray, worlds: np.ndarray, failed: np.ndarray, status: int) -> None:
        """Counts impacts without an outcome, a mask of `worlds`: they are MuJoCo's."""
        self.counts[status] += impacts.sum()
        failed[worlds[impacts]] = True

    def _moved_trees(self, arrays: dict[str, np.ndarray], datas: list[Any]) -> tuple[np.ndarray, np.ndarray]:
        """The kinematic trees (B, m, trees) that a contact moves, whose velocities its impact may change,
        and the tree of each velocity (nv,). All are one where active equality constraints can hold them
        together."""
        count, m, nv = arrays["normal_jacobian"].shape
        trees, tree = max(self.model.ntree, 1), np.asarray(self.model.dof_treeid)
        moves = np.ones((count, m, trees), dtype=bool)
        apart = np.flatnonzero([data.ne == 0 for data in datas])
        if trees < 2 or not len(apart):
            return moves, tree
        rows = np.concatenate(
            [arrays[f"{name}_jacobian"][apart].reshape(len(apart), m, -1, nv) for name in ("normal", "tangent")], axis=2
        )
        of_tree = np.arange(trees) == tree[:, None]
        moves[apart] = (rows != 0.0).any(axis=2) @ of_tree
        return moves, tree


def _groups(moves: np.ndarray) -> np.ndarray:
    """The first contact (B, m) of each contact's group: contacts that move the same trees are in one."""
    together = moves @ moves.transpose(0, 2, 1)
    labels = np.broadcast_to(np.arange(moves.shape[1]), together.shape[:2])
    while True:
        lower = np.where(together, labels[:, None, :], labels[:, :, None]).min(axis=2)
        if np.array_equal(lower, labels):
            return lower
        labels = lower


def _rows_of(part: dict[str, Any], worlds: np.ndarray, count: int) -> dict[str, Any]:
    """Problems of some worlds as rows of all; others have unit masses, at rest and without an active contact."""

    def spread(name: str, array: np.ndarray) -> np.ndarray:
        rows = np.zeros((count, *array.shape[1:]), array.dtype)
        if name == "mass_matrix":
            rows[:] = np.eye(array.shape[1])
        rows[worlds] = array
        return rows

    return {name: spread(name, its) if isinstance(its, np.ndarray) else its for name, its in part.items()}


def _part(arrays: dict[str, np.ndarray], its: np.ndarray) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """The problems of a part (B, nv) of the velocities. Columns (B, k) are the part's velocities, then others
    up to the greatest number of a problem, which are not kept (B, k): unit masses at rest that no contact moves."""
    most = its.sum(axis=1).max()
    columns = np.argsort(~its, axis=1, kind="stable")[:, :most]
    kept = np.take_along_axis(its, columns, axis=1)

    def along(name: str) -> np.ndarray:  # of rows of velocities
        return np.take_along_axis(arrays[name], columns[:, None, :], axis=2) * kept[:, None, :]

    mass = np.take_along_axis(along("mass_matrix"), columns[:, :, None], axis=1) * kept[:, :, None]
    return (
        {
            **arrays,
            "mass_matrix": mass + np.eye(most) * ~kept[:, :, None],
            "normal_jacobian": along("normal_jacobian"),
            "tangent_jacobian": along("tangent_jacobian"),
            "pre_impact_velocity": np.take_along_axis(arrays["pre_impact_velocity"], columns, axis=1) * kept,
        },
        columns,
        kept,
    )
