"""Damaged files in Carom's readers in Python, seeded: an error that names the file, or the very
numbers of the whole. CAROM_DAMAGED_FILES=10000 reads as many (default 300).
Run: CAROM_EXECUTABLE=... python3 -m unittest tests/python/test_damaged_files.py"""

import dataclasses
import json
import os
import pickle
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from carom import heat_map, result_file  # noqa: E402
from carom.dataset import DatasetFolder  # noqa: E402
from carom.sealed_file import BadFile  # noqa: E402

CASES = int(os.environ.get("CAROM_DAMAGED_FILES", 300))
GRID = """scenario = "compass_gait"
invalid = "skip"
[axes]
trailing_rate = {min = -0.5, max = 1.0, count = 3}
problem.friction = {values = [-1.0, 1.0]}
[sampling]
trajectories = 200
max_steps = 20
"""
DATASET = """scenario = "compass_gait"
problems = 10
[axes]
leg_angle_deg = {min = 20.0, max = 80.0}
[sampling]
trajectories = 16
max_steps = 20
[outcomes]
per_problem = 8
[shards]
problems = 5
"""


def read_result(folder):
    result = result_file.read(folder / "made.h5", 10_000)
    return dataclasses.replace(result, path="")  # a copy's numbers, wherever it lies


def read_grid(folder):
    # As `carom plot` does.
    if heat_map.is_grid(folder / "made.h5"):
        return heat_map.read(folder / "made.h5")
    return result_file.read(folder / "made.h5", 10_000)


def read_dataset(folder):
    data = DatasetFolder(folder / "set")
    index = {key: data.index[key] for key in ("names", "outcomes_per_problem", "version")}
    return index, data.arrays(), [data.problem(i) for i in range(len(data))]


def damage(path, draw):
    """A few bits, a block, the end."""
    whole = bytearray(path.read_bytes())
    at = draw.randrange(len(whole))
    length = draw.randint(1, 1 << draw.randrange(14))
    kind = draw.randrange(6)
    if kind == 0:
        for _ in range(draw.randint(1, 8)):
            whole[draw.randrange(len(whole))] ^= 1 << draw.randrange(8)
    elif kind == 1:
        del whole[at:]
    elif kind == 2:
        whole[at : at + length] = draw.choice([b"\0", b"\xff"]) * len(whole[at : at + length])
    elif kind == 3:
        whole[at : at + length] = draw.randbytes(len(whole[at : at + length]))
    elif kind == 4:
        whole += draw.randbytes(length)
    else:
        del whole[at : at + length]
    path.write_bytes(whole)


@unittest.skipUnless("CAROM_EXECUTABLE" in os.environ, "needs CAROM_EXECUTABLE")
class DamagedFiles(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.whole = self.folder / "whole"
        self.whole.mkdir()

    def carom(self, *arguments):
        command = [os.environ["CAROM_EXECUTABLE"], *map(str, arguments), "--quiet"]
        subprocess.run(command, check=True, cwd=self.folder)

    def read_damaged_copies(self, read):
        expected = pickle.dumps(read(self.whole))
        refused = 0
        for case in range(CASES // 4):
            draw = random.Random(case)
            copy = self.folder / "copy"
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(self.whole, copy)
            read_from = [copy / "set/index.json"] if (copy / "set").is_dir() else []
            damaged = draw.choice(sorted([*copy.rglob("*.h5"), *read_from]))
            damage(damaged, draw)
            with self.subTest(case=case, file=damaged.name):
                try:
                    self.assertTrue(pickle.dumps(read(copy)) == expected, "other numbers in silence")
                except BadFile as error:
                    refused += 1
                    self.assertIn(str(damaged), str(error))
                    self.assertRegex(str(error), "damaged|does not begin|no seal|has checksum")
        self.assertGreater(refused, CASES // 8)

    def test_results(self):
        self.carom("sample", "rocking_block", "--paths", 50, "-o", self.whole / "made.h5")
        self.read_damaged_copies(read_result)

    def test_results_with_rows_in_files_of_their_own(self):
        self.carom("sample", "rocking_block", "--shard-rows", 6000, "-o", self.whole / "made.h5")
        self.read_damaged_copies(read_result)

    def test_grids(self):
        (self.folder / "spec.toml").write_text(GRID)
        self.carom("grid", "spec.toml", "-o", self.whole / "made.h5")
        self.read_damaged_copies(read_grid)

    def test_data_sets(self):
        (self.folder / "spec.toml").write_text(DATASET)
        self.carom("dataset", "spec.toml", "-o", self.whole / "set")
        self.read_damaged_copies(read_dataset)
        index = json.loads((self.whole / "set/index.json").read_text())
        self.assertEqual(len(index["shards"]), 2)


if __name__ == "__main__":
    unittest.main()
