"""Vectorised Gymnasium environments whose landings are drawn from the set of all that an impact can do.

`CompassGaitVector` and `MujocoVector` are many environments side by side, `CompassGait` and `Mujoco` are
one. A policy that does well here stands any order of impulses; with `law="simultaneous"` the compass gait,
and with `law=None` a MuJoCo model, has one outcome per impact.
"""

from collections.abc import Mapping

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

import carom
import carom.mujoco
from carom._checks import finite_number, whole_number

LEG_LENGTH = 1.0  # m
MASS_DISTANCE = 0.5  # m, hip to the centre of mass of a leg
SPREAD = 25.0  # deg, of each leg from the vertical
DROP = 0.03  # m, at most
TILT = 0.002  # rad, at most
WINDOW = 2e-3  # m: the ground is not known better, nor which foot lands first
STANDING = LEG_LENGTH * np.cos(np.radians(SPREAD))  # m, height of the hip

# The feet are slippery: without a torque between the legs they slide apart, and the walker falls.
SCENARIO = f"""system = "planar"
[world]
friction = 0.15
[[body]]
name = "left"
points = [[0, {MASS_DISTANCE - LEG_LENGTH}]]
mass = 1.0
inertia = 0.02
position = [{-MASS_DISTANCE * np.sin(np.radians(SPREAD))}, {STANDING - MASS_DISTANCE * np.cos(np.radians(SPREAD)) + 0.1}]
angle_deg = {-SPREAD}
[[body]]
name = "right"
points = [[0, {MASS_DISTANCE - LEG_LENGTH}]]
mass = 1.0
inertia = 0.02
hinge = {{on = "left", at = [0, {MASS_DISTANCE}], own = [0, {MASS_DISTANCE}]}}
angle_deg = {SPREAD}
[[floor]]
"""


def checked_actions(actions, shape):
    """Actions as an array of floats of this shape; raises InputError if they are none."""
    try:
        numbers = np.asarray(actions)
    except (TypeError, ValueError):  # rows of unequal lengths
        numbers = None
    if numbers is None or numbers.dtype.kind not in "biuf":
        raise carom.InputError(f"actions are no array of numbers (must be of shape {shape})")
    if numbers.shape != shape:
        raise carom.InputError(f"actions have shape {numbers.shape} (must be {shape})")
    if not np.isfinite(numbers).all():
        raise carom.InputError("actions are not finite (must be from -1 to 1)")
    return numbers.astype(float)


class LandingVector(VectorEnv):
    """What both environments share: episodes of at most `steps` steps. The reward is 1 for a step in which
    nothing fell, less a hundredth of the squared action. An episode terminates where something fell, or a
    motion failed (`info["failed"]`).
    """

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}

    def __init__(self, num_envs, steps, actions, observations):
        whole_number("num_envs", num_envs, 1)
        whole_number("steps", steps, 1)
        self.num_envs = num_envs
        self.steps = steps
        self.single_action_space = gymnasium.spaces.Box(-1.0, 1.0, (actions,), np.float32)
        self.single_observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (observations,), np.float32)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.has_begun = False

    def reset(self, *, seed=None, options=None):
        if options:
            raise carom.InputError(f"options is {options!r} (must be left out: a reset begins all episodes anew)")
        super().reset(seed=seed)
        if seed is not None or not self.has_begun:
            self._open(int(self.np_random.integers(2**32)))
            self.has_begun = True
        self.age = np.zeros(self.num_envs, dtype=int)
        self.over = np.zeros(self.num_envs, dtype=bool)
        self._begin(np.arange(self.num_envs))
        return self._observe().astype(np.float32), {}

    def step(self, actions):
        if not self.has_begun:
            raise carom.InputError("the environment has not begun (must be reset before a step)")
        action = np.clip(checked_actions(actions, self.action_space.shape), -1.0, 1.0)
        renewed = self.over  # their step is the reset
        self._begin(np.flatnonzero(renewed))
        self.age = np.where(renewed, 0, self.age + 1)
        failed = self._move(action, ~renewed) & ~renewed
        observed = self._observe()
        terminated = (self._fallen(observed) & ~renewed) | failed
        truncated = (self.age >= self.steps) & ~terminated
        effort = (action**2).sum(axis=1) / max(1, action.shape[1])
        reward = np.where(renewed, 0.0, 1.0 * ~terminated - 0.01 * effort)
        self.over = terminated | truncated
        return observed.astype(np.float32), reward, terminated, truncated, {"failed": failed}


