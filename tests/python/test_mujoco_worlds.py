"""carom.mujoco.Worlds: states of one MuJoCo model that move side by side."""

import subprocess
import sys

import carom
import carom.mujoco
import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco")

from test_mujoco import ARRAYS, BALL, BALLS, ROOT, pytestmark  # noqa: E402, F401


def test_worlds_that_are_set_back_wait_for_their_turn():
    worlds = carom.mujoco.Worlds(mujoco.MjModel.from_xml_string(BALLS), 3, carom.ImpactLaw(1), restitution=0.5)
    for data in worlds.datas:
        data.qvel[2] = -1.0
    mujoco.mj_resetData(worlds.model, worlds.datas[1])
    worlds.step(1, [True, False, True])
    for moving in ([0, 1, 2], ["a", "b", "c"], [0.1, 0.0, np.nan], [True]):
        with pytest.raises(carom.InputError, match="moving has the shape .* .must be a mask of 3 worlds"):
            worlds.step(1, moving)
    for count in (-1, 1.5, None):
        with pytest.raises(carom.InputError, match="count is .* .must be an integer >= 0"):
            worlds.step(count)
    assert worlds.counts.sum() == 2 and worlds.datas[1].time == 0.0
    np.testing.assert_allclose([worlds.datas[i].qvel[2] for i in (0, 2)], 0.5, atol=0.05)
    for options, message in (({"restitution": 2}, "restitution is 2"), ({"law": None, "restitution": 0.5}, "with a law")):
        with pytest.raises(carom.InputError, match=message):
            carom.mujoco.Worlds(worlds.model, 1, **{"law": carom.ImpactLaw(1), **options})


def test_feet_that_land_within_the_distance_land_together():
    def spins(distance):
        feet = "".join(f'<geom pos="{x} 0 {z}" size=".05" mass=".5"/>' for x, z in ((-0.3, 0), (0.3, 0.0005)))
        bar = f'<body name="bar" pos="0 0 .0499"><freejoint/>{feet}</body>'
        model = mujoco.MjModel.from_xml_string(
            f'<mujoco><worldbody><geom type="plane" size="9 9 1"/>{bar}</worldbody></mujoco>'
        )
        worlds = carom.mujoco.Worlds(model, 50, carom.ImpactLaw(seed=1), distance=distance)
        for data in worlds.datas:
            data.qvel[2] = -1.0
        worlds.step()
        assert model.geom_margin[0] == 0.0  # the caller's model stays as it is
        assert worlds.counts.sum() == 50
        return np.array([data.qvel[4] for data in worlds.datas])

    assert np.abs(spins(1e-3)).max() < 0.1  # each foot stops its own mass
    assert np.abs(spins(1e-4)).min() > 0.5  # one foot alone


def boxes(places, equality=""):
    bodies = "".join(
        f"""<body name="box{i}" pos="{x} 0 {z}"><freejoint/><geom type="box" size=".1 .1 .1"/></body>"""
        for i, (x, z) in enumerate(places)
    )
    floor = """<geom type="plane" size="9 9 1"/>"""
    return mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody>{floor}{bodies}</worldbody><equality>{equality}</equality></mujoco>"
    )


def landed(model):
    """The boxes of 3 worlds after a step in which each lands with its own speed, and what the step said."""
    worlds = carom.mujoco.Worlds(model, 3, carom.ImpactLaw(seed=5))
    for number, data in enumerate(worlds.datas):
        for body, speed in enumerate(data.qvel.reshape(-1, 6)):
            speed[:] = [0.3 * number, 0.1 * body, -1.0 - 0.1 * body, 0.2, 0.0, 0.5 * number]
    failed = worlds.step()
    return np.array([data.qvel for data in worlds.datas]), failed, worlds.counts


