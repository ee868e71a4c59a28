"""The parts of a result file that a picture needs (docs/result_file.md)."""

import os
import re
from dataclasses import dataclass, field

import numpy as np

from carom.bodies import Configuration, read_world
from carom.sealed_file import BadFile, format_of, opened
from carom.styles import STYLES, Style

FORMAT_VERSION = 1
DRAWN = "a file that -o of carom sample, laws, grid or roll wrote, or JSON of carom outcomes"  # what has a picture
SEPARATED = 0  # /samples/status of an outcome
SIMULTANEOUS, SEQUENTIAL = 0, 1  # /comparison/law
CLOSED, INCLUSION, NOT_VERIFIED = 0, 1, 1  # attributes status, scope and verified of /bound

# Rows are read in blocks of this many, so that a file of any size fits into memory.
BLOCK_ROWS = 1 << 20
MOST_PATHS = 1 << 18  # what more would cover does not show
LONGEST_SEQUENCE = 16  # velocities: the line of a longer sequence of impacts is a tangle


@dataclass
class Series:
    """Velocities after the impact that are drawn with their own mark."""

    style: Style
    label: str
    velocities: np.ndarray  # n x nv
    paths: list = field(default_factory=list)  # arrays, length x nv, of velocities on the way to some


@dataclass
class Result:
    """A result in the coordinates of its file: velocities are rows of nv numbers."""

    path: str
    name: str  # of the scenario
    contact_names: list
    speed_units: list  # of the contacts
    normal_jacobian: np.ndarray  # m x nv
    tangent_jacobian: np.ndarray  # m x d x nv: d tangent rows, 1 in the plane, 2 in space
    friction: np.ndarray  # m
    pre_impact_velocities: np.ndarray  # 1 x nv; of results that share a picture, all distinct ones
    outcomes: np.ndarray  # n x nv, the first ones stored
    outcome_count: int  # of the whole run
    rows_stored: bool  # else `outcomes` is the net
    net: np.ndarray  # k x nv, the first ones
    net_size: int
    paths: np.ndarray  # P x length x nv, evenly spread; the last velocity repeated
    series: list  # of Series that are not empty
    trajectories: int
    epsilon: float
    norm: str
    complete: bool
    directions: dict = field(default_factory=dict)  # by name: rows (nv,) whose ends were sought
    lcps: int = 0  # of an exploration, which has no trajectories; 0: a sample
    bound: list = field(default_factory=list)  # of vertices, n x nv, of each convex piece
    bound_label: str = ""  # in the legend
    bound_remark: str = ""  # what the bound proves, and the gap to it
    configuration: Configuration | None = None  # of the bodies, if the file has them

    @property
    def is_spatial(self):
        return self.tangent_jacobian.shape[1] > 1


def scenario_name(scenario, path):
    """The name that a scenario (canonical TOML) states, else its system; matrices have the name of
    the file."""
    name = re.match(r'name = "((?:[^"\\]|\\.)*)"', scenario)
    if name:
        return re.sub(r"\\(.)", r"\1", name.group(1))
    system = re.search(r'^\s*system\s*=\s*"([^"]*)"', scenario, re.MULTILINE)
    if system and system.group(1) not in ("matrices", "mujoco", "planar", "spatial"):
        return system.group(1)
    return os.path.splitext(os.path.basename(path))[0]


