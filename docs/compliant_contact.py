"""A block that lands flat on two compliant corners (Halm and Posa, Figure 12; Section 6)."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.integrate import Radau

WIDTH, HEIGHT, GRAVITY, FRICTION = 1.0, 2.0, 9.81, 1.0  # m, m, m/s², of 1 kg
INERTIA = (WIDTH**2 + HEIGHT**2) / 12
DROP_SPEED = math.sqrt(2 * GRAVITY * 0.01)
STIFFNESS = 1e6  # N/m, of the softer corner
DAMPING_RATIO = 5.0
SLIP_SPEED = 1e-10  # m/s: below, friction is proportional to the slip
# Looser tolerances give wrong numbers without a word: friction changes within SLIP_SPEED.
RELATIVE, ABSOLUTE = 1e-9, 1e-13
END_SPEED = 1e-9  # m/s: corners that touch approach slower at the end
END_IMPULSE = 0.01 * DROP_SPEED  # N s: at the end, both corners have more


@dataclass
class Block:
    """The equations x' = f(x) for x, y, angle, their rates and the normal impulses of the two corners."""

    stiffness: tuple  # of the corners A (left) and B, N/m

    def corners(self, state):
        """Gap, rates (along, up) and arms (x, y) of each corner."""
        _, y, angle, u, v, rate = state[:6]
        sine, cosine = math.sin(angle), math.cos(angle)
        for side in (-0.5 * WIDTH, 0.5 * WIDTH):
            arm_x = cosine * side + sine * 0.5 * HEIGHT
            arm_y = sine * side - cosine * 0.5 * HEIGHT
            yield y + arm_y, u - rate * arm_y, v + rate * arm_x, arm_x, arm_y

    def force(self, k, gap, lift):
        damping = 2 * DAMPING_RATIO * math.sqrt(self.stiffness[k])
        return max(0.0, -self.stiffness[k] * gap - damping * lift) if gap <= 0.0 else 0.0

    def slope(self, _, state):
        pull = [0.0, -GRAVITY, 0.0]
        normals = []
        for k, (gap, slip, lift, arm_x, arm_y) in enumerate(self.corners(state)):
            normal = self.force(k, gap, lift)
            along = -FRICTION * normal * slip / max(abs(slip), SLIP_SPEED)
            pull[0] += along
            pull[1] += normal
            pull[2] += (arm_x * normal - arm_y * along) / INERTIA
            normals.append(normal)
        return np.array([*state[3:6], *pull, *normals])

    def jacobian(self, _, state):
        result = np.zeros((8, 8))
        result[0, 3] = result[1, 4] = result[2, 5] = 1.0
        rate = state[5]
        for k, (gap, slip, lift, arm_x, arm_y) in enumerate(self.corners(state)):
            normal = self.force(k, gap, lift)
            if normal == 0.0:
                continue
            damping = 2 * DAMPING_RATIO * math.sqrt(self.stiffness[k])
            # Derivatives by (x, y, angle, u, v, rate); an arm turns: (-arm_y, arm_x).
            of_gap = np.array([0.0, 1.0, arm_x, 0.0, 0.0, 0.0])
            of_lift = np.array([0.0, 0.0, -rate * arm_y, 0.0, 1.0, arm_x])
            of_slip = np.array([0.0, 0.0, -rate * arm_x, 1.0, 0.0, -arm_y])
            of_normal = -self.stiffness[k] * of_gap - damping * of_lift
            share = slip / max(abs(slip), SLIP_SPEED)
            of_share = of_slip / SLIP_SPEED if abs(slip) < SLIP_SPEED else 0.0 * of_slip
            of_along = -FRICTION * (of_normal * share + normal * of_share)
            along = -FRICTION * normal * share
            of_turn = arm_x * of_normal - arm_y * of_along
            of_turn[2] += -arm_y * normal - arm_x * along
            result[3, :6] += of_along
            result[4, :6] += of_normal
            result[5, :6] += of_turn / INERTIA
            result[6 + k, :6] = of_normal
        return result

    def has_ended(self, state):
        slow = all(gap > 0.0 or lift >= -END_SPEED for gap, _, lift, _, _ in self.corners(state))
        return slow and min(state[6:]) > END_IMPULSE

    def land(self, angle):
        """The state at the end of the impact, from a landing at an angle (rad)."""
        raised = 0.5 * WIDTH * math.sin(abs(angle)) + 0.5 * HEIGHT * (math.cos(angle))
        speed = math.sqrt(DROP_SPEED**2 - 2 * GRAVITY * (raised - 0.5 * HEIGHT))
        start = np.array([0.0, raised, angle, 0.0, -speed, 0.0, 0.0, 0.0])
        solver = Radau(self.slope, 0.0, start, 1.0, rtol=RELATIVE, atol=ABSOLUTE, jac=self.jacobian,
                       max_step=1e-3)  # fmt: skip
        while solver.status == "running":
            solver.step()
            if self.has_ended(solver.y):
                state_at = solver.dense_output()
                begin, end = solver.t_old, solver.t
                for _ in range(60):
                    middle = 0.5 * (begin + end)
                    begin, end = (begin, middle) if self.has_ended(state_at(middle)) else (middle, end)
                return state_at(end)
        raise RuntimeError(f"no end of the impact within 1 s at stiffness {self.stiffness}, angle {angle}")


def lifts(state):
    """Speeds of the corners along the normal, m/s."""
    return [lift for _, _, lift, _, _ in Block((1.0, 1.0)).corners(state)]


def energy(state):
    """Kinetic energy, J."""
    return 0.5 * (state[3] ** 2 + state[4] ** 2 + INERTIA * state[5] ** 2)


def landed_with_ratio(exponent):
    """The end of a flat landing with stiffness of A over that of B 10^exponent."""
    ratio = 10.0**exponent
    softer = min(ratio, 1.0)
    return Block((STIFFNESS * ratio / softer, STIFFNESS / softer)).land(0.0)


def landed_at(degrees):
    """The end of a landing at an angle on corners of equal stiffness."""
    return Block((STIFFNESS, STIFFNESS)).land(math.radians(degrees))
