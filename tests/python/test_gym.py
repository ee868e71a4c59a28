"""Gymnasium environments, where Gymnasium is installed."""

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", minversion="1.1")

import carom  # noqa: E402
from carom.gym import CompassGait, CompassGaitVector, Mujoco, MujocoVector  # noqa: E402


@pytest.mark.filterwarnings("ignore:.*(infinity|render|passive).*")
def test_gymnasiums_own_check_accepts_the_walker():
    from gymnasium.utils.env_checker import check_env

    check_env(CompassGait(), skip_render_check=True)


def played(policy, law="set_valued", copies=64, seed=1):
    """Share of copies that still stand after all steps of one episode, and all observations."""
    walkers = CompassGaitVector(copies, law=law, steps=50)
    seen, _ = walkers.reset(seed=seed)
    stands = np.ones(copies, dtype=bool)
    all_seen = [seen]
    for _ in range(50):
        seen, reward, terminated, truncated, info = walkers.step(policy(seen))
        assert not info["failed"].any()
        stands &= ~terminated
        all_seen.append(seen)
    return stands.mean(), np.array(all_seen)


def held(seen):
    """A spring and a damper between the legs."""
    spread, rate = seen[:, 1] - seen[:, 0], seen[:, 4] - seen[:, 3]
    return np.clip(20.0 * (np.radians(50.0) - spread) - 2.0 * rate, -1.0, 1.0)[:, None]


def test_legs_slide_apart_unless_the_hip_holds_them():
    assert played(lambda seen: np.zeros((len(seen), 1)))[0] < 0.1
    assert played(held)[0] > 0.9


