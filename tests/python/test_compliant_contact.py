"""The compliant block of Figure 12, by docs/compliant_contact.py."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy")
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import compliant_contact as compliant  # noqa: E402

REFERENCE = json.loads((ROOT / "tests" / "data" / "time" / "compliant.json").read_text())
SWEEPS = {
    "ratio_sweep": lambda parameter: compliant.landed_with_ratio(np.log10(parameter)),
    "angle_sweep": compliant.landed_at,
}


@pytest.mark.parametrize("sweep", SWEEPS)
def test_lifts_are_those_of_an_independent_program(sweep):
    for row in REFERENCE[sweep]:
        end = SWEEPS[sweep](row["parameter"])
        np.testing.assert_allclose(compliant.lifts(end), row["vn"], atol=1e-7)
        assert compliant.energy(end) < 0.5 * compliant.DROP_SPEED**2


@pytest.mark.parametrize("sweep, parameter, mirrored", [("ratio_sweep", 30.0, 1 / 30), ("angle_sweep", 0.003, -0.003)])
def test_mirrored_landings_have_mirrored_ends(sweep, parameter, mirrored):
    ends = [compliant.lifts(SWEEPS[sweep](value)) for value in (parameter, mirrored)]
    np.testing.assert_allclose(ends[0], ends[1][::-1], atol=1e-8)


def test_the_jacobian_is_the_derivative():
    block = compliant.Block((3e6, 1e6))
    state = np.array([0.01, 0.99998, 2e-5, 0.02, -0.3, 0.05, 0.0, 0.0])
    exact = block.jacobian(0.0, state)
    for i in range(6):
        step = np.zeros(8)
        step[i] = 1e-9
        quotient = (block.slope(0.0, state + step) - block.slope(0.0, state - step)) / 2e-9
        np.testing.assert_allclose(quotient, exact[:, i], rtol=1e-5, atol=2.0)
