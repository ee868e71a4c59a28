#!/usr/bin/env python3
"""Many worlds of MuJoCo Warp whose impacts are random outcomes of the set-valued law.

    python3 examples/mujoco_warp_worlds.py

A robot dog lands, in every world from the same state. On a CUDA device, worlds and impacts stay there.
"""

import argparse
import sys
import time
from pathlib import Path

import carom
import mujoco
import mujoco_warp
import numpy as np
import warp as wp
from carom.mujoco_warp import NO_OUTCOME, OUTCOME, Impacts

MODEL = Path(__file__).resolve().parents[1] / "scenarios/mujoco/quadruped.xml"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", default=str(MODEL), help="MJCF file with a keyframe")
    parser.add_argument("--worlds", type=int, default=64)
    parser.add_argument("--duration", type=float, default=0.5, help="s")
    parser.add_argument("--device", help="of Warp: cpu or cuda:0; default: Warp's own choice")
    parser.add_argument("--law", choices=["set_valued", "none"], default="set_valued")
    parser.add_argument("--threshold", type=float, default=0.2, help="m/s: slower is MuJoCo's alone")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main():
    given = arguments()
    if given.worlds < 1 or not given.duration > 0:
        sys.exit("--worlds must be at least 1, and --duration positive")
    wp.config.quiet = True
    try:
        its = mujoco.MjModel.from_xml_path(given.model)
    except ValueError as error:
        sys.exit(f"--model: {error}")
    start = mujoco.MjData(its)
    mujoco.mj_resetDataKeyframe(its, start, 0)
    mujoco.mj_forward(its, start)
    steps = max(1, round(given.duration / its.opt.timestep))
    with wp.ScopedDevice(given.device or wp.get_preferred_device()) as device:
        model = mujoco_warp.put_model(its)
        data = mujoco_warp.put_data(its, start, nworld=given.worlds)
        impacts = None
        if given.law == "set_valued":
            if device.is_cuda:
                law = carom.DeviceImpactLaw(given.seed, device=device.ordinal)
            else:
                law = carom.ImpactLaw(given.seed)
            impacts = Impacts(model, data, law, threshold=given.threshold)
        counts = np.zeros(3, dtype=int)
        begun = time.perf_counter()
        for step in range(steps):
            if impacts is not None:
                mujoco_warp.fwd_position(model, data)
                counts += np.bincount(impacts(step).numpy(), minlength=3)
            mujoco_warp.step(model, data)
        position = data.qpos.numpy()
        seconds = time.perf_counter() - begun
    print(f"{given.worlds} worlds on {device.alias}, {steps} steps of {its.opt.timestep:g} s")
    print(f"impacts: {counts[OUTCOME]}, and {counts[NO_OUTCOME]} without an outcome")
    spread = position.std(axis=0)
    print(f"spread at the end: qpos[:3] {spread[:3].round(4)}, at most {spread.max():.3f} (qpos[{spread.argmax()}])")
    print(f"us per world and step: {1e6 * seconds / (given.worlds * steps):.1f}, code that Warp had to compile included")


if __name__ == "__main__":
    sys.exit(main())
