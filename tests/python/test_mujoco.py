"""carom.from_mujoco and carom.mujoco.contacts with MuJoCo's own models and states."""

import copy
import pickle
from pathlib import Path

import carom
import carom.mujoco
import numpy as np
import pytest

try:
    import mujoco
except ModuleNotFoundError:
    mujoco = None

pytestmark = pytest.mark.skipif(
    mujoco is None or mujoco.mj_versionString() != carom._core.mujoco_version(),
    reason="needs the package mujoco, and a Carom that was built with its headers",
)

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "scenarios" / "mujoco"
ARRAYS = ["mass_matrix", "normal_jacobian", "tangent_jacobian", "friction", "pre_impact_velocity"]
BALL = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>{}
<body pos="0 0 0.0999"><freejoint/><geom name="ball" size="0.1" mass="2"/></body>
</worldbody>{}</mujoco>"""


def load(name):
    return mujoco.MjModel.from_xml_path(str(MODELS / f"{name}.xml"))


def at_keyframe(model, evaluated=True):
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    if evaluated:
        mujoco.mj_fwdPosition(model, data)
    return data


def lowered(model, depths):
    """States whose feet penetrate the floor: at a gap of zero, detection hangs on rounding."""
    states = []
    for number, depth in enumerate(depths):
        data = at_keyframe(model)
        data.qpos[2] -= depth
        data.qpos[7:] += 0.02 * number * np.sin(np.arange(model.nq - 7))
        data.qvel[:] += 0.1 * number * np.cos(np.arange(model.nv))
        mujoco.mj_fwdPosition(model, data)
        states.append(data)
    return states


BALLS = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/><body pos="0 0 .1"><freejoint/>
<geom name="a" size=".1"/></body><body pos=".5 0 .1"><freejoint/><geom name="b" size=".1"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("name", ["quadruped", "compass_gait"])
def test_what_approaches_is_found_without_jacobians(name):
    model = load(name)
    datas = lowered(model, np.linspace(1e-3, 2e-2, 20)) if name == "quadruped" else [at_keyframe(model) for _ in range(20)]
    for number, data in enumerate(datas):
        data.qvel[:] += np.random.default_rng(number).normal(0.0, 0.3, model.nv)
    arrays = carom.mujoco.contacts(model, datas)
    approach = -np.matmul(arrays["normal_jacobian"], arrays["pre_impact_velocity"][:, :, None])[:, :, 0]
    fastest = np.where(arrays["active"], approach, -np.inf).max(axis=1)
    addresses = [data._address for data in datas]
    for threshold in (0.0, np.median(fastest)):
        found = carom._core.mujoco_approach(model._address, addresses, 1e-3, True, threshold)
        unlike = np.abs(fastest - threshold) > 1e-6
        np.testing.assert_array_equal(found[unlike], (fastest > threshold)[unlike])


def test_data_that_were_not_evaluated_are_refused():
    model = load("quadruped")
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    with pytest.raises(carom.InputError, match="state 1: .*no mass matrix"):
        carom.mujoco.contacts(model, [at_keyframe(model), data])


@pytest.mark.parametrize("name", ["rocking_block", "compass_gait", "quadruped"])
def test_a_model_in_memory_gives_what_its_file_gives(name):
    file = MODELS / f"{name}.xml"
    model = load(name)
    data = at_keyframe(model, evaluated=False)  # from_mujoco does it, with a copy
    before = copy.copy(data)
    wanted = carom.from_mujoco(file, keyframe=0)
    for found in [
        carom.from_mujoco(model, data),
        carom.from_mujoco(model, keyframe=0),
        carom.from_mujoco(file.read_text(), keyframe=0),
        carom.from_mujoco(model, qpos=data.qpos, qvel=data.qvel),
    ]:
        for array in ARRAYS:
            np.testing.assert_array_equal(getattr(found, array), getattr(wanted, array))
        assert found.contact_names == wanted.contact_names
    np.testing.assert_array_equal(data.qpos, before.qpos)
    assert data.ncon == before.ncon == 0
    faster = carom.from_mujoco(model, data, qvel=2 * data.qvel)
    np.testing.assert_array_equal(faster.pre_impact_velocity, 2 * wanted.pre_impact_velocity)


def test_states_give_the_arrays_of_their_problems():
    model = load("quadruped")
    states = lowered(model, [0.001, 0.003, 0.002])
    arrays = carom.mujoco.contacts(model, states)
    for row, data in enumerate(states):
        problem = carom.from_mujoco(model, data)
        used = arrays["active"][row]
        assert used.sum() == len(problem.contact_names) > 0
        tangents = np.repeat(used, 2)
        for name, rows in [("mass_matrix", slice(None)), ("normal_jacobian", used), ("friction", used),
                           ("tangent_jacobian", tangents), ("pre_impact_velocity", slice(None))]:  # fmt: skip
            np.testing.assert_array_equal(arrays[name][row][rows], getattr(problem, name))


def test_contacts_have_their_place_in_the_data():
    model = load("quadruped")
    states = lowered(model, [0.002, -0.1])
    stated = carom.mujoco.contacts(model, states, ids=True)
    assert (stated["contact_id"][1] == -1).all()
    names = [model.geom(g).name for k in stated["contact_id"][0] for g in states[0].contact[int(k)].geom]
    problem = carom.from_mujoco(model, states[0])
    assert [name for name in names if name != "floor"] == problem.contact_names
    # Data of a generator live until they have been read.
    made = carom.mujoco.contacts(model, (copy.copy(data) for data in states))
    for name, array in made.items():
        np.testing.assert_array_equal(array, stated[name])


def test_limits_of_angles_have_their_unit():
    text = """<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="a" type="hinge" limited="true" range="-10 0"/>
