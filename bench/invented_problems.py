"""Impacts for measurements, from rigid bodies: each problem as its name and a function that makes it."""

import numpy as np

import carom


class Bodies:
    """Rigid bodies with joints and contacts, in the plane (`axes` 2) or in space (3).

    Velocities are those of all bodies (centre, then spin); a basis of those that the joints allow
    gives the problem's coordinates. Inertias are about the world's axes.
    """

    def __init__(self, axes):
        self.axes = axes
        self.size = 3 if axes == 2 else 6  # velocities of a body
        self.centers, self.masses, self.velocities = [], [], []
        self.joints, self.contacts = [], []

    def body(self, mass, inertia, center, velocity, spin=0.0):
        spins = self.size - self.axes
        self.centers.append(np.array(center, float))
        self.masses.append(np.r_[np.full(self.axes, mass), np.broadcast_to(inertia, spins)])
        self.velocities.append(np.r_[velocity, np.broadcast_to(spin, spins)])
        return len(self.centers) - 1

    def pin(self, first, second, point):
        self.joints.append((first, second, point))

    def contact(self, point, normal, body, other=None):
        """The normal pushes `body`, and `other` against it (None: the floor)."""
        self.contacts.append((point, np.array(normal) / np.linalg.norm(normal), body, other))

    def point_rows(self, body, point):
        """Rows that give the velocity of a body's point."""
        rows = np.zeros((self.axes, self.size * len(self.centers)))
        if body is None:
            return rows
        arm = np.subtract(point, self.centers[body])
        turned = [[-arm[1]], [arm[0]]] if self.axes == 2 else -np.cross(np.eye(3), arm).T
        at = self.size * body
        rows[:, at : at + self.size] = np.c_[np.eye(self.axes), turned]
        return rows

    def relative_rows(self, first, second, point):
        return self.point_rows(first, point) - self.point_rows(second, point)

    def problem(self, friction):
        allowed = np.eye(self.size * len(self.centers))
        if self.joints:
            rows = np.vstack([self.relative_rows(*joint) for joint in self.joints])
            _, lengths, basis = np.linalg.svd(rows)
            allowed = basis[np.count_nonzero(lengths > 1e-9) :].T
        normals, tangents = [], []
        for point, normal, body, other in self.contacts:
            rows = self.relative_rows(body, other, point) @ allowed
            normals.append(normal @ rows)
            tangents.extend(np.linalg.svd(normal[None])[2][1:] @ rows)
        return carom.ImpactProblem(
            allowed.T @ np.diag(np.concatenate(self.masses)) @ allowed,
            np.array(normals), np.array(tangents), friction,
            allowed.T @ np.concatenate(self.velocities),
        )  # fmt: skip


def beam(feet):
    """A beam on a row of feet."""
    bodies = Bodies(2)
    bodies.body(1.0, 1 / 3, (0, 0.1), (0.3, -1))
    for x in np.linspace(-1, 1, feet):
        bodies.contact((x, 0), (0, 1), 0)
    return bodies.problem(0.6)


def foot():
    """A foot of 0.3 kg under a leg of 10 kg."""
    bodies = Bodies(2)
    sole = bodies.body(0.3, 0.002, (0.03, 0.03), (0.5, -1))
    leg = bodies.body(10, 0.2, (0, 0.6), (0.5, -1))
    bodies.pin(sole, leg, (0, 0.08))
    for x in (-0.07, 0.15):
        bodies.contact((x, 0), (0, 1), sole)
    return bodies.problem(0.7)


def cradle(balls):
    """Newton's cradle: the first ball moves."""
    bodies = Bodies(2)
    for i in range(balls):
        bodies.body(1, 0.1, (i, 0), (float(i == 0), 0))
    for i in range(balls - 1):
        bodies.contact((i + 0.5, 0), (1, 0), i + 1, i)
    return bodies.problem(0.0)


