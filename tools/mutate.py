#!/usr/bin/env python3
"""Changes one operator, constant or assignment at a time and tells which changes no test notices.

A build folder of its own, of one instruction set with vectors, makes a change cheap:
  cmake -S . -B build/mutants -G Ninja -DCMAKE_BUILD_TYPE=Release -DCAROM_CUDA=OFF \\
    -DCAROM_HAS_X86_LEVELS=OFF -DCMAKE_CXX_FLAGS=-march=x86-64-v3 "-DCAROM_PORTABLE_FLAGS=-O1;-Wno-error"
  tools/mutate.py --count 20 --filter 'Lemke*:PivotTrees*' kernels/lcp/*.hpp | tee mutants.txt
  tools/mutate.py --again mutants.txt --filter 'Lemke*:PivotTrees*'   # those that survived
"""
import argparse
import collections
import hashlib
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys

# What clang-format sets spaces around is an operator of two operands.
SWAPS = {" + ": " - ", " - ": " + ", " * ": " / ", " / ": " * ", " < ": " <= ", " <= ": " < ",
         " > ": " >= ", " >= ": " > ", " == ": " != ", " != ": " == ", " && ": " || ",
         " || ": " && ", " += ": " -= ", " -= ": " += ", " & ": " | ", " | ": " & ",
         " << ": " >> ", " >> ": " << ", "larger(": "smaller(", "smaller(": "larger(",
         "std::min(": "std::max(", "std::max(": "std::min(", "true": "false", "false": "true",
         "continue;": ";", "break;": ";"}
RULES = [(re.compile(r"(?<![\w])" * key[0].isalpha() + re.escape(key)), lambda m, to=to: to)
         for key, to in SWAPS.items()]
RULES += [
    (re.compile(r"!(?=[\w(])"), lambda m: ""),
    (re.compile(r"(?<![\w.])(?<!e-)\d+(?=u?\b(?!\.))"), lambda m: "1" if m[0] == "0" else "0" if m[0] == "1"
     else str(int(m[0]) + 1)),
    (re.compile(r"(?<![\w.])\d+\.\d+(?=f?\b)"), lambda m: "1.0" if float(m[0]) == 0.0 else
     "0.0" if float(m[0]) == 1.0 else str(2.0 * float(m[0]))),
    # An assignment to what there is: nothing but its name stands before the sign.
    (re.compile(r"(?<=\n)\s*\*?[\w.:>\[\]()-]+ [-+*/|&^]?= [^;\n]*;(?=\n)"), lambda m: ";"),
]
# No places: what is not run, and what cannot be otherwise.
BLANK = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'"
                   r"|(?<=\n)[ \t]*#(?:\\\n|[^\n])*|static_assert\(.*?\);|(?<=\n)template <.*?>\n"
                   r"|__\w+__\(.*?\)", re.S)

Mutant = collections.namedtuple("Mutant", "file line column old new begin end")


def mutants_of(file):
    text = pathlib.Path(file).read_text()
    code = BLANK.sub(lambda m: re.sub(r"[^\n]", "\0", m[0]), text)
    for pattern, change in RULES:
        for m in pattern.finditer(code):
            old = m[0].lstrip("\n")
            begin = m.end() - len(old)
            start = code.rfind("\n", 0, begin) + 1
            yield Mutant(file, code.count("\n", 0, begin) + 1, begin - start + 1, old.strip(),
                         change(m).strip(), begin, m.end())


def describe(mutant):
    return f'{mutant.file}:{mutant.line}:{mutant.column}: "{mutant.old}" -> "{mutant.new}"'


def run(command, cpu_seconds=None):
    """Its exit code and output; it may use so much time of the processor, all threads together."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if cpu_seconds:
            resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
            resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               errors="replace", preexec_fn=limit, start_new_session=True,
                               env={"RC_PARAMS": "seed=20261121", **os.environ})
    try:
        output, _ = process.communicate(timeout=20 * cpu_seconds if cpu_seconds else None)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return -signal.SIGKILL, process.communicate()[0]
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    return process.returncode, output


class Trial:
    def __init__(self, options):
        self.make = ["sh", "-c", options.make]
        self.binary = pathlib.Path(options.binary)
        self.test = [options.binary, "--gtest_fail_fast", "--gtest_brief=1",
                     f"--gtest_filter={options.filter}"]
        self.cpu_seconds = options.timeout
        for command in (self.make, self.test):
            code, output = run(command)
            if code != 0:
                sys.exit(f"{output}\n{command[-1]} fails without any change")
        self.original = self.digest()

    def digest(self):
        return hashlib.sha256(self.binary.read_bytes()).digest()

    def verdict(self):
        """What became of the change that is in the source now."""
        if run(self.make)[0] != 0:
            return "did not compile", ""
        if self.digest() == self.original:
            return "equivalent", ""
        code, output = run(self.test, self.cpu_seconds)
        if code in (-signal.SIGXCPU, -signal.SIGKILL):
            return "timed out", ""
        failed = re.search(r"\[  FAILED  \] ([\w/.]+)", output)
        return ("killed", failed[1] if failed else f"exit {code}") if code else ("survived", "")


def chosen(options):
    places = [m for file in options.files for m in mutants_of(file)]
    if not options.again:
        return random.Random(options.seed).sample(places, min(options.count, len(places)))
    lines = pathlib.Path(options.again).read_text().splitlines()
    told = {line.split(maxsplit=1)[1].split("   ")[0] for line in lines if line.startswith("survived")}
    files = {line.split(":")[0] for line in told}
    return [m for file in files for m in mutants_of(file) if describe(m) in told]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--make", default="ninja -C build/mutants -j1 carom_tests")
    parser.add_argument("--binary", default="./build/mutants/tests/carom_tests")
    parser.add_argument("--filter", default="*", help="of GoogleTest")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=int, default=200, help="processor time of the tests, s")
    parser.add_argument("--again", help="output of a run before: try what survived there")
    options = parser.parse_args()
    for name in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, lambda *_: sys.exit("stopped"))
    trial = Trial(options)
    counts = collections.Counter()
    for mutant in sorted(chosen(options)):  # a file after the other: fewer are compiled again
        path = pathlib.Path(mutant.file)
        text = path.read_text()
        try:
            path.write_text(text[:mutant.begin] + text[mutant.begin:mutant.end].replace(
                mutant.old, mutant.new) + text[mutant.end:])
            verdict, reason = trial.verdict()
        finally:
            path.write_text(text)
        counts[verdict] += 1
        line = text.splitlines()[mutant.line - 1].strip()
        print(f"{verdict:15s} {describe(mutant)}   {reason or line}", flush=True)
    used = os.times()
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()) +
          f"; {used.children_user + used.children_system:.0f} s of the processor")


if __name__ == "__main__":
    main()
