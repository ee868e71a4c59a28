"""Draws the graph of states that `carom outcomes --json` lists: velocities, and the impacts between them."""

import json

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from carom.sealed_file import BadFile
from carom.styles import DARK, LIGHT, PALETTE, SHADE, shortened, wrapped

DOTS_PER_INCH = 150
LAYER_INCHES, ROW_INCHES = 1.7, 0.75


def is_outcomes(path):
    """Whether a file is JSON by its name: `carom outcomes` alone prints JSON for pictures."""
    return str(path).endswith(".json")


def read(path):
    """The listed outcomes. Raises BadFile unless the file holds a graph."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except ValueError:
        raise BadFile(f"{path} is no JSON document (must be of carom outcomes --json)") from None
    if not isinstance(found, dict) or "graph" not in found:
        raise BadFile(f"{path} has no graph (must be of carom outcomes --json)")
    if found["graph"] is None:
        raise BadFile(f"{path} has {found['states']} states (must have at most 60 to be drawn)")
    return found


def places(graph):
    """Where each state is drawn: x the most impacts that lead to it, y centred in its layer, below the
    states from which it is reached."""
    states, impacts = graph["states"], graph["impacts"]
    layers = {}
    for number, state in enumerate(states):
        layers.setdefault(state["impacts"], []).append(number)
    place = {}
    for layer in sorted(layers):
        def height(number):
            before = [place[one["from"]][1] for one in impacts if one["to"] == number and one["from"] in place]
            return -sum(before) / len(before) if before else 0.0

        row = sorted(layers[layer], key=height)
        for i, number in enumerate(row):
            place[number] = (layer, 0.5 * (len(row) - 1) - i)
    return place


def draw_file(path, title=None):
    """A matplotlib figure of the states of a file: the probability of each, and outcomes in colour."""
    found = read(path)
    graph, names = found["graph"], found["contact_names"]
    place = places(graph)
    layers = 1 + max(x for x, _ in place.values())
    rows = 1 + 2 * max(abs(y) for _, y in place.values())
    figure = Figure(figsize=(1.0 + LAYER_INCHES * layers, 1.2 + ROW_INCHES * rows), dpi=DOTS_PER_INCH)
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for impact in graph["impacts"]:
        (x0, y0), (x1, y1) = place[impact["from"]], place[impact["to"]]
        arrow = {"arrowstyle": "-|>", "color": LIGHT, "shrinkA": 16, "shrinkB": 16}
        axes.annotate("", (x1, y1), (x0, y0), arrowprops=arrow)
        axes.text(x0 + 0.42 * (x1 - x0), y0 + 0.42 * (y1 - y0), names[impact["contact"]], fontsize=7,
                  color=DARK, ha="center", va="center",
                  bbox={"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none"})  # fmt: skip
    drawn = 0
    for number, state in enumerate(graph["states"]):
        face = SHADE
        if state["outcome"]:
            face = PALETTE[1 + drawn % (len(PALETTE) - 1)]
            drawn += 1
        x, y = place[number]
        axes.text(x, y, f"{100 * state['probability']:.3g} %", fontsize=8, ha="center", va="center",
                  color="white" if state["outcome"] else DARK,
                  bbox={"boxstyle": "round,pad=0.35", "facecolor": face, "edgecolor": DARK})  # fmt: skip
    axes.set_xlim(-0.6, layers - 0.4)
    axes.set_ylim(-0.5 * rows - 0.3, 0.5 * rows + 0.3)
    axes.set_xticks(range(layers))
    axes.set_xlabel("impacts (the most that lead to a velocity)")
    axes.yaxis.set_visible(False)
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    ends = len(found["outcomes"])
    text = f"{found['states']} velocities; in colour {ends} outcome{'s' * (ends > 1)}, with their probabilities"
    headline = title or f"{shortened(found['name'])}: impacts in turn"
    figure.suptitle(wrapped(headline, figure.get_size_inches()[0], 12), fontsize=12)
    axes.set_title(text, fontsize=9)
    figure.tight_layout()
    return figure
