"""carom.roll() of contacts that give way."""

import subprocess
import sys
from pathlib import Path

import carom
import numpy as np
import pytest

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"


def test_derivatives_are_those_of_difference_quotients():
    start = {"position": {"z": (2.4, 2.4), "angle": (0.05, 0.05)}}
    options = {"rollouts": 1, "step": 5e-4, "tube_time": 0.0}
    found = carom.roll(SCENARIOS / "landing.toml", start=start, derivative=True, **options)
    assert found.derivative.shape == (1, 4, 4)
    end = np.concatenate([found.position[0, -1], found.velocity[0, -1]])
    h = 1e-6
    for column, name in enumerate(("z", "angle")):
        ends = []
        for sign in (-1, 1):
            moved = dict(start["position"])
            at = moved[name][0] + sign * h
            moved[name] = (at, at)
            one = carom.roll(SCENARIOS / "landing.toml", start={"position": moved}, **options)
            ends.append(np.concatenate([one.position[0, -1], one.velocity[0, -1]]))
        quotient = (ends[1] - ends[0]) / (2 * h)
        assert np.allclose(found.derivative[0, :, column], quotient, rtol=1e-6, atol=1e-6)
    assert np.isfinite(end).all()


def test_columns_and_counts():
    found = carom.roll(SCENARIOS / "order_test.toml", step=0.01)
    assert found.coordinates == ["x", "y", "z"]
    assert found.position.shape == (24, 21, 3)
    assert found.velocity.shape == (24, 21, 0)
    assert found.velocity_quantiles.shape == (21, 0, 5)
    assert found.derivative.shape == (24, 3, 3)
    assert (found.impacts == 3).all() and (found.grazes == 0).all()
    assert {carom.ROLLOUT_STATUS[s] for s in found.status} == {"done"}
    assert carom.roll("rocking_block", rollouts=1, duration=0.05).trials is None
    state, following, time = carom.transitions(found)
    assert len(state) == len(following) == len(time) == 24 * 20


@pytest.mark.parametrize("scenario", ["landing", "plate_on_springs", "order_test", "hopper"])
def test_files_have_pictures(scenario, tmp_path):
    file = tmp_path / "found.h5"
    found = carom.roll(SCENARIOS / f"{scenario}.toml", output=file)
    assert (carom.read(file).position == found.position).all()
    picture = tmp_path / "found.png"
    done = subprocess.run(
        [sys.executable, "-m", "carom.plot", str(file), "-o", str(picture)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert picture.stat().st_size > 10_000


def test_other_calls_refuse_contacts_that_give_way():
    scenario = carom.load_scenario(SCENARIOS / "landing.toml")
    assert "springs" in repr(scenario)
    with pytest.raises(carom.InputError, match="contacts give way"):
        carom.sample(scenario)
    with pytest.raises(carom.InputError, match="contacts give way"):
        carom.Rollouts(scenario, 2)
    with pytest.raises(carom.InputError, match="crossing"):
        carom.roll(scenario, crossing="slow")