<joint name="b" type="slide" limited="true" range="-1 0"/><geom size=".1"/></body></worldbody></mujoco>"""
    problem = carom.from_mujoco(text, qvel=[1.0, 1.0])
    assert dict(zip(problem.contact_names, problem.speed_units)) == {"a upper limit": "rad/s", "b upper limit": "m/s"}
    assert pickle.loads(pickle.dumps(problem)).speed_units == problem.speed_units


def test_a_law_takes_them_and_worlds_may_differ_in_their_contacts():
    model = load("quadruped")
    standing, flying = lowered(model, [0.002, -0.1])
    tilted = at_keyframe(model)
    tilted.qpos[3:7] = [np.cos(0.05), 0.0, np.sin(0.05), 0.0]  # its nose goes down
    tilted.qpos[2] -= 0.005
    mujoco.mj_fwdPosition(model, tilted)
    states = [flying, standing, tilted]
    arrays = carom.mujoco.contacts(model, states)
    counts = arrays["active"].sum(axis=1)
    assert counts[0] == 0 and counts[1] == 4 and 0 < counts[2] < 4
    assert arrays["active"].dtype == bool and arrays["normal_jacobian"].shape == (3, 4, 18)
    outcomes = carom.ImpactLaw()(0, **arrays)
    assert outcomes.status_counts == {"separated": 3}
    np.testing.assert_array_equal(outcomes.velocity[0], flying.qvel)
    speeds = np.einsum("bmn,bn->bm", arrays["normal_jacobian"], outcomes.velocity)
    assert speeds.min() >= -1e-7
    before = [0.5 * v @ M @ v for M, v in zip(arrays["mass_matrix"], arrays["pre_impact_velocity"])]
    assert (outcomes.energy[1:] < before[1:]).all()
    only = carom.mujoco.contacts(model, states, geoms=[("front_left_foot", "floor")])
    assert only["active"].sum(axis=1).max() == 1


def test_planar_models_have_one_tangent_and_free_states_no_contact():
    model = load("rocking_block")
    data = at_keyframe(model)
    data.qpos[1] -= 1e-10
    mujoco.mj_fwdPosition(model, data)
    arrays = carom.mujoco.contacts(model, [data])
    assert arrays["active"].tolist() == [[True, True]]
    block = carom.load_scenario("rocking_block").problem
    for name in ["mass_matrix", "normal_jacobian", "tangent_jacobian"]:
        np.testing.assert_allclose(arrays[name][0], getattr(block, name), atol=1e-9)
    ball = mujoco.MjModel.from_xml_string(BALL.format("", ""))
    data = mujoco.MjData(ball)
    data.qpos[2] = 1.0
    mujoco.mj_fwdPosition(ball, data)
    arrays = carom.mujoco.contacts(ball, [data])
    assert arrays["active"].tolist() == [[False]] and not arrays["normal_jacobian"].any()
    assert carom.mujoco.contacts(ball, [])["mass_matrix"].shape == (0, 6, 6)


def test_a_ball_on_the_floor_has_its_closed_form():
    model = mujoco.MjModel.from_xml_string(BALL.format("", ""))
    data = mujoco.MjData(model)
    data.qvel[:] = [0.3, -0.2, -1.0, 0.0, 0.0, 0.0]
    mujoco.mj_fwdPosition(model, data)
    arrays = carom.mujoco.contacts(model, [data])
    np.testing.assert_allclose(arrays["normal_jacobian"][0] @ data.qvel, [-1.0], atol=1e-12)
    np.testing.assert_allclose(np.abs(arrays["tangent_jacobian"][0] @ data.qvel), [0.2, 0.3], atol=1e-12)
    np.testing.assert_allclose(np.diag(arrays["mass_matrix"][0]), [2.0] * 3 + [0.4 * 2 * 0.01] * 3)
    np.testing.assert_array_equal(arrays["friction"], [[1.0]])


# A shoe of two boxes side by side, a heel that is welded to them, and a round toe.
SHOE = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body pos="0 0 0.0499"><freejoint/>
  <geom name="left" type="box" size="0.1 0.05 0.05" pos="0 0.05 0" mass="1"/>
  <geom name="right" type="box" size="0.1 0.05 0.05" pos="0 -0.05 0" mass="1"/>
  <geom name="toe" size="0.05" pos="0.13 0 0" mass="0.2" friction="{toe} 0.01 0.001"/>
  <body pos="-0.15 0 0"><geom name="heel" type="box" size="0.05 0.05 0.05" mass="1"/></body>
</body></worldbody></mujoco>"""


