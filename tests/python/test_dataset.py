"""Reading data sets with NumPy and PyTorch. Run: python3 -m unittest discover -s tests/python."""

import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from carom.dataset import SHARD_FORMAT, DatasetFolder  # noqa: E402
from carom.sealed_file import BadFile  # noqa: E402
from carom.sealed_file import SealedFile  # noqa: E402
from sealing import crc, sealed  # noqa: E402

try:
    import torch
except ModuleNotFoundError:
    torch = None

NV, CONTACTS, LARGEST = 3, 2, 4  # velocities, contacts, outcomes per problem at most
COUNTS = [[4, 2, 4], [0, 4]]  # outcomes of each problem, shard by shard
SPLITS = [[0, 1, 0], [2, 0]]


def write_shard(path, members, counts, splits):
    """A shard as docs/datasets.md says; the numbers follow from problem and outcome."""
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    owner = np.repeat(members, counts)
    row = np.arange(len(owner))
    with sealed(path, SHARD_FORMAT) as file:
        own, outcomes = file.create_group("problems"), file.create_group("outcomes")
        own["member"] = np.array(members, "u8")
        own["values"] = np.array(members, float)[:, None] + [0.0, 0.5]
        own["pre_impact_velocity"] = -np.ones((len(members), NV))
        own["other_contacts"] = np.array(members, "u1") // 2 % 2
        own["split"] = np.array(splits, "u1")
        own["first_outcome"] = first.astype("u8")
        own["outcome_count"] = np.array(counts, "u4")
        outcomes["velocity"] = owner[:, None] * 100.0 + row[:, None] + np.zeros((1, NV))
        outcomes["energy"] = row.astype(float)
        outcomes["modes"] = np.tile(np.array([[0, 1]], "u1"), (len(owner), 1))


def write_dataset(folder):
    shards, member = [], 0
    for number, (counts, splits) in enumerate(zip(COUNTS, SPLITS)):
        members = np.arange(member, member + len(counts))
        shards.append(folder / f"shard-{number:05}.h5")
        write_shard(shards[-1], members, counts, splits)
        member += len(counts)
    write_index(folder, shards)


def write_index(folder, shards):
    found = []
    for path in shards:
        with SealedFile(path, SHARD_FORMAT) as file:
            found.append({"file": path.name, "crc32": file.about["crc32"]})
    index = {
        "format": "carom dataset", "format_version": 1, "names": ["a", "b"],
        "outcomes_per_problem": LARGEST, "shards": found, "crc32": "",
    }  # fmt: skip
    before, key, after = json.dumps(index, indent=1).rpartition('"crc32": "')
    (folder / "index.json").write_text(before + key + crc(before.encode()) + after + "\n")


