"""carom.mujoco_warp: impacts of MuJoCo Warp's worlds, on Warp's CPU device."""

import os
import subprocess
import sys

import carom
import carom.mujoco
import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco")
mujoco_warp = pytest.importorskip("mujoco_warp")
wp = pytest.importorskip("warp")

from test_mujoco import ARRAYS, MODELS, ROOT, pytestmark  # noqa: E402, F401
from test_mujoco_worlds import LEG  # noqa: E402

from carom.mujoco_warp import NO_IMPACT, NO_OUTCOME, OUTCOME, Impacts  # noqa: E402

wp.config.quiet = True


@pytest.fixture(autouse=True)
def on_the_cpu():
    with wp.ScopedDevice("cpu"):
        yield


def dogs(count=3, cone="pyramidal", jacobian="dense"):
    """MuJoCo's model and data of a dog whose feet touch, and worlds of it."""
    spec = mujoco.MjSpec.from_file(str(MODELS / "quadruped.xml"))
    spec.option.cone = {"pyramidal": mujoco.mjtCone.mjCONE_PYRAMIDAL, "elliptic": mujoco.mjtCone.mjCONE_ELLIPTIC}[cone]
    spec.option.jacobian = {"dense": mujoco.mjtJacobian.mjJAC_DENSE, "sparse": mujoco.mjtJacobian.mjJAC_SPARSE}[jacobian]
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    data.qpos[2] -= 1e-4
    return model, data, *worlds_of(model, data, count)


def worlds_of(model, data, count):
    mujoco.mj_forward(model, data)
    its, many = mujoco_warp.put_model(model), mujoco_warp.put_data(model, data, nworld=count)
    mujoco_warp.fwd_position(its, many)
    return its, many


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_arrays_are_those_of_the_model_to_single_precision(cone, jacobian):
    model, data, its, many = dogs(2, cone, jacobian)
    assert its.is_sparse == (jacobian == "sparse")
    problem = carom.from_mujoco(model, data)
    arrays = {name: array.numpy() for name, array in Impacts(its, many, carom.ImpactLaw()).read().items()}
    np.testing.assert_array_equal(arrays["active"], [[1] * 4 + [0] * 12] * 2)
    for name in ARRAYS:
        wanted = getattr(problem, name)
        found = arrays[name][:, : len(wanted)]
        np.testing.assert_allclose(np.abs(found[1]), np.abs(wanted), atol=1e-6)  # a tangent may point either way
        np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_allclose(arrays["normal_jacobian"][0, :4], problem.normal_jacobian, atol=1e-6)


def test_outcomes_are_those_of_the_law():
    _, _, its, many = dogs()
    before = many.qvel.numpy().copy()
    qvel = before.copy()
    qvel[1, 2] = 0.5  # does not fall
    many.qvel = wp.array(qvel, dtype=float)
    impacts = Impacts(its, many, carom.ImpactLaw(seed=3))
    arrays = {name: array.numpy().copy() for name, array in impacts.read().items()}
    assert impacts(7).numpy().tolist() == [OUTCOME, NO_IMPACT, OUTCOME]
    expected = carom.ImpactLaw(seed=3)(7, **arrays)
    found = many.qvel.numpy()
    np.testing.assert_allclose(found, expected.velocity, atol=1e-6)
    np.testing.assert_array_equal(found[1], qvel[1])
    assert np.abs(found[0] - found[2]).max() > 1e-3 and (np.abs(found[0] - before[0]) > 0).any()
    mujoco_warp.step(its, many)
    assert np.isfinite(many.qpos.numpy()).all()


def test_contacts_are_in_an_order_of_their_own():
    """Threads of a device find contacts in any order, here the opposite one."""
    _, _, its, many = dogs(1)
    usual = {name: array.numpy().copy() for name, array in Impacts(its, many, carom.ImpactLaw()).read().items()}
    efc, contact = many.efc, many.contact
    rows = efc.J.numpy()[0, :16].reshape(4, 4, -1)[::-1].reshape(16, -1)
    efc.J.numpy()[0, :16] = rows
    for name in ("geom", "friction", "geomcollisionid"):
        its_numbers = getattr(contact, name).numpy()
        its_numbers[:4] = its_numbers[:4][::-1].copy()
    found = {name: array.numpy() for name, array in Impacts(its, many, carom.ImpactLaw()).read().items()}
    for name, array in usual.items():
        np.testing.assert_array_equal(found[name], array)