def column(disks):
    """A crooked column of disks falls on the floor."""
    bodies = Bodies(2)
    for i in range(disks):
        bodies.body(1, 0.5, (0.05 * (i % 2), i), (0.1, -1))
    bodies.contact((0, -0.5), (0, 1), 0)
    for i in range(disks - 1):
        up = bodies.centers[i + 1] - bodies.centers[i]
        bodies.contact(bodies.centers[i] + up / 2, up, i + 1, i)
    return bodies.problem(0.5)


def pyramid():
    """Six disks of radius 1, twelve contacts; the top one falls."""
    bodies = Bodies(2)
    at = {}
    for row in range(3):
        for i in range(3 - row):
            center = (2 * i + row, np.sqrt(3) * row)
            at[row, i] = bodies.body(1, 0.5, center, (0, -float(row == 2)))
    for (row, i), body in at.items():
        center = bodies.centers[body]
        if row == 0:
            bodies.contact(center - (0, 1), (0, 1), body)
        for other in ((row, i + 1), (row - 1, i), (row - 1, i + 1)):
            if other in at:
                apart = center - bodies.centers[at[other]]
                bodies.contact(center - apart / 2, apart, body, at[other])
    return bodies.problem(0.6)


def squeezed():
    """A block between two fingers with two pads each."""
    bodies = Bodies(2)
    block = bodies.body(0.5, 0.002, (0, 0), (0, -0.3))
    left = bodies.body(0.2, 0.001, (-0.1, 0), (1, 0))
    right = bodies.body(0.2, 0.001, (0.1, 0), (-0.7, 0))
    for y in (-0.02, 0.02):
        bodies.contact((-0.05, y), (1, 0), block, left)
        bodies.contact((0.05, y), (-1, 0), block, right)
    return bodies.problem(0.8)


def corner():
    """A box slides into the corner of floor and wall: two contacts with each."""
    bodies = Bodies(2)
    bodies.body(1, 1 / 6, (0.5, 0.5), (-1, -1))
    for place in (0.0, 1.0):
        bodies.contact((place, 0), (0, 1), 0)
        bodies.contact((0, place), (1, 0), 0)
    return bodies.problem(0.5)


def hand(fingers):
    """Fingers close on a ball."""
    bodies = Bodies(3)
    ball = bodies.body(0.4, 4e-4, (0, 0, 0), (0.2, 0, -0.5))
    for i in range(fingers):
        angle = 2 * np.pi * i / fingers
        outward = np.array([np.cos(angle), np.sin(angle), 0])
        finger = bodies.body(0.15, 2e-4, 0.09 * outward + (0, 0, 0.02), -outward * (1 - 0.1 * i))
        bodies.contact(0.05 * outward, -outward, ball, finger)
    return bodies.problem(0.6)


def plate(feet):
    """A plate on an ellipse of feet."""
    bodies = Bodies(3)
    bodies.body(2.4, (0.00272, 0.00872, 0.01), (0, 0, 0.03), (0.2, 0.1, -1))
    for i in range(feet):
        angle = 2 * np.pi * (i + 0.5) / feet
        bodies.contact((0.1 * np.cos(angle), 0.06 * np.sin(angle), 0), (0, 0, 1), 0)
    return bodies.problem(0.5)


def quadruped():
    """A trunk on four legs with ball joints at hips and knees."""
    bodies = Bodies(3)
    trunk = bodies.body(6, (0.04, 0.09, 0.1), (0, 0, 0.35), (0.3, 0, -1))
    for x in (-0.18, 0.18):
        for y in (-0.1, 0.1):
            thigh = bodies.body(0.4, (1.5e-3, 1.5e-3, 1e-4), (x + 0.03, y, 0.25), (0.3, 0, -1))
            shank = bodies.body(0.25, (1e-3, 1e-3, 1e-4), (x + 0.02, y, 0.09), (0.3, 0, -1))
            bodies.pin(trunk, thigh, (x, y, 0.33))
            bodies.pin(thigh, shank, (x + 0.06, y, 0.18))
            bodies.contact((x, y, 0), (0, 0, 1), shank)
    return bodies.problem(0.8)