class MadeUpDataset(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        write_dataset(self.folder)


class ReadingWithNumPy(MadeUpDataset):
    def test_a_split_has_its_problems_only(self):
        members = {
            split: [int(data.problem(i)["member"]) for i in range(len(data))]
            for split in ("train", "validation", "test", None)
            for data in [DatasetFolder(self.folder, split)]
        }
        self.assertEqual(
            members, {"train": [0, 2, 4], "validation": [1], "test": [3], None: [0, 1, 2, 3, 4]}
        )

    def test_a_problem_has_its_own_outcomes(self):
        data = DatasetFolder(self.folder)
        velocity = data.problem(2)["outcomes"]["velocity"]
        np.testing.assert_array_equal(velocity[:, 0], [206, 207, 208, 209])
        self.assertEqual(len(data.problem(3)["outcomes"]["velocity"]), 0)
        self.assertEqual(data.outcome_counts().tolist(), [4, 2, 4, 0, 4])

    def test_arrays_have_a_row_per_outcome_and_tell_its_problem(self):
        arrays = DatasetFolder(self.folder, "train").arrays(("values", "velocity"))
        self.assertEqual(arrays["problem"].tolist(), [0] * 4 + [1] * 4 + [2] * 4)
        np.testing.assert_array_equal(arrays["values"][:, 0], [0, 2, 4])
        np.testing.assert_array_equal(arrays["velocity"][8:, 0], [400, 401, 402, 403])

    def test_an_empty_split_has_the_arrays_of_others_without_rows(self):
        filled = DatasetFolder(self.folder, "train")
        empty = DatasetFolder(self.folder, "train")
        empty._rows = empty._rows[:0]
        for name, column in filled.arrays().items():
            self.assertEqual(empty.arrays()[name].shape, (0, *column.shape[1:]))
        with self.assertRaisesRegex(ValueError, "has no array 'velocty' .must be one of .*velocity"):
            filled.arrays(("velocty",))

    def test_a_file_is_no_folder(self):
        with self.assertRaisesRegex(BadFile, "no data set"):
            DatasetFolder(__file__)

    def test_a_changed_byte_is_found_when_it_is_read(self):
        path = self.folder / "shard-00001.h5"
        many = np.arange(200_000.0)  # more than one block
        with sealed(path, SHARD_FORMAT, "a") as file:
            file["outcomes/impulse"] = many
        write_index(self.folder, [path.parent / "shard-00000.h5", path])
        whole = bytearray(path.read_bytes())
        whole[whole.index(many[100_000:100_002].tobytes())] ^= 1
        path.write_bytes(whole)
        data = DatasetFolder(self.folder)
        self.assertEqual(len(data.arrays(("values",))["problem"]), 14)
        with self.assertRaisesRegex(BadFile, "shard-00001.h5 is damaged .* checksum"):
            data.shard(1)["outcomes/impulse"][:]
        with self.assertRaisesRegex(BadFile, "shard-00001.h5 is damaged .* checksum"):
            DatasetFolder(self.folder, verify=True)

    def test_an_index_that_was_changed_is_refused(self):
        index = self.folder / "index.json"
        index.write_text(index.read_text().replace('"a"', '"c"'))
        with self.assertRaisesRegex(BadFile, "index.json is damaged"):
            DatasetFolder(self.folder)

    def test_a_shard_of_another_data_set_is_refused(self):
        write_shard(self.folder / "shard-00001.h5", [3, 4], [4, 4], [0, 0])
        with self.assertRaisesRegex(BadFile, "shard-00001.h5 has checksum .* \\(must be"):
            DatasetFolder(self.folder)

    def test_a_missing_or_cut_shard_and_a_missing_index_are_told(self):
        path = self.folder / "shard-00001.h5"
        os.truncate(path, 600)
        with self.assertRaisesRegex(BadFile, "it has 600 bytes"):
            DatasetFolder(self.folder)
        path.unlink()
        with self.assertRaisesRegex(BadFile, "is missing"):
            DatasetFolder(self.folder)
        (self.folder / "index.json").unlink()
        with self.assertRaisesRegex(BadFile, "no data set"):
            DatasetFolder(self.folder)
        (self.folder / "spec.json").write_text("{}")
        with self.assertRaisesRegex(BadFile, "run `carom dataset` again"):
            DatasetFolder(self.folder)

    def test_an_unknown_split_is_refused(self):
        with self.assertRaisesRegex(ValueError, "must be one of train, validation, test"):
            DatasetFolder(self.folder, "valid")


@unittest.skipIf(torch is None, "needs torch")
class ReadingWithTorch(MadeUpDataset):
    def dataset(self, split=None):
        from carom.torch import ImpactDataset

        return ImpactDataset(self.folder, split, verify=True)

    def test_an_item_is_padded_and_masked(self):
        item = self.dataset()[1]
        self.assertEqual(item["mask"].tolist(), [True, True, False, False])
        self.assertEqual(item["velocity"][:, 0].tolist(), [104.0, 105.0, 0.0, 0.0])
        self.assertEqual(item["values"].dtype, torch.float32)
        self.assertFalse(any(torch.isnan(v).any() for v in item.values() if v.is_floating_point()))

    def test_a_loader_with_workers_makes_batches_of_all_problems(self):
        loader = torch.utils.data.DataLoader(self.dataset(), batch_size=2, num_workers=2)
        members = [m for batch in loader for m in batch["member"].tolist()]
        self.assertEqual(members, [0, 1, 2, 3, 4])

    def test_items_and_batches_are_the_same_however_they_are_read(self):
        from torch.utils.data import BatchSampler, DataLoader, SequentialSampler

        from carom.torch import ImpactDataset

        kept = self.dataset()
        read = ImpactDataset(self.folder, None, keep=False)
        items = [read[i] for i in range(5)]
        for numbers in [[4, 0, 3], torch.tensor([2, 2]), np.array([1])]:
            wanted = torch.utils.data.default_collate([items[int(i)] for i in numbers])
            self.assert_same(kept[numbers], wanted)
            self.assert_same(read[numbers], wanted)
            for data in (kept, read):
                for item, number in zip(data.__getitems__(list(map(int, numbers))), numbers):
                    self.assert_same(item, items[int(number)])
        for i in range(5):
            self.assert_same(kept[i], items[i])
        loaders = [
            DataLoader(kept, batch_size=2),
            DataLoader(read, batch_size=2),
            DataLoader(kept, batch_size=None, sampler=BatchSampler(SequentialSampler(kept), 2, False)),
        ]
        for batches in zip(*loaders):
            for batch in batches:
                self.assert_same(batch, batches[0])

    def assert_same(self, found, wanted):
        self.assertEqual(list(found), list(wanted))
        for name, tensor in wanted.items():
            self.assertEqual(found[name].dtype, tensor.dtype, name)
            self.assertTrue(torch.equal(found[name], tensor), name)

    def test_an_item_is_a_copy(self):
        data = self.dataset()
        data[0]["velocity"] += 1.0
        self.assertTrue(torch.equal(data[0]["velocity"], self.dataset()[0]["velocity"]))

    def test_some_problems_are_chosen_by_slices_and_masks(self):
        from carom.torch import ImpactDataset

        for keep in (True, False):
            data = ImpactDataset(self.folder, None, keep=keep)
            mask = np.array([False, True, True, False, False])
            for some in (slice(1, 3), mask, torch.tensor(mask), range(1, 3)):
                self.assertEqual(data[some]["member"].tolist(), [1, 2])
            self.assertEqual(data[[]]["velocity"].shape, (0, *data[0]["velocity"].shape))
            self.assert_same(data[torch.tensor(1)], data[1])
            for wrong in (1.7, [0.5], mask[:3], "a", [[0, 1], [2, 3]]):
                with self.assertRaises(TypeError):
                    data[wrong]
            with self.assertRaisesRegex(IndexError, "must be below 5"):
                data[[0, 5]]

    def test_few_shards_are_open_at_once(self):
        from carom import dataset as module
        from carom.torch import ImpactDataset

        whole = DatasetFolder(self.folder).arrays(("member", "velocity"))
        with unittest.mock.patch.object(module, "MOST_OPEN", 1):
            source = DatasetFolder(self.folder)
            for _ in range(2):
                members = [source.problem(i)["member"] for i in range(len(source))]
                self.assertEqual(members, whole["member"].tolist())
                self.assertLessEqual(len(source._files), 1)
            self.assertTrue((source.arrays(("velocity",))["velocity"] == whole["velocity"]).all())
            few = ImpactDataset(self.folder, None, keep=False)
            self.assert_same(few[[4, 0, 2]], ImpactDataset(self.folder, None)[[4, 0, 2]])

    def test_wrong_names_and_types_are_refused(self):
        from carom.torch import ImpactDataset

        source = DatasetFolder(self.folder)
        for name in ("names", "contact_names", "speed"):
            with self.assertRaisesRegex(ValueError, "must be one of energy"):
                source.arrays((name,))
        with self.assertRaisesRegex(TypeError, "must be a list of names"):
            source.arrays("values")
        for wrong in (torch.int32, "float32"):
            with self.assertRaisesRegex(TypeError, "real types"):
                ImpactDataset(self.folder, dtype=wrong)

    def test_spawned_workers_end_well(self):
        loader = torch.utils.data.DataLoader(
            self.dataset(), batch_size=2, num_workers=1, multiprocessing_context="spawn"
        )
        self.assertEqual([m for batch in loader for m in batch["member"].tolist()], [0, 1, 2, 3, 4])

    def test_it_can_be_pickled_after_use(self):
        data = self.dataset("train")
        before = data[2]["velocity"]
        self.assertTrue(torch.equal(pickle.loads(pickle.dumps(data))[2]["velocity"], before))

    def test_it_ends_where_it_ends(self):
        data = self.dataset("train")
        self.assertEqual(len([item for item in data]), 3)
        self.assertEqual(int(data[-1]["member"]), 4)

    def test_outcomes_repeat_what_their_problem_has(self):
        rows = self.dataset("train").outcomes()
        self.assertEqual(rows["values"][:, 0].tolist(), [0.0] * 4 + [2.0] * 4 + [4.0] * 4)
        self.assertEqual(rows["modes"].shape, (12, 2))

    def test_it_tells_where_contacts_are_others(self):
        data = self.dataset("train")  # of members 0, 2 and 4
        self.assertEqual(data[[0, 1, 2]]["other_contacts"].tolist(), [0, 1, 0])
        self.assertEqual(data.outcomes()["other_contacts"].tolist(), [0] * 4 + [1] * 4 + [0] * 4)


@unittest.skipIf(torch is None, "needs torch")
@unittest.skipUnless("CAROM_EXECUTABLE" in os.environ, "needs CAROM_EXECUTABLE")
class LearningExample(unittest.TestCase):
    def test_learns_from_a_small_set_and_draws(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            text = (ROOT / "examples/compass_gait_states.toml").read_text()
            text = text.replace("problems = 20000", "problems = 60")
            text = text.replace("../scenarios", str(ROOT / "scenarios"))
            (folder / "spec.toml").write_text(text)
            carom = os.environ["CAROM_EXECUTABLE"]
            subprocess.run([carom, "dataset", folder / "spec.toml", "-o", folder / "set"], check=True,
                           stdout=subprocess.DEVNULL)  # fmt: skip
            script = ROOT / "examples/learn_compass_gait.py"
            picture = folder / "learned.png"
            done = subprocess.run(
                [sys.executable, script, folder / "set", "-o", picture, "--steps", "8"],
                check=True, capture_output=True, text=True,
            )  # fmt: skip
            self.assertIn("total variation of shares", done.stdout)
            self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")


if __name__ == "__main__":
    unittest.main()
