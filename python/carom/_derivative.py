"""Couplings of contacts and derivatives through impacts; documented here, checked in C++."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from carom import _core
from carom._api import Problem
from carom._core import InputError


def coupling(problem: Problem) -> dict[str, Any]:
    """Whether the contacts of a problem disturb one another (docs/linearise.md).

    Parameters
    ----------
    problem : as for `post_impact_set()`

    Returns a dict: normal (m, m), the cosines between the contacts' normals in the kinetic metric;
    contact (m, m), the largest cosines between all directions in which contacts can push, 0 to 1;
    groups, lists of contacts that do not act on one another: outcomes are those of the groups, each
    with each;
    verdict, "orthogonal" or "obtuse" (without friction), "decoupled" (with friction) or "coupled";
    jump, by how much separating speeds differ between two orders of the contacts that approach at
    the problem's speeds, without friction, at most, m/s;
    all_orders, whether all of them were followed, or those of two contacts alone, so that several
    contacts may jump farther.

    >>> import carom, numpy as np
    >>> feet = carom.ImpactProblem(np.eye(3), [[0, 1, 0], [0, 0, 1]], np.zeros((2, 3)), 0.0, [0, -1, -1])
    >>> carom.coupling(feet)["verdict"]
    'orthogonal'
    >>> corner = carom.ImpactProblem(np.eye(2), [[0, 1], [0.6, 0.8]], np.zeros((2, 2)), 0.0, [0, -1])
    >>> round(carom.coupling(corner)["jump"], 12)
    0.288
    """
    return _core.coupling(problem)


class Motion:
    """A mechanical system with frictionless one-sided contacts, to differentiate (docs/linearise.md).

    M(q) q'' = force(q, q') + Da' lambda with a(q) >= 0, for n coordinates and m contacts.

    Parameters
    ----------
    mass : M, a function of q (n,) or an array (n, n)
    gaps : a, a function of q that returns (m,)
    gap_jacobian : Da, a function of q or an array (m, n)
    force : all other forces with those of inertia, a function of q and q' that returns (n,)
    restitution : (m,), 0 (plastic: the contact stays closed, the default) to 1
    """

    def __init__(
        self,
        mass: ArrayLike | Callable[[np.ndarray], ArrayLike],
        gaps: Callable[[np.ndarray], ArrayLike],
        gap_jacobian: ArrayLike | Callable[[np.ndarray], ArrayLike],
        force: Callable[[np.ndarray, np.ndarray], ArrayLike],
        restitution: ArrayLike | None = None,
    ) -> None:
        self.mass, self.gaps, self.gap_jacobian = mass, gaps, gap_jacobian
        self.force, self.restitution = force, restitution


def derivative(
    problem: Problem | Motion,
    start: ArrayLike | None = None,
    end: float | None = None,
    direction: ArrayLike | None = None,
    **parameters: float,
) -> dict[str, Any]:
    """The derivative of an outcome, where there is one, else those of its two sides (docs/linearise.md).

    Parameters
    ----------
    problem : of an impact, as for `post_impact_set()`, without friction; a Motion; a biped of
        Pace and Burden's Figure 1: "rigid_biped", "soft_biped", "flywheel_biped"; or a scenario of
        rigid bodies in the plane with [roll] or `end`, which is differentiated through its motion
    start : of a Motion: the state [q, q'] at time 0, (2 n,); of a scenario, instead of its own
    end : of a Motion, biped or scenario: the time of the outcome, s; default: that of [roll]
    direction : of a Motion or scenario: of the disturbance of the start, (2 n,); default of a
        scenario: half the width of each range of [start], else 1 for each angle
    parameters : of a biped: angle, body_mass, foot_mass, inertia, gravity, leg, hip, stiffness,
        height, flywheel, restitution

    Returns a dict. For an impact: contacts, slowest (approach speed, m/s), all_orders (False where
    there are more than 1,000 orders, and differentiable is not known), continuous, differentiable,
    orders: a list of dicts, contacts, velocity (n,), closed and saltation (2 n, 2 n),
    of which the lower right (n, n) is the derivative by the velocity before. For a motion:
    continuous, differentiable, derivative, (2 n, 2 n) or None, and right and left: dicts of state,
    slope (both (2 n,)) and impacts, as above with time; not_kept, the contacts closed at the start that the
    direction opens or presses together: then slopes are those of no motion. A scenario or biped has
    coordinates, contact_names, start, direction and end, too. Of a biped, `outcome` is the entry of the state that is looked at, and the
    disturbance is of the angle at the start. Raises InputError at a graze.

    >>> import carom
    >>> found = carom.derivative("soft_biped")
    >>> found["differentiable"], round(float(found["right"]["slope"][found["outcome"]]), 6)
    (True, -1.231739)
    """
    if isinstance(problem, Motion):
        if parameters:
            raise InputError(f"{next(iter(parameters))} is no argument for a Motion")
        if start is None or end is None or direction is None:
            raise InputError("a Motion needs start, end and direction")
        return _core.derivative_of_motion(
            problem.mass, problem.gaps, problem.gap_jacobian, problem.force, start, end, direction,
            problem.restitution,
        )  # fmt: skip
    if isinstance(problem, str) and problem in _core.EXAMPLE_MOTIONS:
        if start is not None or direction is not None:
            raise InputError("start and direction are for a Motion or a scenario")
        return _core.derivative_of_example(
            problem, parameters if end is None else {**parameters, "end": end}
        )
    if parameters:
        raise InputError(f"{next(iter(parameters))} is no argument for a scenario or an impact")
    return _core.derivative_of_scenario(problem, start, end, direction)
