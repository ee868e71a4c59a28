"""Figures of Halm and Posa that are about time: by closed forms and by `carom roll`."""

import math
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import carom
import compliant_contact
from carom import bodies, motion, panel

# A uniform block of Section 4, 1 kg, 1 m x 2 m, that rocks on a rough floor from 1 rad/s.
WIDTH, HEIGHT, GRAVITY = 1.0, 2.0, 9.81
ALPHA = math.atan2(HEIGHT, WIDTH)
CORNER = 0.5 * math.hypot(WIDTH, HEIGHT)  # m from the centre
ABOUT_CORNER = (WIDTH**2 + HEIGHT**2) / 12 + CORNER**2  # kg m²
P2 = GRAVITY * CORNER / ABOUT_CORNER  # 1/s²
RATIO = 1 - 1.5 * WIDTH**2 / (WIDTH**2 + HEIGHT**2)  # of the rates after and before an impact
COLOURS = {"theta": "#0072b2", "omega": "#d55e00", "A": "#009e73", "B": "#cc79a7"}

BLOCK = f"""
system = "planar"
[world]
gravity = {GRAVITY}
friction = 1.0
[[body]]
name = "block"
size = [{WIDTH}, {HEIGHT}]
mass = 1.0
position = [0.0, {HEIGHT / 2}]
velocity = [{-HEIGHT / 2}, {WIDTH / 2}, 1.0]
[[floor]]
name = "floor"
"""


def half_cycle(omega, points=2000):
    """Times, angles and rates of a pivot from the floor and back, from the rate omega > 0 (closed form of
    the energy, by the mid-point rule in a variable that has no singular end)."""
    apex = 0.0
    for _ in range(60):  # of sin(apex + ALPHA) - sin(ALPHA) = omega² / (2 P2), which cancels if omega is small
        apex = 2 * math.asin(omega**2 / (4 * P2 * math.cos(ALPHA + 0.5 * apex)))
    edges = np.linspace(1.0, 0.0, points + 1)
    middles = 0.5 * (edges[1:] + edges[:-1])

    def rate(u):  # at the angle apex (1 - u²), written without a difference of near numbers
        drop = apex * u**2
        return np.sqrt(4 * P2 * np.cos(ALPHA + apex - 0.5 * drop) * np.sin(0.5 * drop))

    rise = np.concatenate([[0.0], np.cumsum(2 * apex * middles / rate(middles) / points)])
    angle = apex * (1 - edges**2)
    rates = rate(edges)
    time = np.concatenate([rise, 2 * rise[-1] - rise[-2::-1]])
    return time, np.concatenate([angle, angle[-2::-1]]), np.concatenate([rates, -rates[-2::-1]])


def closed_form(cycles=60):
    """t, s, theta, omega and the rates of s: dt/ds, dA/ds and dB/ds, of the whole motion (Eq. 53: while
    time runs, ds = dt + d(normal impulses); in an impact, only impulses)."""
    rows = []
    t, omega, side = 0.0, 1.0, 1
    for _ in range(cycles):
        time, angle, rate = half_cycle(omega)
        # The pivot's normal force: m (g + acceleration of the centre upwards).
        turn = -P2 * np.cos(angle + ALPHA)
        force = GRAVITY + CORNER * (np.cos(angle + ALPHA) * turn - np.sin(angle + ALPHA) * rate**2)
        share = 1 / (1 + force)
        for k in range(len(time)):
            pivot = force[k] * share[k]
            # The momentum of the centre gives the impulses so far, exactly.
            lift = CORNER * math.cos(angle[k] + ALPHA) * rate[k]
            s = (1 + GRAVITY) * (t + time[k]) + lift - WIDTH / 2
            rows.append((t + time[k], s, side * angle[k], side * rate[k], share[k],
                         pivot if side > 0 else 0.0, pivot if side < 0 else 0.0))  # fmt: skip
        t += time[-1]
        omega *= RATIO
        side = -side
        # The impact at the other corner, at the same t.
        s = (1 + GRAVITY) * t + WIDTH / 2 * omega - WIDTH / 2
        start = rows[-1]
        rows.append((t, start[1], start[2], start[3], 0.0, float(side > 0), float(side < 0)))
        rows.append((t, s, 0.0, side * omega, 0.0, float(side > 0), float(side < 0)))
    end = rows[-1][1]
    for s in (end, end + 0.5 * (1 + GRAVITY)):
        rows.append((t + (s - end) / (1 + GRAVITY), s, 0.0, 0.0, 1 / (1 + GRAVITY), 0.0, 0.0))
    return np.array(rows).T


def rolled(program, times):
    """The block's motion at these times, by `carom roll`."""
    with tempfile.TemporaryDirectory() as folder:
        scenario, result = Path(folder) / "block.toml", Path(folder) / "block.h5"
        scenario.write_text(BLOCK)
        subprocess.run([program, "roll", scenario, "-o", result, "-q", "--rollouts", "1", "--step", "1e-4",
                        "--duration", repr(times[-1]), "--times", ",".join(map(repr, times))], check=True)  # fmt: skip
        return motion.read(result)