def test_bodies_that_do_not_touch_have_impacts_of_their_own():
    many, failed, counts = landed(boxes([(x, 0.0999) for x in range(5)]))  # 20 contacts: more than an LCP holds
    assert not failed.any() and counts[carom.STATUS.index("separated")] == counts.sum() == 15
    alone, _, _ = landed(boxes([(0, 0.0999)]))
    np.testing.assert_allclose(many[:, :6], alone, atol=1e-12)  # MuJoCo's own rounding differs
    alike = carom.mujoco.Worlds(boxes([(x, 0.0999) for x in range(2)]), 20, carom.ImpactLaw(seed=5))
    for data in alike.datas:
        data.qvel.reshape(-1, 6)[:] = [0.3, 0.1, -1.0, 0.4, 0.1, 0.5]
    alike.step()
    ends = np.array([data.qvel.reshape(2, 6) for data in alike.datas])
    assert (np.abs(ends[:, 0] - ends[:, 1]).max(axis=1) > 1e-3).mean() > 0.5  # each draws its own

    crowd, failed, counts = landed(boxes([(x, 0.0999) for x in range(20)]))  # 120 velocities: more than a problem has
    assert not failed.any() and counts.sum() == 60
    np.testing.assert_allclose(crowd[:, :30], many, atol=1e-12)

    _, failed, counts = landed(boxes([(0, 0.0999), (0, 0.2998), (1, 0.0999)]))
    assert not failed.any() and counts.sum() == 6  # a box on a box lands with it

    chain = "".join(f"""<weld body1="box{i}" body2="box{i + 1}"/>""" for i in range(4))
    with pytest.warns(carom.CaromWarning, match="broke a rule"):
        _, failed, counts = landed(boxes([(x, 0.0999) for x in range(5)], chain))
    assert failed.all() and counts[carom.STATUS.index("bad_input")] == 3  # what is welded together is one


def test_impacts_of_too_many_bodies_are_mujocos():
    row = "".join(f"""<body pos="{0.1998 * i} 0 1"><freejoint/><geom size=".1"/></body>""" for i in range(17))
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option gravity="0 0 0"/><worldbody>{row}</worldbody></mujoco>"""
    )
    worlds = carom.mujoco.Worlds(model, 3, carom.ImpactLaw(seed=1))
    worlds.datas[1].qvel[0] = 1.0  # hits 16 others in a row: 102 velocities
    worlds.datas[2].qvel[0] = -1.0
    assert worlds.step().tolist() == [False, True, False]
    assert worlds.counts[carom.STATUS.index("bad_input")] == worlds.counts.sum() == 1


def test_the_example_of_many_worlds_spreads_them_by_their_impacts():
    example = ROOT / "examples" / "mujoco_worlds.py"
    arguments = ["--worlds", "6", "--duration", "0.1"]
    done = subprocess.run([sys.executable, example, *arguments], capture_output=True, text=True, check=True)
    again = subprocess.run([sys.executable, example, *arguments], capture_output=True, text=True, check=True)
    impacts = [line for line in done.stdout.splitlines() if line.startswith("impacts")]
    assert impacts and impacts[0] == [x for x in again.stdout.splitlines() if x.startswith("impacts")][0]
    assert "6 worlds" in done.stdout and "separated" in impacts[0]


def held_balls():
    """Two balls on slides of their own, held at one height; one of them lands."""
    return mujoco.MjModel.from_xml_string(
        """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
        <body pos="0 0 0.0999"><joint name="low" type="slide" axis="0 0 1"/><geom size="0.1" mass="1"/></body>
        <body pos="1 0 0.5"><joint name="high" type="slide" axis="0 0 1"/><geom size="0.1" mass="2"/></body>
        </worldbody><equality><joint joint1="low" joint2="high"/></equality></mujoco>"""
    )


def test_equality_constraints_hold_through_impacts_of_many_worlds():
    model = held_balls()
    worlds = [mujoco.MjData(model) for _ in range(3)]
    for speed, data in enumerate(worlds):
        data.qvel[:] = [-speed, -speed - 3.0]  # apart by 3 m/s, which their constraint takes first
        mujoco.mj_fwdPosition(model, data)
    arrays = carom.mujoco.contacts(model, worlds)
    common = [-(speed + 2 * (speed + 3.0)) / 3 for speed in range(3)]
    np.testing.assert_allclose(arrays["pre_impact_velocity"], np.stack([common, common], axis=1), atol=1e-9)
    update = carom.ImpactLaw(seed=1)(0, **arrays)
    assert update.status_counts == {"separated": 3}
    np.testing.assert_allclose(update.velocity, 0.0, atol=1e-5)
    stopped = carom.from_mujoco(model, worlds[1])
    assert carom.sample(stopped, trajectories=10).energy.max() < 1e-6 * 13.5  # J before


def test_equalities_change_no_velocity_without_an_impact():
    """What breaks them between contacts that separate is MuJoCo's to mend."""
    model = held_balls()
    worlds = [mujoco.MjData(model) for _ in range(3)]
    for data, velocity in zip(worlds, ([1.0, 4.0], [-1.0, 4.0], [1.0, -4.0]), strict=True):
        data.qvel[:] = velocity
        mujoco.mj_fwdPosition(model, data)
    arrays = carom.mujoco.contacts(model, worlds)
    held = np.array(arrays["pre_impact_velocity"])
    np.testing.assert_array_equal(held[0], [1.0, 4.0])
    np.testing.assert_allclose(held[1:], [[7 / 3] * 2, [-7 / 3] * 2], atol=1e-9)  # common momentum of 1 and 2 kg
    update = carom.ImpactLaw(seed=1)(0, **arrays)
    np.testing.assert_array_equal(update.velocity[0], [1.0, 4.0])
    np.testing.assert_allclose(update.velocity[2], 0.0, atol=1e-5)


