"""Vectorised Gymnasium environments whose landings are drawn from the set of all that an impact can do.

`CompassGait` is one environment, `CompassGaitVector` many side by side. A policy that does well here
stands any order of impulses; with `law="simultaneous"` the same environment has one outcome per impact.
"""

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

import carom

LEG_LENGTH = 1.0  # m
MASS_DISTANCE = 0.5  # m, hip to the centre of mass of a leg
SPREAD = 25.0  # deg, of each leg from the vertical
DROP = 0.03  # m, at most
TILT = 0.002  # rad, at most
WINDOW = 2e-3  # m: the ground is not known better, nor which foot lands first
FALLEN = 0.8  # m: a hip below this has fallen
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


class CompassGaitVector(VectorEnv):
    """Two legs with a hip that are dropped, land on both feet in an order that nobody knows, and must
    not fall.

    Action (1,): torque in the hip, from -1 to 1 times `torque`, N m, positive where it turns the right
    leg counter-clockwise. Observation (7,): the angles of the left and the right leg (rad, 0 is hanging
    straight down), height of the hip (m), the legs' rates (rad/s), velocity of the hip (m/s). Reward: 1
    for a step in which the hip does not fall, less a hundredth of the squared action. An episode
    terminates when the hip is below 0.8 m, or a motion failed (`info["failed"]`), and is truncated after
    `steps` steps.

    **options: those of `carom.Rollouts`, such as `law`, `step` and `threads`.
    """

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}

    def __init__(self, num_envs=1, *, seconds=0.02, steps=100, torque=10.0, **options):
        self.num_envs = num_envs
        self.seconds = seconds
        self.steps = steps
        self.torque = torque
        self.options = {"step": 2e-3, "window": WINDOW, **options}
        self.single_action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.single_observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (7,), np.float32)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.copies = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.copies is None or seed is not None:
            its_seed = int(self.np_random.integers(2**32))
            self.copies = carom.Rollouts(
                carom.parse_scenario(SCENARIO), self.num_envs, seconds=self.seconds, seed=its_seed, **self.options
            )
        self.age = np.zeros(self.num_envs, dtype=int)
        self.over = np.zeros(self.num_envs, dtype=bool)
        self._begin(np.arange(self.num_envs))
        return self._observe(self.copies.position, self.copies.velocity), {}

    def _begin(self, which):
        """Puts copies to a height and a tilt of their own, at rest."""
        position, velocity = self.copies.position, self.copies.velocity
        for copy in which:
            tilt = self.np_random.uniform(-TILT, TILT)
            angles = np.radians([-SPREAD, SPREAD]) + tilt
            lowest = LEG_LENGTH * np.cos(angles).max()
            hip = lowest + self.np_random.uniform(0.0, DROP)
            position[copy] = [
                MASS_DISTANCE * np.sin(angles[0]), hip - MASS_DISTANCE * np.cos(angles[0]), *angles
            ]  # fmt: skip
            self.copies.place(copy, position[copy], np.zeros(4))
        self.age[which] = 0

    def _observe(self, position, velocity):
        angle, rate = position[:, 2:], velocity[:, 2:]
        sine, cosine = np.sin(angle[:, 0]), np.cos(angle[:, 0])
        height = position[:, 1] + MASS_DISTANCE * cosine
        hip_x = velocity[:, 0] - MASS_DISTANCE * cosine * rate[:, 0]
        hip_y = velocity[:, 1] - MASS_DISTANCE * sine * rate[:, 0]
        seen = np.column_stack([angle, height, rate, hip_x, hip_y])
        return seen.astype(np.float32)

    def step(self, actions):
        action = np.clip(np.asarray(actions, dtype=float).reshape(self.num_envs), -1.0, 1.0)
        renewed = self.over
        if renewed.any():
            self._begin(np.flatnonzero(renewed))
        force = np.zeros((self.num_envs, 4))
        force[:, 3] = self.torque * action
        force[:, 2] = -force[:, 3]
        before = self.copies.position, self.copies.velocity
        position, velocity = self.copies.step(force)
        for copy in np.flatnonzero(renewed):  # their step was the reset
            self.copies.place(copy, before[0][copy], before[1][copy])
            position[copy], velocity[copy] = before[0][copy], before[1][copy]
        observed = self._observe(position, velocity)
        failed = (self.copies.status > 1) & ~renewed
        terminated = ((observed[:, 2] < FALLEN) & ~renewed) | failed
        self.age += ~renewed
        truncated = (self.age >= self.steps) & ~terminated
        reward = np.where(renewed, 0.0, 1.0 * ~terminated - 0.01 * action**2)
        self.over = terminated | truncated
        return observed, reward, terminated, truncated, {"failed": failed}


class CompassGait(gymnasium.Env):
    """One `CompassGaitVector`."""

    metadata = {"render_modes": []}

    def __init__(self, **options):
        self.many = CompassGaitVector(1, **options)
        self.action_space = self.many.single_action_space
        self.observation_space = self.many.single_observation_space

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        observed, info = self.many.reset(seed=seed, options=options)
        return observed[0], info

    def step(self, action):
        observed, reward, terminated, truncated, info = self.many.step(np.asarray(action)[None])
        return observed[0], float(reward[0]), bool(terminated[0]), bool(truncated[0]), {"failed": bool(info["failed"][0])}