def test_too_many_contacts_are_told_with_what_makes_them_fewer():
    sole = "".join(f'<geom type="box" size="0.01 0.01 0.01" pos="{0.03 * i} 0 0" mass="1"/>' for i in range(5))
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 0.0099"><freejoint/>{sole}</body>'
        "</worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    data.qvel[2] = -1.0
    with pytest.raises(carom.InputError, match="has 20 contacts .* at most 17 in space: merge = true"):
        carom.from_mujoco(model, data)
    assert carom.from_mujoco(model, data, merge=True).contacts == 4


def test_contacts_in_one_plane_are_merged_to_their_corners():
    model = mujoco.MjModel.from_xml_string(SHOE.format(toe=1))
    data = mujoco.MjData(model)
    data.qvel[:] = [0.3, 0.1, -1.0, 0.2, -0.1, 0.4]
    mujoco.mj_fwdPosition(model, data)
    boxes = {"geoms": ["left", "right", "heel"]}
    whole = carom.mujoco.contacts(model, [data], **boxes)["normal_jacobian"][0]
    merged = carom.from_mujoco(model, data, **boxes, merge=True)
    assert (len(whole), merged.contacts) == (10, 6)  # two of the heel's corners are the boxes', too
    assert carom.from_mujoco(model, data, **boxes).contacts == 10

    def places(rows):  # a point (x, y) of the floor turns the body about y, -x
        return np.stack([-rows[:, 4], rows[:, 3]], axis=1)

    wanted = [(-0.2, -0.05), (-0.2, 0.05), (-0.1, -0.1), (-0.1, 0.1), (0.1, -0.1), (0.1, 0.1)]
    place = places(merged.normal_jacobian)
    place = place - place.mean(axis=0) + np.mean(wanted, axis=0)  # from the centre of mass
    np.testing.assert_allclose(sorted(map(tuple, place.round(9))), wanted, atol=1e-9)
    angles = np.linspace(0.0, 2 * np.pi, 100)
    directions = np.array([np.cos(angles), np.sin(angles)])
    ends = [(places(rows) @ directions).max(axis=0) for rows in (whole, merged.normal_jacobian)]
    np.testing.assert_allclose(*ends, atol=1e-9)