class CompassGaitVector(LandingVector):
    """Two legs with a hip that are dropped, land on both feet in an order that nobody knows, and must
    not fall.

    Action (1,): torque in the hip, from -1 to 1 times `torque`, N m, positive where it turns the right
    leg counter-clockwise. Observation (7,): the angles of the left and the right leg (rad, 0 is hanging
    straight down), height of the hip (m), the legs' rates (rad/s), velocity of the hip (m/s). It has
    fallen when the hip is below 0.8 m.

    **options: those of `carom.Rollouts` but `seed`, such as `law`, `step` and `threads`.
    """

    FALLEN = 0.8  # m

    def __init__(self, num_envs=1, *, seconds=0.02, steps=100, torque=10.0, **options):
        super().__init__(num_envs, steps, actions=1, observations=7)
        if "seed" in options:
            raise carom.InputError("seed is given (must be given to reset(), as in every environment of Gymnasium)")
        self.seconds = seconds
        self.torque = finite_number("torque", torque, least=None)
        self.options = {"step": 2e-3, "window": WINDOW, **options}
        self._open(0)  # tells wrong options now

    def _open(self, seed):
        scenario = carom.parse_scenario(SCENARIO)
        self.copies = carom.Rollouts(scenario, self.num_envs, seconds=self.seconds, seed=seed, **self.options)

    def _begin(self, which):
        for copy in which:  # a height and a tilt of their own, at rest
            angles = np.radians([-SPREAD, SPREAD]) + self.np_random.uniform(-TILT, TILT)
            hip = LEG_LENGTH * np.cos(angles).max() + self.np_random.uniform(0.0, DROP)
            centre = MASS_DISTANCE * np.sin(angles[0]), hip - MASS_DISTANCE * np.cos(angles[0])
            self.copies.place(copy, [*centre, *angles], np.zeros(4))

    def _move(self, action, moving):
        force = np.zeros((self.num_envs, 4))
        force[:, 3] = self.torque * action[:, 0]
        force[:, 2] = -force[:, 3]
        before = self.copies.position, self.copies.velocity
        self.copies.step(force)
        failed = ~np.isin(self.copies.status, carom._core.WHOLE_ROLLOUTS)
        for copy in np.flatnonzero(~moving):
            self.copies.place(copy, before[0][copy], before[1][copy])
        return failed

    def _observe(self):
        position, velocity = self.copies.position, self.copies.velocity
        angle, rate = position[:, 2:], velocity[:, 2:]
        sine, cosine = np.sin(angle[:, 0]), np.cos(angle[:, 0])
        height = position[:, 1] + MASS_DISTANCE * cosine
        hip_x = velocity[:, 0] - MASS_DISTANCE * cosine * rate[:, 0]
        hip_y = velocity[:, 1] - MASS_DISTANCE * sine * rate[:, 0]
        return np.column_stack([angle, height, rate, hip_x, hip_y])

    def _fallen(self, observed):
        return observed[:, 2] < self.FALLEN


