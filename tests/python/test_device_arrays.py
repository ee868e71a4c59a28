"""carom.DeviceImpactLaw with arrays of a CUDA device, by torch, or of the device that the CPU plays.

The emulated device's kernels can read all memory of the process, so that NumPy's arrays pass for arrays
of the device where they say that they are.
"""

import os

import carom
import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::carom.CaromWarning")
WORLDS = 50
EMULATED = "CAROM_EMULATED_CUDA" in os.environ
if not EMULATED:
    try:
        carom.DeviceImpactLaw()
    except (carom.InputError, carom.RunError) as error:
        pytest.skip(str(error), allow_module_level=True)
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch sees no CUDA device", allow_module_level=True)


class OnDevice:
    """An array that says by the CUDA array interface that it lies on a device."""

    def __init__(self, array):
        if EMULATED:
            self.array = array
            self.interface = {**array.__array_interface__, "version": 3}
        else:
            self.array = torch.tensor(array, device="cuda")
            self.interface = dict(self.array.__cuda_array_interface__)

    @property
    def __cuda_array_interface__(self):
        return self.interface

    def to_host(self):
        return self.array if EMULATED else self.array.cpu().numpy()


def worlds(contacts=2, velocities=3, seed=0):
    random = np.random.default_rng(seed)
    root = random.normal(size=(WORLDS, velocities, velocities))
    return {
        "mass_matrix": root @ root.transpose(0, 2, 1) + np.eye(velocities),
        "normal_jacobian": random.normal(size=(WORLDS, contacts, velocities)),
        "tangent_jacobian": random.normal(size=(WORLDS, contacts, velocities)),
        "friction": random.uniform(0.0, 1.0, (WORLDS, contacts)),
        "pre_impact_velocity": random.normal(size=(WORLDS, velocities)),
    }


def on_device(arrays):
    return {name: OnDevice(array) for name, array in arrays.items()}


def assert_same(rows, outcomes):
    found = rows.to_host()
    for name in ["velocity", "impulse", "status", "energy", "lcp_count"]:
        np.testing.assert_array_equal(getattr(found, name), getattr(outcomes, name))


def test_outcomes_have_the_bits_of_the_cpu():
    arrays = worlds()
    rows = carom.DeviceImpactLaw(seed=5)(3, **on_device(arrays), first=7)
    assert len(rows) == WORLDS and rows.first == 7
    assert_same(rows, carom.ImpactLaw(seed=5)(3, **arrays, first=7))


def test_arrays_are_shared_flags_and_steps_are_read():
    arrays = worlds()
    arrays["normal_jacobian"] = arrays["normal_jacobian"][0].copy()
    arrays["friction"] = np.array([0.2, 0.7])
    active = np.arange(WORLDS * 2).reshape(WORLDS, 2) % 3 > 0
    steps = np.linspace(0.1, 0.5, WORLDS)
    expected = carom.ImpactLaw()(0, **arrays, active=active, impulse_step=steps)
    law = carom.DeviceImpactLaw()
    for flags in (active, active.astype(np.uint8)):
        rows = law(0, **on_device(arrays), active=OnDevice(flags), impulse_step=OnDevice(steps))
        assert_same(rows, expected)
    one = np.array(0.3)
    rows = law(0, **on_device(arrays), impulse_step=OnDevice(one))
    assert_same(rows, carom.ImpactLaw()(0, **arrays, impulse_step=0.3))


def test_columns_say_where_they_lie():
    velocity = carom.DeviceImpactLaw()(0, **on_device(worlds())).velocity
    assert tuple(velocity.__dlpack_device__()) == (2, 0)  # kDLCUDA


def test_outcomes_are_arrays_of_the_device_for_the_next_step():
    arrays = worlds()
    law = carom.DeviceImpactLaw(seed=2)
    rows = law(0, **on_device(arrays))
    arrays_of_step = {**on_device(arrays), "pre_impact_velocity": rows.velocity}  # DLPack
    other = law(1, **arrays_of_step)
    on_cpu = carom.ImpactLaw(seed=2)
    first = on_cpu(0, **arrays)
    second = on_cpu(1, **{**arrays, "pre_impact_velocity": first.velocity})
    assert_same(other, second)
    again = law(0, **on_device(arrays), out=other)
    assert again is other
    assert_same(other, first)


def test_velocities_are_written_where_the_caller_wants_them():
    arrays = worlds()
    expected = carom.ImpactLaw()(4, **arrays).velocity
    given = on_device(arrays)
    assert carom.DeviceImpactLaw()(4, **given, out=given["pre_impact_velocity"]) is None
    np.testing.assert_array_equal(given["pre_impact_velocity"].to_host(), expected)


def changed(array, **entries):
    lie = OnDevice(array)
    lie.interface.update(entries)
    return lie


