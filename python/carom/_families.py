"""Problems from MuJoCo, data sets and grids; see carom's documentation of the same names."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path as _Path
from typing import Any, Union

from numpy.typing import ArrayLike

from carom import _core
from carom._core import ImpactProblem
from carom._notes import tell
from carom._options import takes_options

Path = Union[str, "os.PathLike[str]"]


def _find_mujoco() -> None:
    """Uses the library of the installed `mujoco` package, unless the environment names one."""
    if "CAROM_MUJOCO_LIBRARY" in os.environ:
        return
    found = importlib.util.find_spec("mujoco")
    for place in (found.submodule_search_locations or []) if found else []:
        for library in sorted(_Path(place).glob("libmujoco.so*")):
            os.environ["CAROM_MUJOCO_LIBRARY"] = str(library)
            return


def from_mujoco(
    model: Path,
    qpos: ArrayLike | None = None,
    qvel: ArrayLike | None = None,
    *,
    keyframe: str | int | None = None,
    geoms: Sequence[str | tuple[str, str]] | None = None,
    distance: float = 1e-3,
) -> ImpactProblem:
    """The impact of a MuJoCo model at a state (docs/mujoco.md).

    Parameters
    ----------
    model : MJCF or URDF file
    qpos, qvel : (nq,) and (nv,); None: those of the keyframe, or the reference state at rest
    keyframe : name, or index from 0
    geoms : names or pairs of names that select contacts; None: all contacts
    distance : m; geoms at most this far apart are in contact

    Velocities are in MuJoCo's own coordinates, those of qvel. The library is that of the installed
    `mujoco` package unless the environment variable CAROM_MUJOCO_LIBRARY names another.
    """
    _find_mujoco()
    return _core.from_mujoco(model, qpos, qvel, keyframe, geoms, distance)


@takes_options("machine")
def generate(
    spec: Path,
    folder: Path,
    *,
    progress: bool | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Makes the data set of a specification, or continues it (docs/datasets.md).

    As `carom dataset`, with the same bytes. Ctrl-C drops the current shard; the next call
    continues. Returns the counts of the datasheet, and `notes`; warnings among them are given as
    CaromWarning, too. `carom.dataset.DatasetFolder` reads the folder.

    {options}
    """
    found = _core.generate(spec, folder, options, progress)
    return tell(found, found["notes"])


@takes_options("machine")
def grid(
    spec: Path,
    output: Path | None = None,
    *,
    progress: bool | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Samples the post-impact sets of a grid of states, as `carom grid` (docs/grid.md).

    With `output`, continues that file, and writes it at the end. Returns, for S states: `shape`
    (its product is S), `names` and `values` (S, names) of the varied quantities, and arrays (S,):
    `valid`, `colliding`, `outcomes`, `checksum`, `net_size`, `net_diameter`, and `energy_before`,
    `energy_mean`, `energy_least`, `energy_greatest` (J); `modes` maps the name of a mode to its counts
    (S,); `notes` is a list of notes on states, of which warnings are given as CaromWarning, too.

    {options}
    """
    found = _core.grid(spec, output, options, progress)
    return tell(found, found["notes"])
