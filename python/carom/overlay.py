"""Results that share one picture."""

import os
from dataclasses import replace

import numpy as np

from carom.result_file import Series
from carom.sealed_file import BadFile
from carom.styles import STYLES, shared_style

MOST_PLACES = 24  # of the outcomes of a law that has few
SAME_PLACE = 1e-6  # of the largest speed: outcomes nearer than this coincide
BLOCK_POINTS = 1_000


def names_of(results):
    """What the legend calls the results: their scenarios' names, if these differ, else the files'."""
    scenarios = [result.name for result in results]
    files = [os.path.splitext(os.path.basename(result.path))[0] for result in results]
    for names in (scenarios, files):
        if len(set(names)) == len(names):
            return names
    return [result.path for result in results]


def require_same_coordinates(one, other):
    """Raises BadFile unless both results have the same contacts and as many velocities."""

    def refuse(what, mine, its):
        raise BadFile(
            f"{other.path} has {its} and {one.path} {mine} (must have {what} to share a picture)"
        )

    def velocities(result):
        return f"{result.normal_jacobian.shape[1]} velocities"

    if velocities(one) != velocities(other):
        refuse("as many velocities", velocities(one), velocities(other))
    if one.is_spatial != other.is_spatial:
        refuse("as many tangents", *(("two tangents a contact" if result.is_spatial else "one tangent")
                                     for result in (one, other)))  # fmt: skip
    if one.contact_names != other.contact_names:
        refuse("the same contacts", *(f"the contacts {', '.join(result.contact_names)}"
                                      for result in (one, other)))  # fmt: skip


def few_places(points, resolution):
    """The distinct places of points (n x size), at most MOST_PLACES; none if there are more."""
    places = points[:0]
    for block in np.array_split(points, -(-len(points) // BLOCK_POINTS) or 1):
        places = np.unique(np.concatenate([places, np.round(block / resolution)]), axis=0)
        if len(places) > MOST_PLACES:
            return points[:0]
    return places * resolution


def times_covered(ends, layers):
    """How often each result with few distinct outcomes is hidden: the number of such results above it
    that have all of its outcomes."""
    resolution = SAME_PLACE * (max(np.abs(its).max(initial=0.0) for its in ends) or 1.0)
    places = [few_places(its, resolution) for its in ends]

    def covers(other, mine):
        if not len(places[mine]) or not len(places[other]) or layers[other] < layers[mine]:
            return False
        apart = np.abs(places[mine][:, None] - places[other]).max(axis=2)
        return bool((apart.min(axis=1) <= 2 * resolution).all())

    every = range(len(ends))
    return [sum(covers(other, mine) for other in every if other != mine) for mine in every]


def share(results):
    """One Result with a Series of outcomes for each result, sought and searched ones among them. Its
    coordinates are the contacts' speeds, so that each result keeps its own Jacobians. Sets of larger
    extent lie below others."""
    for other in results[1:]:
        require_same_coordinates(results[0], other)
    first = results[0]
    contacts, tangents, nv = first.tangent_jacobian.shape
    size = contacts * (1 + tangents)

    def speeds(result, velocities):
        tangential = result.tangent_jacobian.reshape(-1, nv)
        return velocities @ np.concatenate([result.normal_jacobian, tangential]).T

    def ends_of(result):
        beyond = (STYLES["sought"], STYLES["searched"])
        found = [some.velocities for some in result.series if some.style in beyond]
        return speeds(result, np.concatenate([result.outcomes, *found]))

    ends = [ends_of(result) for result in results]
    extents = [np.linalg.norm(np.ptp(its, axis=0)) if len(its) else 0.0 for its in ends]
    layers = np.argsort(np.argsort(np.negative(extents), kind="stable"))
    most = max(len(its) for its in ends)
    covered = times_covered(ends, layers)
    series = [
        Series(shared_style(number, int(layers[number]), len(results), most, covered[number]), name, its)
        for number, (name, its) in enumerate(zip(names_of(results), ends, strict=True))
    ]
    before = [speeds(result, result.pre_impact_velocities) for result in results]
    unit, none = np.eye(size), np.zeros((0, size))
    if not any(np.any(result.tangent_jacobian) for result in results):
        unit[contacts:] = 0.0  # without tangents, as each of them
    return replace(
        first,
        normal_jacobian=unit[:contacts],
        tangent_jacobian=unit[contacts:].reshape(contacts, tangents, size),
        friction=np.max([result.friction for result in results], axis=0),
        pre_impact_velocities=np.unique(np.concatenate(before), axis=0),
        outcomes=none,
        net=none,
        paths=np.zeros((0, 1, size)),
        series=series,
        bound=[],
        configuration=None,
    )
