"""Reads data sets of `carom dataset` (docs/datasets.md) with NumPy and h5py."""

import json
import operator
import os
import threading
import weakref
from collections.abc import Iterable
from pathlib import Path

import h5py
import numpy as np

from carom._pairs import state_pairs
from carom.sealed_file import BadFile, SealedFile, checksum

NotADataset = BadFile  # its earlier name

SHARD_FORMAT = "carom dataset shard"
FORMAT_VERSION = 2
SPLITS = ("train", "validation", "test")
# Columns per problem.
PROBLEM_ARRAYS = (
    "member", "values", "mass_matrix", "normal_jacobian", "tangent_jacobian", "friction",
    "restitution", "pre_impact_velocity", "energy", "status_counts", "cover", "net_members", "mode_tolerance", "other_contacts",
)  # fmt: skip


MOST_OPEN = 64  # shards of a folder at once; a process may open some 1,000 files
_reading = threading.RLock()  # another thread may not close the shard that is read


class _OpenShard:
    """An open shard, and its arrays by their names: HDF5 takes longer to look a name up than to
    read a row."""

    def __init__(self, path):
        self.sealed = SealedFile(path, SHARD_FORMAT)
        self.file = h5py.File(self.sealed, "r")
        self.problems, self.outcomes = dict(self.file["problems"]), dict(self.file["outcomes"])
        self.comparison = dict(self.file.get("comparison", {}))
        self.laws_of = self.comparison["member"][:] if self.comparison else None
        for name in ("names", "contact_names"):  # of the data set, not of each problem
            self.problems.pop(name, None)

    def close(self):
        self.problems, self.outcomes, self.comparison = {}, {}, {}
        self.file.close()
        self.sealed.close()


def _close(shards):
    """Closes the open shards of a process."""
    for shard in shards.values():
        shard.close()