def test_runs_say_that_merged_contacts_are_missing(tmp_path):
    (tmp_path / "shoe.xml").write_text(SHOE.format(toe=1))
    scenario = tmp_path / "shoe.toml"
    scenario.write_text(
        'system = "mujoco"\n[mujoco]\nmodel = "shoe.xml"\nqvel = [0, 0, -1, 0, 0, 0]\n'
        'geoms = ["left", "right", "heel"]\nmerge = true\n[sampling]\ntrajectories = 64\n'
    )
    text = "merge left out 6 contacts of flat patches"
    with pytest.warns(carom.CaromWarning, match=text):
        carom.post_impact_set(scenario, output=tmp_path / "shoe.h5")
    found = carom.read(tmp_path / "shoe.h5")
    assert found.scenario.problem.merged_contacts == 6
    scenario.write_text(scenario.read_text() + "[roll]\nduration = 0.01\n")
    with pytest.warns(carom.CaromWarning, match="merge leaves out contacts"):
        carom.roll(scenario, rollouts=4)


def test_contacts_with_a_friction_or_a_body_of_their_own_are_not_merged():
    falling = {"qvel": [0.0, 0.0, -1.0, 0.0, 0.0, 0.0], "merge": True}
    # The toe touches in front of the others: a corner, whose friction may differ.
    assert carom.from_mujoco(SHOE.format(toe=1), **falling).contacts == 7
    assert carom.from_mujoco(SHOE.format(toe=2), **falling).contacts == 7
    two = BALL.format('<body pos="0.3 0 0.0999"><freejoint/><geom name="other" size="0.1"/></body>', "")
    assert carom.from_mujoco(two, qvel=[0, 0, -1, 0, 0, 0] * 2, merge=True).contacts == 2


def test_states_are_merged_as_their_problems_are():
    model = mujoco.MjModel.from_xml_string(SHOE.format(toe=1))
    data = mujoco.MjData(model)
    data.qvel[2] = -1.0
    mujoco.mj_fwdPosition(model, data)
    arrays = carom.mujoco.contacts(model, [data, data], merge=True)
    problem = carom.from_mujoco(model, data, merge=True)
    assert arrays["active"].all()
    for name in ARRAYS:
        np.testing.assert_array_equal(arrays[name][1], getattr(problem, name))


def test_mistakes_name_what_is_wrong():
    model = load("quadruped")
    data = at_keyframe(model)
    other = mujoco.MjData(load("rocking_block"))
    for call, message in [
        (lambda: carom.mujoco.contacts("x", [data]), "model is str .must be mujoco.MjModel"),
        (lambda: carom.mujoco.contacts(model, [data, 3]), r"datas\[1\] is int .must be mujoco.MjData"),
        (lambda: carom.mujoco.contacts(model, [data, other]), r"datas\[1\] is of another model"),
        (lambda: carom.mujoco.contacts(model, [data], geoms=["flor"]), 'geoms names "flor" .*floor'),
        (lambda: carom.from_mujoco(model, other), "data is of another model"),
        (lambda: carom.from_mujoco(model, data, keyframe=0), "keyframe must be left out"),
        (lambda: carom.from_mujoco(MODELS / "quadruped.xml", data), "data must be left out"),
        (lambda: carom.from_mujoco("<mujoco><none/></mujoco>"), "model is no model that MuJoCo can read"),
        (lambda: carom.from_mujoco(3), "model is int .must be mujoco.MjModel"),
        (lambda: carom.from_mujoco(model, data, limits="no"), "limits is 'no' .must be True or False"),
    ]:
        with pytest.raises(carom.InputError, match=message):
            call()
