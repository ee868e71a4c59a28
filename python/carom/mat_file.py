"""Sets of velocities as files for other programs (docs/reachability.md)."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np

from carom._core import InputError
from carom.sets import MOST_HULL_DIMENSIONS, ProvedSet, SampledSet


def write_mat(path: str | os.PathLike[str], inner: SampledSet, outer: ProvedSet | None = None) -> None:
    """Writes sets as a MATLAB file for CORA and JuliaReach (docs/reachability.md; needs SciPy).

    Two variables that never mix: `inner`, what was found: `names`, `points`, `dimension`,
    `tolerance`, `box`, `zonotope` and, where the dimension allows, `polytope`; `outer`, what was
    proved, if it is given. Points, centres and offsets are columns, as both programs take them.
    """
    from scipy.io import savemat

    if not isinstance(inner, SampledSet):
        raise InputError(f"inner is {type(inner).__name__} (must be a carom.SampledSet)")
    if not (outer is None or isinstance(outer, ProvedSet)):
        raise InputError(f"outer is {type(outer).__name__} (must be a carom.ProvedSet)")
    if outer is not None and len(outer.low) != len(inner.names):
        raise InputError(
            f"outer has {len(outer.low)} coordinates (must have {len(inner.names)}, as inner has)"
        )
    low, high = inner.box
    zonotope = inner.zonotope()
    found: dict[str, Any] = {
        "names": np.array(inner.names, object),
        "points": inner.points.T,
        "dimension": float(inner.dimension),
        "tolerance": inner.tolerance,
        "box": {"low": low[:, None], "high": high[:, None]},
        "zonotope": {"c": zonotope.center[:, None], "G": zonotope.generators.T},
    }
    if inner.dimension <= MOST_HULL_DIMENSIONS:
        hull = inner.hull()
        found["polytope"] = {
            "V": hull.vertices.T, "A": hull.normals, "b": hull.offsets[:, None], "Ae": hull.flat,
            "be": hull.level[:, None],
        }  # fmt: skip
    contents = {"inner": found}
    if outer is not None:
        contents["outer"] = {
            "A": outer.normals, "b": outer.offsets[:, None], "status": outer.status,
            "low": outer.low[:, None], "high": outer.high[:, None], "verified": outer.verified,
        }  # fmt: skip
        if outer.corners is not None:
            contents["outer"]["V"] = outer.corners.T
    file = io.BytesIO()
    savemat(file, contents)
    # The first 116 bytes are text, with the time of day: the same set is to be the same file.
    try:
        Path(path).write_bytes(b"MATLAB 5.0 MAT-file, written by Carom".ljust(116) + file.getvalue()[116:])
    except OSError as error:
        raise InputError(f"path is {os.fspath(path)!r} (must be a file that can be written: {error.strerror})") from None