def text(value):
    """The text of a string attribute or element, in any type that h5py returns."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def outcomes_of(samples, rows, limit):
    """The outcomes among the first `rows` velocities of a group, at most `limit`."""
    velocity, status = samples["velocity"], samples["status"]
    found, missing = [velocity[:0]], limit
    for first in range(0, rows, BLOCK_ROWS):
        if missing <= 0:
            break
        block = slice(first, min(first + BLOCK_ROWS, rows))
        separated = np.flatnonzero(status[block] == SEPARATED)[:missing]
        if separated.size:
            found.append(velocity[first : first + separated[-1] + 1][separated])
            missing -= separated.size
    return np.concatenate(found)


def outcomes_of_shards(path, samples, limit):
    """The same for rows in separate files, one open at a time. HDF5's virtual dataset would not
    report a file that is missing or of another run."""
    folder = os.path.join(os.path.dirname(path), text(samples.attrs["rows_in"]))
    run = text(samples.attrs["run"])
    found = [samples["velocity"][:0]]
    for first, count in samples["shards"][:]:
        missing = limit - sum(map(len, found))
        if missing <= 0:
            break
        name = os.path.join(folder, f"{first:012d}.h5")
        if not os.path.isfile(name):
            raise BadFile(f"{path} cannot be drawn: {name} is missing")
        with opened(name, "carom rows") as shard:
            rows = shard["samples/velocity"].shape[0]
            if text(shard.attrs["run"]) != run or shard.attrs["first"] != first or rows < count:
                raise BadFile(f"{path} cannot be drawn: {name} holds other rows")
            found.append(outcomes_of(shard["samples"], count, missing))
    return np.concatenate(found)


def first_outcomes(path, samples, limit):
    """The first `limit` velocities that are outcomes (trajectories are independent: no bias)."""
    if "shards" in samples:
        return outcomes_of_shards(path, samples, limit)
    return outcomes_of(samples, samples["velocity"].shape[0], limit)


def spread_rows(dataset, most):
    """At most `most` rows of a dataset, evenly spread."""
    return dataset[:: -(-dataset.shape[0] // most)] if most and dataset.shape[0] else dataset[:0]


def read_laws(group, contact_names):
    """Outcomes of other laws, one Series each; two for sequences (the first, and all others)."""
    law, order = group["law"][:], [text(name) for name in group["order"][:]]
    velocity, ended = group["velocity"][:], group["terminated"][:] != 0
    ends = np.cumsum(group["path_count"][:]).astype(int)
    paths = np.split(group["path"][:], ends[:-1])

    def short(rows):
        return [paths[row] for row in rows if len(paths[row]) <= LONGEST_SEQUENCE]

    def sequence(row):
        room = 24  # letters, in a legend: beyond, numbers of the contacts stand for their names
        names, goes_on = order[row], ", \u2026" if "," in order[row] else ""
        if len(names) <= room:
            return f"sequence {names}{goes_on}"
        return f"contacts {','.join(str(contact_names.index(name) + 1) for name in names.split(','))}{goes_on} in turn"

    one = np.flatnonzero(ended & (law == SIMULTANEOUS))
    sequences = np.flatnonzero(ended & (law == SEQUENTIAL))
    first, others = sequences[:1], sequences[1:]
    name = "".join(map(sequence, first))
    if others.size == 1:
        other_name = sequence(others[0])
    else:
        other_name = f"{others.size} other sequences"
    return [
        Series(STYLES["simultaneous"], "simultaneous law", velocity[one], short(one)),
        Series(STYLES["sequence"], name, velocity[first], short(first)),
        # More lines than one would hide all else.
        Series(STYLES["other sequences"], other_name, velocity[others], short(others[:1])),
    ]


def read_series(file):
    """All Series of the file besides its sample, in the order of drawing."""
    names = [text(name) for name in file["problem/contact_names"][:]]
    series = read_laws(file["comparison"], names) if "comparison" in file else []
    if "search" in file:
        searched = file["search/velocity"][:]
        label = f"{len(searched)} found by search, {file['search'].attrs['members']} in the net"
        series.append(Series(STYLES["searched"], label, searched))
    if "sought" in file:
        sought = file["sought/velocity"][:]
        series.append(Series(STYLES["sought"], "outcomes sought at the ends", sought))
    return [some for some in series if len(some.velocities)]


def read_directions(file):
    """The quantities whose ends the file has, by name: "heel tangential" of "least heel tangential"."""
    if "explore/directions" in file:
        names = [text(name) for name in file["explore/direction_names"][:]]
        return dict(zip(names, file["explore/directions"][:]))
    if "sought" not in file:
        return {}
    names = [text(name).partition(" ")[2] for name in file["sought/objective"][:]]
    return dict(zip(names, file["sought/direction"][:]))


def scope_of(bound):
    """What an outer bound holds for, as the beginning of a sentence and as a legend's remark."""
    if bound.attrs["scope"] == INCLUSION:
        return "In the limit h \u2192 0", "h \u2192 0"
    if bound.attrs["status"] == CLOSED:
        return "In any number of steps", ""
    steps = int(bound.attrs["steps"])
    most = f"at most {steps} step{'' if steps == 1 else 's'}"
    return f"Of paths of {most},", most


def bound_label(bound):
    """What a legend calls an outer bound: proved, unless nothing is or outcomes contradict it."""
    remark = scope_of(bound)[1]
    proof = "proved"
    if bound.attrs["verified"] == NOT_VERIFIED:
        proof = "not verified"
    elif bound.attrs["outside"]:
        proof = ""
    inside = ", ".join(filter(None, [proof, remark]))
    return f"outer bound ({inside})" if inside else "outer bound"


def speed_units(problem):
    """Of each contact."""
    if "speed_units" in problem:
        return [text(unit) for unit in problem["speed_units"][:]]
    return ["m/s"] * len(problem["normal_jacobian"])


def gap_text(bound, units):
    """The widest gap between an outer bound and what was found. Its quantities are the contacts' speeds,
    of these units, and then directions, of any unit."""
    low, high, found_low, found_high = bound["ends"][:].T
    gaps = np.concatenate([found_low - low, high - found_high])
    widest = int(np.argmax(gaps))
    names = [text(name) for name in bound["names"][:]]
    name = names[widest % len(names)]
    place = names.index(name)  # a direction may be a contact's speed
    unit = f" {units[place]}" if place < len(units) else ""
    return f"the widest gap is {gaps[widest]:.2g}{unit} ({name})"