def biped():
    """A trunk on two legs with box feet, one ahead: eight contacts."""
    bodies = Bodies(3)
    trunk = bodies.body(8, (0.2, 0.18, 0.06), (0, 0, 0.6), (0.4, 0, -0.8))
    for side in (-1, 1):
        y, ahead = 0.1 * side, 0.02 * side
        sole = bodies.body(0.8, (0.001, 0.002, 0.002), (ahead, y, 0.03), (0.4, 0, -0.8))
        leg = bodies.body(3, (0.04, 0.04, 0.005), (0, y, 0.3), (0.4, 0, -0.8))
        bodies.pin(trunk, leg, (0, y, 0.5))
        bodies.pin(leg, sole, (0, y, 0.07))
        for x in (-0.06, 0.1):
            for width in (-0.03, 0.03):
                bodies.contact((x + ahead, y + width, 0), (0, 0, 1), sole)
    return bodies.problem(0.8)


def body_among_planes(contacts, axes):
    """A body meets random planes at random points."""
    random = np.random.default_rng([contacts, axes])
    bodies = Bodies(axes)
    if axes == 2:
        bodies.body(1, 0.2, (0, 0), (0.3, -1), 0.5)
        for place, slope in random.uniform(-1, 1, (contacts, 2)):
            bodies.contact((np.sin(place), -np.cos(place)), (np.sin(slope), np.cos(slope)), 0)
    else:
        bodies.body(1, (0.1, 0.2, 0.25), (0, 0, 0), (0.3, 0.1, -1), (0.3, -0.2, 0.1))
        for place, slope in random.normal(size=(contacts, 2, 3)):
            place[2] = -abs(place[2])
            bodies.contact(0.7 * place / np.linalg.norm(place), (*slope[:2] / 2, 1), 0)
    return bodies.problem(0.6)


def random_matrices(contacts, axes):
    """Random masses and Jacobians; every contact approaches."""
    random = np.random.default_rng([contacts, axes, 1])
    velocities = max(3 * (axes - 1), contacts + 1)
    root = random.normal(size=(velocities, 2 * velocities))
    normals = random.normal(size=(contacts, velocities))
    approaching = np.linalg.pinv(normals) @ -random.uniform(0.2, 1, contacts)
    tangents = random.normal(size=(contacts * (axes - 1), velocities))
    return carom.ImpactProblem(
        root @ root.T / (2 * velocities), normals, tangents, 0.6, approaching
    )


def system(name):
    return carom.load_scenario(name).problem


PROBLEMS = {
    **{name: (system, name) for name in
       ("rocking_block", "box_wall", "compass_gait", "ramone", "disk_stack")},
    "foot": (foot,), "squeezed": (squeezed,), "corner": (corner,), "pyramid": (pyramid,),
    **{f"beam {m}": (beam, m) for m in (2, 3, 4, 6, 9, 12)},
    **{f"cradle {m}": (cradle, m + 1) for m in (3, 6, 12)},
    **{f"column {m}": (column, m) for m in (4, 8)},
    **{f"hand {m}": (hand, m) for m in (3, 5)},
    **{f"plate {m}": (plate, m) for m in (4, 6, 8)},
    "quadruped": (quadruped,), "biped": (biped,),
    **{f"planes {m}, {axes}D": (body_among_planes, m, axes) for axes, most in ((2, 12), (3, 8))
       for m in range(1, most + 1)},
    **{f"random {m}, {axes}D": (random_matrices, m, axes) for axes, most in ((2, 12), (3, 8))
       for m in range(1, most + 1)},
}  # fmt: skip


def load(name):
    make, *arguments = PROBLEMS[name]
    return make(*arguments)
