"""carom.explore(): net, scripts and ends of an exploration."""

import carom
import numpy as np
import pytest

# Most searches here end at a small budget, and say so.
pytestmark = pytest.mark.filterwarnings("ignore::carom.CaromWarning")


def test_members_have_scripts_that_lead_to_them():
    found = carom.explore("compass_gait", budget=20_000, max_steps=20)
    assert found.lcps >= 20_000
    assert len(found.net) > 100
    for member in range(0, len(found.net), 17):
        caps, selections, repeats = found.script(member)
        assert caps.shape == (len(selections), 2)
        assert (repeats == 1).all()
        assert (caps >= 1e-6).all() and (caps <= 1).all()
        path = found.path(member)
        assert len(path) == len(caps)
        assert (path[-1] == found.net.velocity[member]).all()
    with pytest.raises(IndexError):
        found.script(len(found.net))


def test_ends_are_those_of_all_outcomes():
    found = carom.explore("box_wall", budget=50_000)
    problem = found.scenario.problem
    assert len(found.ends) == 8  # two contacts, two axes
    end = found.ends[0]
    assert (end["contact"], end["axis"], end["greatest"]) == ("A", "normal", True)
    assert end["speed"] == pytest.approx(problem.normal_jacobian[0] @ end["velocity"], abs=1e-12)
    assert (found.net.velocity @ problem.normal_jacobian[0]).max() <= end["speed"] + 1e-12


def test_ranges_are_those_of_members_and_ends():
    found = carom.explore("box_wall", budget=20_000)
    problem = found.scenario.problem
    ends = {end["name"]: end["speed"] for end in found.ends}
    for contact, (low, high) in zip(problem.contact_names, found.normal_velocity):
        assert (low, high) == pytest.approx((ends[f"{contact} normal low"], ends[f"{contact} normal high"]), abs=1e-12)
    assert len(found.tangential_velocity) == 2
    velocities = found.sampled.points
    energies = 0.5 * np.einsum("ni,ij,nj->n", velocities, problem.mass_matrix, velocities)
    assert found.energy == pytest.approx((energies.min(), energies.max()), rel=1e-12)
    assert found.failed == 0 < found.dropped < found.outcomes


def test_directions_have_the_ends_of_members_and_ends():
    row = [0.5, 1.0, -0.25]
    found = carom.explore("box_wall", budget=20_000, directions=["B normal", row])
    normal, other = found.directions
    ends = [e["speed"] for e in found.ends if (e["contact"], e["axis"]) == ("B", "normal")]
    assert normal["name"] == "B normal"
    assert normal["found_high"] == pytest.approx(max(ends), abs=1e-12)
    assert normal["found_low"] == pytest.approx(min(ends), abs=1e-12)
    assert other["found_high"] == pytest.approx(found.support(row), abs=1e-12)


def test_members_and_ends_are_a_set():
    found = carom.explore("box_wall", budget=20_000)
    assert found.sampled.dimension == 2  # contact A never separates
    row = found.scenario.problem.tangent_jacobian[0]
    assert found.sampled.support(row) == pytest.approx(
        next(e["speed"] for e in found.ends if e["contact"] == "A" and e["axis"] == "tangential"),
        abs=1e-12,
    )
    assert found.sampled.hull().violation(found.net.velocity).max() < 1e-9


def test_the_seed_decides():
    one = carom.explore("compass_gait", budget=10_000, seed=1)
    again = carom.explore("compass_gait", budget=10_000, seed=1, threads=1)
    other = carom.explore("compass_gait", budget=10_000, seed=2)
    assert np.array_equal(one.net.velocity, again.net.velocity)
    assert not np.array_equal(one.net.velocity, other.net.velocity)


def test_modes_are_those_of_the_members():
    found = carom.explore("compass_gait", budget=10_000)
    assert sum(mode.count for mode in found.modes) == len(found.net.velocity)
    assert {mode.text for mode in found.modes} > {"A sticks, B separates", "A separates, B sticks"}
    for mode in found.modes:
        assert np.array_equal(mode.example_velocity, found.net.velocity[mode.example])
        assert mode.share is None and mode.interval is None
        speeds = found.scenario.problem.normal_jacobian @ mode.example_velocity
        assert [word == "separates" for word in mode.contacts] == list(speeds > 1e-6)


