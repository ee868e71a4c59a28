"""Motions in time; their arguments are documented and checked here and in C++."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from carom import _core
from carom._api import Path
from carom._core import InputError, RollResult, Scenario
from carom._checks import finite_number, whole_number
from carom._notes import tell
from carom._options import takes_options
from carom._pairs import state_pairs


# Options of single impacts, which motions do not have.
NOT_IN_TIME = ("trajectories", "epsilon", "norm", "chunk")


@takes_options("roll", "sampling", "law", "machine", without=NOT_IN_TIME)
def roll(
    problem: Scenario | Path,
    *,
    ask: str | Sequence[str] | None = None,
    start: Mapping[str, Mapping[str, tuple[float, float]]] | None = None,
    output: Path | None = None,
    force: bool = False,
    progress: bool = True,
    **options: Any,
) -> RollResult:
    """Moves bodies in time, again and again, with impacts that the law draws, or in contacts that give
    way (docs/time.md).

    Parameters
    ----------
    problem : a Scenario, the path of a scenario file or the name of a system, whose motion is known
    {options}
    law_options : dict
        the law's own options; each may also be a keyword
    ask : a question or several, such as "angle > 30 deg by 0.5 s", "|box.x| < 0.1 m at 1 s", "impacts > 5";
        default: the scenario's
    start : {"position": {coordinate: (least, greatest)}, "velocity": ...}: starts are drawn, uniformly; where
        there are quaternions, the names are those of velocities
    output : a file to write, which `carom resume` continues; `force` overwrites any other file
    progress : as for `sample()`

    Rollout i is a pure function of (seed, problem_id, options, i). Raises InputError for a wrong
    argument; warns of rollouts that failed (CaromWarning).

    >>> import carom
    >>> found = carom.roll("rocking_block", rollouts=100, duration=0.3, ask=["|angle| > 0.1 deg by 0.3 s"])
    >>> found.position.shape
    (100, 21, 3)
    >>> found.answers[0]["rollouts"]
    100
    >>> found.derivative is None  # springs have one: scenarios/landing.toml with derivative=True
    True
    """
    if ask is not None:
        questions = [ask] if isinstance(ask, str) else list(ask) if isinstance(ask, Iterable) else [ask]
        if not all(isinstance(one, str) for one in questions):
            raise InputError(f"ask is {ask!r} (must be a question, or a list of them)")
        ask = [str(one) for one in questions]
    found = _core.roll(problem, options, ask, start, output, force, progress)
    return tell(found, found.notes)


def transitions(found: RollResult) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """States, next states and the time between them, of all rollouts that are whole: what a model of
    the motion learns from.

    Returns state (N, nq + nv), next state (N, nq + nv) and time (N,), s. A state is positions, then
    velocities; N = whole rollouts x (T - 1).

    >>> import carom
    >>> found = carom.roll("rocking_block", rollouts=10, duration=0.2, times=[0.0, 0.1, 0.2])
    >>> state, following, time = carom.transitions(found)
    >>> state.shape, time[:2]
    ((20, 6), array([0.1, 0.1]))
    """
    if not isinstance(found, RollResult):
        raise InputError(f"found is {type(found).__name__} (must be a RollResult, of carom.roll or carom.read)")
    whole = np.isin(found.status, _core.WHOLE_ROLLOUTS)
    return state_pairs(found.position[whole], found.velocity[whole], found.time)


class Rollouts:
    """Copies of a world that are moved side by side, a step at a time, under forces that may change
    between steps: what a policy is trained in. Their impacts draw from the law as those of `roll()`.

    Parameters
    ----------
    problem : a Scenario, the path of a scenario file or the name of a system, whose motion is known
    copies : B
    seconds : s, the time that `step()` takes
    start : as for `roll()`
    **options : `step` (of the integration, s), `window`, `hold`, `impact_speed`, `law`, `seed` and the
        others of `roll()` that concern one rollout

    Starts are drawn where the scenario has `[start]`, and each copy has draws of its own. Pickle and
    `copy.deepcopy` keep the states and which draws come next: copies of both do the same.

    >>> import carom
    >>> blocks = carom.Rollouts("rocking_block", 3, seconds=0.05, seed=2)
    >>> position, velocity = blocks.step()
    >>> position.shape, bool((blocks.impacts > 0).all())
    ((3, 3), True)
    """

    # Without the options of a whole motion (step() takes one interval) and of contacts that give way.
    @takes_options(
        "roll", "sampling", "law", "machine",
        without=(*NOT_IN_TIME, "rollouts", "duration", "times", "events", "tube_time", "tube_epsilon",
                 "contact", "crossing", "derivative", "graze_speed", "event_limit"),
    )  # fmt: skip
    def __init__(
        self,
        problem: Scenario | Path,
        copies: int,
        *,
        seconds: float = 0.01,
        start: Mapping[str, Mapping[str, tuple[float, float]]] | None = None,
        **options: Any,
    ) -> None:
        whole_number("copies", copies, 1, 2**40)
        self.seconds = finite_number("seconds", seconds, positive=True)
        if not isinstance(problem, Scenario):
            problem = _core.load_scenario(problem)
        self._made_of = deepcopy((problem, copies, start, options))
        self._stepper = _core.rollout_stepper(*self._made_of)

    def __getstate__(self) -> tuple[Any, ...]:
        return _core.__version__, self.seconds, self._made_of, self._stepper.saved()

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        version, self.seconds, self._made_of, saved = state
        if version != _core.__version__:
            raise InputError(f"pickled rollouts are those of Carom {version} (must be {_core.__version__})")
        self._stepper = _core.rollout_stepper(*self._made_of)
        self._stepper.restore(saved)

    def __len__(self) -> int:
        return len(self._stepper)

    @property
    def coordinates(self) -> list[str]:
        """Names of the coordinates (nq)."""
        return self._stepper.coordinates

    @property
    def velocities(self) -> list[str]:
        """Names of the velocities: those of coordinates, but where there are quaternions."""
        return self._stepper.velocities

    @property
    def position(self) -> np.ndarray:
        """(B, nq), m and rad; a copy."""
        return self._stepper.position

    @property
    def velocity(self) -> np.ndarray:
        """(B, nv), m/s and rad/s; a copy."""
        return self._stepper.velocity

    @property
    def status(self) -> np.ndarray:
        """(B,) of the last step (`carom.ROLLOUT_STATUS`): 0, 1, 13 or 14, or 2 to 7 where it failed."""
        return self._stepper.status

    @property
    def impacts(self) -> np.ndarray:
        """(B,) in the last step."""
        return self._stepper.impacts

    def step(self, force: ArrayLike | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Moves all copies by `seconds`, and returns position and velocity.

        force : (B, nv) generalised forces beside gravity, N and N m. A torque in a hinge is one on
            the angle of the body, and its opposite on the carrier's. A copy whose step fails stays
            where it failed, and `status` says so.
        """
        self._stepper.step(self.seconds, force)
        return self.position, self.velocity

    def restart(self, which: ArrayLike | None = None) -> None:
        """Puts copies to new starts: all, those of a mask (B,), or those with these numbers."""
        wanted = np.arange(len(self)) if which is None else np.atleast_1d(which)
        try:
            copies = np.arange(len(self))[wanted if wanted.size else []]
            if wanted.dtype != bool and (wanted < 0).any():
                raise IndexError
        except (IndexError, TypeError):
            raise InputError(
                f"which is {which!r} (must be numbers below {len(self)}, or a mask of all copies)"
            ) from None
        for copy in np.ravel(copies):
            self._stepper.restart(int(copy))

    def place(self, copy: int, position: ArrayLike, velocity: ArrayLike) -> None:
        """Puts a copy to a state (nq), (nv). Raises InputError where something penetrates."""
        self._stepper.place(whole_number("copy", copy, 0, len(self) - 1), position, velocity)