class MujocoVector(LandingVector):
    """A MuJoCo model that is dropped, lands, and must not fall: its first joint is free, and it has fallen
    when that body is below `fallen` times its height at the start.

    Action: all controls of the model, from -1 to 1 times `torque`; without actuators, torques (N m) in
    the joints but the first. Observation: qpos without x and y, and qvel. Starts are the first keyframe,
    or the model's own position, `drop` (m) higher at most, and turned by at most `tilt` (rad).

    model : mujoco.MjModel, an MJCF file, or MJCF text that begins with "<". law : `carom.ImpactLaw` options, or None for MuJoCo's contact
    alone. seconds : s, of a step, a multiple of the model's own; None: about 0.02. **worlds: other options of
    `carom.mujoco.Worlds`, such as `threshold`, `restitution`, `merge` and `threads`.
    """

    def __init__(self, model, num_envs=1, *, seconds=None, steps=100, torque=10.0, drop=0.03, tilt=0.002,
                 fallen=0.6, law={}, **worlds):  # fmt: skip
        import mujoco

        model = carom.mujoco.read_model(model)
        if model.njnt == 0 or model.jnt_type[0] != mujoco.mjtJoint.mjJNT_FREE:
            raise carom.InputError("the model's first joint is not free (must be, to be dropped)")
        super().__init__(num_envs, steps, actions=model.nu or model.nv - 6, observations=model.nq + model.nv - 2)
        self.model, self.torque, self.drop, self.tilt, self.fallen = model, torque, drop, tilt, fallen
        for name, limit in (("torque", torque), ("drop", drop), ("tilt", tilt), ("fallen", fallen)):
            finite_number(name, limit)
        if seconds is None:
            seconds = max(1, round(0.02 / model.opt.timestep)) * model.opt.timestep
        frames = finite_number("seconds", seconds, positive=True) / model.opt.timestep
        if not frames > 0.5 or abs(frames - round(frames)) > 1e-6 * frames:
            raise carom.InputError(
                f"seconds is {seconds} (must be a multiple of the model's step, {model.opt.timestep} s)"
            )
        self.frames = round(frames)
        if not (law is None or (isinstance(law, Mapping) and "seed" not in law)):
            raise carom.InputError(f"law is {law!r} (must be options of carom.ImpactLaw but the seed, or None)")
        self.law, self.options = law, worlds
        self._worlds(1, 0)  # a wrong option raises here rather than at the first reset

    def _worlds(self, count, seed):
        law = None if self.law is None else carom.ImpactLaw(seed, **self.law)
        return carom.mujoco.Worlds(self.model, count, law, **self.options)

    def _open(self, seed):
        self.worlds = self._worlds(self.num_envs, seed)

    def _begin(self, which):
        import mujoco

        for i in which:
            data = self.worlds.datas[i]
            if self.model.nkey:
                mujoco.mj_resetDataKeyframe(self.model, data, 0)
            else:
                mujoco.mj_resetData(self.model, data)
            self.height = data.qpos[2]
            if not self.height > 0.0:
                raise carom.InputError(
                    f"the first body's height is {self.height} m (must be > 0, above a ground at height 0)"
                )
            data.qpos[2] += self.np_random.uniform(0.0, self.drop)
            turn = np.zeros(4)
            mujoco.mju_euler2Quat(turn, self.np_random.uniform(-self.tilt, self.tilt, 3), "xyz")
            mujoco.mju_mulQuat(data.qpos[3:7], turn, data.qpos[3:7].copy())

    def _move(self, action, moving):
        for i in np.flatnonzero(moving):
            data = self.worlds.datas[i]
            if self.model.nu:
                data.ctrl[:] = self.torque * action[i]
            else:
                data.qfrc_applied[6:] = self.torque * action[i]
        return self.worlds.step(self.frames, moving)

    def _observe(self):
        return np.array([np.concatenate([data.qpos[2:], data.qvel]) for data in self.worlds.datas])

    def _fallen(self, observed):
        return observed[:, 0] < self.fallen * self.height


class _One(gymnasium.Env):
    """One environment of a vector of them."""

    metadata = {"render_modes": []}

    def __init__(self, *arguments, render_mode=None, **options):
        if render_mode is not None:
            raise carom.InputError(f"render_mode is {render_mode!r} (must be None: nothing is drawn)")
        self.many = self.VECTOR(*arguments, num_envs=1, **options)
        self.action_space = self.many.single_action_space
        self.observation_space = self.many.single_observation_space
        self.is_over = True

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        observed, info = self.many.reset(seed=seed, options=options)
        self.is_over = False
        return observed[0], info

    def step(self, action):
        if self.is_over:
            raise gymnasium.error.ResetNeeded("no episode has begun, or it is over (must be reset before a step)")
        actions = checked_actions(action, self.action_space.shape)[None]
        observed, reward, terminated, truncated, info = self.many.step(actions)
        failed = {"failed": bool(info["failed"][0])}
        self.is_over = bool(terminated[0] or truncated[0])
        return observed[0], float(reward[0]), bool(terminated[0]), bool(truncated[0]), failed


class CompassGait(_One):
    """One `CompassGaitVector`."""

    VECTOR = CompassGaitVector


class Mujoco(_One):
    """One `MujocoVector`."""

    VECTOR = MujocoVector


for _one in (CompassGait, Mujoco):
    gymnasium.register(f"carom/{_one.__name__}-v0", _one, vector_entry_point=_one.VECTOR)
