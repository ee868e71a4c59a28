"""Data sets of `carom dataset` (docs/datasets.md) for PyTorch, which is imported only here."""

import numpy as np
import torch
from torch.utils.data import Dataset

from carom.dataset import DatasetFolder


class ImpactDataset(Dataset):
    """A map-style data set of impacts: an item is one problem with its outcomes.

    folder: a data set of `carom dataset`.
    split: "train", "validation", "test", or None for all problems.
    verify: compare every shard with its checksum first; raises NotADataset if one differs.
    dtype: of all real numbers.

    An item is a dict of tensors: `values` (varied quantities, in the order of `names`),
    `pre_impact_velocity` (nv), `velocity` (K x nv) and, if the data set has them, `energy` (K),
    `impulse` (K x m x (1 + d)) and `modes` (K x m). K is equal for all items: a problem with fewer
    outcomes has rows of zeros, and `mask` (K) is true for outcomes.
    """

    def __init__(self, folder, split="train", verify=False, dtype=torch.float32):
        self.source = DatasetFolder(folder, split, verify)
        self.dtype = dtype
        self.outcomes_per_problem = self.source.index["outcomes_per_problem"]

    @property
    def names(self):
        """Names of the values that vary, in their order."""
        return self.source.names

    def __len__(self):
        return len(self.source)

    def _tensor(self, array):
        tensor = torch.from_numpy(np.ascontiguousarray(array))
        return tensor.to(self.dtype) if tensor.is_floating_point() else tensor

    def _padded(self, rows):
        whole = np.zeros((self.outcomes_per_problem, *rows.shape[1:]), rows.dtype)
        whole[: len(rows)] = rows
        return self._tensor(whole)

    def __getitem__(self, i):
        if not -len(self) <= i < len(self):
            raise IndexError(f"problem is {i} (must be below {len(self)})")
        problem = self.source.problem(i)
        outcomes = problem["outcomes"]
        item = {name: self._tensor(problem[name]) for name in ("values", "pre_impact_velocity")}
        item["member"] = torch.tensor(int(problem["member"]))
        for name in ("velocity", "energy", "impulse", "modes"):
            if name in outcomes:
                item[name] = self._padded(outcomes[name])
        item["mask"] = torch.arange(self.outcomes_per_problem) < len(outcomes["velocity"])
        return item

    def outcomes(self):
        """All outcomes in memory, one row each: `values` and `pre_impact_velocity` of its
        problem, `velocity`, `problem` (its number in this split) and, if stored, `modes`."""
        has_modes = "modes" in self.source.shard(0)["outcomes"]
        names = ("values", "pre_impact_velocity", "velocity") + (("modes",) if has_modes else ())
        arrays = self.source.arrays(names)
        for name in ("values", "pre_impact_velocity"):
            arrays[name] = arrays[name][arrays["problem"]]
        return {name: self._tensor(array) for name, array in arrays.items()}
