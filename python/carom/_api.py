"""Functions of the package `carom`; their arguments are documented and checked here and in C++."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Union

from numpy.typing import ArrayLike

from carom import _core
from carom._core import (
    DeviceSamples,
    Exploration,
    ImpactProblem,
    InputError,
    OuterBound,
    PostImpactSet,
    Result,
    SampleSet,
    Scenario,
    StepAnswers,
    StepSolution,
)
from carom._notes import CaromWarning, tell
from carom._options import takes_options

Path = Union[str, "os.PathLike[str]"]
Problem = Union[ImpactProblem, Scenario, Path]
Directions = Union[Mapping[str, ArrayLike], Sequence[Union[str, ArrayLike]], ArrayLike]

def load_scenario(path: Path) -> Scenario:
    """Reads a scenario file, or returns the built-in system of that name (see `systems()`).

    >>> import carom
    >>> scenario = carom.load_scenario("rocking_block")
    >>> scenario.problem.contact_names
    ['A', 'B']
    >>> scenario.sampling.impulse_step
    0.3
    """
    return _core.load_scenario(path)


def parse_scenario(text: str) -> Scenario:
    """The scenario of a text in the form of scenario files.

    >>> import carom
    >>> carom.parse_scenario("system = 'rocking_block'").sampling.impulse_step
    0.3
    """
    return _core.parse_scenario(text)


@takes_options("sampling", "law", "machine")
def sample(
    problem: Problem | Sequence[Problem],
    trajectories: int | None = None,
    seed: int | None = None,
    *,
    progress: bool = True,
    **options: Any,
) -> SampleSet:
    """Samples trajectories of one problem, or of each of several problems of equal shape.

    Parameters
    ----------
    problem : an ImpactProblem, a Scenario, the path of a scenario file, the name of a built-in
        system, or a list or tuple of them
    trajectories : M, per problem
    seed : 32 bits
    {options}
    law_options : dict
        the law's own options; each may also be a keyword. Numbers of law plus may be distributions,
        dicts with min and max or mean and deviation, of which each trajectory draws one
    progress : on standard error, a bar on a terminal, else a line after 5 s, 10 s, 20 s and so on

    An option that is not given has the scenario's value, else its default; what is "auto" then,
    Carom chooses (docs/command_line.md, carom sample). For several problems, the options are those
    of the first one, but for h, of which each has its own unless it is stated; problem
    i has the random stream problem_id + i. The same seed and options give the bits of `carom
    sample`. With several problems, row r is trajectory r % M of problem r // M. Warns of
    trajectories without an outcome, which `status` tells, and where no contact approaches (CaromWarning).

    >>> import carom
    >>> samples = carom.sample("rocking_block", trajectories=1000, seed=1)
    >>> samples.velocity.shape
    (1000, 3)
    >>> bool((samples.status == 0).all())
    True
    """
    found = _core.sample(
        problem, {"trajectories": trajectories, "seed": seed, **options}, progress
    )
    ends = found.status_counts
    outcomes = ends.pop("separated", 0)
    told = ""
    if ends:
        how = ", ".join(f"{count} {status}" for status, count in ends.items())
        told = (f"{len(found) - outcomes} of {len(found)} trajectories have no outcome ({how}): their velocities are "
                "those where they stopped, and their status is not 0")  # fmt: skip
    elif len(found) > 0 and not found.impulse.any():
        told = "no contact approaches: all velocities are those before the impact"
    if told:
        warnings.warn(told, CaromWarning, stacklevel=3)
    return found


@takes_options("sampling", "law", "machine")
def sample_on_device(
    problem: Problem | Sequence[Problem],
    trajectories: int | None = None,
    seed: int | None = None,
    *,
    progress: bool = True,
    **options: Any,
) -> DeviceSamples:
    """As `sample`, with the arrays left in the CUDA device's memory, for libraries with DLPack.

    The arguments are those of `sample`. Raises InputError if the backend is the CPU. The CPU
    repeats the few trajectories that double precision cannot decide, so the arrays have the bits of
    `sample`.
    """
    return _core.sample_on_device(
        problem, {"trajectories": trajectories, "seed": seed, **options}, progress
    )


@takes_options("sampling", "law", "evidence", "bound", "storage", "machine")
def post_impact_set(
    problem: Problem,
    trajectories: int | None = None,
    seed: int | None = None,
    *,
    directions: Directions | None = None,
    ask: str | Sequence[str] | None = None,
    bound: bool = False,
    output: Path | None = None,
    force: bool = False,
    progress: bool = True,
    **options: Any,
) -> PostImpactSet:
    """The approximate post-impact set: net, contact modes, certificate, comparison laws.

    Parameters
    ----------
    problem : an ImpactProblem, a Scenario, the path of a scenario file or the name of a system
    trajectories : M; the first M if `miss` makes the run grow
    seed : 32 bits
    {options}
    law_options : dict
        the law's own options; each may also be a keyword
    directions : directions whose ends are wanted (`found.directions`), beside the scenario's
        [outputs]: texts as "A normal" and rows of nv numbers; one row; or {name: row}
    ask : a question or several about directions, such as "|A tangential| > 0.1", "1, 0, 0 < 0":
        `found.answers` says what was found, and proved by a bound
    bound : prove what can not happen, and compare all outcomes with it (`found.bound`)
    output : a result file to write (docs/result_file.md); `force` overwrites any other file
    progress : as for `sample()`

    Options that are not given are as for `sample()`. Notes of severity "warning" are given as
    CaromWarning, too; without any outcome, NoOutcomeError says why, after the file is written.
    Ctrl-C raises KeyboardInterrupt; the file then holds the finished part, marked as incomplete, and
    `carom resume` continues it.

    >>> import carom
    >>> found = carom.post_impact_set("rocking_block", trajectories=4096)
    >>> found
    PostImpactSet(4096 outcomes of 4096 trajectories, net of 20 members)
    >>> found.net.velocity.shape
    (20, 3)
    >>> sorted(mode.text for mode in found.modes)
    ['A separates, B sticks', 'A sticks, B separates', 'A sticks, B sticks']
    """
    stated = {
        "trajectories": trajectories, "seed": seed, "directions": directions, "ask": ask, "bound": bound,
        **options
    }  # fmt: skip
    found = _core.post_impact_set(problem, stated, output, force, progress)
    return tell(found, found.notes)


def solve_step(
    problem: Problem, velocity: ArrayLike | None = None, caps: ArrayLike | None = None
) -> StepSolution:
    """Solves one step LCP, from a velocity (nv,), m/s, with the caps (m,), N·s.

    Defaults: the pre-impact velocity, and the cap impulse_step for each contact.

    >>> import carom
    >>> carom.solve_step("rocking_block", caps=[0.1, 0.2]).status
    'solved'
    """
    return _core.solve_step(problem, velocity, caps)


def solutions(
    problem: Problem,
    velocity: ArrayLike | None = None,
    caps: ArrayLike | None = None,
    *,
    simultaneous: bool = False,
) -> StepAnswers:
    """Every solution of one step, or of the simultaneous law, which has no caps.

    Arguments as for `solve_step()`.

    >>> import carom
    >>> found = carom.solutions("rocking_block", caps=[0.1, 0.2])
    >>> len(found), found[0].velocity.shape
    (1, (3,))
    """
    return _core.solutions(problem, velocity, caps, simultaneous)


@takes_options("explore", "bound", "sampling", "law", "machine")
def explore(
    problem: Problem,
    *,
    directions: Directions | None = None,
    ask: str | Sequence[str] | None = None,
    bound: bool = False,
    output: Path | None = None,
    force: bool = False,
    progress: bool = True,
    **options: Any,
) -> Exploration:
    """Searches for the set instead of sampling its probability (docs/explore.md).

    Parameters
    ----------
    problem : an ImpactProblem, a Scenario, the path of a scenario file or the name of a system
    {options}
    law_options : dict
        the law's own options; each may also be a keyword
    directions, ask : as for `post_impact_set()`; the search seeks the ends of these directions, too
    bound : prove what can not happen first; the search then prefers ends that are far from it
    output : a file to write (docs/result_file.md), which `carom resume` continues; `force`
        overwrites any other file
    progress : as for `sample()`

    The law is any that draws something: all but plus. Caps are any in [1e-6 h, h]. `trajectories` and
    `caps` are refused: no random trajectories are drawn.

    Raises InputError for a wrong argument; warns of a search that ended at its budget while it
    still found new outcomes (CaromWarning).

    >>> import carom
    >>> found = carom.explore("rocking_block", budget=100_000)
    >>> len(found.net) > 10, found.islands_cover > 0.9
    (True, True)
    >>> caps, selections, repeats = found.script(0)
    >>> bool((found.path(0)[-1] == found.net.velocity[0]).all())
    True
    """
    for name in ("trajectories", "caps"):
        if options.get(name) is not None or name in (options.get("law_options") or {}):
            raise InputError(
                f"{name} is given (must be left out: it is for random trajectories, and an exploration draws none)"
            )
    stated = {"directions": directions, "ask": ask, "bound": bound, **options}
    found = _core.explore(problem, stated, output, force, progress)
    return tell(found, found.notes)


def bound(
    problem: Problem,
    scope: str | None = None,
    *,
    directions: Directions | None = None,
    ask: str | Sequence[str] | None = None,
    rounds: int | None = None,
    steps: int | None = None,
    programs: int | None = None,
    orders: int | None = None,
) -> OuterBound:
    """What can certainly not happen: bounds of all outcomes, tight for few contacts.

    Parameters
    ----------
    problem : as for `post_impact_set()`; a scenario's law and termination tolerance count
    scope : "any-h" (default), steps with any caps and any h; or "inclusion", the limit h -> 0
    directions, ask : as for `post_impact_set()`; quantities to bound besides the contact speeds, and
        what can not happen of them
    rounds : where a bound does not close, it holds for as many steps (default 10)
    steps : bound so many steps; 0 (default): any number
    programs : of more contacts than hulls take, linear programs that `steps` may take; the status
        says how many steps they were enough for
    orders : of more contacts than hulls take, convex programs for each end of a quantity (default
        100); more are tighter. 0: the kinetic energy alone bounds, which is wide

    docs/bounds.md says what is proved, and of what.

    >>> import carom
    >>> found = carom.bound("rocking_block", directions={"spin": [0.0, 0.0, 1.0]})
    >>> found.status, found.verified
    ('closed', 'exact')
    >>> round(found.contacts[0]["normal"][1], 6)
    0.093018
    >>> [round(found.directions[-1][end], 6) for end in ("low", "high")]
    [-0.093018, 0.093018]
    """
    stated = {
        "scope": scope, "directions": directions, "ask": ask, "rounds": rounds, "steps": steps,
        "programs": programs, "orders": orders
    }  # fmt: skip
    return _core.bound(problem, stated)


def outcomes(
    problem: Problem,
    law: str = "propagative",
    *,
    restitution: float | None = None,
    plastic: str | None = None,
    max_states: int = 1_000_000,
) -> dict[str, Any]:
    """All outcomes of impacts in turn, with exact probabilities (docs/propagative.md).

    Parameters
    ----------
    problem : as for `post_impact_set()`, without friction
    law : "propagative" (Seghete and Murphey), so far the only one whose outcomes can be listed
    restitution : R of the whole velocity, 0 to 1 (default: the problem's, else 1)
    plastic : the outcome of R = 0, "unilateral" (contacts only push) or "projection" (no
        separation); default: the scenario's, else unilateral
    max_states : of the graph; with more, `complete` is False and there are no outcomes

    Returns a dict: complete, states, outcomes (a list of dicts, the most probable first: velocity
    (nv,), energy, probability, sequences, fewest_impacts, most_impacts, example, minimal) and
    verdict (kind, pointed, separating_velocity, inner_products, stages, bounds, indeterminacy).

    >>> import carom, numpy as np
    >>> balls = carom.ImpactProblem(
    ...     np.diag([1.0, 2.0, 3.0]), [[-1, 1, 0], [0, -1, 1]], np.zeros((2, 3)), 0.0, [2, 1, 0])
    >>> found = carom.outcomes(balls)
    >>> [(one["probability"], one["example"]) for one in found["outcomes"]]
    [(0.5, [1, 0, 1]), (0.5, [0, 1, 0])]
    >>> found["verdict"]["kind"]
    'not guaranteed'
    """
    if law != "propagative":
        raise InputError(f'law is "{law}" (must be propagative: outcomes of other laws are sampled)')
    return _core.outcomes(problem, restitution, plastic, max_states)


@takes_options("sampling", "law", "machine")
def laws(
    problem: Problem,
    trajectories: int = 4096,
    seed: int | None = None,
    *,
    restitutions: Sequence[float] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """One problem under every impact law, side by side (docs/laws.md).

    Parameters
    ----------
    problem : as for `post_impact_set()`
    trajectories : of each law
    seed : 32 bits
    {options}
    restitutions : coefficients for the laws that have restitution; default: 0 and the problem's, or
        0, 0.5 and 1 where it states none

    Options of a law's own serve that law, which `law` names; without any, `law` is refused.

    Returns a dict: norm, laws (a list of dicts: law, restitution (m,) or None, set, a PostImpactSet
    or None, and refusal, why there is none), inside and farthest (both laws x laws): the share of
    the net members of law i within the net's epsilon of the net of law j, and the greatest distance
    of one. Without a stated epsilon, each law has that which it chooses.

    >>> import carom, numpy as np
    >>> balls = carom.ImpactProblem(
    ...     np.eye(3), [[-1, 1, 0], [0, -1, 1]], np.zeros((2, 3)), 0.0, [1, 0, 0], restitution=1.0)
    >>> found = carom.laws(balls, 1024)
    >>> sorted({one["law"] for one in found["laws"] if one["set"]})
    ['plus', 'propagative', 'sequential', 'set_valued', 'simultaneous']
    """
    kept = {"max_steps", "law_options"}
    kept |= {one["name"] for one in _core.options() if one["group"] == "law"} - {"law", "restitution"}
    if options.get("law") is not None and all(options.get(name) is None for name in kept):
        raise InputError(
            "law is given (must be left out, or beside options of that law: laws() runs every law)"
        )
    stated = {"trajectories": trajectories, "seed": seed, **options}
    return _core.laws(problem, stated, restitutions)


def read(path: Path) -> Result | Exploration | Rollouts:
    """Reads a result file: its scenario, its set and, on request, its stored rows; or the
    Exploration that `carom sample --explore` or `explore()` wrote; or the Rollouts of `carom roll`
    or `roll()`."""
    if _core.is_rollouts(path):
        return _core.read_rollouts(path)
    return _core.read_exploration(path) if _core.is_exploration(path) else _core.read(path)
