"""Data sets and grids; see carom's documentation of the same names."""

from __future__ import annotations

import os
from typing import Any, Union

import numpy as np

from carom import _core
from carom._notes import tell
from carom._options import takes_options

Path = Union[str, "os.PathLike[str]"]


@takes_options("machine")
def generate(
    spec: Path,
    folder: Path,
    *,
    progress: bool = True,
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
    progress: bool = True,
    **options: Any,
) -> dict[str, Any]:
    """Samples the post-impact sets of a grid of states, as `carom grid` (docs/grid.md).

    With `output`, continues that file, and writes it at the end. Returns, for S states: `shape`
    (its product is S), `names` and `values` (S, names) of the varied quantities, and arrays (S,):
    `valid`, `colliding`, `other_contacts`, `outcomes`, `checksum`, `net_size`, `net_diameter`, and `energy_before`,
    `energy_mean`, `energy_least`, `energy_greatest` (J); `modes` maps the name of a mode to its counts
    (S,). `answers` has a dictionary for each question of the specification: `question`, and arrays (S,) of
    `answer` ("yes", "no", "no_within", "open", or "" without a set), `found`, `bound` and `tolerance`.
    `notes` is a list of notes on states, of which warnings are given as CaromWarning, too.

    {options}
    """
    found = _core.grid(spec, output, options, progress)
    for answer in found["answers"]:
        answer["answer"] = np.array(answer["answer"], dtype=str)
    return tell(found, found["notes"])
