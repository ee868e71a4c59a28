#!/usr/bin/env python3
"""Translates PTX, as nvcc wrote it of the kernels, into C++ that runs on the device that the CPU plays.

    translate_ptx.py FOLDER FILE... [--parts N] [--only REGEX] [--slips REGEX]

takes PTX, or nvcc's object files with PTX that is not compressed, of which those of C++ alone are left out, and
writes part_0.cpp to part_N-1.cpp, table.cpp and functions.json into FOLDER. A function that no line of
ptx_operations.py covers ends the translation, whether it is among the written ones or not.
"""

import argparse
import gc
import json
import re
import sys
from pathlib import Path

from ptx_function import FunctionWriter, identifier
from ptx_module import PtxError, read_module

HEADER = '#include "tests/ptx/ptx_runtime.hpp"\n\nnamespace ptx {\n'


def ptx_of(path):
    """The PTX of a file; of an object file, that of its first architecture; "" if it has none."""
    content = path.read_bytes()
    if not content.startswith(b"\x7fELF"):
        return content.decode()
    begin = content.find(b"\n.version ")
    return content[begin : content.index(b"\0", begin)].decode() if begin >= 0 else ""


class Translation:
    """Functions of several modules, with numbers among all of them."""

    def __init__(self, slips):
        self.slips_in = slips
        self.slips = 0
        self.functions = []  # of FunctionWriter, with their C++
        self.variables = {}

    def add(self, module):
        first = len(self.functions)
        numbers = {function.name: first + i for i, function in enumerate(module.functions)}
        self.variables |= module.variables
        for function in module.functions:
            with_slips = self.slips_in and re.search(self.slips_in, function.name)
            writer = FunctionWriter(function, numbers, module.variables, self.slips if with_slips else None,
                                    module.shared)
            code = writer.text()
            self.slips = writer.next_slip if with_slips else self.slips
            self.functions.append((writer, code))

    def chosen(self, only):
        """Kernels whose names match, and the functions that they call."""
        chosen, open_ = set(), [w for w, _ in self.functions if w.function.is_kernel and re.search(only, w.function.name)]
        while open_:
            writer = open_.pop()
            if writer.number in chosen:
                continue
            chosen.add(writer.number)
            open_ += [self.functions[writer.numbers[name]][0] for name in writer.called]
        return [self.functions[number] for number in sorted(chosen)]


def declarations(numbers):
    return "".join(f"void run_{number}(const u8* const* parameter, u8* result);\n" for number in sorted(numbers))


def write_parts(folder, functions, variables, count):
    """The longest functions first, each into the part that is the shortest yet."""
    parts = [[] for _ in range(count)]
    length = [0] * count
    for writer, code in sorted(functions, key=lambda one: -len(one[1])):
        shortest = length.index(min(length))
        parts[shortest].append((writer, code))
        length[shortest] += len(code)
    known = "".join(f"extern u8 {identifier(name)}[];\n" for name in variables)
    for i, part in enumerate(parts):
        called = {writer.numbers[name] for writer, _ in part for name in writer.called}
        text = [HEADER, known, declarations(called), *(code for _, code in part), "}  // namespace ptx\n"]
        (folder / f"part_{i}.cpp").write_text("\n".join(text))


def write_table(folder, kernels, variables, slips):
    lines = [HEADER, declarations(writer.number for writer in kernels)]
    lines += [f"alignas(16) u8 {identifier(name)}[{size}];" for name, size in variables.items()]
    # The host's function has the same name, unless this build of the launchers has no such kernel.
    lines += [f'extern "C" [[gnu::weak]] void host_{w.number}() __asm__("{w.function.name}");' for w in kernels]
    for writer in kernels:
        sizes = ", ".join(str(parameter.bytes) for parameter in writer.function.parameters)
        lines.append(f"const std::size_t bytes_{writer.number}[] = {{{sizes}}};")
    lines.append("const Kernel kernel[] = {")
    lines += [f'{{reinterpret_cast<const void*>(&host_{w.number}), "{w.function.name}", run_{w.number}, '
              f"bytes_{w.number}, {len(w.function.parameters)}}}," for w in kernels]  # fmt: skip
    lines += ["};", f"const Kernels all_kernels = {{kernel, {len(kernels)}, {slips}}};", "}  // namespace ptx\n"]
    (folder / "table.cpp").write_text("\n".join(lines))


def main():
    gc.disable()  # a million instructions, none of them in a cycle
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--parts", type=int, default=1)
    parser.add_argument("--only", default="", help="kernels to write; all others are only translated")
    parser.add_argument("--slips", default="", help="functions of which one fused product at a time can be rounded twice")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    translation = Translation(asked.slips)
    try:
        for path in asked.files:
            ptx = ptx_of(path)
            translation.add(read_module(ptx))
            # For what reads PTX itself, such as ptxas.
            (asked.folder / path.name.split(".")[0]).with_suffix(".ptx").write_text(ptx)
    except PtxError as error:
        sys.exit(f"translate_ptx: {error}")
    if not translation.functions:
        sys.exit("translate_ptx: no PTX in these files")
    chosen = translation.chosen(asked.only)
    write_parts(asked.folder, chosen, translation.variables, asked.parts)
    kernels = [writer for writer, _ in chosen if writer.function.is_kernel]
    write_table(asked.folder, kernels, translation.variables, translation.slips)
    functions = {
        writer.number: {"name": writer.function.name, "local_bytes": writer.local_bytes,
                        "pieces": writer.pieces, "accesses": writer.sites}
        for writer, _ in chosen
    }  # fmt: skip
    (asked.folder / "functions.json").write_text(json.dumps(functions))
    print(f"{len(translation.functions)} functions translated, {len(chosen)} written, {len(kernels)} of them kernels")


if __name__ == "__main__":
    main()
