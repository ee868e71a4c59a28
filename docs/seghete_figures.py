"""Figures of Seghete and Murphey (2014) by the propagative law: what is reproducible of them."""

import math

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Circle

import carom

COLOURS = ["#0072b2", "#d55e00", "#009e73", "#000000"]


def canvas(columns, width, height):
    figure = Figure(figsize=(width, height), dpi=150)
    FigureCanvasAgg(figure)
    return figure, figure.subplots(1, columns, squeeze=False)[0]


def frictionless(mass, normals, velocity, **more):
    return carom.ImpactProblem(mass, normals, np.zeros(np.shape(normals)), 0.0, velocity, **more)


def billiards(theta, ratio, together=False):
    """Balls a and b of radius 1, the cue ball c of radius `ratio` touches both, masses as radius^3; the
    lines from c to a and b make the angle theta, and c moves along its bisector with 1 m/s."""
    mass = np.repeat([1.0, 1.0, ratio**3], 2)
    to_a = np.array([math.sin(theta / 2), math.cos(theta / 2)])
    to_b = to_a * [-1, 1]
    normals = [np.concatenate([to_a, [0, 0], -to_a]), np.concatenate([[0, 0], to_b, -to_b])]
    if together:  # a and b touch
        normals.append(np.array([1.0, 0, -1, 0, 0, 0]))
    return frictionless(np.diag(mass), normals, [0, 0, 0, 0, 0, 1])


def touching(ratio):
    """The least angle: a and b touch."""
    return 2 * math.asin(1 / (1 + ratio))


def cradle(path):
    """Figure 2b: ball A hits B, which touches C; the loss of energy against the speed of A."""
    figure, (axes,) = canvas(1, 6, 4)
    speeds = np.linspace(1, 5, 9)
    for colour, restitution in zip(COLOURS, (1.0, 0.7, 0.0)):
        loss = []
        for speed in speeds:
            balls = frictionless(np.eye(3), [[-1, 1, 0], [0, -1, 1]], [speed, 0, 0], restitution=restitution)
            (outcome,) = carom.outcomes(balls)["outcomes"]
            loss.append(100 * (1 - outcome["energy"] / balls.kinetic_energy(balls.pre_impact_velocity)))
        axes.plot(speeds, loss, "o-", color=colour, label=f"restitution {restitution:g}: {loss[0]:.3g} %")
    axes.set(xlabel="speed of ball A (m/s)", ylabel="loss of kinetic energy (%)", ylim=(-3, 92),
             title="Newton's cradle of three balls (Figure 2b)")  # fmt: skip
    axes.legend(frameon=False, ncols=2, loc="upper center")
    save(figure, path)


def arrows(path):
    """Figure 4: where two billiard balls go, by either order of impacts."""
    cases = [(math.pi / 4, 2.0, False), (math.pi / 3, 1.0, True), (math.pi / 2, 1.5, False), (2 * math.pi / 3, 1.0, False)]
    figure, row = canvas(len(cases), 13, 4)
    for axes, (theta, ratio, together) in zip(row, cases):
        found = carom.outcomes(billiards(theta, ratio, together))
        reach = 1 + ratio
        centres = [np.array([reach * math.sin(theta / 2), reach * math.cos(theta / 2)]), None, np.zeros(2)]
        centres[1] = centres[0] * [-1, 1]
        for centre, radius, name in zip(centres, (1, 1, ratio), "abc"):
            axes.add_patch(Circle(centre, radius, fill=False, color="#888888"))
            axes.text(*(centre + [0, -0.45 * radius]), name, ha="center", va="center", color="#888888")
        for colour, outcome in zip(COLOURS, found["outcomes"]):
            for ball, centre in enumerate(centres):
                v = 2.2 * np.asarray(outcome["velocity"])[2 * ball : 2 * ball + 2]
                axes.annotate("", centre + v, centre, arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 1.8})
        xi = found["verdict"]["indeterminacy"]
        axes.set(xlim=(-4.6, 4.6), ylim=(-2.4, 6.4), aspect="equal", xticks=[], yticks=[],
                 title=f"{math.degrees(theta):.0f}°, r_c = {ratio:g}: ξ = {100 * xi:.3g} %")  # fmt: skip
    figure.suptitle("Velocities after the impact of ball c, by either order (Figure 4)")
    save(figure, path)


def sweep(path):
    """Figure 5: indeterminacy against the angle."""
    figure, (axes,) = canvas(1, 7, 4.5)
    for colour, ratio in zip(COLOURS, (1.0, 2.0, 2.1, 2.864)):
        angles = np.linspace(touching(ratio) + 1e-6, math.pi, 181)
        xi = [carom.outcomes(billiards(angle, ratio))["verdict"]["indeterminacy"] for angle in angles]
        axes.plot(np.degrees(angles), 100 * np.array(xi), color=colour, label=f"r_c = {ratio:g} r_a")
    axes.axvline(90, color="#cccccc", zorder=0)
    axes.set(xlabel="angle between the lines of centres (degrees)", ylabel="indeterminacy ξ (%)", xlim=(30, 180),
             ylim=(0, None), title="Billiards: how much the order matters (Figure 5)")  # fmt: skip
    axes.legend(frameon=False)
    save(figure, path)


def save(figure, path):
    figure.tight_layout()
    figure.savefig(path, metadata={"Software": None})


FIGURES = {"seghete-2b": cradle, "seghete-4": arrows, "seghete-5": sweep}