def test_episodes_are_those_of_the_seed():
    first, again, other = (played(held, copies=4, seed=seed)[1] for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert np.abs(first[0] - other[0]).max() > 1e-3


def test_copies_that_fall_begin_anew():
    walkers = CompassGaitVector(8, steps=50)
    walkers.reset(seed=3)
    ended = np.zeros(8, dtype=bool)
    for _ in range(60):
        seen, reward, terminated, truncated, _ = walkers.step(np.zeros((8, 1)))
        assert (reward[ended] == 0.0).all()  # of the reset
        assert (seen[ended, 2] > 0.85).all()
        ended = terminated | truncated
    assert (walkers.age < 60).all()


def test_an_impact_can_have_several_outcomes():
    """From equal starts, with equal actions, copies differ by their impacts alone."""

    def spread_of(law):
        walkers = CompassGaitVector(32, law=law)
        walkers.reset(seed=4)
        for copy in range(32):
            walkers.copies.place(copy, walkers.copies.position[0], np.zeros(4))
        for _ in range(15):
            seen, *_ = walkers.step(np.zeros((32, 1)))
        return np.ptp(seen[:, 3])

    assert spread_of("simultaneous") < 1e-9
    assert spread_of("set_valued") > 1e-3


QUADRUPED = Path(__file__).parents[2] / "scenarios" / "mujoco" / "quadruped.xml"


@pytest.mark.filterwarnings("ignore:.*(infinity|render|passive).*")
def test_a_mujoco_model_is_an_environment():
    pytest.importorskip("mujoco")
    from gymnasium.utils.env_checker import check_env

    check_env(Mujoco(QUADRUPED), skip_render_check=True)


def test_a_seed_belongs_to_the_reset():
    with pytest.raises(carom.InputError, match="seed is given .must be given to reset"):
        CompassGaitVector(seed=1)


@pytest.mark.parametrize(
    "options, rule",
    [
        ({"seconds": 0.0031}, "multiple of the model's step"),
        ({"seconds": 0.0}, "seconds is 0.0 .must be a number > 0 and finite"),
        ({"seconds": "2"}, "seconds is '2'"),
        ({"law": {"seed": 3}}, "law is .* .must be options of carom.ImpactLaw but the seed, or None"),
        ({"law": "plus"}, "law is 'plus'"),
        ({"num_envs": 1.5}, "num_envs is 1.5 .must be an integer >= 1"),
        ({"tilt": -1.0}, "tilt is -1.0"),
        ({"drop": np.nan}, "drop is nan"),
        ({"steps": 0}, "steps is 0"),
        ({"threshold": -1.0}, "threshold is -1.0"),
        ({"law": {"law": "plus", "law_options": {"e_min": 2}}}, "e_min is 2 .must be from 0 to 1"),
    ],
)
def test_options_of_a_mujoco_model_are_checked(options, rule):
    pytest.importorskip("mujoco")
    with pytest.raises(carom.InputError, match=rule):
        MujocoVector(QUADRUPED, **{"num_envs": 2, **options})


@pytest.mark.parametrize(
    "model, rule", [("nope.xml", "no model that MuJoCo can read: .*nope.xml"), (3, "model is int .must be")]
)
def test_a_model_that_is_none_is_named(model, rule):
    pytest.importorskip("mujoco")
    with pytest.raises(carom.InputError, match=rule):
        MujocoVector(model)


def test_bad_steps_are_refused():
    pytest.importorskip("mujoco")
    with pytest.raises(TypeError):
        MujocoVector(QUADRUPED, 2, law={"foo": 1})
    dogs = MujocoVector(QUADRUPED, 2)
    with pytest.raises(carom.InputError, match="must be reset before"):
        dogs.step(np.zeros((2, 12)))
    dogs.reset(seed=1)
    with pytest.raises(carom.InputError, match="actions are not finite"):
        dogs.step(np.full((2, 12), np.nan))


@pytest.mark.parametrize(
    "actions, rule",
    [
        (np.zeros((1, 4)), r"actions have shape \(1, 4\) \(must be \(4, 1\)\)"),
        (np.zeros(4), r"actions have shape \(4,\) \(must be \(4, 1\)\)"),
        (np.full((4, 1), None), r"actions are no array of numbers \(must be of shape \(4, 1\)\)"),
        ([["left"]] * 4, "no array of numbers"),
        ([[0.0], [0.0], [0.0], [0.0, 1.0]], "no array of numbers"),
        (np.zeros((4, 1), complex), "no array of numbers"),
    ],
)
def test_actions_of_another_shape_reach_no_copy(actions, rule):
    walkers = CompassGaitVector(4)
    before, _ = walkers.reset(seed=1)
    with pytest.raises(carom.InputError, match=rule):
        walkers.step(actions)
    np.testing.assert_array_equal(walkers._observe().astype(np.float32), before)
    assert not walkers.age.any()


def test_one_environment_tells_the_shape_of_its_own_actions():
    walker = CompassGait()
    walker.reset(seed=1)
    for actions in (np.zeros((1, 1)), 0.0):
        with pytest.raises(carom.InputError, match=r"must be \(1,\)"):
            walker.step(actions)
    assert np.isfinite(walker.step(np.array([0.5]))[0]).all()


def test_environments_of_a_mujoco_model_begin_anew_one_by_one():
    pytest.importorskip("mujoco")
    dogs = MujocoVector(QUADRUPED, 4, steps=1000, fallen=0.99, drop=0.1, restitution=0.2)
    dogs.reset(seed=1)
    actions, falls = np.random.default_rng(1), np.zeros(4, dtype=int)
    for _ in range(40):
        seen, reward, terminated, truncated, _ = dogs.step(actions.uniform(-1, 1, (4, 12)))
        assert np.isfinite(seen).all() and np.isfinite(reward).all() and not truncated.any()
        falls += terminated
    assert falls.min() > 0 and np.ptp(falls) > 0


def test_a_body_without_joints_has_a_reward(tmp_path):
    pytest.importorskip("mujoco")
    model = tmp_path / "ball.xml"
    model.write_text("""<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 0.2"><freejoint/>
        <geom size="0.1"/></body></worldbody></mujoco>""")
    ball = Mujoco(model)
    ball.reset(seed=1)
    assert ball.step(np.zeros(0))[1] == 1.0


def test_landings_of_a_mujoco_model_are_drawn_by_the_law():
    pytest.importorskip("mujoco")

    def landed(law, seed=1):
        dogs = MujocoVector(QUADRUPED, 8, law=law, drop=0.0, tilt=0.0, steps=20)
        dogs.reset(seed=seed)
        for _ in range(6):
            seen, _, terminated, _, info = dogs.step(np.zeros((8, 12)))
        return seen, dogs.worlds.counts

    alone, none = landed(None)
    assert np.ptp(alone, axis=0).max() == 0.0 and none.sum() == 0
    drawn, impacts = landed({})
    assert np.ptp(drawn, axis=0).max() > 0.1 and impacts[0] >= 8 and impacts[1:].sum() == 0
    np.testing.assert_array_equal(landed({})[0], drawn)
    assert np.abs(landed({}, seed=2)[0] - drawn).max() > 1e-3


@pytest.mark.parametrize("make", [lambda: CompassGaitVector(6, steps=30), lambda: MujocoVector(QUADRUPED, 6, steps=30)])
def test_an_episode_can_be_copied_and_continued(make):
    pytest.importorskip("mujoco")
    walkers = make()
    walkers.reset(seed=4)
    for _ in range(12):
        walkers.step(np.zeros(walkers.action_space.shape))
    others = [copy.deepcopy(walkers), pickle.loads(pickle.dumps(walkers))]
    for _ in range(25):  # some fall and begin anew
        action = np.full(walkers.action_space.shape, 0.1)
        seen, reward, *_ = walkers.step(action)
        for other in others:
            its, its_reward, *_ = other.step(action)
            np.testing.assert_array_equal(its, seen)
            np.testing.assert_array_equal(its_reward, reward)


def test_one_environment_is_reset_after_its_end():
    walker = gymnasium.make("carom/CompassGait-v0", steps=3, disable_env_checker=True).unwrapped
    assert isinstance(walker, CompassGait)
    with pytest.raises(gymnasium.error.ResetNeeded):
        walker.step([0.0])
    walker.reset(seed=1)
    while not any(walker.step([0.0])[2:4]):
        pass
    with pytest.raises(gymnasium.error.ResetNeeded):
        walker.step([0.0])
    with pytest.raises(carom.InputError, match="render_mode is 'human' .must be None"):
        CompassGait(render_mode="human")
    many = gymnasium.make_vec("carom/CompassGait-v0", 3, vectorization_mode="vector_entry_point")
    assert isinstance(many.unwrapped, CompassGaitVector)
    with pytest.raises(carom.InputError, match="options is .*must be left out"):
        many.unwrapped.reset(options={"reset_mask": np.ones(3, dtype=bool)})
