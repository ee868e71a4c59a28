#!/usr/bin/env python3
"""Many MuJoCo worlds whose impacts are random outcomes of the set-valued law.

    python3 examples/mujoco_worlds.py

A robot dog lands, in every world from the same state. Without the law (--law none), all worlds would
stay the same: the printed spread is what the order of impacts leaves open.
"""

import argparse
import sys
import time
from pathlib import Path

import carom
import mujoco
import numpy as np
from carom.mujoco import Worlds

MODEL = Path(__file__).resolve().parents[1] / "scenarios/mujoco/quadruped.xml"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", default=str(MODEL), help="MJCF file with a keyframe")
    parser.add_argument("--worlds", type=int, default=256)
    parser.add_argument("--duration", type=float, default=0.5, help="s")
    parser.add_argument("--law", choices=["set_valued", "none"], default="set_valued")
    parser.add_argument("--threshold", type=float, default=0.2, help="m/s: slower is MuJoCo's alone")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main():
    given = arguments()
    if given.worlds < 1 or not given.duration > 0:
        sys.exit("--worlds must be at least 1, and --duration positive")
    try:
        model = mujoco.MjModel.from_xml_path(given.model)
    except ValueError as error:
        sys.exit(f"--model: {error}")
    law = carom.ImpactLaw(given.seed) if given.law == "set_valued" else None
    worlds = Worlds(model, given.worlds, law, threshold=given.threshold)
    for data in worlds.datas:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    steps = max(1, round(given.duration / model.opt.timestep))
    start = time.perf_counter()
    worlds.step(steps)
    seconds = time.perf_counter() - start
    print(f"{given.worlds} worlds, {steps} steps of {model.opt.timestep:g} s")
    counts = zip(worlds.counts, carom.STATUS)
    print("impacts:", ", ".join(f"{count} {name}" for count, name in counts if count) or "none")
    spread = np.std([data.qpos for data in worlds.datas], axis=0)
    print(f"spread at the end: qpos[:3] {spread[:3].round(4)}, at most {spread.max():.3f} (qpos[{spread.argmax()}])")
    print(f"us per world and step: {1e6 * seconds / (given.worlds * steps):.1f}")


if __name__ == "__main__":
    sys.exit(main())
