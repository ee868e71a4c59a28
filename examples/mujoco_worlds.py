#!/usr/bin/env python3
"""Many MuJoCo worlds whose impacts are random outcomes of the set-valued law.

    python3 examples/mujoco_worlds.py

A robot dog lands, in every world from the same state. Before a step, where contacts approach faster
than a threshold, the velocity becomes an outcome of the law; all the rest is MuJoCo's. Without that,
all worlds would stay the same: the printed spread is what the order of impacts leaves open.
"""

import argparse
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import mujoco
import numpy as np

import carom
import carom.mujoco

MODEL = Path(__file__).resolve().parents[1] / "scenarios/mujoco/quadruped.xml"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", default=str(MODEL), help="MJCF file with a keyframe")
    parser.add_argument("--worlds", type=int, default=256)
    parser.add_argument("--duration", type=float, default=0.5, help="s")
    parser.add_argument("--threshold", type=float, default=0.2, help="m/s: slower is MuJoCo's alone")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main():
    given = arguments()
    model = mujoco.MjModel.from_xml_path(given.model)
    worlds = [mujoco.MjData(model) for _ in range(given.worlds)]
    for data in worlds:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    law = carom.ImpactLaw(given.seed, threads=given.threads)
    parts = np.array_split(np.arange(given.worlds), given.threads)
    seconds = dict.fromkeys(["mj_fwdPosition", "contacts", "law", "mj_step"], 0.0)
    counts = {}
    steps = round(given.duration / model.opt.timestep)
    with ThreadPoolExecutor(given.threads) as pool:

        def in_all_worlds(function):  # MuJoCo lets other threads run meanwhile
            start = time.perf_counter()
            list(pool.map(lambda part: [function(model, worlds[i]) for i in part], parts))
            seconds[function.__name__] += time.perf_counter() - start

        for step in range(steps):
            in_all_worlds(mujoco.mj_fwdPosition)
            start = time.perf_counter()
            arrays = carom.mujoco.contacts(model, worlds)
            seconds["contacts"] += time.perf_counter() - start
            velocity = arrays["pre_impact_velocity"]
            speed = np.einsum("bmn,bn->bm", arrays["normal_jacobian"], velocity)
            hit = (speed < -given.threshold).any(axis=1)  # not active: 0
            if hit.any():
                arrays["active"] &= hit[:, None]  # the others keep their velocity, and their index
                start = time.perf_counter()
                outcomes = law(step, **arrays)
                seconds["law"] += time.perf_counter() - start
                for world in np.flatnonzero(hit):
                    name = carom.STATUS[outcomes.status[world]]
                    counts[name] = counts.get(name, 0) + 1
                    if name == "separated":
                        worlds[world].qvel[:] = outcomes.velocity[world]
            in_all_worlds(mujoco.mj_step)
    print(f"{given.worlds} worlds, {steps} steps of {model.opt.timestep:g} s")
    print("impacts:", ", ".join(f"{n} {name}" for name, n in counts.items()) or "none")
    spread = np.std([data.qpos for data in worlds], axis=0)
    print(f"spread at the end: qpos[:3] {spread[:3].round(4)}, at most {spread.max():.3f} (qpos[{spread.argmax()}])")
    whole = given.worlds * steps * 1e-6
    print("us per world and step:", {name: round(s / whole, 2) for name, s in seconds.items()})


if __name__ == "__main__":
    sys.exit(main())
