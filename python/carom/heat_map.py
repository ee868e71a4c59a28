"""The picture of a grid file (docs/grid.md): the diameter of a state's net, its modes, and answers, over two axes."""

import textwrap
from dataclasses import dataclass

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from carom.result_file import scenario_name, text
from carom.sealed_file import BadFile, format_of, opened
from carom.styles import PALETTE, plain, shortened, wrapped

FORMAT = "carom grid"
FORMAT_VERSION = 2
DOTS_PER_INCH = 150
NOTHING = "#d9d9d9"  # states without a set
REASONS = ("left out", "no impact", "no outcome", "not sampled yet")
REASON_GREYS, OTHER_MODES = ("#f2f2f2", NOTHING, "#bdbdbd", "#a3a3a3"), "#7f7f7f"  # light, so that modes stand out
RARE = 0.001  # least share of the outcomes for a mode to count
MOST_MODES = len(PALETTE)
MOST_TICKS = 8  # of an axis whose values have one each
TICK_ROOM = 0.1  # of an axis, for the label of a tick
LABEL_LINE, LONGEST_LABEL, LONGEST_HEADING = 60, 240, 180  # characters
LEGEND_COLUMNS, LEGEND_INCHES = 3, 0.16  # of such lines, and the height of one
COLUMNS = 3  # of panels
# By the code of an answer in files: 0 without a set.
ANSWERS = {1: ("open", PALETTE[7]), 2: ("no within N steps", PALETTE[4]), 3: ("no", PALETTE[1]), 4: ("yes", PALETTE[2])}


@dataclass
class Question:
    text: str
    value: float
    answer: np.ndarray  # of the grid's shape, as floats: codes of ANSWERS, or NaN
    found: np.ndarray  # how far outcomes reach, and how far they do at most
    bound: np.ndarray


@dataclass
class Grid:
    """A grid, state by state; axes with several paths show the first."""

    names: list
    values: list  # an array per axis
    net_diameter: np.ndarray  # of the grid's shape; NaN where there is no impact
    mode_count: np.ndarray  # modes that are not rare
    main_mode: np.ndarray  # the most frequent one; -1 where there is no impact
    reason: np.ndarray  # why a state has no set, a place in REASONS; -1 where it has one
    mode_names: list
    name: str  # of the scenario
    norm: str
    epsilon: float
    trajectories: int
    done: int
    states: int
    questions: list


def is_grid(path):
    """Whether a file is a grid file, by its seal."""
    return format_of(path) == FORMAT


def read_open(path, file):
    axes = file["axes"]
    shape = tuple(int(size) for size in axes["shape"][:])
    names = [text(axes[str(i)]["paths"][0]) for i in range(len(shape))]
    values = [axes[str(i)]["values"][:, 0] for i in range(len(shape))]
    states = file["states"]
    done, total = states["checksum"].shape[0], int(np.prod(shape))
    counts = file["modes/count"][:]
    outcomes = states["status_counts"][:, 0]
    shown = (states["valid"][:] != 0) & (states["colliding"][:] != 0) & (outcomes > 0)

    def spread(column, missing):
        whole = np.full(total, missing, dtype=np.asarray(column).dtype)
        whole[:done] = np.where(shown, column, missing)
        return whole.reshape(shape)

    def questions():
        if "answers" not in file:
            return
        answers = file["answers"]
        for i, name in enumerate(answers["question"][:]):
            columns = [answers["answer"][:, i].astype(float), answers["found"][:, i], answers["bound"][:, i]]
            for column in columns:
                column[(states["valid"][:] == 0) | (states["colliding"][:] == 0)] = np.nan
            whole = [np.concatenate([column, np.full(total - done, np.nan)]).reshape(shape) for column in columns]
            yield Question(text(name), float(answers["value"][i]), *whole)

    reason = np.full(total, REASONS.index("not sampled yet"))
    reason[:done] = np.select(
        [states["valid"][:] == 0, states["colliding"][:] == 0, outcomes == 0], [0, 1, 2], -1
    )
    often = counts > RARE * outcomes[:, None]
    main = counts.argmax(axis=1) if counts.shape[1] else np.zeros(done, dtype=int)
    return Grid(
        names=names,
        values=values,
        net_diameter=spread(states["net_diameter"][:], np.nan),
        mode_count=spread(often.sum(axis=1).astype(float), np.nan),
        main_mode=spread(main, -1),
        mode_names=[text(name) for name in file["modes/names"][:]],
        reason=reason.reshape(shape),
        name=scenario_name(text(file.attrs["base_scenario"]), path),
        norm=text(file.attrs["norm"]),
        epsilon=float(file.attrs["epsilon"]),
        trajectories=int(file.attrs["trajectories"]),
        done=done,
        states=total,
        questions=list(questions()),
    )


