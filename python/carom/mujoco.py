"""Impacts of MuJoCo's models and states (docs/mujoco.md); `mujoco` itself is imported where it is used."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path as _Path
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike

from carom import _core
from carom._core import ImpactProblem, InputError, RunError

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
    geoms : names or pairs of names that select contacts; None: all contacts
    distance : m; geoms at most this far apart are in contact

    Velocities are in MuJoCo's own coordinates, those of qvel. The library is that of the installed
    `mujoco` package unless the environment variable CAROM_MUJOCO_LIBRARY names another.
    """
    _find_mujoco()
    if isinstance(model, str) and model.lstrip().startswith("<"):
        import mujoco

        try:
            model = mujoco.MjModel.from_xml_string(model)
        except ValueError as error:
            raise InputError(f"model is no model that MuJoCo can read: {error}") from None
    if isinstance(model, (str, os.PathLike)):
        if data is not None:
            raise InputError("data must be left out where the model is a file or text")
    else:
        mujoco = _package()
        held = _address("model", model, mujoco.MjModel)
        state = None if data is None else _state("data", data, held, mujoco.MjData)
        return _core.from_mujoco(held, state, qpos, qvel, keyframe, geoms, distance)
    return _core.from_mujoco(model, None, qpos, qvel, keyframe, geoms, distance)


def contacts(
    model: Any,
    datas: Sequence[Any],
    *,
    geoms: Geoms | None = None,
    distance: float = 1e-3,
) -> dict[str, np.ndarray]:
    """The arrays that `carom.ImpactLaw` takes of many states of one model.

    Parameters
    ----------
    model : mujoco.MjModel
    datas : B mujoco.MjData, evaluated by mj_fwdPosition (or mj_forward, mj_step1); contacts are those
        that lie in them
    geoms : names or pairs of names that select contacts; None: all contacts
    distance : m; contacts with a larger gap are left out

    Returns
    -------
    dict of `mass_matrix` (B, nv, nv), `normal_jacobian` (B, m, nv), `tangent_jacobian` (B, m d, nv),
    `friction` (B, m), `pre_impact_velocity` (B, nv), the data's qvel, and `active` (B, m). m is the
    greatest number of contacts of a state, 1 at least; d is 1 where no contact of any state can slip
    in two directions, else 2.

    So an impact of all of them is `law(step, **carom.mujoco.contacts(model, datas))`. Another thread
    may not use the data meanwhile.
    """
    _find_mujoco()
    mujoco = _package()
    held = _address("model", model, mujoco.MjModel)
    states = [_state(f"datas[{i}]", data, held, mujoco.MjData) for i, data in enumerate(datas)]
    return _core.mujoco_contacts(held, states, geoms, distance)
