"""Reads data sets of `carom dataset` (docs/datasets.md) with NumPy and h5py."""

import json
import os
import zlib
from pathlib import Path

import h5py
import numpy as np

FORMAT = "carom dataset"
FORMAT_VERSION = 1
SPLITS = ("train", "validation", "test")
BLOCK_BYTES = 1 << 20
# What there is once per problem, and once per outcome, where the data set has it.
PROBLEM_ARRAYS = (
    "member", "values", "mass_matrix", "normal_jacobian", "tangent_jacobian", "friction",
    "pre_impact_velocity", "energy", "status_counts", "cover", "net_members", "mode_tolerance",
)  # fmt: skip
OUTCOME_ARRAYS = ("velocity", "energy", "impulse", "modes", "trajectory")


class NotADataset(ValueError):
    """The folder cannot be read as a data set; the message says why, in one line."""


class DatasetFolder:
    """A finished data set: its index, and the problems of one part of it.

    split: "train", "validation", "test", or None for all problems.
    verify: compare every shard with its checksum first.
    """

    def __init__(self, folder, split=None, verify=False):
        if split is not None and split not in SPLITS:
            raise ValueError(f"split is {split!r} (must be one of {', '.join(SPLITS)}, or None)")
        self.folder = Path(folder)
        self.split = split
        self.index = read_index(self.folder)
        self._files = {}
        self._process = os.getpid()
        for shard in self.index["shards"]:
            check_shard(self.folder, shard, self.index["header_bytes"], verify)
        self._locate()

    @property
    def names(self):
        """Names of the values that vary, in their order."""
        return self.index["names"]

    def _locate(self):
        """Shard, row, first outcome and number of outcomes of every problem of this part."""
        rows = []
        for number in range(len(self.index["shards"])):
            problems = self.shard(number)["problems"]
            found = np.arange(len(problems["split"]))
            if self.split is not None:
                found = np.flatnonzero(problems["split"][:] == SPLITS.index(self.split))
            first, count = problems["first_outcome"][:], problems["outcome_count"][:]
            shard = np.full(len(found), number)
            rows.append(np.stack([shard, found, first[found], count[found]], axis=1))
        self._rows = np.concatenate(rows).astype(np.int64) if rows else np.zeros((0, 4), np.int64)

    def __len__(self):
        return len(self._rows)

    def shard(self, number):
        """An open shard; every process opens its own, as HDF5 wants."""
        if self._process != os.getpid():
            self._files, self._process = {}, os.getpid()
        if number not in self._files:
            path = self.folder / self.index["shards"][number]["file"]
            self._files[number] = h5py.File(path, "r")
        return self._files[number]

    def __getstate__(self):
        return {**self.__dict__, "_files": {}}

    def outcome_counts(self):
        """Outcomes of every problem."""
        return self._rows[:, 3].copy()

    def problem(self, i):
        """What there is of problem i: its own arrays, and `outcomes`, a dict of arrays with a row
        per outcome."""
        number, row, first, count = self._rows[i]
        shard = self.shard(number)
        own, outcomes = shard["problems"], shard["outcomes"]
        found = {name: own[name][row] for name in PROBLEM_ARRAYS if name in own}
        found["outcomes"] = {
            name: outcomes[name][first : first + count] for name in OUTCOME_ARRAYS if name in outcomes
        }
        return found

    def arrays(self, names=("values", "pre_impact_velocity", "velocity", "modes")):
        """Arrays of all problems at once, outcomes row by row; `problem` tells the outcomes' problem.

        A name of both kinds (`energy`) means the outcomes'.
        """
        parts = {name: [] for name in names}
        for number in range(len(self.index["shards"])):
            mine = self._rows[self._rows[:, 0] == number]
            if not len(mine):
                continue
            shard = self.shard(number)
            wanted = np.concatenate([np.arange(f, f + c) for _, _, f, c in mine])
            for name in names:
                if name in shard["outcomes"] and name != "member":
                    parts[name].append(shard["outcomes"][name][:][wanted])
                else:
                    parts[name].append(shard["problems"][name][:][mine[:, 1]])
        found = {name: np.concatenate(part) for name, part in parts.items() if part}
        found["problem"] = np.repeat(np.arange(len(self)), self._rows[:, 3])
        return found


def read_index(folder):
    """index.json of a finished data set."""
    try:
        index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        hint = "run `carom dataset` again" if (folder / "spec.json").exists() else "no data set"
        raise NotADataset(f"{folder} has no index.json ({hint})") from None
    except ValueError as error:
        raise NotADataset(f"{folder}/index.json cannot be read: {error}") from None
    if not isinstance(index, dict) or index.get("format") != FORMAT:
        raise NotADataset(f"{folder}/index.json is no index of a data set")
    if index["format_version"] > FORMAT_VERSION:
        raise NotADataset(
            f"{folder} has format {index['format_version']} (must be at most {FORMAT_VERSION})"
        )
    return index


def check_shard(folder, shard, header_bytes, verify):
    """Refuses a shard that is missing or of another size or, with verify, of another checksum."""
    path = folder / shard["file"]
    if not path.is_file():
        raise NotADataset(f"{path} is missing")
    if path.stat().st_size != shard["bytes"]:
        raise NotADataset(
            f"{path} has {path.stat().st_size} bytes (must be {shard['bytes']}, as the index says)"
        )
    if not verify:
        return
    checksum = 0
    with open(path, "rb") as file:
        file.seek(header_bytes)
        while block := file.read(BLOCK_BYTES):
            checksum = zlib.crc32(block, checksum)
    if f"{checksum:08x}" != shard["crc32"]:
        raise NotADataset(f"{path} has checksum {checksum:08x} (must be {shard['crc32']})")