def read(path):
    """Reads a grid file. Raises BadFile if it cannot be drawn."""
    with opened(path, FORMAT) as file:
        version = int(file.attrs["grid_format_version"])
        if version > FORMAT_VERSION:
            raise BadFile(
                f"{path} has grid_format_version {version} (this Carom reads up to "
                f"{FORMAT_VERSION})"
            )
        return read_open(path, file)


def first_slice(grid, array):
    """At most two dimensions of an array: the first state of all axes except the last two."""
    return array[(0,) * max(array.ndim - 2, 0)]


def edges(values):
    """Borders of the cells around the values; the first and the last cell reach as far beyond their values
    as towards the next ones."""
    if len(values) == 1:
        return np.array([values[0] - 0.5, values[0] + 0.5])
    middle = (values[1:] + values[:-1]) / 2
    return np.concatenate([2 * values[:1] - middle[:1], middle, 2 * values[-1:] - middle[-1:]])


def is_uneven(values):
    """Whether cells as wide as the distances of the values (ascending) would hide the narrow ones."""
    steps = np.diff(values)
    return len(steps) > 1 and steps.max() > 20 * steps.min()


def tick_labels(values):
    """Labels of ticks at few values (ascending), empty where one would touch the one before."""
    labels, room = [], TICK_ROOM * np.ptp(values)
    last = -np.inf
    for value in values:
        is_free = value - last >= room
        labels.append(f"{value:.4g}" if is_free else "")
        last = value if is_free else last
    return labels


def place_cells(values, set_ticks):
    """Borders of the cells of an axis with these values (ascending): equal cells, each with its
    value, where others would be too narrow to see. Few values have a tick each."""
    if is_uneven(values):
        few = np.unique(np.linspace(0, len(values) - 1, min(len(values), MOST_TICKS)).round().astype(int))
        set_ticks(few, [f"{values[i]:.4g}" for i in few])
        return np.arange(len(values) + 1) - 0.5
    if len(values) <= MOST_TICKS:
        set_ticks(values, tick_labels(values))
    return edges(values)


def name_of(path):
    return plain(path.removeprefix("parameters."))


def draw_map(figure, axis, grid, array, title, **style):
    """A heat map over the last two axes. Values need not be evenly spaced or sorted."""
    x, y = grid.values[-1], grid.values[-2]
    across, up = np.argsort(x), np.argsort(y)
    image = axis.pcolormesh(
        place_cells(x[across], axis.set_xticks), place_cells(y[up], axis.set_yticks),
        array[np.ix_(up, across)], rasterized=True, **style
    )  # fmt: skip
    axis.set_facecolor(NOTHING)
    axis.set_xlabel(name_of(grid.names[-1]))
    axis.set_ylabel(name_of(grid.names[-2]))
    axis.set_title(title, fontsize=10)
    return image


def draw_reasons(figure, axis, grid, where):
    """Shades of grey where states have nothing to show: why, or other modes. Returns the reasons that occur."""
    reason = first_slice(grid, grid.reason)
    greys = np.where(reason >= 0, reason, len(REASONS)).astype(float)
    draw_map(figure, axis, grid, greys, "", cmap=ListedColormap([*REASON_GREYS, OTHER_MODES]),
             vmin=-0.5, vmax=len(REASONS) + 0.5)  # fmt: skip
    return [i for i in range(len(REASONS)) if (where & (reason == i)).any()]