def test_worlds_that_diverge_are_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where MuJoCo would write a log
    worlds = carom.mujoco.Worlds(mujoco.MjModel.from_xml_string(BALL.format("", "")), 3, carom.ImpactLaw())
    assert not worlds.step(2).any()
    worlds.datas[1].qvel[2] = np.nan
    np.testing.assert_array_equal(worlds.step(), [False, True, False])
    assert not worlds.step(3).any()  # from the reference state on
    for _ in range(2):  # the second time, warnings and time are those of the first
        worlds.datas[1].qvel[2] = 1e13
        np.testing.assert_array_equal(worlds.step(), [False, True, False])
    assert not list(tmp_path.iterdir()) and mujoco.get_mju_user_warning() is None
    told = []
    mujoco.set_mju_user_warning(told.append)
    try:
        worlds.datas[2].qvel[2] = np.nan
        worlds.step()
        assert len(told) == 1 and "QVEL" in told[0]
        assert mujoco.get_mju_user_warning() == told.append
    finally:
        mujoco.set_mju_user_warning(None)


LEG = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/><body pos="0 0 1">
    <joint name="hip" type="slide" axis="0 0 1"/><geom size=".1" mass="3"/><body pos="0 0 -.5">
    <joint name="knee" type="slide" axis="0 0 1" range="-.2 .2" limited="true"/><geom name="foot" size=".1" mass="1"/>
    </body></body></worldbody></mujoco>"""


def legs(count, law, **options):
    """On the floor; the knee of the first can move, that of others is at its stop."""
    worlds = carom.mujoco.Worlds(mujoco.MjModel.from_xml_string(LEG), count, law, **options)
    for number, data in enumerate(worlds.datas):
        knee = 0.2 if number else 0.1
        data.qpos[:] = -0.4 - knee, knee
        data.qvel[:] = -1.0, 0.0
    return worlds


def test_limits_stop_joints_in_impacts():
    for limits, speeds in ((True, (1.0, 0.0)), (False, (1.0, 1.0))):
        worlds = legs(2, carom.ImpactLaw(seed=1), limits=limits)
        for data in worlds.datas:
            mujoco.mj_fwdPosition(worlds.model, data)
        arrays = carom.mujoco.contacts(worlds.model, worlds.datas, limits=limits)
        assert arrays["active"].tolist() == ([[True, False], [True, True]] if limits else [[True], [True]])
        problem = carom.from_mujoco(worlds.model, worlds.datas[1], limits=limits)
        for name in ARRAYS:
            np.testing.assert_array_equal(arrays[name][1], getattr(problem, name))
        assert (problem.contact_names == ["foot/floor", "knee upper limit"]) == limits
        law = carom.ImpactLaw(seed=1)(0, **arrays)
        np.testing.assert_allclose(law.velocity[:, 1], speeds, atol=1e-9)
        assert not worlds.step().any() and worlds.counts[0] == 2


def test_a_joint_that_hits_its_stop_in_the_air_has_an_impact():
    worlds = legs(2, carom.ImpactLaw(seed=1))
    for data in worlds.datas:
        data.qpos[0] = 0.5
        data.qvel[:] = 0.0, 1.0
    before = np.array([data.qvel for data in worlds.datas])
    worlds.step()
    after = np.array([data.qvel for data in worlds.datas])
    assert worlds.counts[0] == 1
    np.testing.assert_allclose(after[0, 1], before[0, 1], atol=1e-9)
    assert abs(after[1, 1]) < 0.05 and after[1, 0] > 0.2
