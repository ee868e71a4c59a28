"""Reads the text of PTX that nvcc wrote: functions with their parameters and statements, and global variables."""

import re
from dataclasses import dataclass, field

BYTES = {f"{kind}{bits}": bits // 8 for kind in "usbf" for bits in (8, 16, 32, 64)}


class PtxError(Exception):
    """What PTX says that is not understood, or not allowed."""


@dataclass
class Parameter:
    name: str
    bytes: int


@dataclass
class Instruction:
    opcode: str
    operands: list
    guard: str = ""  # register, with "!" where the instruction is left out if it is true
    text: str = ""


@dataclass
class Label:
    name: str


@dataclass
class Brace:
    text: str


@dataclass
class Directive:
    words: str  # without the dot


@dataclass
class Function:
    name: str
    is_kernel: bool
    parameters: list
    result: Parameter | None
    body: list = field(default_factory=list)


@dataclass
class Module:
    functions: list = field(default_factory=list)
    variables: dict = field(default_factory=dict)  # name: bytes, all zero
    shared: set = field(default_factory=set)  # names of the shared memory that a grid brings along


HEAD = re.compile(r"(?:\.(?:visible|weak|extern)\s+)?\.(entry|func)\s*(?:\(([^)]*)\))?\s*([\w$]+)\s*\(([^)]*)\)")
PARAMETER = re.compile(r"\.param\s+(?:\.align\s+\d+\s+)?\.(\w+)\s+([\w$]+)(?:\[(\d+)\])?")
VARIABLE = re.compile(r"(?:\.visible\s+)?\.global\s+\.align\s+\d+\s+\.(\w+)\s+([\w$]+)\[(\d+)\]")
SHARED = re.compile(r"\.extern\s+\.shared\s+\.align\s+\d+\s+\.b8\s+([\w$]+)\[\]")
BRACKETS = re.compile(r"[{(\[]")
SETTINGS = (".version", ".target", ".address_size")


def parameter_of(text):
    match = PARAMETER.fullmatch(text.strip())
    if not match:
        raise PtxError(f"a parameter: {text.strip()}")
    kind, name, count = match.groups()
    return Parameter(name, BYTES[kind] * int(count or 1))


def parameters_of(text):
    return [parameter_of(part) for part in text.split(",") if part.strip()]


def split_operands(text):
    """At the commas that stand in no brackets."""
    if not BRACKETS.search(text):  # most
        return [part.strip() for part in text.split(",")] if text else []
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        if char in "{[(":
            depth += 1
        elif char in "}])":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    rest = text[start:].strip()
    return parts + [rest] if rest else parts


def instruction_of(text):
    guard = ""
    if text.startswith("@"):
        guard, _, text = text[1:].partition(" ")
    opcode, _, operands = text.partition(" ")
    return Instruction(opcode, split_operands(operands), guard, text)


def statement_of(text):
    return Directive(text[1:]) if text.startswith(".") else instruction_of(text)


def lines_of(text):
    """Without comments and empty lines; a brace beside a statement has a line of its own."""
    for line in text.splitlines():
        line = line.partition("//")[0].strip()
        if line.startswith("{ ."):
            yield "{"
            line = line[2:]
        if line.endswith("; }"):
            yield line[:-2]
            line = "}"
        if line:
            yield line


def read_module(text):
    """nvcc writes a statement, a label or a brace per line, and calls and heads of functions on several."""
    module = Module()
    function = None
    depth = 0
    pending = ""
    for line in lines_of(text):
        if not pending and function is not None:
            if line in "{}":
                depth += 1 if line == "{" else -1
                if depth > 0:
                    function.body.append(Brace(line))
                else:
                    function = None
                continue
            if line.endswith(":"):
                function.body.append(Label(line[:-1]))
                continue
        elif not pending and line.startswith(SETTINGS):
            continue
        pending = " ".join(f"{pending} {line}".split()) if pending else " ".join(line.split())
        if function is None:
            head = HEAD.match(pending)
            if head and line == "{":
                kind, result, name, parameters = head.groups()
                function = Function(name, kind == "entry", parameters_of(parameters),
                                    parameter_of(result) if result and result.strip() else None)  # fmt: skip
                module.functions.append(function)
                depth, pending = 1, ""
            elif line.endswith(";"):  # a variable, or a function that is defined later
                variable = VARIABLE.fullmatch(pending[:-1])
                shared = SHARED.fullmatch(pending[:-1])
                if variable:
                    kind, name, count = variable.groups()
                    module.variables[name] = BYTES[kind] * int(count)
                elif shared:
                    module.shared.add(shared[1])
                elif not head:
                    raise PtxError(pending)
                pending = ""
        elif line.endswith(";"):
            function.body.append(statement_of(pending[:-1].strip()))
            pending = ""
    return module