def legend_of_answers(axis, question, reasons=()):
    """Those that occur, and reasons why states have none, below the panel."""
    marks = {"marker": "s", "linestyle": "none"}
    for code, (name, colour) in ANSWERS.items():
        if (question.answer == code).any():
            axis.plot([], [], color=colour, label=name, **marks)
    for reason in reasons:
        axis.plot([], [], color=REASON_GREYS[reason], label=REASONS[reason], **marks)
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=5, fontsize=8, frameon=False,
                columnspacing=1.0, handletextpad=0.2)  # fmt: skip


def draw_answers(figure, axis, grid, question):
    """Two axes: which state has which answer."""
    colours = ListedColormap([colour for _, colour in ANSWERS.values()])
    answer = first_slice(grid, question.answer)
    reasons = draw_reasons(figure, axis, grid, np.isnan(answer))
    draw_map(figure, axis, grid, answer, wrapped_question(question), cmap=colours,
             vmin=min(ANSWERS) - 0.5, vmax=max(ANSWERS) + 0.5)  # fmt: skip
    legend_of_answers(axis, question, reasons)


def draw_reach(axis, grid, question):
    """One axis: how far outcomes reach that were found, and how far they do at most."""
    x, order = grid.values[0], np.argsort(grid.values[0])
    axis.plot(x[order], question.found[order], "-", color=PALETTE[-1], linewidth=1, label="found")
    if np.isfinite(question.bound).any():
        axis.plot(x[order], question.bound[order], "--", color=PALETTE[0], linewidth=1, label="bound")
    axis.axhline(question.value, color=PALETTE[0], linewidth=0.6)
    for code, (_, colour) in ANSWERS.items():
        its = question.answer == code
        axis.plot(x[its], question.found[its], "o", markersize=3, color=colour)
    axis.set_xlabel(name_of(grid.names[0]))
    axis.set_title(wrapped_question(question), fontsize=10)
    legend_of_answers(axis, question)


def wrapped_question(question):
    return textwrap.fill(plain(question.text, LONGEST_LABEL), LABEL_LINE)


def draw_lines(axes, grid):
    """One axis: diameter of the net and number of modes over it."""
    x, order = grid.values[0], np.argsort(grid.values[0])
    for axis, values, title in (
        (axes[0], grid.net_diameter, diameter_title(grid)),
        (axes[1], grid.mode_count, "modes that occur"),
    ):
        axis.plot(x[order], values[order], "o-", markersize=3, color=PALETTE[1])
        axis.set_xlabel(name_of(grid.names[0]))
        axis.set_title(title, fontsize=10)
        axis.set_ylim(bottom=0)


def diameter_title(grid):
    return f"diameter of the net ({'J$^{1/2}$' if grid.norm == 'kinetic' else 'velocity units'})"


def labels_of(names):
    """Short names of modes, in lines: the states of contacts that differ between them; and the states that do not."""
    states, shared = [name.split(", ") for name in names], []
    if len({len(one) for one in states}) == 1 and len(names) > 1:
        differ = [len(set(column)) > 1 for column in zip(*states, strict=True)]
        shared = [state for state, its in zip(states[0], differ, strict=True) if not its]
        states = [[state for state, its in zip(one, differ, strict=True) if its] for one in states]
    labels = [textwrap.fill(plain(", ".join(one), LONGEST_LABEL), LABEL_LINE) for one in states]
    return labels, plain(", ".join(shared), LONGEST_LABEL)


