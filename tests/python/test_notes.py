"""Notes of a run: attributes, warnings and the error of a run without outcomes."""

import json
import subprocess
import warnings

import carom
import h5py
import numpy as np
import pytest

# 2 kg that fall at 1 m/s on a floor without friction: 2 N·s stop them.
FALLING = carom.ImpactProblem(2.0 * np.eye(2), [[0.0, 1.0]], [[1.0, 0.0]], [0.0], [0.5, -1.0])
# Half of the caps do not stop them in one step.
SHORT = {"trajectories": 100, "impulse_step": 4.0, "epsilon": 0.01, "max_steps": 1}


def codes(notes, severity=None):
    return [note["code"] for note in notes if severity in (None, note["severity"])]


def test_a_warning_is_given_where_the_run_was_asked_for(tmp_path):
    file = tmp_path / "short.h5"
    with pytest.warns(carom.CaromWarning, match="were dropped; max_steps = ") as given:
        found = carom.post_impact_set(FALLING, **SHORT, output=file)
    assert [warning.filename for warning in given] == [__file__]
    assert codes(found.notes, "warning") == ["dropped"]
    assert str(given[0].message) == found.notes[0]["text"]
    assert issubclass(carom.CaromWarning, UserWarning)
    assert carom.read(file).set.notes == found.notes
    with h5py.File(file) as contents:
        assert json.loads(contents.attrs["notes"]) == found.notes


def test_the_command_line_says_the_same(tmp_path, carom_program):
    with pytest.warns(carom.CaromWarning):
        found = carom.post_impact_set(FALLING, **SHORT, output=tmp_path / "short.h5")
    scenario = tmp_path / "short.toml"
    scenario.write_text(found.scenario.to_toml())
    run = subprocess.run(
        [carom_program, "sample", scenario, "--json"], capture_output=True, text=True, check=True
    )
    assert json.loads(run.stdout)["notes"] == found.notes


def test_a_run_that_lacks_nothing_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = carom.post_impact_set("rocking_block", 16384)
    assert codes(found.notes, "warning") == []


def test_a_run_without_outcomes_raises_with_its_set(tmp_path):
    file = tmp_path / "none.h5"
    with pytest.raises(carom.NoOutcomeError, match="^no outcome: of 100 trajectories 100 ") as error:
        carom.post_impact_set(FALLING, **(SHORT | {"impulse_step": 0.1}), output=file)
    assert isinstance(error.value, carom.RunError)
    assert error.value.notes == error.value.found.notes
    assert codes(error.value.notes, "error") == ["no_outcomes"]
    assert error.value.found.summary.outcomes == 0
    assert error.value.found.certificate is None
    assert carom.read(file).set.notes == error.value.notes


def test_a_scenario_has_the_notes_that_are_known_before_a_run():
    scenario = carom.load_scenario("rocking_block")
    assert scenario.notes() == []


GRID = """
scenario = "rocking_block"
[axes]
friction = {{values = [0.3, 0.6]}}
[sampling]
trajectories = 50
impulse_step = {step}
max_steps = 1
epsilon = 0.01
"""


def test_families_have_notes(tmp_path):
    spec = tmp_path / "grid.toml"
    spec.write_text(GRID.format(step=0.3))
    file = tmp_path / "grid.h5"
    with pytest.warns(carom.CaromWarning, match="in 2 of 2 members, the first is member 0 .*: .* were dropped"):
        grid = carom.grid(spec, file)
    (note,) = grid["notes"]
    assert (note["code"], note["members"], note["first_member"]) == ("dropped", 2, 0)
    with h5py.File(file) as contents:
        assert json.loads(contents.attrs["notes"]) == grid["notes"]
    spec.write_text(GRID.format(step=1e-6))
    with pytest.raises(carom.NoOutcomeError, match="no outcome: of 50 trajectories 50 ") as error:
        carom.grid(spec)
    assert (error.value.found["outcomes"] == 0).all()


def test_a_set_whose_solutions_were_found_along_lines_has_an_audit():
    places = np.linspace(-0.5, 0.5, 9)  # of contacts under a bar
    bar = carom.ImpactProblem(
        np.diag([1.0, 1.0, 0.1]),
        [[0.0, 1.0, x] for x in places],
        [[1.0, 0.0, 0.0]] * len(places),
        [0.5] * len(places),
        [0.0, -1.0, 0.0],
    )
    audit = carom.post_impact_set(bar, 64, epsilon=0.1).audit
    assert audit.steps > 0
    assert audit.sentence() in repr(audit)
    assert audit.missed_steps <= audit.miss_bound * audit.steps
    assert carom.post_impact_set(FALLING, 64).audit is None
