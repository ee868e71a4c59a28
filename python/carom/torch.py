"""Data sets of `carom dataset` (docs/datasets.md) for PyTorch, which is imported only here."""

import numpy as np
import torch
from torch.utils.data import Dataset, default_collate

from carom.dataset import DatasetFolder

PROBLEM = ("values", "pre_impact_velocity", "other_contacts")
OUTCOMES = ("position", "velocity", "status", "derivative", "energy", "impulse", "modes")


class ImpactDataset(Dataset):
    """A map-style data set of impacts, or of motions: an item is one problem with its outcomes, or
    rollouts.

    folder: a data set of `carom dataset`.
    split: "train", "validation", "test", or None for all problems.
    verify: compare every shard with its checksum first; raises BadFile if one differs.
    dtype: of all real numbers.
    keep: read all of the split at first use into memory; else each item from its shard when it is
        asked for.

    An item is a dict of tensors: `values` (varied quantities, in the order of `names`),
    `pre_impact_velocity` (nv), `other_contacts` (1: contact i of `impulse` and `modes` is another one
    than in the scenario itself, 0: the same), `velocity` (K x nv) and, if the data set has them,
    `energy` (K), `impulse` (K x m x (1 + d)) and `modes` (K x m). Of rollouts: `values`, `position` (K x T x nq),
    `velocity` (K x T x nv), `status` (K) and, if the data set has it, `derivative`. K is equal for
    all items: a problem with fewer rows has rows of zeros, and `mask` (K) is true for the others.

    `data[numbers]`, with a list or tensor of problem numbers, is a batch: the same dict with a first
    dimension of problems. A DataLoader with `batch_size=None` and a BatchSampler asks for those.
    """

    def __init__(self, folder, split="train", verify=False, dtype=torch.float32, keep=True):
        if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
            raise TypeError(f"dtype is {dtype!r} (must be one of PyTorch's real types)")
        self.source = DatasetFolder(folder, split, verify)
        self.dtype = dtype
        self.keep = keep
        self.outcomes_per_problem = self.source.index["outcomes_per_problem"]
        self._kept = None

    @property
    def names(self):
        """Names of the values that vary, in their order."""
        return self.source.names

    def __len__(self):
        return len(self.source)

    def _tensor(self, array):
        tensor = torch.from_numpy(np.asarray(array, order="C"))
        return tensor.to(self.dtype) if tensor.is_floating_point() else tensor

    def _padded(self, rows, counts):
        """Outcomes of problems one after the other, as problems x K."""
        mask = np.arange(self.outcomes_per_problem) < np.asarray(counts)[:, None]
        padded = {}
        for name, array in rows.items():
            whole = np.zeros((*mask.shape, *array.shape[1:]), array.dtype)
            whole[mask] = array
            padded[name] = self._tensor(whole)
        return {**padded, "mask": torch.from_numpy(mask)}

    def _all(self):
        """All items as one batch, kept from the first use on."""
        if self._kept is None:
            shard = self.source.shard(0)
            own = [name for name in PROBLEM if name in shard["problems"]]
            rows = [name for name in OUTCOMES if name in shard["outcomes"]]
            arrays = self.source.arrays((*own, "member", *rows))
            del arrays["problem"]
            kept = {name: self._tensor(arrays.pop(name)) for name in own}
            kept["member"] = torch.from_numpy(arrays.pop("member").astype(np.int64))
            self._kept = {**kept, **self._padded(arrays, self.source.outcome_counts())}
        return self._kept

    def _read(self, i):
        problem = self.source.problem(i, (*PROBLEM, "member", *OUTCOMES))
        outcomes = {name: problem["outcomes"][name] for name in OUTCOMES if name in problem["outcomes"]}
        item = {name: self._tensor(problem[name]) for name in PROBLEM if name in problem}
        item["member"] = torch.tensor(int(problem["member"]))
        padded = self._padded(outcomes, [len(outcomes["velocity"])])
        return {**item, **{name: tensor[0] for name, tensor in padded.items()}}

    def __getitem__(self, i):
        if getattr(i, "ndim", None) == 0:
            i = i.item()
        if isinstance(i, bool) or not isinstance(i, int):
            return self._batch(self._numbers(i))
        if not -len(self) <= i < len(self):
            if not len(self):
                raise IndexError(f"problem is {i}, and the split {self.source.split!r} is empty")
            raise IndexError(f"problem is {i} (must be from {-len(self)} to {len(self) - 1})")
        if self.keep:
            return {name: tensor[i].clone() for name, tensor in self._all().items()}
        return self._read(i)

    def _numbers(self, wanted):
        """Problem numbers of a list, tensor, mask or slice."""
        if isinstance(wanted, slice):
            wanted = range(*wanted.indices(len(self)))
        try:
            numbers = torch.as_tensor(wanted if hasattr(wanted, "dtype") else list(wanted))
        except (TypeError, ValueError):
            raise TypeError(f"problems are {wanted!r} (must be a number, or some of them)") from None
        if numbers.dtype == torch.bool and numbers.shape == (len(self),):
            numbers = torch.nonzero(numbers).flatten()
        if numbers.dtype == torch.bool or (numbers.is_floating_point() and len(numbers)):
            raise TypeError(f"problems are {wanted!r} (must be whole numbers, or a mask of all problems)")
        numbers = torch.atleast_1d(numbers.long())
        if numbers.ndim > 1:
            raise TypeError(f"problems are {wanted!r} (must be numbers in one list)")
        if len(numbers) and not -len(self) <= int(numbers.min()) <= int(numbers.max()) < len(self):
            raise IndexError(f"problems are {wanted!r} (must be below {len(self)})")
        return numbers

    def _batch(self, numbers):
        if self.keep:
            return {name: tensor[numbers] for name, tensor in self._all().items()}
        if not len(self):
            return self._all()
        if not len(numbers):
            return {name: tensor.unsqueeze(0)[:0] for name, tensor in self._read(0).items()}
        return default_collate([self._read(i) for i in numbers.tolist()])

    def __getitems__(self, numbers):
        """The items of a batch, as a DataLoader asks for them."""
        if not self.keep:
            return [self._read(i) for i in numbers]
        batch = self._batch(torch.as_tensor(numbers))
        return [dict(zip(batch, item)) for item in zip(*(t.unbind() for t in batch.values()))]

    def __getstate__(self):
        return {**self.__dict__, "_kept": None}

    def outcomes(self):
        """All outcomes in memory, one row each: `values`, `pre_impact_velocity` and `other_contacts` of its
        problem, `velocity`, `problem` (its number in this split) and, if stored, `modes`."""
        shard = self.source.shard(0)
        own = [name for name in PROBLEM if name in shard["problems"]]
        rows = [name for name in ("velocity", "modes") if name in shard["outcomes"]]
        arrays = self.source.arrays((*own, *rows))
        for name in own:
            arrays[name] = arrays[name][arrays["problem"]]
        return {name: self._tensor(array) for name, array in arrays.items()}