def half_cycle_bodies(program, path):
    """Figure 7: the block at the start, at its apex, and before and after the impact of the other corner."""
    end, moment = half_cycle(1.0)[0][-1], 1e-4  # s
    found = rolled(program, [0.0, end / 2, end - moment, end + moment])
    figure = Figure(figsize=(11, 4.6), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    limits = bodies.frame_of(found.world, found.position, 0.12)
    fastest = np.linalg.norm(found.velocity[0, :, :2], axis=1).max()
    titles = ["a) pivots about A", "b) apex", "c) B comes down", "d) pivots about B"]
    for k, (axes, title) in enumerate(zip(figure.subplots(1, 4, sharey=True), titles)):
        position, velocity = found.position[0, k], found.velocity[0, k]
        corners = [position[:2] + bodies.turned(position[2], (side * WIDTH / 2, -HEIGHT / 2)) for side in (-1, 1)]
        contacts = [(name, corner, np.array([0.0, 1.0])) for name, corner in zip("AB", corners)]
        block = bodies.Configuration(found.world, position, velocity, contacts)
        bodies.draw_configuration(axes, block, limits, fastest)
        state = f"t = {found.time[k]:.3f} s, {abs(position[2]):.3f} rad, {velocity[2]:+.3f} rad/s"
        axes.set_title(f"{title}\n{state}".replace("-", "\N{MINUS SIGN}"), fontsize=9)
        panel.set_sizes(axes)
        axes.label_outer()
    figure.suptitle("Half a cycle of the rocking block (Figure 7), by carom roll")
    figure.savefig(path)
    print(f"apex {found.position[0, 1, 2]:.7f} rad, rate after the impact {found.velocity[0, 3, 2]:.7f} rad/s")


def zeno(program, path):
    """Figure 8: a rocking block's motion over t, over s, and the rates of t and of the impulses over s."""
    t, s, theta, omega, share, a, b = closed_form()
    found = rolled(program, [round(0.04 * k, 2) for k in range(81)])
    position, velocity = found.position[0], found.velocity[0]
    # s by the momentum of the whole motion.
    dots = found.time, (1 + GRAVITY) * found.time + velocity[:, 1] - WIDTH / 2, position[:, 2], velocity[:, 2]
    figure = Figure(figsize=(7, 8), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    over_t, over_s, rates = figure.subplots(3, 1)
    for axes, x, x_dots in ((over_t, t, dots[0]), (over_s, s, dots[1])):
        axes.plot(x, theta, color=COLOURS["theta"], label="angle, rad")
        axes.plot(x, omega, color=COLOURS["omega"], label="rate, rad/s")
        axes.plot(x_dots, dots[2], ".", color=COLOURS["theta"], markersize=4)
        axes.plot(x_dots, dots[3], ".", color=COLOURS["omega"], markersize=4)
    limit = next(i for i in range(len(t)) if t[i] == t[-2])
    over_t.set(xlabel="t, s", xlim=(0, 3.2), title="Rocking block (Figure 8): closed form, and dots by carom roll")  # fmt: skip
    over_t.axvline(t[limit], color="#888888", linestyle=":", label=f"t* = {t[limit]:.6f} s")
    over_s.axvline(s[-2], color="#888888", linestyle=":", label=f"s* = {s[-2]:.6f}")
    over_s.set(xlabel="s", xlim=(0, s[-1]))
    rates.plot(s, share, color="black", label="dt/ds")
    rates.plot(s, a, color=COLOURS["A"], label="dA/ds, impulse of the left corner")
    rates.plot(s, b, color=COLOURS["B"], label="dB/ds, of the right corner")
    rates.set(xlabel="s", xlim=(0, s[-1]))
    for axes, place in ((over_t, "upper right"), (over_s, "upper right"), (rates, "center left")):
        axes.legend(frameon=False, fontsize=8, loc=place)
    figure.savefig(path)
    print(f"t* = {t[limit]:.9f} s, s* = {s[-2]:.7f}")


def compliance(_, path):
    """Figure 12: where compliant corners send a block that lands flat, over the set of all orders."""
    found = carom.sample("rocking_block", 2**16)
    flat = found.velocity[found.status == 0]
    problem = carom.load_scenario("rocking_block").problem
    lifts = flat @ problem.normal_jacobian.T
    exponents = np.linspace(-5.0, 5.0, 51)
    degrees = np.linspace(-0.01, 0.01, 51)
    sweeps = [
        ("stiffness of A over that of B, power of ten", exponents, compliant_contact.landed_with_ratio),
        ("angle of the landing, 0.001 deg", 1e3 * degrees, lambda x: compliant_contact.landed_at(1e-3 * x)),
    ]
    figure = Figure(figsize=(10, 4.6), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    for axes, (label, values, landed) in zip(figure.subplots(1, 2), sweeps):
        ends = np.array([compliant_contact.lifts(landed(value)) for value in values])
        axes.plot(lifts[:, 0], lifts[:, 1], ".", color="#bbbbbb", markersize=5, label="sampled by Carom")
        drawn = axes.scatter(ends[:, 0], ends[:, 1], c=values, s=14, cmap="coolwarm", zorder=3)
        limit = 0.21 * compliant_contact.DROP_SPEED
        for line in (axes.axvline, axes.axhline):
            line(limit, color="#555555", linestyle=":", linewidth=0.8,
                 label="proved end of the set" if line == axes.axvline else None)  # fmt: skip
        axes.set(xlabel="normal speed of A, m/s", ylabel="normal speed of B, m/s",
                 title=f"compliant corners: at most {ends.max():.5f} m/s")  # fmt: skip
        axes.legend(frameon=False, fontsize=8, loc="upper right")
        figure.colorbar(drawn, ax=axes, label=label)
        print(f"{label}: at most {ends.max():.7f} m/s")
    figure.suptitle(f"Block that lands on two corners (Figure 12); rigid corners lift at most {limit:.6f} m/s")
    figure.savefig(path)


FIGURES = {"halm-7": half_cycle_bodies, "halm-8": zeno, "halm-12": compliance}