class DatasetFolder:
    """A finished data set: its index, and the problems of one split.

    split: "train", "validation", "test", or None for all problems.
    verify: first compare all shards with their checksums; else compare only the data that is read.

    Raises carom.sealed_file.BadFile, a ValueError, if something is missing or damaged.
    """

    def __init__(self, folder, split=None, verify=False):
        if split is not None and split not in SPLITS:
            raise ValueError(f"split is {split!r} (must be one of {', '.join(SPLITS)}, or None)")
        self.folder = Path(folder)
        self.split = split
        self.index = read_index(self.folder)
        self._open_no_files()
        for shard in self.index["shards"]:
            check_shard(self.folder, shard, verify)
        self._locate()

    @property
    def names(self):
        """Names of the values that vary, in their order."""
        return self.index["names"]

    def _locate(self):
        """Shard, row, first outcome and number of outcomes of every problem of this split."""
        rows = []
        for number in range(len(self.index["shards"])):
            problems = self._shard(number).problems
            found = np.arange(len(problems["split"]))
            if self.split is not None:
                found = np.flatnonzero(problems["split"][:] == SPLITS.index(self.split))
            first, count = problems["first_outcome"][:], problems["outcome_count"][:]
            shard = np.full(len(found), number)
            rows.append(np.stack([shard, found, first[found], count[found]], axis=1))
        self._rows = np.concatenate(rows).astype(np.int64) if rows else np.zeros((0, 4), np.int64)

    def __len__(self):
        return len(self._rows)

    def _open_no_files(self):
        self._files, self._process = {}, os.getpid()
        # A file of h5py over a file of Python's that is open when a spawned process ends crashes it.
        weakref.finalize(self, _close, self._files)

    def _shard(self, number):
        """An open shard; HDF5 requires that every process opens its own."""
        if self._process != os.getpid():
            self._open_no_files()
        shard = self._files.pop(number, None)
        if shard is None:
            if len(self._files) >= MOST_OPEN:
                self._files.pop(next(iter(self._files))).close()  # the one that waited longest
            shard = _OpenShard(self.folder / self.index["shards"][number]["file"])
        self._files[number] = shard
        shard.sealed.refuse_if_damaged()
        return shard

    def shard(self, number):
        """The HDF5 file of a shard. Reading other shards may close it."""
        return self._shard(number).file

    def __getstate__(self):
        return {**self.__dict__, "_files": {}, "_process": None}

    def outcome_counts(self):
        """Number of outcomes of every problem."""
        return self._rows[:, 3].copy()

    def problem(self, i, names=None):
        """The data of problem i: its own arrays, `outcomes`, a dict of arrays with one row per
        outcome or rollout, and, if stored, `comparison`, one with a row per outcome of another law;
        of all names, or of those among `names`."""
        i = operator.index(i)  # a number, not a mask or a list
        if not len(self):
            raise IndexError(f"{self.folder} has no problem in the split {self.split!r}")
        if not -len(self) <= i < len(self):
            raise IndexError(f"problem is {i} (must be from {-len(self)} to {len(self) - 1})")
        number, row, first, count = self._rows[i]

        def is_wanted(name):
            return names is None or name in names

        with _reading:
            shard = self._shard(number)
            found = {name: shard.problems[name][row] for name in PROBLEM_ARRAYS
                     if name in shard.problems and is_wanted(name)}  # fmt: skip
            found["outcomes"] = {
                name: array[first : first + count]
                for name, array in shard.outcomes.items()
                if name != "member" and is_wanted(name)
            }
            if shard.comparison and is_wanted("comparison"):
                laws = slice(*np.searchsorted(shard.laws_of, (member := shard.problems["member"][row], member + 1)))
                found["comparison"] = {name: _decoded(array[laws]) for name, array in shard.comparison.items()
                                       if name != "member"}  # fmt: skip
            self._shard(number)  # refuses what was taken for something missing
        return found

    def skipped(self):
        """The members of the whole family that were left out: {member: the rule that it breaks}."""
        return {member: reason for group in self._groups("skipped")
                for member, reason in zip(group["member"].tolist(), group["reason"])}  # fmt: skip

    def notes(self):
        """The notes on each member of the whole family that has some: {member: [(code, text), ...]}.
        What the counts of a problem tell, such as trajectories without an outcome, is not among them."""
        found = {}
        for group in self._groups("notes"):
            for member, which in zip(group["member"].tolist(), group["which"]):
                found.setdefault(member, []).append((group["code"][which], group["text"][which]))
        return found

    def _groups(self, name):
        """The arrays of a group of each shard that has it."""
        for number in range(len(self.index["shards"])):
            with _reading:
                group = self.shard(number).get(name)
                if group is not None:
                    yield {key: _decoded(array[:]) for key, array in group.items()}

    def transitions(self):
        """State by state of a data set of rollouts: `state` and `next_state` (N, nq + nv), positions
        before velocities; `seconds` (N,) between them; `values` (N, names) of what varies, and
        `problem` (N,), the problem of each row."""
        if "times" not in self.index:
            raise ValueError(f"{self.folder} has outcomes of impacts (must be a data set of rollouts)")
        if not len(self):
            raise ValueError(f"{self.folder} has no problem in the split {self.split!r}")
        rows = self.arrays()
        time = np.array(self.index["times"])
        state, following, seconds = state_pairs(rows["position"], rows["velocity"], time)
        problem = np.repeat(rows["problem"], len(time) - 1)
        return {"state": state, "next_state": following, "seconds": seconds,
                "values": rows["values"][problem], "problem": problem}  # fmt: skip

    def arrays(self, names=None):
        """Arrays of all problems, outcomes or rollouts row by row; `problem` is the problem of each.
        Default: `values`, `pre_impact_velocity`, `velocity` and, if stored, `modes`; of rollouts `values`,
        `position`, `velocity`.

        A name of both kinds (`energy`) refers to the outcomes.
        """
        if names is None:
            of_rollouts = ("values", "position", "velocity")
            of_impacts = ("values", "pre_impact_velocity", "velocity", "modes")
            names = of_rollouts if "times" in self.index else of_impacts
            with _reading:
                names = [name for name in names if name != "modes" or name in self._shard(0).outcomes]
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise TypeError(f"names is {names!r} (must be a list of names)")
        with _reading:
            found = self._all_rows(names)
        found["problem"] = np.repeat(np.arange(len(self)), self._rows[:, 3])
        return found

    def _all_rows(self, names):
        """The arrays with these names, of all problems."""
        parts = {name: [self._column(0, name)[:0]] for name in names}
        for number in range(len(self.index["shards"])):
            mine = self._rows[self._rows[:, 0] == number]
            if not len(mine):
                continue
            outcomes = self._shard(number).outcomes
            wanted = np.concatenate([np.arange(f, f + c) for _, _, f, c in mine])
            for name in names:
                rows = wanted if name in outcomes and name != "member" else mine[:, 1]
                parts[name].append(self._column(number, name)[:][rows])
            self._shard(number)  # refuses what was taken for something missing
        return {name: np.concatenate(part) for name, part in parts.items()}

    def _column(self, number, name):
        """A dataset of a shard: of its outcomes or, if they have no such, of its problems."""
        shard = self._shard(number)
        if name in shard.outcomes and name != "member":
            return shard.outcomes[name]
        if name in shard.problems:
            return shard.problems[name]
        self._shard(number)  # refuses what was taken for something missing
        known = sorted({*shard.outcomes, *shard.problems})
        raise ValueError(f"{self.folder} has no array {name!r} (must be one of {', '.join(known)})")


def _decoded(array):
    """Strings of a file as str; numbers as they are."""
    if array.dtype.kind not in "SO":
        return array
    return np.array([text.decode() if isinstance(text, bytes) else text for text in array], dtype=object)


def read_index(folder):
    """index.json of a finished data set."""
    try:
        text = (folder / "index.json").read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        hint = "run `carom dataset` again" if (folder / "spec.json").exists() else "no data set"
        raise BadFile(f"{folder} has no index.json ({hint})") from None
    before, _, end = text.rpartition(b'"crc32": "')  # its own checksum comes last
    if end != checksum(before).encode() + b'"\n}\n':
        raise BadFile(
            f"{folder}/index.json is damaged, or no index of a data set: it differs from its checksum"
        )
    index = json.loads(text)
    if index["format_version"] > FORMAT_VERSION:
        raise BadFile(
            f"{folder} has format {index['format_version']} (must be at most {FORMAT_VERSION})"
        )
    return index


def check_shard(folder, shard, verify):
    """Refuses a shard that is missing, damaged or not the one of the index. Without verify,
    damage is found as it is read."""
    path = folder / shard["file"]
    if not path.is_file():
        raise BadFile(f"{path} is missing")
    with SealedFile(path, SHARD_FORMAT) as sealed:
        found = sealed.about["crc32"]
        if found != shard["crc32"]:
            raise BadFile(f"{path} has checksum {found} (must be {shard['crc32']})")
        if verify:
            sealed.check()
