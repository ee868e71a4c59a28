"""Figures of Seghete and Murphey (2014) by the propagative law: what is reproducible of them."""

import json
import math
import subprocess
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Circle

import carom

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
NOTHING = 1e-8  # %: where less is drawn
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#000000"]


def canvas(columns, width, height):
    figure = Figure(figsize=(width, height), dpi=150)
    FigureCanvasAgg(figure)
    return figure, figure.subplots(1, columns, squeeze=False)[0]


def frictionless(mass, normals, velocity, **more):
    return carom.ImpactProblem(mass, normals, np.zeros(np.shape(normals)), 0.0, velocity, **more)


def of_system(system, **parameters):
    """The scenario of a built-in system with these parameters."""
    lines = "".join(f"{name} = {value!r}\n" for name, value in parameters.items())
    return carom.parse_scenario(f"system = '{system}'\n[parameters]\n{lines}")


def cradle(_, path):
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


def arrows(_, path):
    """Figure 4: where two billiard balls go, by either order of impacts."""
    cases = [(45.0, 2.0), (60.0, 1.0), (90.0, 1.5), (120.0, 1.0)]
    figure, row = canvas(len(cases), 13, 4)
    for axes, (angle, ratio) in zip(row, cases):
        found = carom.outcomes(of_system("billiards", angle_deg=angle, radius_c=ratio))
        reach = 1 + ratio
        half = math.radians(angle / 2)
        centres = [np.array([reach * math.sin(half), reach * math.cos(half)]), None, np.zeros(2)]
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
                 title=f"{angle:.0f}°, r_c = {ratio:g}: ξ = {100 * xi:.3g} %")  # fmt: skip
    figure.suptitle("Velocities after the impact of ball c, by either order (Figure 4)")
    save(figure, path)


def sweep(_, path):
    """Figure 5: indeterminacy against the angle, by the grid of examples/billiards_grid.toml."""
    grid = carom.grid(EXAMPLES / "billiards_grid.toml")
    impact = np.asarray(grid["colliding"]) != 0
    ratio, angle = np.asarray(grid["values"])[impact].T
    lengths = np.sqrt(2 * np.asarray(grid["energy_before"])[impact])  # in the kinetic metric
    xi = np.asarray(grid["net_diameter"])[impact] / lengths
    figure, (axes,) = canvas(1, 7, 4.5)
    for colour, one in zip(COLOURS, np.unique(ratio)):
        shown = ratio == one
        axes.plot(angle[shown], 100 * xi[shown], color=colour, label=f"r_c = {one:g} r_a")
    axes.axvline(90, color="#cccccc", zorder=0)
    axes.set(xlabel="angle between the lines of centres (degrees)", ylabel="indeterminacy ξ (%)", xlim=(30, 180),
             ylim=(0, None), title="Billiards: how much the order matters (Figure 5)")  # fmt: skip
    axes.legend(frameon=False)
    save(figure, path)


def bends(program, path):
    """Figure 8, its first instant: indeterminacy of TREX's impact against the bend of its knee."""
    straight = 2 * math.pi

    def indeterminacy(**parameters):
        return 100 * carom.outcomes(of_system("trex", **parameters))["verdict"]["indeterminacy"]

    search = [program, "describe", "trex", "--unique-by", "knee", "--from", "5.5", "--to", "5.8", "--json"]
    answer = subprocess.run(search, check=True, stdout=subprocess.PIPE, text=True).stdout
    (unique,) = (one["value"] for one in json.loads(answer)["unique_by"]["values"])
    usual = carom.load_scenario("trex").parameters
    figure, (axes,) = canvas(1, 7, 4.5)
    knees = np.linspace(5.3, straight, 400)
    axes.semilogy(knees, [indeterminacy(knee=knee) for knee in knees], color=COLOURS[0],
                  label="mechanism of Table I, second row")  # fmt: skip
    stance = {"knee": straight, "other_knee": straight, "other_hip": usual["hip"] + math.pi}
    for colour, marker, name, parameters in (
        (COLOURS[1], "s", "initial gait: straight legs, half a turn apart", stance),
        (COLOURS[2], "o", "posture of the table", {"knee": usual["knee"]}),
        (COLOURS[3], "D", "normals orthogonal: one outcome", {"knee": unique}),
    ):
        xi = indeterminacy(**parameters)
        axes.plot(parameters["knee"], max(xi, NOTHING), marker, color=colour, label=f"{name}, ξ = {xi:.2g} %")
    axes.set(xlabel="knee of the leg that stands (rad)", ylabel="indeterminacy ξ of the impact (%)",
             ylim=(NOTHING / 3, 30), title="TREX: how much the order matters (masses of our own)")  # fmt: skip
    axes.legend(frameon=False, loc="upper left", fontsize="small")
    save(figure, path)


def save(figure, path):
    figure.tight_layout()
    figure.savefig(path, metadata={"Software": None})


FIGURES = {"seghete-2b": cradle, "seghete-4": arrows, "seghete-5": sweep, "seghete-8": bends}
