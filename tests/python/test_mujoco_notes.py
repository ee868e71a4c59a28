"""What the notes on impacts of MuJoCo models tell: normals, limits, other impacts and contacts."""

import pickle

import carom
import carom.dataset
import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco")

from test_mujoco import BALLS, load  # noqa: E402

MESH = """<mujoco><asset><mesh name="cube" vertex="{}"/></asset><worldbody>
<geom name="base" type="box" size=".1 .1 .1"/>
<body pos=".12 .13 .14" euler="37 21 11"><freejoint/><geom name="cube" {} mass="1"/></body></worldbody></mujoco>"""
CORNERS = " ".join(f"{x} {y} {z}" for x in (-0.05, 0.05) for y in (-0.05, 0.05) for z in (-0.05, 0.05))


def doubtful_normals(problem):
    return [note["text"] for note in problem.doubts if note["code"] == "doubtful_normals"]


def test_doubtful_normals_are_told():
    assert not doubtful_normals(carom.from_mujoco(load("quadruped"), keyframe=0))
    told = 0
    for seed in range(12):
        random = np.random.default_rng(seed)
        model = mujoco.MjModel.from_xml_string(MESH.format(CORNERS, 'type="mesh" mesh="cube"'))
        data = mujoco.MjData(model)
        direction = random.normal(size=3)
        data.qpos[:3] = 0.3 * direction / np.linalg.norm(direction)
        data.qpos[3:] = random.normal(size=4)
        mujoco.mj_forward(model, data)
        gap = mujoco.mj_geomDistance(model, data, 0, 1, 1.0, None)
        for _ in range(60):  # towards the other one
            data.qpos[:3] *= 1 - 0.5 * (gap - 1e-4) / np.linalg.norm(data.qpos[:3])
            mujoco.mj_forward(model, data)
            gap = mujoco.mj_geomDistance(model, data, 0, 1, 1.0, None)
        line = np.zeros(6)
        mujoco.mj_geomDistance(model, data, 0, 1, 1.0, line)
        along = (line[3:] - line[:3]) / np.linalg.norm(line[3:] - line[:3])
        problem = carom.from_mujoco(model, qpos=data.qpos, qvel=[*-along, 0, 0, 0])
        cosine = (problem.normal_jacobian[:, :3] @ along).min()  # the rows' first three are the normal
        told += cosine < np.cos(np.radians(2.0))
        assert bool(doubtful_normals(problem)) == (cosine < np.cos(np.radians(2.0)))
        codes = [note["code"] for note in carom.post_impact_set(problem, trajectories=4, hold_out=0).notes]
        assert ("doubtful_normals" in codes) == bool(doubtful_normals(problem))
    assert told > 0


