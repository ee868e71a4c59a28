"""Figures of Uchida, Sherman and Delp (2015) by the PLUS law: what is reproducible of them."""

import subprocess
import tempfile
from pathlib import Path

import h5py
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

SCENARIOS = Path(__file__).resolve().parent.parent / "scenarios"
SCENARIO = SCENARIOS / "plus_corner.toml"
STYLES = {0.01: ("#000000", "-", None), 0.15: ("#0072b2", "--", "o"), 0.25: ("#d55e00", "--", "s")}


def slips(program, theta):
    """The contact's slip before the impact and after each interval, (intervals + 1, 2), m/s."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corner.h5"
        subprocess.run(
            [program, "sample", str(SCENARIO), "--theta-max", str(theta), "--paths", "1",
             "--hold-out", "0", "-o", str(path), "-q"], check=True
        )  # fmt: skip
        with h5py.File(path) as file:
            velocities = file["paths/velocity"][0, : file["paths/count"][0]]
            return velocities @ file["problem/tangent_jacobian"][:].T


def turning(program, path):
    """Figure 10: how the slip of a corner turns, for three values of theta_max."""
    figure = Figure(figsize=(6.5, 4), dpi=150)
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for theta, (colour, line, marker) in STYLES.items():
        x, y = slips(program, theta).T
        axes.plot(x, y, line, color=colour, marker=marker, markersize=4,
                  label=f"theta_max = {theta:g} rad: {len(x) - 1} intervals")  # fmt: skip
    axes.set(xlabel="slip along x (m/s)", ylabel="slip along y (m/s)",
             title="Slip of a brick's corner during its impact (Figure 10)")  # fmt: skip
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Software": None})


def impulses(program, *options):
    """Impulses of every trajectory and contact on the four-cornered brick, (M, 4, 3), N·s, and the
    number of intervals of the first one."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "brick.h5"
        subprocess.run(
            [program, "sample", str(SCENARIOS / "plus_brick.toml"), "--hold-out", "0",
             "--epsilon", "1e-3", *options, "-o", str(path), "-q"],
            check=False, stderr=subprocess.DEVNULL,  # 1: stopped before there is an outcome
        )  # fmt: skip
        with h5py.File(path) as file:
            return file["samples/impulse"][:].reshape(-1, 4, 3), file["samples/intervals"][0]


def accumulated(program, path):
    """Figure 12: the impulses of a brick's corners interval by interval, and what they are where
    friction and restitution are uncertain."""
    whole, count = impulses(program)
    steps = [np.zeros((1, 4, 3))]
    steps += [impulses(program, "--max-steps", str(k))[0] for k in range(1, count)] + [whole]
    steps = np.concatenate(steps)
    drawn, _ = impulses(program, "--trajectories", "2000", "--samples", "2000",
                        "--mu", "{mean = 0.2, deviation = 0.02}",
                        "--e-min", "{min = 0.364, max = 0.464}")  # fmt: skip
    figure = Figure(figsize=(8, 4), dpi=150)
    FigureCanvasAgg(figure)
    titles = ("(a) corners behind (left in Figure 11)", "(b) corners in front (right)")
    for axes, corners, title in zip(figure.subplots(1, 2), ([2, 3], [0, 1]), titles, strict=True):

        def pair(rows, corners=corners):
            two = rows[:, corners].mean(axis=1)
            return two[:, 0], np.hypot(two[:, 1], two[:, 2])

        axes.plot(*pair(drawn), ".", color="#bbbbbb", markersize=2, zorder=0,
                  label="ends with uncertain friction\nand restitution")  # fmt: skip
        normal, tangential = pair(steps)
        axes.plot(normal, tangential, "--", color="#0072b2", label="law plus")
        axes.plot(normal[1], tangential[1], "*", color="#d55e00", markersize=11, label="compressed")
        axes.plot(normal[2], tangential[2], "^", color="#009e73", label="rolls from here on")
        axes.plot(normal[-1], tangential[-1], "o", color="#0072b2", label="total")
        axes.set(xlabel="normal impulse (N·s)", ylabel="tangential impulse (N·s)", title=title)
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
    axes.legend(frameon=False, loc="lower right", fontsize=8)
    figure.suptitle("Impulses of a brick's corners (Figure 12)")
    figure.tight_layout()
    figure.savefig(path, metadata={"Software": None})


