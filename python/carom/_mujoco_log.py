"""Keeps MuJoCo from writing MUJOCO_LOG.TXT."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

_counting = threading.Lock()
_steppers = 0  # threads within without_log()


def _ignore(_warning: str) -> None:
    pass


@contextlib.contextmanager
def without_log() -> Iterator[None]:
    """Warnings of MuJoCo go nowhere, unless the program has a handler: MuJoCo's own writes MUJOCO_LOG.TXT."""
    global _steppers
    import mujoco

    with _counting:
        _steppers += 1
        if mujoco.get_mju_user_warning() is None:
            mujoco.set_mju_user_warning(_ignore)
    try:
        yield
    finally:
        with _counting:
            _steppers -= 1
            if _steppers == 0 and mujoco.get_mju_user_warning() is _ignore:
                mujoco.set_mju_user_warning(None)