FIELD = """<mujoco><asset><hfield name="field" nrow="5" ncol="5" size="1 1 .2 .1" elevation="{}"/></asset>
<worldbody><geom name="field" type="hfield" hfield="field"/><body pos=".1 .07 .2999"><freejoint/>
<geom name="box" type="box" size=".1 .1 .1" mass="1" condim="1"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("slope, finds_walls", [(0.0, True), (0.02, False)])
def test_normals_that_are_steeper_than_a_height_field_are_told(slope, finds_walls):
    heights = 0.9 + slope * np.arange(5)  # parts of 0.2 m, in cells of 0.5 m: 0.46 degrees steep
    model = mujoco.MjModel.from_xml_string(FIELD.format(" ".join(map(str, np.tile(heights, 5)))))
    model.hfield_data[:] = np.tile(heights, 5)  # MuJoCo scales what it reads to 0 ... 1
    data = mujoco.MjData(model)
    data.qpos[2] = 0.1 - 1e-4 + 0.2 * np.interp(0.2, np.linspace(-1, 1, 5), heights)
    data.qvel[2] = -1.0
    for distance, is_told in ((0.0, False), (1e-3, finds_walls)):
        problem = carom.from_mujoco(model, data, distance=distance)
        steepest = np.degrees(np.arccos(problem.normal_jacobian[:, 2].clip(-1.0, 1.0).min()))
        assert (steepest > 45.0) == is_told
        assert any("field/box" in text or "box/field" in text for text in doubtful_normals(problem)) == is_told


def test_an_impact_that_begins_deep_in_the_floor_is_told():
    model = mujoco.MjModel.from_xml_string("""<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
        <body pos="0 0 1"><freejoint/><geom name="ball" size=".1"/></body></worldbody></mujoco>""")
    for height, is_told in ((0.0999, False), (0.08, True)):
        problem = carom.from_mujoco(model, qpos=[0, 0, height, 1, 0, 0, 0], qvel=[0, 0, -1, 0, 0, 0])
        assert [note["code"] for note in problem.doubts] == ["penetration"] * is_told
        assert ['"ball/floor" 0.02 m, of 0.2 m' in note["text"] for note in problem.doubts] == [True] * is_told


def test_what_a_mocap_body_holds_keeps_its_speed():
    model = mujoco.MjModel.from_xml_string("""<mujoco><worldbody><geom type="plane" size="1 1 .1"/>
        <body name="hand" mocap="true" pos="0 0 .05"><site name="grip"/></body>
        <body name="tool" pos="0 0 .05"><freejoint/><geom size=".03" mass="1"/><site name="held"/></body>
        <body pos=".0799 0 .05"><freejoint/><geom type="box" size=".05 .05 .05" mass=".5"/></body>
        <body name="bob" pos="0 0 1"><freejoint/><geom size=".03" mass="1"/></body></worldbody>
        <equality><weld {}/><connect body1="bob" anchor="0 0 1"/></equality></mujoco>""".format("site1='grip' site2='held'"))
    before = np.zeros(18)
    before[[0, 12]] = 1.0, 0.7  # tool towards the box; the bob's connect to the world breaks it
    problem = carom.from_mujoco(model, qvel=before)
    np.testing.assert_allclose(problem.pre_impact_velocity[:12], before[:12], atol=1e-9)
    bob = problem.pre_impact_velocity[12:]
    assert np.abs(bob[:3] + np.cross(bob[3:], [0, 0, 1])).max() < 1e-9  # its anchor stands still
    after = carom.sample(problem, 200).velocity
    np.testing.assert_allclose(after[:, 0], 1.0, atol=1e-5)
    assert (after[:, 6] > 0.999).all()  # the box is pushed on


def test_joints_at_limits_that_do_not_push_back_are_told():
    model = mujoco.MjModel.from_xml_string("""<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 1">
        <joint name="lift" type="slide" axis="0 0 1"/><geom size=".1"/><body pos="0 0 -.5">
        <joint name="knee" type="slide" axis="0 0 1" range="0 .2" limited="true"/><geom size=".1"/>
        </body></body></worldbody></mujoco>""")
    for knee, is_told in ((0.0, True), (0.1, False)):
        state = {"qpos": [-0.4 - knee, knee], "qvel": [-1.0, 0.0]}
        assert carom.from_mujoco(model, **state).doubts == []
        problem = carom.from_mujoco(model, **state, limits=False)
        assert [note["code"] for note in problem.doubts] == ["joint_limits"] * is_told
        assert ["knee lower limit" in note["text"] for note in problem.doubts] == [True] * is_told


def test_other_impacts_of_the_time_are_told(tmp_path):
    (tmp_path / "balls.xml").write_text(BALLS)
    for speed, is_told in ((-1.0, True), (0.0, False)):
        (tmp_path / "balls.toml").write_text(f"""system = "mujoco"
            [mujoco]\nmodel = "balls.xml"\nqvel = [0, 0, -1, 0, 0, 0, 0, 0, {speed}, 0, 0, 0]
            [roll]\nduration = 0.1""")
        problem = carom.load_scenario(tmp_path / "balls.toml").problem
        assert problem.contacts == 1
        assert [(note["code"], "b/floor" in note["text"]) for note in problem.doubts] == [
            ("other_impacts", True)
        ] * is_told + [("first_impact", False)]
        assert [note["code"] for note in pickle.loads(pickle.dumps(problem)).doubts] == [
            note["code"] for note in problem.doubts
        ]


SEESAW = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/><body pos="0 0 .4">
<joint name="lift" type="slide" axis="0 0 1"/><joint name="turn" axis="0 1 0"/>
<geom name="left" size=".1" pos="-.5 0 0"/><geom name="right" size=".1" pos=".5 0 0"/></body></worldbody></mujoco>"""


def test_members_whose_contacts_are_others_are_told(tmp_path):
    (tmp_path / "seesaw.xml").write_text(SEESAW)
    (tmp_path / "seesaw.toml").write_text(f"""system = "mujoco"
        [mujoco]\nmodel = "seesaw.xml"\nqvel = [-1, 0]\nqpos = [{-0.3 + 0.5 * np.sin(0.2)}, 0.2]""")
    family = 'scenario = "seesaw.toml"\n[axes]\n"mujoco.qpos[1]" = {values = [-0.2, 0.2]}\n[sampling]\ntrajectories = 16\n'
    (tmp_path / "family.toml").write_text(family)
    (tmp_path / "set.toml").write_text(family + "[outcomes]\nper_problem = 16\n")
    with pytest.warns(carom.CaromWarning, match="other contacts touch .*right"):
        grid = carom.grid(tmp_path / "family.toml", tmp_path / "grid.h5")
    assert grid["other_contacts"].tolist() == [1, 0]
    with pytest.warns(carom.CaromWarning, match="other contacts touch .*right"):
        carom.generate(tmp_path / "set.toml", tmp_path / "set")
    (told,) = [note for note in grid["notes"] if note["code"] == "other_contacts"]
    assert (told["members"], told["first_member"]) == (1, 0)
    folder = carom.dataset.DatasetFolder(tmp_path / "set")
    assert [folder.problem(i)["other_contacts"] for i in range(len(folder))] == [1, 0]
    again = carom.grid(tmp_path / "family.toml", tmp_path / "grid.h5")  # from the file
    assert again["other_contacts"].tolist() == [1, 0]