class Pendulum:
    """Example 4: three rods of 1 m, 0.1 m and 1 kg hang from a pivot 2 m up; the last one ends in a
    ball of 0.25 m and 1 kg. Coordinates: angles of the rods from the horizontal, rad."""

    start = np.array([np.pi / 4, 3 * np.pi / 4, 5 * np.pi / 6])
    height, radius, gravity, friction = 2.0, 0.25, 9.81, 0.1
    # sum of m l^2 and m l of what each rod carries; a rod alone turns by (3 r^2 + l^2) / 12 + l^2 / 4
    rod = (3 * 0.1**2 + 1) / 12 + 0.25
    coupling = np.array([[rod + 3, 2.5, 1.5], [2.5, rod + 2, 1.5],
                         [1.5, 1.5, rod + 1 + 0.4 * 0.25**2]])  # fmt: skip
    weight = np.array([3.5, 2.5, 1.5])

    def mass(self, q):
        return self.coupling * np.cos(q[:, None] - q)

    def normal(self, q):
        return np.cos(q)

    def tangent(self, q):
        return -np.sin(q) + [0, 0, self.radius]

    def gap(self, q):
        return self.height + np.sin(q).sum() - self.radius

    def motion(self, state, stiffness=0.0):
        """Velocities and accelerations with a ball whose contact gives way as Hertz says; friction
        grows up to a slip of 0.01 m/s, as in the paper."""
        q, v = state[:3], state[3:]
        force = -self.gravity * self.weight * np.cos(q)
        force = force - (self.coupling * np.sin(q[:, None] - q)) @ v**2
        depth = max(0.0, -self.gap(q))
        push = 4 / 3 * stiffness * np.sqrt(self.radius) * depth**1.5
        slip = self.tangent(q) @ v
        force = force + push * (self.normal(q) - self.friction * np.tanh(slip / 0.01) * self.tangent(q))
        return np.concatenate([v, np.linalg.solve(self.mass(q), force)])


def scenario_of(pendulum, q, v):
    """TOML of the impact."""
    row = lambda numbers: "[" + ", ".join(repr(float(x)) for x in numbers) + "]"  # noqa: E731
    mass = ", ".join(row(line) for line in pendulum.mass(q))
    return (
        f"system = \"matrices\"\n[problem]\nmass_matrix = [{mass}]\n"
        f"normal_jacobian = [{row(pendulum.normal(q))}]\n"
        f"tangent_jacobian = [{row(pendulum.tangent(q))}]\n"
        f"friction = {pendulum.friction}\nrestitution = 1.0\npre_impact_velocity = {row(v)}\n"
        '[law]\nname = "plus"\n[sampling]\ntrajectories = 1\n'
    )


def pendulum(program, path):
    """Figure 15: a triple pendulum hits the floor, by the law and by a contact that gives way."""
    from scipy.integrate import solve_ivp  # only here

    its = Pendulum()
    precise = {"method": "RK45", "rtol": 1e-9, "atol": 1e-11}
    touches = lambda t, state: its.gap(state[:3])  # noqa: E731
    touches.terminal = True
    touches.direction = -1
    fall = solve_ivp(lambda t, state: its.motion(state), (0, 5), np.append(its.start, np.zeros(3)),
                     events=touches, **precise)  # fmt: skip
    before = fall.y[:, -1]
    q, v = before[:3], before[3:]
    with tempfile.TemporaryDirectory() as folder:
        scenario, result = Path(folder) / "pendulum.toml", Path(folder) / "pendulum.h5"
        scenario.write_text(scenario_of(its, q, v))
        subprocess.run([program, "sample", str(scenario), "--hold-out", "0", "-o", str(result), "-q"],
                       check=True)  # fmt: skip
        with h5py.File(result) as file:
            after = file["samples/velocity"][0]

    lifts = lambda t, state: its.gap(state[:3])  # noqa: E731
    lifts.terminal = True
    lifts.direction = 1
    moduli = np.logspace(7, 11, 9)
    durations, distances = [], []
    for modulus in moduli:
        run = solve_ivp(lambda t, state, e=modulus: its.motion(state, e), (0, 1), before, events=lifts,
                        first_step=1e-9, **precise)  # fmt: skip
        durations.append(run.t[-1])
        distances.append(np.linalg.norm(run.y[3:, -1] - after) / np.linalg.norm(after))

    figure = Figure(figsize=(12, 3.8), dpi=150)
    FigureCanvasAgg(figure)
    place, duration, distance = figure.subplots(1, 3)
    for angles, colour in ((its.start, "#bbbbbb"), (q, "#000000")):
        x = np.concatenate([[0], np.cos(angles).cumsum()])
        y = its.height + np.concatenate([[0], np.sin(angles).cumsum()])
        place.plot(x, y, "o-", color=colour, markersize=4)
        turn = np.linspace(0, 2 * np.pi, 60)
        place.plot(x[-1] + its.radius * np.cos(turn), y[-1] + its.radius * np.sin(turn), color=colour)
    place.axhline(0, color="#000000", linewidth=0.8)
    place.set(xlabel="x (m)", ylabel="z (m)", title="(a) at rest and at the impact", aspect="equal")
    duration.loglog(moduli, durations, "o-", color="#d55e00")
    duration.set(xlabel="modulus (Pa)", ylabel="s", title="(b) contact that gives way: time it lasts")
    distance.loglog(moduli, distances, "o-", color="#d55e00")
    distance.set(xlabel="modulus (Pa)", title="(c) its outcome: distance to law plus, relative")
    figure.tight_layout()
    figure.savefig(path, metadata={"Software": None})


FIGURES = {"uchida-10": turning, "uchida-12": accumulated, "uchida-15": pendulum}
