"""Sets of velocities for reachability analysis (docs/reachability.md).

A SampledSet is made of points that were found: the true set reaches at least as far. A ProvedSet is
made of inequalities that hold for every outcome: the true set reaches at most as far. No function
turns one into the other, and files keep them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom._core import InputError

Array = NDArray[np.float64]

# An axis counts where the points leave the flat of the axes before it by more than this times the
# greatest length of a point. Outcomes of one flat leave it by 1e-9, the accepted residual of a step.
RANK_TOLERANCE = 1e-7
# The hull of n points has up to n^(dimension / 2) facets: beyond this, memory ends before Qhull does.
MOST_HULL_DIMENSIONS = 6
# Rounding of a sum of products, relative to the greatest length: boxes around points are wider by it.
ROUNDING = 1e-14


def checked_rows(name: str, values: ArrayLike, count: int) -> Array:
    """A row (count,), or several (k, count), of finite numbers."""
    rows = np.asarray(values, float)
    if rows.ndim not in (1, 2) or rows.shape[-1] != count:
        raise InputError(
            f"{name} has the shape {rows.shape} (must be ({count},), one number per coordinate, or (k, {count}))"
        )
    if not np.isfinite(rows).all():
        raise InputError(f"{name} has entries that are not finite (must be finite)")
    return rows


@dataclass(frozen=True)
class Hull:
    """The convex hull of the points of a SampledSet: {x : normals x <= offsets, flat x = level}."""

    vertices: Array  #: (k, q): those of the points that are corners
    normals: Array  #: (f, q), of length 1, within the flat
    offsets: Array  #: (f,)
    flat: Array  #: (q - dimension, q): rows that are constant on the affine hull
    level: Array  #: (q - dimension,)
    dimension: int
    volume: float  #: within the affine hull: a length, an area, ...; of one point 0

    def violation(self, points: ArrayLike) -> Array:
        """(n,): how far each point (n, q) lies outside; at most 0 inside, up to rounding."""
        rows = np.atleast_2d(checked_rows("points", points, self.normals.shape[1]))
        beyond = rows @ self.normals.T - self.offsets
        aside = np.abs(rows @ self.flat.T - self.level)
        return np.max(np.hstack([beyond, aside]), axis=1)


@dataclass(frozen=True)
class Zonotope:
    """{center + generators' s : |s_i| <= 1}, around the points of a SampledSet and their hull.

    It holds every point that was found. Outcomes that no run found may lie outside.
    """

    center: Array  #: (q,)
    generators: Array  #: (dimension, q), one generator per row

    def support(self, directions: ArrayLike) -> Any:
        """The greatest product of a direction (q,), or of each of several (k, q), with the zonotope."""
        rows = np.asarray(directions, float)
        return rows @ self.center + np.abs(rows @ self.generators.T).sum(axis=-1)


class SampledSet:
    """Points that were found, and their geometry: an inner picture of a set, never a bound of it.

    Parameters
    ----------
    points : (n, q), one velocity (or output) per row
    names : of the q coordinates
    tolerance : the length below which an extent of the points counts as none; default 1e-7 of the
        greatest length of a point

    >>> import carom
    >>> triangle = carom.SampledSet([[0, 0, 1], [2, 0, 1], [0, 1, 1], [0.5, 0.25, 1]])
    >>> triangle.dimension, triangle.hull().volume
    (2, 1.0)
    >>> triangle.support([1, 1, 0])
    2.0
    """

    def __init__(
        self,
        points: ArrayLike,
        names: Sequence[str] | None = None,
        *,
        tolerance: float | None = None,
    ) -> None:
        rows = np.array(points, float, ndmin=2)  # a copy
        if rows.ndim != 2 or not rows.size:
            raise InputError(f"points has the shape {rows.shape} (must be (n, q) with n, q >= 1)")
        if not np.isfinite(rows).all():
            raise InputError("points has entries that are not finite (must be finite)")
        self.names = [f"v{i + 1}" for i in range(rows.shape[1])] if names is None else list(names)
        if len(self.names) != rows.shape[1]:
            raise InputError(
                f"names has {len(self.names)} entries (must have {rows.shape[1]}: one per coordinate)"
            )
        self._scale = float(np.linalg.norm(rows, axis=1).max())
        self.tolerance = RANK_TOLERANCE * self._scale if tolerance is None else float(tolerance)
        if not 0.0 <= self.tolerance < np.inf:
            raise InputError(f"tolerance is {tolerance} (must be >= 0 and finite)")
        rows.flags.writeable = False
        self.points = rows

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        return f"SampledSet({len(self)} points found, dimension {self.dimension} of {len(self.names)})"

    @cached_property
    def _axes(self) -> tuple[Array, Array]:
        """(rank, q) and (q - rank, q): orthonormal, along the points and across them.

        Each axis along them points to the point that is farthest from the flat of those before it.
        """
        rest = self.points - self.points[0]
        along = np.zeros((0, rest.shape[1]))
        while len(along) < rest.shape[1]:
            length = np.linalg.norm(rest, axis=1)
            far = int(np.argmax(length))
            if length[far] <= self.tolerance:
                break
            axis = rest[far] - along.T @ (along @ rest[far])  # once more: what rounding left
            along = np.vstack([along, axis / np.linalg.norm(axis)])
            rest = rest - np.outer(rest @ along[-1], along[-1])
        across = np.linalg.svd(along, full_matrices=True)[2][len(along) :]
        # Within the same flat, the directions in which the points spread most: n > rank, as each axis
        # is due to a point of its own.
        spread = (self.points - self.points.mean(axis=0)) @ along.T
        return np.linalg.svd(spread, full_matrices=False)[2] @ along, across

    @property
    def dimension(self) -> int:
        """Of the points' affine hull: the number of directions in which they reach beyond `tolerance`."""
        return len(self._axes[0])

    @property
    def affine_hull(self) -> tuple[Array, Array]:
        """A point (q,) and orthonormal axes (dimension, q); no point is farther than `tolerance`."""
        return self.points.mean(axis=0), self._axes[0].copy()

    @property
    def box(self) -> tuple[Array, Array]:
        """(q,) each: the least and the greatest value of each coordinate among the points."""
        return self.points.min(axis=0), self.points.max(axis=0)

    def support(self, directions: ArrayLike) -> Any:
        """The greatest product of a direction (q,), or of each of several (k, q), with a point."""
        rows = self._directions(directions)
        greatest = (np.atleast_2d(rows) @ self.points.T).max(axis=1)
        return float(greatest[0]) if rows.ndim == 1 else greatest

    def support_point(self, direction: ArrayLike) -> Array:
        """(q,): the point that is farthest along a direction (q,); of several the first."""
        return self.points[int(np.argmax(self.points @ self._directions(direction)))]

    def _directions(self, directions: ArrayLike) -> Array:
        return checked_rows("direction", directions, len(self.names))

    def outputs(self, matrix: ArrayLike, names: Sequence[str] | None = None) -> SampledSet:
        """The set of `matrix` (p, q) times each point: a task space."""
        rows = np.atleast_2d(checked_rows("matrix", matrix, len(self.names)))
        return SampledSet(self.points @ rows.T, names or [f"y{i + 1}" for i in range(len(rows))])

    def zonotope(self) -> Zonotope:
        """A zonotope around the points, with one generator along each principal axis of their spread.

        It encloses all points, and so their hull; it is no bound of the outcomes not found.
        """
        origin, axes = self.affine_hull
        spread = (self.points - origin) @ axes.T
        low, high = spread.min(axis=0), spread.max(axis=0)
        half = 0.5 * (high - low) + ROUNDING * self._scale
        return Zonotope(origin + 0.5 * (low + high) @ axes, half[:, None] * axes)

    def hull(self, most_dimensions: int = MOST_HULL_DIMENSIONS) -> Hull:
        """The convex hull of the points, by Qhull in coordinates of their affine hull (needs SciPy).

        Raises InputError where the dimension is above `most_dimensions`: the number of facets grows as
        n^(dimension / 2). `outputs()` or `zonotope()` are what to use then.
        """
        if self.dimension > most_dimensions:
            raise InputError(
                f"dimension is {self.dimension} (must be <= {most_dimensions} for a convex hull, whose "
                f"facets grow as n^(dimension / 2); take outputs() of fewer coordinates, or zonotope())"
            )
        origin, axes = self.affine_hull
        across = self._axes[1]
        within, volume = (self.points - origin) @ axes.T, 0.0
        if self.dimension == 0:
            corners, rows, offsets = np.array([0]), np.zeros((0, 0)), np.zeros(0)
        elif self.dimension == 1:
            corners = np.array([np.argmin(within), np.argmax(within)])
            rows, offsets = np.array([[-1.0], [1.0]]), np.array([-within.min(), within.max()])
            volume = float(within.max() - within.min())
        else:
            corners, rows, offsets, volume = qhull(within)
        normals = rows @ axes
        return Hull(
            self.points[np.sort(corners)], normals, offsets + normals @ origin, across, across @ origin,
            self.dimension, volume,
        )  # fmt: skip

    def worst_case(self, cost: Callable[[Array], ArrayLike]) -> tuple[float, Array]:
        """The greatest cost among the points, and the point (q,) that has it.

        `cost` takes points (n, q) and gives their costs (n,). A convex cost has the same greatest value
        on the whole hull. Outcomes that were not found may cost more.
        """
        costs = np.asarray(cost(self.points), float)
        if costs.shape != (len(self),):
            raise InputError(f"cost gives the shape {costs.shape} (must be ({len(self)},): one per point)")
        if np.isnan(costs).any():
            raise InputError(f"cost gives nan for point {int(np.argmax(np.isnan(costs)))} (must be a number)")
        worst = int(np.argmax(costs))
        return float(costs[worst]), self.points[worst]


def qhull(points: Array) -> tuple[Array, Array, Array, float]:
    """Corners, facet normals, offsets and volume of the hull of points of full dimension >= 2."""
    try:
        from scipy.spatial import ConvexHull
    except ImportError as missing:
        raise ImportError("hull() needs SciPy (Debian package: python3-scipy)") from missing
    hull = ConvexHull(points)
    # Qhull cuts facets into simplices, whose equations agree up to rounding. The offset is that of
    # the farthest point, so that all points stay inside.
    facets = np.unique(np.round(hull.equations[:, :-1], 9), axis=0, return_index=True)[1]
    normals = hull.equations[np.sort(facets), :-1]
    return hull.vertices, normals, (normals @ points.T).max(axis=1), float(hull.volume)


@dataclass(frozen=True)
class ProvedSet:
    """A polytope {x : normals x <= offsets} that a proof says every outcome lies in.

    It is handed in beside a SampledSet, from what proved it; nothing here can prove. `low` and `high`
    are proved bounds of each coordinate.
    """

    normals: Array  #: (f, q)
    offsets: Array  #: (f,)
    low: Array  #: (q,)
    high: Array  #: (q,)
    status: str  #: what the proof covers: "closed" or "at most N steps"
    verified: str  #: how: "exact" or "certified"
    corners: Array | None = None  #: (n, q): no outcome is outside their convex hull
    mass_matrix: Array | None = None  #: (q, q), where the kinetic energy is proved, too
    kinetic_energy: float = np.inf  #: the greatest of an outcome, J

    def support(self, directions: ArrayLike) -> Any:
        """A bound on the product of a direction (q,), or of each of several (k, q), with every point, up to
        rounding (needs SciPy): the least of three.

        A linear program finds multipliers y >= 0. Whatever their quality, y · offsets and the box for
        what is left of the direction bound the product: the solver need not be trusted. Where corners
        are known, the greatest of their products bounds it, and with the kinetic energy E
        sqrt(2 E direction · mass_matrix^-1 direction).
        """
        from scipy.optimize import linprog

        rows = checked_rows("direction", directions, len(self.low))
        if rows.ndim == 2:
            return np.array([self.support(row) for row in rows])
        row = rows
        solved = linprog(-row, self.normals, self.offsets, bounds=(None, None), method="highs")
        multipliers = np.zeros(len(self.offsets))
        if solved.status == 0:
            multipliers = np.maximum(-solved.ineqlin.marginals, 0.0)
        left = row - multipliers @ self.normals
        least = multipliers @ self.offsets + np.maximum(left * self.low, left * self.high).sum()
        if self.corners is not None:
            rounded = ROUNDING * np.abs(self.corners) @ np.abs(row)
            least = min(least, (self.corners @ row + rounded).max())
        if self.mass_matrix is not None:
            square = 2.0 * self.kinetic_energy * (row @ np.linalg.solve(self.mass_matrix, row))
            least = min(least, np.sqrt(square) * (1.0 + 1e-9))  # far above rounding
        return float(least)

    def violation(self, points: ArrayLike) -> Array:
        """(n,): how far each point (n, q) lies outside, in units of the rows; at most 0 inside."""
        rows = np.atleast_2d(checked_rows("points", points, len(self.low)))
        box = np.maximum(self.low - rows, rows - self.high)
        return np.max(np.hstack([rows @ self.normals.T - self.offsets, box]), axis=1)


def of_bound(bound: Any) -> ProvedSet:
    """What an OuterBound says of all its directions, its box, corners and energy."""
    if not bound.pieces:
        raise InputError(f"the bound has the status \"{bound.status}\" (must be closed or of N steps)")
    rows = np.array([one["row"] for one in bound.directions])
    corners = np.concatenate([piece["vertices"].reshape(-1, rows.shape[1]) for piece in bound.pieces])
    high = np.array([one["high"] for one in bound.directions])
    low = np.array([one["low"] for one in bound.directions])
    return ProvedSet(
        normals=np.concatenate([rows, -rows]),
        offsets=np.concatenate([high, -low]),
        low=bound.box[0],
        high=bound.box[1],
        status=bound.status,
        verified=bound.verified,
        corners=corners if len(corners) else None,
        mass_matrix=bound.mass_matrix,
        kinetic_energy=bound.kinetic_energy,
    )


def of_set(found: Any) -> SampledSet:
    """Every outcome that a PostImpactSet holds: net, sought and searched ones, examples of modes, selection."""
    parts = [found.net.velocity]
    if found.search is not None:
        parts.append(found.search.velocity)
    parts += [one.velocity[None] for one in found.sought]
    parts += [mode.example_velocity[None] for mode in found.modes]
    if found.selection is not None:
        parts.append(found.selection.velocity)
    return of_parts(parts)


def of_result(result: Any) -> SampledSet:
    """The same of a result file, and the outcomes whose rows the file stores."""
    before = np.linalg.norm(result.scenario.problem.pre_impact_velocity)
    return of_parts([of_set(result.set).points, result.samples.outcomes], before)


def of_exploration(found: Any) -> SampledSet:
    """The members and the ends of an Exploration."""
    return of_parts([found.net.velocity, *(end["velocity"][None] for end in found.ends)])


def of_parts(parts: Sequence[Array], speed: float = 0.0) -> SampledSet:
    """The set of all points; where they are at rest, rounding is small beside `speed`."""
    points = np.concatenate([part for part in parts if len(part)] or [np.zeros((0, 1))])
    if not len(points):
        raise InputError("the set has no outcomes (a geometry needs at least one)")
    found = SampledSet(np.unique(points, axis=0))
    found.tolerance = max(found.tolerance, RANK_TOLERANCE * speed)
    return found