@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [
        ("mass_matrix", np.eye(3), "mass_matrix does not lie on a CUDA device"),
        ("mass_matrix", [[1.0]], "mass_matrix is list .must be an array of float64 on a CUDA"),
        ("friction", 0.5, "friction is float"),
        ("friction", OnDevice(np.array(0.5)), "friction is a number .must be 50 x 2"),
        ("friction", OnDevice(np.zeros((WORLDS, 2), np.float32)), "friction is OnDevice .* float64"),
        ("friction", changed(np.zeros((WORLDS, 2)), strides=(8, 400)), "friction has strides"),
        ("active", OnDevice(np.zeros((WORLDS, 2))), "active is OnDevice .* bool or uint8"),
        ("out", OnDevice(np.zeros((2, 3))), "out is 2 x 3 .must be 50 x 3"),
        ("out", changed(np.zeros((WORLDS, 3)), data=(8, True)), "out is read-only"),
        ("stream", -1, "stream is -1"),
        ("step", 0.5, "step"),
    ],
)
def test_what_does_not_fit_is_told(argument, value, message):
    arguments = {"step": 0, **on_device(worlds()), argument: value}
    with pytest.raises(carom.InputError, match=message):
        carom.DeviceImpactLaw()(**arguments)


def test_rows_of_another_call_are_not_written():
    law = carom.DeviceImpactLaw()
    rows = law(0, **on_device(worlds(contacts=3)))
    with pytest.raises(carom.InputError, match="out has the rows of another call"):
        law(0, **on_device(worlds()), out=rows)


@pytest.mark.parametrize("law", ["plus", "set_valued"])
def test_restitution_is_read_where_it_lies(law):
    arrays = worlds()
    arrays["restitution"] = np.linspace(0.0, 1.0, WORLDS * 2).reshape(WORLDS, 2)
    rows = carom.DeviceImpactLaw(law=law)(1, **on_device(arrays))
    found, expected = rows.to_host(), carom.ImpactLaw(law=law)(1, **arrays)
    assert found.checksum == expected.checksum
    np.testing.assert_array_equal(found.velocity, expected.velocity)


def test_options_of_the_host_and_other_devices_are_refused():
    for options in ({"solutions": "table"}, {"device": 3}, {"device": -1}):
        with pytest.raises(carom.InputError, match=next(iter(options))):
            carom.DeviceImpactLaw(**options)


LAWS = ["set_valued", "simultaneous", "sequential", "plus"]


@pytest.mark.skipif(EMULATED, reason="needs a GPU's libraries")
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("library", ["torch", "cupy", "jax"])
def test_arrays_of_other_libraries_stay_on_the_device(library, law):
    module = pytest.importorskip(library)
    if library == "jax":
        module.config.update("jax_enable_x64", True)
    make = {
        "torch": lambda array: module.tensor(array, device="cuda"),
        "cupy": lambda array: module.asarray(array),
        "jax": lambda array: module.numpy.asarray(array).block_until_ready(),
    }[library]
    back = {
        "torch": lambda rows: module.from_dlpack(rows.velocity),
        "cupy": lambda rows: module.from_dlpack(rows.velocity),
        "jax": lambda rows: module.dlpack.from_dlpack(rows.velocity),
    }[library]
    arrays = worlds(contacts=3, velocities=6)
    given = {name: make(array) for name, array in arrays.items()}
    expected = carom.ImpactLaw(law=law, seed=3)(2, **arrays)
    rows = carom.DeviceImpactLaw(law=law, seed=3)(2, **given)
    assert_same(rows, expected)
    velocity = back(rows)
    on_host = velocity.cpu().numpy() if library == "torch" else velocity
    on_host = on_host.get() if library == "cupy" else np.asarray(on_host)
    np.testing.assert_array_equal(on_host, expected.velocity)


@pytest.mark.skipif(EMULATED, reason="needs a GPU's libraries")
@pytest.mark.parametrize("law", LAWS)
def test_a_loop_on_a_stream_of_its_own_waits_for_nothing(law):
    arrays = worlds(contacts=3, velocities=6)
    stream = torch.cuda.Stream()
    device_law, host_law = carom.DeviceImpactLaw(law=law), carom.ImpactLaw(law=law)
    expected = arrays["pre_impact_velocity"]
    with torch.cuda.stream(stream):
        given = {name: torch.tensor(array, device="cuda") for name, array in arrays.items()}
        rows, statuses = None, []
        for step in range(5):
            rows = device_law(step, **given, out=rows, stream=stream.cuda_stream, waits=False)
            given["pre_impact_velocity"] = torch.from_dlpack(rows.velocity) - 0.5
            statuses.append(torch.from_dlpack(rows.status).clone())
    stream.synchronize()
    settled = np.ones(WORLDS, bool)  # the rest is left to the caller
    for step in range(5):
        outcomes = host_law(step, **{**arrays, "pre_impact_velocity": expected})
        expected = outcomes.velocity - 0.5
        settled &= outcomes.status == statuses[step].cpu().numpy()
    assert settled.mean() > 0.8
    found = given["pre_impact_velocity"].cpu().numpy()
    np.testing.assert_array_equal(found[settled], expected[settled])


@pytest.mark.skipif(EMULATED, reason="needs a GPU's libraries")
def test_a_sample_stays_on_the_device():
    rows = carom.sample_on_device("rocking_block", trajectories=30_000, seed=4)
    samples = carom.sample("rocking_block", trajectories=30_000, seed=4, backend="cpu")
    assert rows.to_host().checksum == samples.checksum
    velocity = torch.from_dlpack(rows.velocity)
    assert velocity.is_cuda
    np.testing.assert_array_equal(velocity.cpu().numpy(), samples.velocity)