LIMITED = """<mujoco><option jacobian="{}"/><default><geom size=".1" contype="0" conaffinity="0"/></default><worldbody>
    <site name="top" pos="0 0 2"/><body pos="0 0 1"><joint name="hinge" axis="0 1 0" range="-57 57" limited="true"/>
    <geom pos=".3 0 0"/><body pos=".5 0 0"><joint name="slide" type="slide" axis="1 0 0" range="-.5 .5" margin=".01"
    limited="true"/><geom/><body pos=".5 0 0"><joint type="ball" range="0 120" limited="true"/><geom pos="0 0 .2"/>
    <site name="tip" pos=".1 .2 .3"/><body pos=".3 0 0"><joint type="ball" range="0 180" limited="true"/><geom pos=".2 .1 0"/>
    </body></body></body></body></worldbody>
    <tendon><fixed limited="true" range="-3 3"><joint joint="hinge" coef="2"/><joint joint="slide" coef="-1"/></fixed>
    <spatial limited="true" range=".1 3" margin=".02"><site site="top"/><site site="tip"/></spatial></tendon></mujoco>"""


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
@pytest.mark.parametrize("distance, count", [(10.0, 9), (0.7, 4)])
def test_limits_are_those_of_the_model(jacobian, distance, count):
    model = mujoco.MjModel.from_xml_string(LIMITED.format(jacobian))
    data = mujoco.MjData(model)
    data.qpos[:] = 0.4, -0.2, 0.7, 0.1, -0.5, 0.5, -0.9, 0.3, 0.1, 0.2
    data.qpos[2:6] /= np.linalg.norm(data.qpos[2:6])
    data.qpos[6:] /= np.linalg.norm(data.qpos[6:])
    data.qvel[:] = 0.3, -0.7, 1.1, 0.9, -0.4, 0.2, 0.5, 0.1
    its, many = worlds_of(model, data, 2)
    problem = carom.from_mujoco(model, data, distance=distance)
    assert problem.contacts == count and all("limit" in name for name in problem.contact_names)
    arrays = Impacts(its, many, carom.ImpactLaw(), distance=distance).read()
    found = {name: array.numpy()[1] for name, array in arrays.items()}
    assert found["active"].tolist() == [1] * count + [0] * (16 - count)
    np.testing.assert_allclose(found["normal_jacobian"][:count], problem.normal_jacobian, atol=1e-6)
    assert not found["tangent_jacobian"].any() and not found["friction"].any()


def test_a_limit_that_is_just_reached_takes_part():
    model = mujoco.MjModel.from_xml_string(LEG)
    data = mujoco.MjData(model)
    data.qpos[:] = -0.6 - 1e-4, 0.2
    data.qvel[:] = -1.0, 0.0
    its, many = worlds_of(model, data, 1)
    assert Impacts(its, many, carom.ImpactLaw())(0).numpy().tolist() == [OUTCOME]
    np.testing.assert_allclose(many.qvel.numpy(), 0.0, atol=1e-6)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
    its, many = worlds_of(model, data, 1)
    assert Impacts(its, many, carom.ImpactLaw())(0).numpy().tolist() == [OUTCOME]
    np.testing.assert_allclose(many.qvel.numpy()[0, 1], 1.0, atol=1e-6)


def test_worlds_of_which_warp_has_no_place_for_all_rows_are_left_to_mujoco():
    model, data, its, _ = dogs(1)
    low = data.qpos.copy()
    data.qpos[2] += 1.0
    mujoco.mj_forward(model, data)
    many = mujoco_warp.put_data(model, data, nworld=2, njmax=10)
    many.qpos = wp.array(np.tile(low, (2, 1)), dtype=float)
    mujoco_warp.fwd_position(its, many)
    assert (many.nefc.numpy() > 10).all()
    before = many.qvel.numpy().copy()
    assert Impacts(its, many, carom.ImpactLaw())(0).numpy().tolist() == [NO_OUTCOME] * 2
    np.testing.assert_array_equal(many.qvel.numpy(), before)


def test_limits_are_contacts_without_friction():
    model = mujoco.MjModel.from_xml_string(LEG)
    data = mujoco.MjData(model)
    data.qpos[:] = -0.6011, 0.2001  # the foot on the floor, the knee at its stop
    data.qvel[:] = -1.0, 0.0
    its, many = worlds_of(model, data, 2)
    for limits, contacts, speed in ((True, 2, 0.0), (False, 1, 1.0)):
        many.qvel = wp.array([[-1.0, 0.0]] * 2, dtype=float)
        impacts = Impacts(its, many, carom.ImpactLaw(), limits=limits)
        arrays = impacts.read()
        assert arrays["active"].numpy().sum(axis=1).tolist() == [contacts] * 2
        assert arrays["friction"].numpy()[0, 1] == 0.0
        assert impacts(0).numpy().tolist() == [OUTCOME] * 2
        np.testing.assert_allclose(many.qvel.numpy()[:, 1], speed, atol=1e-6)


