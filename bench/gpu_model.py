#!/usr/bin/env python3
"""Predicts how fast the kernels of a run are on a GPU, without one: from counts of nvcc's PTX that ran on the device
that the CPU plays (tests/ptx), from the registers that ptxas gives, and from the data sheet's rates.

    gpu_model.py predict BUILD [--device h200] [--rows N] [--json FILE]
    gpu_model.py compare PREDICTIONS MEASURED...

BUILD is a build folder with CUDA and its target carom_ptx_counts. Nothing that `predict` prints is a measurement: a
kernel is as fast as the slowest of what it needs lets it be (the roofline model), if all warps that fit are always
there. The row "waits" is the other end: each instruction of a warp waits for the one before it. `compare` holds such
a FILE beside what the benchmarks measured on a GPU (JSON of bench_sampler and bench_impact_law)."""

import argparse
import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from machine import commit

CASES = ["rocking_block first", "rocking_block table", "rocking_block all", "compass_gait first",
         "ramone table", "disk_stack first", "four_feet first", "two_planar worlds", "four_feet worlds"]  # fmt: skip


@dataclass
class Gpu:
    """Of NVIDIA's data sheets and its tuning guide for Hopper."""

    name: str
    multiprocessors: int
    clock_ghz: float  # the highest
    memory_gb_per_s: float
    warp_instructions: int = 4  # per multiprocessor and clock
    f64_lanes: int = 64
    l1_bytes: int = 128  # per multiprocessor and clock
    l1_size: int = 256 << 10
    l2_size: int = 50 << 20
    registers: int = 65536
    warps: int = 64  # that a multiprocessor holds
    blocks: int = 32
    shared_bytes: int = 227 << 10  # for its blocks, of which each takes 1 kB more


GPUS = {
    "h100": Gpu("H100 SXM", 132, 1.98, 3350),
    "h200": Gpu("H200 SXM", 132, 1.98, 4800),
}

# Machine instructions of a PTX instruction, and how many of them go to the units of double precision. ptxas expands
# what the hardware does not have; the numbers are those of its code for 9.0, rounded.
EXPANDED = {"div.rn.f64": (20, 10), "rcp.rn.f64": (12, 7), "sqrt.rn.f64": (20, 12), "div.u64": (70, 0),
            "div.s32": (20, 0), "div.u32": (20, 0), "rem.s32": (20, 0), "mul.lo.s64": (4, 0), "mul.lo.u64": (4, 0),
            "max.f64": (4, 1), "min.f64": (4, 1), "abs.f64": (1, 1), "neg.f64": (1, 1)}  # fmt: skip
FREE = re.compile(r"ld\.param.*|st\.param.*|cvta.*|mov\..*")  # constants, or names of registers
F64 = re.compile(r"(add|sub|mul|fma)\.rn\.f64|setp\..*f64|cvt\..*f64.*")
TWO_WORDS = re.compile(r"(add|sub|and|or|xor|shl|shr|selp|setp|min|max|neg)\..*64")
# Clocks until the result is there; of the first-level cache.
LATENCY = {"f64": 8, "other": 5, "local": 33, "global": 33, "shared": 23}


def cost(opcode):
    """Machine instructions, and those of double precision."""
    if opcode in EXPANDED:
        return EXPANDED[opcode]
    if FREE.fullmatch(opcode):
        return 0, 0
    if F64.fullmatch(opcode):
        return 1, 1
    return (2 if TWO_WORDS.fullmatch(opcode) else 1), 0


def tool(name):
    there = Path("/usr/local/cuda/bin") / name
    return str(there) if there.exists() else name