def draw_main_modes(figure, axis, grid):
    main = first_slice(grid, grid.main_mode)
    used = [int(mode) for mode in np.unique(main) if mode >= 0]
    by_area = sorted(used, key=lambda mode: -np.count_nonzero(main == mode))[:MOST_MODES]
    place = {mode: i for i, mode in enumerate(by_area)}
    shown = np.vectorize(lambda mode: place.get(mode, np.nan), otypes=[float])(main)
    colours = ListedColormap(PALETTE[: max(len(by_area), 1)])
    reasons = draw_reasons(figure, axis, grid, np.isnan(shown))
    draw_map(figure, axis, grid, shown, "most frequent outcome", cmap=colours,
             vmin=-0.5, vmax=max(len(by_area), 1) - 0.5)  # fmt: skip
    labels, shared = labels_of([grid.mode_names[mode] for mode in by_area])
    for i, label in enumerate(labels):
        axis.plot([], [], "s", color=PALETTE[i], label=label)
    if len(used) > len(by_area):
        axis.plot([], [], "s", color=OTHER_MODES, label="other modes")
    for reason in reasons:
        axis.plot([], [], "s", color=REASON_GREYS[reason], label=REASONS[reason])
    handles, labels = axis.get_legend_handles_labels()
    heading = textwrap.fill("most frequent outcome" + (f"; in all of them {shared}" if shared else ""), LONGEST_HEADING)
    rows = -(-len(labels) // LEGEND_COLUMNS) * max(label.count("\n") + 1 for label in labels)
    figure.legend(handles, labels, loc="lower center", ncols=LEGEND_COLUMNS, fontsize=8, frameon=False,
                  title=heading, title_fontsize=8)  # fmt: skip
    width, height = figure.get_size_inches()
    foot = LEGEND_INCHES * (rows + heading.count("\n") + 2)
    figure.set_size_inches(width, height + foot)
    figure.set_layout_engine("constrained", rect=(0, foot / (height + foot), 1, height / (height + foot)))


def draw(grid, title=None):
    """A matplotlib figure of a grid."""
    matplotlib.rcdefaults()
    matplotlib.rcParams["svg.hashsalt"] = "carom"
    flat = len(grid.values) == 1
    own = 2 if flat else 3  # panels of every grid
    panels = own + len(grid.questions)
    columns = min(panels, COLUMNS)
    rows = -(-panels // columns)
    size = (4.5 * columns, (3.6 if flat else 4.4) * rows)
    figure = Figure(figsize=size, dpi=DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for axis in axes[panels:]:
        axis.remove()
    for axis, question in zip(axes[own:], grid.questions, strict=False):
        draw_reach(axis, grid, question) if flat else draw_answers(figure, axis, grid, question)
    if flat:
        draw_lines(axes, grid)
    else:
        diameter = first_slice(grid, grid.net_diameter)
        most = np.nanmax(diameter, initial=0.0)
        image = draw_map(figure, axes[0], grid, diameter, diameter_title(grid), cmap="viridis",
                         vmin=0, vmax=most if most > 0 else 1)  # fmt: skip
        figure.colorbar(image, ax=axes[0])
        count = first_slice(grid, grid.mode_count)
        most = int(np.nanmax(count)) if np.isfinite(count).any() else 1
        steps = matplotlib.colormaps["plasma"].resampled(most)
        image = draw_map(figure, axes[1], grid, count, "modes that occur", cmap=steps,
                         vmin=0.5, vmax=most + 0.5)  # fmt: skip
        figure.colorbar(image, ax=axes[1], ticks=range(1, most + 1))
        draw_main_modes(figure, axes[2], grid)
    facts = f"{grid.trajectories:,} trajectories per state".replace(",", "\u202f")
    if grid.done < grid.states:
        facts += f"; interrupted after {grid.done} of {grid.states} states"
    if len(grid.values) > 2:
        fixed = ", ".join(
            f"{name_of(name)} = {values[0]:.4g}"
            for name, values in zip(grid.names[:-2], grid.values[:-2], strict=True)
        )
        facts += f"; at {fixed}"
    figure.suptitle(wrapped(title or f"{shortened(grid.name)}; {facts}", figure.get_size_inches()[0], 11), fontsize=11)
    return figure


def draw_file(path, title=None):
    """The picture of a grid file."""
    return draw(read(path), title)
