"""The panels of a picture: their choice."""

import textwrap
from dataclasses import dataclass, replace

import numpy as np

from carom.panel import POINT_BELOW, Panel, Strips, convex_outline, strip, strip_bounds
from carom.styles import plain

MOST_PANELS = 12
PANEL_INCHES = (4.0, 3.3)
LABEL_LETTERS = 38  # of an axis label's line: as many as fit along the shorter axis


@dataclass(frozen=True)
class Axis:
    """One contact velocity."""

    label: str
    row: np.ndarray  # nv: its product with a velocity
    is_normal: bool


def label(result, quantity, contact, remark=""):
    """'normal velocity of A (m/s)', or in lines that fit along an axis."""
    whose, unit = plain(result.contact_names[contact]) + remark, result.speed_units[contact]
    line = f"{quantity} of {whose} ({unit})"
    if len(line) <= LABEL_LETTERS:
        return line
    return "\n".join([f"{quantity} ({unit}) of", *textwrap.wrap(whose, LABEL_LETTERS)])


def normal_axis(result, contact):
    words = label(result, "normal velocity", contact)
    return Axis(words, result.normal_jacobian[contact], True)


def tangential_axis(result, contact, number=0):
    rows = result.tangent_jacobian[contact]
    along = f" along its {('first', 'second')[number]} tangent" if len(rows) > 1 else ""
    words = label(result, "tangential velocity", contact, along)
    return Axis(words, rows[number], False)


def wider_tangent(result, contact):
    """Number of the contact's tangent along which velocities after the impact differ most; the first
    one where both differ alike."""
    ends = np.concatenate([result.outcomes, *[series.velocities for series in result.series]])
    if not len(ends):
        return 0
    speeds = ends @ result.tangent_jacobian[contact].T
    extents = np.ptp(speeds, axis=0)
    return int(np.argmax(extents > np.max(extents) - POINT_BELOW * np.max(np.abs(speeds))))


def is_smooth(result, contact):
    """Whether a contact has neither friction nor a tangential velocity, up to rounding, as limits of joints."""
    tangents = result.tangent_jacobian[contact]
    shown = [result.outcomes, result.net, result.paths, result.pre_impact_velocities]
    shown += [series.velocities for series in result.series]
    return not tangents.any() or result.friction[contact] == 0.0 and all(
        np.abs(its @ tangents.T).max(initial=0.0) <= POINT_BELOW * np.abs(its).max(initial=0.0) for its in shown
    )  # fmt: skip


def hidden_tangent(result):
    """--axes of a panel of the first contact that `choose` leaves out in space; otherwise empty."""
    rough = [contact for contact in range(len(result.contact_names)) if not is_smooth(result, contact)]
    if not result.is_spatial or not rough:
        return ""
    name, kind = plain(result.contact_names[rough[0]]), ("tangential2", "tangential")[wider_tangent(result, rough[0])]
    return f"{kind} {name},normal {name}"


def make_panel(result, x, y):
    rows = np.stack([x.row, y.row], axis=1)  # nv x 2
    series = [
        replace(some, velocities=some.velocities @ rows, paths=[path @ rows for path in some.paths])
        for some in result.series
    ]
    return Panel(
        x.label, y.label, x.is_normal, y.is_normal, result.outcomes @ rows, result.net @ rows,
        result.paths @ rows, result.pre_impact_velocities @ rows, series,
        [convex_outline(vertices @ rows) for vertices in result.bound],
    )  # fmt: skip


def make_strips(result, contacts):
    """The normal velocities of these contacts, without paths."""
    rows = result.normal_jacobian[contacts]
    names = [result.contact_names[contact] for contact in contacts]
    series = [replace(some, velocities=strip(some.velocities, rows), paths=[]) for some in result.series]
    bounds = [outline for vertices in result.bound for outline in strip_bounds(vertices, rows)]
    unit = " or ".join(sorted({result.speed_units[contact] for contact in contacts}))
    return Strips(
        f"normal velocity ({unit})", "", True, False, strip(result.outcomes, rows), strip(result.net, rows),
        np.zeros((0, 1, 2)), strip(result.pre_impact_velocities, rows), series, bounds, names,
    )  # fmt: skip


def choose(result):
    """The panels of a result, and the number of contacts without a panel."""
    count = len(result.contact_names)
    smooth = [contact for contact in range(count) if is_smooth(result, contact)]
    if 1 < count == len(smooth):  # normals alone: each beside the next one
        pairs = [
            make_panel(result, normal_axis(result, one), normal_axis(result, one + 1))
            for one in range(count - 1)
        ]
        return pairs[:MOST_PANELS], max(0, count - 1 - MOST_PANELS)
    contacts = [
        make_panel(
            result,
            tangential_axis(result, contact, wider_tangent(result, contact)),
            normal_axis(result, contact),
        )
        for contact in range(count)
        if contact not in smooth
    ]
    if count == 2:
        both = make_panel(result, normal_axis(result, 0), normal_axis(result, 1))
        contacts.insert(1, both)
        smooth = []
    strips = [make_strips(result, smooth)] if smooth else []
    drawn = contacts[: MOST_PANELS - len(strips)]
    return drawn + strips, len(contacts) - len(drawn)


def parse_axis(result, words):
    """'normal A', 'tangential A', in space 'tangential2 A', or a direction; None for anything else."""
    kind, _, name = words.strip().partition(" ")
    if words.strip() in result.directions:
        return Axis(plain(words.strip()), result.directions[words.strip()], False)
    if name.strip() not in result.contact_names:
        return None
    contact = result.contact_names.index(name.strip())
    if kind == "normal":
        return normal_axis(result, contact)
    number = {"tangential": 0, "tangential1": 0, "tangential2": 1}.get(kind)
    if number is None or number >= len(result.tangent_jacobian[contact]):
        return None
    return tangential_axis(result, contact, number)


def parse_axes(result, words):
    """The panel of 'X,Y'; names may contain commas. None for anything else."""
    parts = words.split(",")
    for cut in range(1, len(parts)):
        x = parse_axis(result, ",".join(parts[:cut]))
        y = parse_axis(result, ",".join(parts[cut:]))
        if x and y:
            return make_panel(result, x, y)
    return None


def most_columns(count):
    """Beside each other, of a number of columns."""
    return count if count <= 4 else 3 if count <= 6 else 4