def registers_of(kernel, ptx, architecture):
    """Registers per thread, and bytes of local memory."""
    done = subprocess.run(
        [tool("ptxas"), "-v", f"--gpu-name=sm_{architecture}", f"--entry={kernel}", str(ptx), "-o", "/dev/null"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    used = re.findall(r"Used (\d+) registers", done.stderr)
    stack = re.findall(r"(\d+) bytes cumulative stack size", done.stderr)
    return int(used[-1]), int(stack[-1]) if stack else 0


def totals(counts, functions, of):
    """Instructions of a kernel by opcode; of="lanes" or "warps"."""
    sums = {}
    for number, pieces in counts["functions"].items():
        for times, piece in zip(pieces[of], functions[number]["pieces"]):
            for opcode, count in piece.items():
                sums[opcode] = sums.get(opcode, 0) + times * count
    return sums


def warps_that_fit(registers, shared_bytes, gpu):
    """Registers are given to warps in steps of 256, that is 8 per thread. What shares memory is a block of one warp."""
    fit = min(gpu.warps, gpu.registers // (32 * (-(-registers // 8) * 8)))
    return min(fit, gpu.blocks, gpu.shared_bytes // (shared_bytes + 1024)) if shared_bytes else fit


def wait_for_slowest(turns, warps):
    """Time of a block of so many warps that holds its place until its slowest warp is done, over their mean."""
    blocks = [turns[i : i + warps] for i in range(0, len(turns) - warps + 1, warps)]
    spent = sum(max(block) * warps for block in blocks)
    return spent / sum(map(sum, blocks)) if blocks else 1.0


def short_name(mangled):
    """run_known_kernel, or the law, solver and size of another kernel."""
    kernel = re.search(r"(\w+?)_kernel", re.sub(r"^_ZN5carom\d+", "", mangled))[1]
    law = re.findall(r"(?<=\d)([A-Z][a-zA-Z]+(?:Solutions?|Law))", mangled)
    size = re.search(r"CapacityILi(\d+)", mangled)
    return " ".join([kernel, law[-1] if law else "", f"n <= {size[1]}" if size else ""]).strip()


def predict(counts, functions, registers, gpu, lcps):
    """What a kernel needs per LCP, and how many LCPs a GPU solves per second if it does nothing else."""
    warps = totals(counts, functions, "warps")
    lanes = totals(counts, functions, "lanes")
    machine = sum(n * cost(opcode)[0] for opcode, n in warps.items())
    f64 = sum(n * cost(opcode)[1] for opcode, n in warps.items())
    accesses = counts["accesses"]
    of = lambda what, key: sum(one[key] for kind, one in accesses.items() if kind.startswith(what))  # noqa: E731
    resident = warps_that_fit(registers, counts["shared_bytes"], gpu)
    threads = counts["threads"]
    footprint = counts["local_bytes_touched"] / threads * 32 * resident  # of a multiprocessor
    sectors = of("local", "sectors")
    needs = {  # clocks of a multiprocessor
        "instructions": machine / gpu.warp_instructions,
        "double precision": f64 * 32 / gpu.f64_lanes,
        # Shared memory lies in it.
        "first-level cache": sum(one["lines"] for one in accesses.values()) * 128 / gpu.l1_bytes,
    }
    if footprint * gpu.multiprocessors > gpu.l2_size:  # else local memory stays in caches
        needs["memory"] = sectors * 32 * gpu.clock_ghz * gpu.multiprocessors / gpu.memory_gb_per_s
    waits = (f64 * LATENCY["f64"] + (machine - f64) * LATENCY["other"] +
             sum(of(space, "warps") * LATENCY[space] for space in ("local", "global", "shared"))) / resident  # fmt: skip
    bound = max(needs, key=needs.get)
    per_second = lambda clocks: gpu.multiprocessors * gpu.clock_ghz * 1e9 * lcps / clocks  # noqa: E731
    return {
        "lane instructions": sum(lanes.values()) / lcps,
        "warp instructions": sum(warps.values()) / lcps,
        "lanes at work": sum(lanes.values()) / (32 * sum(warps.values())),
        "local bytes": of("local", "bytes") / lcps,
        "local lines": of("local", "lines") / lcps,
        "shared lines": of("shared", "lines") / lcps,
        "global bytes": of("global", "bytes") / lcps,
        "global lines": of("global", "lines") / lcps,
        "registers": registers,
        "warps that fit": resident,
        "slowest of 8 warps": wait_for_slowest(counts["turns"], 8),
        "slowest of 2 warps": wait_for_slowest(counts["turns"], 2),
        "LCP/s at most": per_second(needs[bound]),
        "bound": bound,
        "LCP/s with waits": per_second(max(waits, needs[bound])),
    }


FORMATS = {"LCPs per row": "{:.2f}", "lanes at work": "{:.2f}", "slowest of 8 warps": "{:.2f}", "slowest of 2 warps": "{:.2f}", "bound": "{}",
           "LCP/s at most": "{:.2g}", "LCP/s with waits": "{:.2g}"}  # fmt: skip


def table(rows, gpu):
    print(f"Predicted, not measured: {gpu.name}, {commit()}. Counts are per LCP of the whole run.\n")
    headers = ["run", "kernel", *next(iter(rows.values()))]
    print("| " + " | ".join(headers) + " |")
    print("|" + " --- |" * len(headers))
    for (case, kernel), row in rows.items():
        cells = [FORMATS.get(name, "{:,.0f}").format(value) for name, value in row.items()]
        print("| " + " | ".join([case, kernel, *cells]) + " |")


def measured_rows(run, files):
    """Most rows per second that the benchmarks of a run measured; None: none of them."""
    system, what = run.split()
    pattern = {"worlds": f"impact_law/{system}/cuda/set_valued/", "first": f"sampler/{system}/cuda/kernels/M:"}.get(
        what, f"sampler/{system}/cuda/kernels/solutions:{what}/")  # fmt: skip
    rates = [
        1e6 / one["us/problem"] if "us/problem" in one else one["items_per_second"]
        for file in files for one in json.loads(file.read_text())["benchmarks"] if one["name"].startswith(pattern)
    ]  # fmt: skip
    return max(rates, default=None)


def compare(asked):
    predictions = json.loads(asked.predictions.read_text())
    print(f"Predicted for {predictions['device']} at {predictions['commit']}, and measured: LCP/s, of the best size.\n")
    print("| run | at most | with waits | measured | measured / with waits |")
    print("|" + " --- |" * 5)
    runs = {}
    for one in predictions["predicted"]:
        runs.setdefault(one["run"], []).append(one)
    for run, kernels in runs.items():
        # One kernel after the other.
        most, waiting = (1.0 / sum(1.0 / one[rate] for one in kernels) for rate in ("LCP/s at most", "LCP/s with waits"))
        rows = measured_rows(run, asked.measured)
        found = rows and rows * kernels[0]["LCPs per row"]
        cells = [f"{found:.2g}", f"{found / waiting:.2f}"] if found else ["not measured", ""]
        print("| " + " | ".join([run, f"{most:.2g}", f"{waiting:.2g}", *cells]) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    commands = parser.add_subparsers(required=True)
    predicting = commands.add_parser("predict", help="from counts")
    predicting.set_defaults(run=predict_all)
    predicting.add_argument("build", type=Path)
    predicting.add_argument("--device", choices=GPUS, default="h200")
    predicting.add_argument("--rows", type=int, default=4096, help="trajectories that are counted; few of them leave lanes without a next row")
    predicting.add_argument("--json", type=Path, help="the figures once more")
    predicting.add_argument("--case", action="append", help="system and solutions, such as 'rocking_block table'")
    comparing = commands.add_parser("compare", help="with what was measured")
    comparing.set_defaults(run=compare)
    comparing.add_argument("predictions", type=Path)
    comparing.add_argument("measured", type=Path, nargs="+")
    asked = parser.parse_args()
    asked.run(asked)


def predict_all(asked):
    gpu = GPUS[asked.device]
    folder = asked.build / "tests" / "ptx"
    functions = json.loads((folder / "translated" / "functions.json").read_text())
    files = sorted((folder / "translated").glob("*.ptx"))
    architecture = re.search(r"\.target sm_(\d+)", files[0].read_text()[:4000])[1]
    kernels = {kernel: ptx for ptx in files for kernel in re.findall(r"\.entry (\w+)", ptx.read_text())}
    rows, registers = {}, {}
    for case in asked.case or CASES:
        done = subprocess.run([folder / "carom_ptx_counts", *case.split(), str(asked.rows)], capture_output=True, text=True,
                              check=True)  # fmt: skip
        report = json.loads(done.stdout)
        for kernel, counts in report["kernels"].items():
            if kernel not in registers:
                registers[kernel], _ = registers_of(kernel, kernels[kernel], architecture)
            name = short_name(kernel)
            rows[case, name] = {
                "LCPs per row": report["lcps"] / report["rows"],
                **predict(counts, functions, registers[kernel], gpu, report["lcps"]),
            }
    table(rows, gpu)
    if asked.json:
        listed = [{"run": case, "kernel": kernel, **row} for (case, kernel), row in rows.items()]
        asked.json.write_text(json.dumps({"device": gpu.name, "commit": commit(), "predicted": listed}, indent=1) + "\n")


if __name__ == "__main__":
    main()