def bound_remark(bound, units, compared):
    """What an outer bound proves, and how what was found (`compared`, in words) agrees with it."""
    attributes = bound.attrs
    leaves = "should leave" if attributes["verified"] == NOT_VERIFIED else "leaves"
    remark = f"{scope_of(bound)[0]} no outcome {leaves} the outer bound"
    if attributes["verified"] == NOT_VERIFIED:
        remark += ", which is not verified"
    if not bound["vertices"].shape[0]:
        remark += " (not drawn)"
    if attributes["outside"]:
        found = f"{attributes['outside']} of {attributes['outcomes']} {compared} are outside"
        return f"{remark}; but {found}, by up to {attributes['worst']:.2g} m/s."
    if attributes["outcomes"]:
        return f"{remark}; {gap_text(bound, units)}."
    return f"{remark}; no {compared} could be compared with it."


def read_bound(file):
    """The outer bound as arguments of Result; none if the file has none."""
    if "bound" not in file or not file["bound/vertices_count"].shape[0]:
        return {}
    bound, problem = file["bound"], file["problem"]
    ends = np.cumsum(bound["vertices_count"][:]).astype(int)
    axes = 1 + problem["tangent_jacobian"].size // problem["normal_jacobian"].size  # of a contact
    compared = "members and ends" if "explore" in file else "outcomes"
    # All but hulls bound by conditions, without vertices.
    pieces = [piece for piece in np.split(bound["vertices"][:], ends[:-1]) if len(piece)]
    return {
        "bound": pieces,
        "bound_label": bound_label(bound),
        "bound_remark": bound_remark(bound, np.repeat(speed_units(problem), axes), compared),
    }


def read_configuration(file, contact_names):
    """The bodies before the impact; None if the file has none."""
    if "world" not in file:
        return None
    group = file["world"]
    contacts = zip(contact_names, group["contact_place"][:], group["contact_normal"][:], strict=True)
    return Configuration(read_world(group), group["position"][:], group["velocity"][:], list(contacts))


def read_common(path, file, max_points):
    """What any open result has, as arguments of Result; `max_points` bounds the net's members."""
    problem, net = file["problem"], file["net"]
    normal = problem["normal_jacobian"][:]
    contacts = normal.shape[0]
    contact_names = [text(name) for name in problem["contact_names"][:]]
    return {
        "path": os.fspath(path),
        "name": scenario_name(text(file.attrs["scenario"]), path),
        "contact_names": contact_names,
        "speed_units": speed_units(problem),
        "normal_jacobian": normal,
        "tangent_jacobian": problem["tangent_jacobian"][:].reshape(contacts, -1, normal.shape[1]),
        "friction": problem["friction"][:],
        "pre_impact_velocities": problem["pre_impact_velocity"][:][None],
        "net": net["velocity"][:max_points],
        "net_size": net["velocity"].shape[0],
        "epsilon": float(net.attrs["epsilon"]),
        "norm": text(net.attrs["norm"]),
        "complete": bool(file.attrs["complete"]),
        "configuration": read_configuration(file, contact_names),
        **read_bound(file),
    }


def read_exploration(path, file, max_points):
    """Reads an open exploration: its outcomes are the members, and those at the ends."""
    common = read_common(path, file, max_points)
    explore = file["explore"]
    ends = Series(STYLES["sought"], "outcomes at the ends", explore["end_velocity"][:])
    return Result(
        **common,
        outcomes=common["net"],
        outcome_count=int(explore.attrs["outcomes"]),
        rows_stored=False,
        paths=np.zeros((0, 1, common["normal_jacobian"].shape[1])),
        series=[ends] if len(ends.velocities) else [],
        trajectories=0,
        lcps=int(explore.attrs["lcps"]),
        directions=read_directions(file),
    )


def read_sample(path, file, max_points, max_paths):
    """Reads an open result of carom sample; `max_points` bounds outcomes and net members."""
    common = read_common(path, file, max_points)
    samples = file["samples"]
    rows_stored = samples["velocity"].shape[0] > 0
    return Result(
        **common,
        # Rows may be in files beside this one, not beside a link to it.
        outcomes=first_outcomes(os.path.realpath(path), samples, max_points)
        if rows_stored
        else common["net"],
        outcome_count=int(file["summary/status_counts"][SEPARATED]),
        rows_stored=rows_stored,
        paths=spread_rows(file["paths/velocity"], min(max_points, max_paths, MOST_PATHS)),
        series=read_series(file),
        trajectories=int(file["summary"].attrs["trajectories"]),
        directions=read_directions(file),
    )


def read(path, max_points, max_paths=MOST_PATHS):
    """Reads a result file. Raises BadFile if it is missing, foreign or damaged."""
    explored = format_of(path) == "carom exploration"
    with opened(path, "carom exploration" if explored else "carom result", DRAWN) as file:
        version = int(file.attrs["format_version"])
        if version > FORMAT_VERSION:
            raise BadFile(
                f"{path} has format_version {version} (this Carom reads up to {FORMAT_VERSION})"
            )
        if explored:
            return read_exploration(path, file, max_points)
        return read_sample(path, file, max_points, max_paths)
