#!/usr/bin/env python3
"""Counts the instructions per LCP of the CPU's sampler with callgrind and compares them with
instruction_counts.json: a slower step fails here, whatever else the machine does.

    check_instructions.py COUNT_STEPS COMPILER [--update]

Exit code 77, which ctest takes for "skipped", where the figures would be of another program: another
compiler than the stored figures' one, no valgrind, no AVX2."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

STORED = Path(__file__).with_name("instruction_counts.json")
ALLOWED = 1.03  # the rest of the program moves code about a little
FEW, MANY = 1024, 4096
# Paths of pivots remembered, known modes, plain Lemke (a random covering vector is never remembered).
CASES = ["rocking_block first", "compass_gait first", "rocking_block table", "ramone table",
         "rocking_block cover", "disk_stack first"]  # fmt: skip
SKIPPED = 77


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def run(program, case, trajectories):
    """Instructions and LCPs of one run."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out",
             program, *case.split(), str(trajectories)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    lcps, instruction_sets = map(int, done.stdout.split())
    if instruction_sets < 2:
        skip("this processor has no AVX2")
    return int(re.search(r"Collected : (\d+)", done.stderr)[1]), lcps


def main():
    program, compiler = sys.argv[1:3]
    update = "--update" in sys.argv
    if not shutil.which("valgrind"):
        skip("valgrind is not installed")
    stored = json.loads(STORED.read_text()) if STORED.exists() else {}
    if not update and stored.get("compiler") != compiler:
        skip(f"the stored counts are of {stored.get('compiler')}, this is {compiler}")
    counts = {}
    slower = []
    for case in CASES:
        few, few_lcps = run(program, case, FEW)
        many, many_lcps = run(program, case, MANY)
        count = (many - few) / (many_lcps - few_lcps)
        counts[case] = round(count, 1)
        before = stored.get("instructions_per_lcp", {}).get(case)
        ratio = f", {count / before:.3f} of the stored {before}" if before else ""
        print(f"{case}: {count:.1f} instructions per LCP{ratio}")
        if not update and (before is None or count > ALLOWED * before):
            slower.append(case)
    if update:
        STORED.write_text(
            json.dumps({"compiler": compiler, "instructions_per_lcp": counts}, indent=2) + "\n"
        )
        return 0
    if slower:
        print(f"more than {ALLOWED} times the stored count, or none stored: {', '.join(slower)}; mend it, or say why "
              "and store the new counts with --update")  # fmt: skip
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
