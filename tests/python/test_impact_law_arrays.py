"""carom.ImpactLaw: arrays and tensors of the caller that it reads and writes."""

import carom
import numpy as np
import pytest
from test_impact_law import random_batch


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_velocities_go_to_an_array_of_the_caller(dtype):
    batch = {name: array.astype(dtype) for name, array in random_batch(30).items()}
    law = carom.ImpactLaw()
    outcomes = law(1, **batch)
    out = np.zeros((30, 3), dtype)
    law(1, **batch, out=out)
    np.testing.assert_array_equal(out, outcomes.velocity.astype(dtype))
    law(1, **batch, out=batch["pre_impact_velocity"])
    np.testing.assert_array_equal(batch["pre_impact_velocity"], out)
    read_only = np.zeros((30, 3), dtype)
    read_only.flags.writeable = False
    for wrong in [np.zeros((30, 2), dtype), np.zeros((3, 30), dtype).T, np.zeros((30, 3), int), read_only, [0.0]]:
        with pytest.raises(carom.InputError, match="^out must be a writable array of 30 x 3 numbers"):
            law(1, **batch, out=wrong)


def test_the_array_of_the_velocities_changes_no_other_argument():
    state = np.zeros((30, 12))
    batch = {**random_batch(30), "restitution": state[:, 9:11], "impulse_step": np.ones(30)}
    law = carom.ImpactLaw()
    law(1, **batch, out=np.zeros((30, 3)))
    for name, out in (
        ("mass_matrix", batch["mass_matrix"].reshape(90, 3)[30:60]),
        ("normal_jacobian", batch["normal_jacobian"].reshape(60, 3)[30:]),
        ("restitution", state.reshape(120, 3)[30:60]),
    ):
        before = batch[name].copy()
        with pytest.raises(carom.InputError, match=f"^out shares memory with {name} .must be an array of its own"):
            law(1, **batch, out=out)
        np.testing.assert_array_equal(batch[name], before)
    beside = np.zeros(150)  # one array, but no number of both
    numbers = beside[:90].reshape(30, 3)
    law(1, **{**batch, "friction": beside[90:].reshape(30, 2)}, out=numbers)
    assert numbers.any() and not beside[90:].any()


def test_tensors_are_read_and_written_where_they_are():
    torch = pytest.importorskip("torch")
    batch = random_batch(20)
    law = carom.ImpactLaw()
    expected = law(5, **batch)
    for dtype in [torch.float64, torch.float32]:
        tensors = {name: torch.tensor(array, dtype=dtype) for name, array in batch.items()}
        out = torch.zeros(20, 3, dtype=dtype)
        outcomes = law(5, **tensors, active=torch.ones(20, 2, dtype=torch.bool), out=out)
        np.testing.assert_array_equal(out.numpy(), outcomes.velocity.astype(out.numpy().dtype))
        if dtype == torch.float64:
            assert outcomes.checksum == expected.checksum
    with pytest.raises(carom.InputError, match="out requires gradients"):
        law(5, **tensors, out=torch.zeros(20, 3, requires_grad=True))
    tensors["friction"].requires_grad_()
    with pytest.raises(carom.InputError, match=r"friction requires gradients .*friction.detach\(\)"):
        law(5, **tensors)
    tensors = {name: torch.tensor(array) for name, array in batch.items()}
    tensors["mass_matrix"].requires_grad_()
    with pytest.raises(carom.InputError, match="mass_matrix requires gradients"):
        law(5, **tensors)