@pytest.mark.filterwarnings("ignore:.*max_steps")
@pytest.mark.parametrize("options, law", [({"contacts": 1}, {}), ({"contacts": 3}, {}), ({}, {"max_steps": 1})])
def test_impacts_without_an_outcome_are_left_to_mujoco(options, law):
    _, _, its, many = dogs()
    qvel = many.qvel.numpy()
    qvel[:, 3] = 12.0  # turns so that feet of one side alone approach
    before = qvel.copy()
    assert Impacts(its, many, carom.ImpactLaw(**law), **options)(0).numpy().tolist() == [NO_OUTCOME] * 3
    np.testing.assert_array_equal(many.qvel.numpy(), before)


def test_restitution_and_threshold_hold():
    model = mujoco.MjModel.from_xml_string("""<mujoco><worldbody><geom type="plane" size="1 1 1"/>
        <body pos="0 0 .0999"><freejoint/><geom size=".1"/></body></worldbody></mujoco>""")
    data = mujoco.MjData(model)
    data.qvel[2] = -1.0
    its, many = worlds_of(model, data, 1)
    assert Impacts(its, many, carom.ImpactLaw(), threshold=1.01)(0).numpy().tolist() == [NO_IMPACT]
    assert Impacts(its, many, carom.ImpactLaw(), restitution=0.5)(0).numpy().tolist() == [OUTCOME]
    np.testing.assert_allclose(many.qvel.numpy()[0, 2], 0.5, atol=1e-6)


@pytest.mark.skipif("CAROM_EMULATED_CUDA" not in os.environ, reason="needs the device that the CPU plays")
def test_a_device_gives_the_same_bits():
    from test_device_arrays import OnDevice

    def on_device(step, **arrays):
        given = {name: OnDevice(array) for name, array in arrays.items()}
        return carom.DeviceImpactLaw(seed=3)(step, **given).to_host()

    found = []
    for law in (carom.ImpactLaw(seed=3), on_device):
        _, _, its, many = dogs()
        assert Impacts(its, many, law)(0).numpy().tolist() == [OUTCOME] * 3
        found.append(many.qvel.numpy().copy())
    np.testing.assert_array_equal(*found)


def test_mistakes_name_what_is_wrong():
    _, _, its, many = dogs(1)
    law = carom.ImpactLaw()
    hinge = '<body><joint type="hinge"/><geom size=".1"/></body>'
    joined = mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody>{hinge}</worldbody><equality><joint joint1='0'/></equality></mujoco>".replace(
            '<joint type="hinge"/>', '<joint name="0" type="hinge"/>'
        )
    )
    held = mujoco_warp.put_model(joined), mujoco_warp.put_data(joined, mujoco.MjData(joined), nworld=1)
    for call, message in [
        (lambda: Impacts(3, many, law), "model is int .must be mujoco_warp.Model"),
        (lambda: Impacts(its, 3, law), "data is int .must be mujoco_warp.Data"),
        (lambda: Impacts(its, held[1], law), "data is of another model"),
        (lambda: Impacts(its, many, law, distance=-1.0), "distance is -1.0"),
        (lambda: Impacts(its, many, None), "law is None"),
        (lambda: Impacts(its, many, law, contacts=0), "contacts is 0"),
        (lambda: Impacts(its, many, law, threshold=0.0), "threshold is 0.0"),
        (lambda: Impacts(its, many, law, restitution=2), "restitution is 2"),
        (lambda: Impacts(its, many, law, limits=1), "limits is 1 .must be True or False"),
        (lambda: Impacts(*held, law), "model has 1 equality constraints .must have none"),
    ]:
        with pytest.raises(carom.InputError, match=message):
            call()


def test_the_example_spreads_its_worlds_by_their_impacts():
    example = ROOT / "examples" / "mujoco_warp_worlds.py"
    arguments = ["--worlds", "4", "--duration", "0.06", "--device", "cpu"]
    outputs = [
        subprocess.run([sys.executable, example, *arguments, *more], capture_output=True, text=True, check=True).stdout
        for more in ([], ["--law", "none"])
    ]
    assert "4 worlds on cpu" in outputs[0] and "impacts: 0" not in outputs[0]
    assert "impacts: 0" in outputs[1] and "at most 0.000" in outputs[1]