def test_bad_input_names_the_rule():
    with pytest.raises(carom.InputError, match="budget"):
        carom.explore("compass_gait", budget=5)
    with pytest.raises(carom.InputError, match="must draw something"):
        carom.explore("compass_gait", law="plus")
    with pytest.raises(carom.InputError, match="trajectories is given"):
        carom.explore("compass_gait", trajectories=5)
    with pytest.raises(carom.InputError, match="caps is given"):
        carom.explore("compass_gait", law_options={"caps": "simplex"})


def test_a_file_holds_the_exploration(tmp_path):
    file = tmp_path / "explored.h5"
    found = carom.explore("box_wall", budget=20_000, islands=3, output=file)
    read = carom.read(file)
    assert isinstance(read, carom.Exploration)
    assert np.array_equal(read.net.velocity, found.net.velocity)
    assert (read.lcps, read.stopped, read.notes) == (found.lcps, found.stopped, found.notes)
    assert np.array_equal(read.path(3), found.path(3))
    assert read.ends[0]["speed"] == found.ends[0]["speed"]
    assert read.budget == 20_000
    (tmp_path / "text").write_text("mine")
    with pytest.raises(carom.InputError, match="is no result of Carom"):
        carom.explore("box_wall", budget=5_000, output=tmp_path / "text")


@pytest.mark.parametrize(
    "system, law, members, numbers",
    [("rocking_block", "sequential", 2, (2,)), ("compass_gait", "simultaneous", 3, ())],
)
def test_laws_without_caps_have_scripts_of_choices(system, law, members, numbers, tmp_path):
    file = tmp_path / "explored.h5"
    found = carom.explore(system, law=law, epsilon=1e-3, budget=5_000, output=file)
    assert len(found.net) == members
    read = carom.read(file)
    for member in range(len(found.net)):
        caps, choices, repeats = read.script(member)
        assert caps.shape == (len(repeats), 0)
        assert choices.shape == (len(repeats), *numbers)
        assert (repeats == 1).all()
        assert (read.path(member)[-1] == found.net.velocity[member]).all()


def test_small_steps_are_phases():
    found = carom.explore("box_wall", budget=20_000, impulse_step=0.02, max_steps=50)
    times = np.concatenate([found.script(member)[2] for member in range(0, len(found.net), 50)])
    assert times.min() == 1 and times.max() > 10


def test_an_open_search_warns():
    with pytest.warns(carom.CaromWarning, match="at the budget"):
        found = carom.explore("disk_stack", budget=5_000)
    assert {"dropped", "search_open", "net_misses"} <= {note["code"] for note in found.notes}  # N is 10
    assert not found.settled


def test_ends_of_directions_are_sought_and_have_their_steps(tmp_path):
    from carom import result_file

    file = tmp_path / "block.h5"
    found = carom.explore("rocking_block", budget=20_000, directions={"spin": [0, 0, 1.0]}, output=file)
    ends = {end["name"]: end for end in found.ends}
    assert {"A normal high", "spin high", "spin low"} <= set(ends)
    assert ends["spin high"]["contact"] is None and ends["spin high"]["axis"] == "spin"
    for name, end in ends.items():
        assert (found.path(name)[-1] == end["velocity"]).all()
        assert len(found.script(name)[2]) == len(found.path(name))
    assert found.directions[0]["found_high"] == ends["spin high"]["speed"] == ends["spin high"]["velocity"][2]
    with pytest.raises(carom.InputError, match="or an end: A normal high"):
        found.script("spin")
    assert (result_file.read(file, 10).directions["spin"] == [0, 0, 1]).all()
    with pytest.raises(carom.InputError, match="that of a contact's speed"):
        carom.explore("rocking_block", budget=2_000, directions={"A normal": [0, 0, 1.0]})
