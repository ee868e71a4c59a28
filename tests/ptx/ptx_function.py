"""The C++ of a function of PTX: registers are variables, local memory is an array, both full of other bytes at first."""

import re
from functools import lru_cache

from ptx_module import BYTES, Brace, Directive, Instruction, Label, PtxError
from ptx_operations import access_of, atomic_of, operation_of

SPECIAL = {"%tid.x": "thread_index()", "%ctaid.x": "block_index()", "%ntid.x": "block_size()",
           "%nctaid.x": "grid_size()"}  # fmt: skip
REGISTERS = re.compile(r"reg \.(\w+) (%\w+)(?:<(\d+)>)?")
OTHER_REGISTER = re.compile(r"reg \.\w+ \w+")  # of calls, used by nothing
LOCAL = re.compile(r"local \.align \d+ \.b8 ([\w$]+)\[(\d+)\]")
CALL_PARAMETER = re.compile(r"param (?:\.align \d+ )?\.(\w+) ([\w$]+)(?:\[(\d+)\])?")
INTEGER = re.compile(r"(-?)(0x[0-9a-fA-F]+|\d+)U?")
FLOATS = re.compile(r"0([dDfF])([0-9a-fA-F]{16}|[0-9a-fA-F]{8})")
ADDRESS = re.compile(r"\[([%\w$.]+)(?:\+(-?\d+))?\]")
SHUFFLE = {"shfl.sync.down.b32": "shuffle_down", "shfl.sync.idx.b32": "shuffle_index",
           "shfl.sync.bfly.b32": "shuffle_xor"}  # fmt: skip


def is_float(kind):
    return kind[0] == "f"


@lru_cache(maxsize=None)
def identifier(name):
    """As C++ has it; no register has the name of a type."""
    return name.replace("%", "").replace("$", "_") + "_"


class FunctionWriter:
    """Writes one function. `numbers`: of the module's functions, by their names. With `first_slip`, each fused
    product can be rounded twice, and that is the number of the first one."""

    def __init__(self, function, numbers, variables, first_slip=None, shared=()):
        self.function = function
        self.number = numbers[function.name]
        self.numbers = numbers
        self.called = set()
        self.next_slip = first_slip
        self.registers = {}  # name: class
        self.ranges = {}  # what names of many registers begin with: class
        self.symbols = {name: f"u64({identifier(name)})" for name in variables}
        self.shared = shared
        for i, parameter in enumerate(function.parameters):
            self.symbols[parameter.name] = f"u64(parameter[{i}])"
        if function.result:
            self.symbols[function.result.name] = "u64(result)"
        self.local_bytes = 0
        self.pieces = []  # opcodes of straight code and how many
        self.sites = []  # opcodes of loads and stores
        self.used = {}  # registers that the code names: class
        self.lines = []

    # ---- operands
    def class_of(self, register):
        kind = self.registers.get(register)
        if kind is None:
            kind = self.ranges.get(register.rstrip("0123456789"))
            if kind is None:
                raise PtxError(f"a register: {register}")
            self.registers[register] = kind
        self.used.setdefault(register, kind)
        return kind

    def read(self, operand, kind):
        if operand in SPECIAL:
            return f"{kind}({SPECIAL[operand]})"
        if operand[0] in "%!":
            negated = operand[0] == "!"
            register = operand[1:] if negated else operand
            stored = self.class_of(register)
            name = identifier(register)
            if (kind == "pred") != (stored == "pred") or (negated and kind != "pred"):
                raise PtxError(f"{operand} as {kind}")
            if negated:
                return f"!{name}"
            if kind == stored:
                return name
            if is_float(kind) or is_float(stored):
                if kind[1:] != stored[1:]:
                    raise PtxError(f"{operand} as {kind}")
                return f"__builtin_bit_cast({kind}, {name})"
            return f"{kind}({name})"
        match = FLOATS.fullmatch(operand)
        if match:
            stored = "f64" if match[1] in "dD" else "f32"
            if kind[1:] != stored[1:]:
                raise PtxError(f"{operand} as {kind}")
            bits = f"0x{match[2]}{'ul' if stored == 'f64' else 'u'}"
            return f"__builtin_bit_cast({kind}, {bits})" if is_float(kind) else f"{kind}({bits})"
        match = INTEGER.fullmatch(operand)
        if match and kind in BYTES and not is_float(kind):
            number = int(match[1] + match[2], 0) & ((1 << 8 * BYTES[kind]) - 1)
            return f"{kind}({number:#x}ul)"
        if match and kind == "pred":
            return "true" if int(match[2], 0) else "false"
        if operand in self.symbols and kind in ("u64", "b64"):
            return self.symbols[operand]
        if operand in self.shared and kind in ("u32", "b32", "u64", "b64"):
            return f"{kind}(0)"
        raise PtxError(f"{operand} as {kind}")

    def write(self, register, kind, computed):
        if register == "_":
            return f"static_cast<void>({computed});"
        stored = self.class_of(register)
        name = identifier(register)
        if (kind == "pred") != (stored == "pred"):
            raise PtxError(f"{register} as {kind}")
        if kind == stored:
            return f"{name} = {computed};"
        if is_float(kind) or is_float(stored):
            if kind[1:] != stored[1:]:
                raise PtxError(f"{register} as {kind}")
            return f"{name} = __builtin_bit_cast({stored}, {kind}({computed}));"
        if BYTES[kind] > BYTES[stored]:
            raise PtxError(f"{register} as {kind}")
        return f"{name} = {stored}({kind}({computed}));"

    def address(self, operand):
        match = ADDRESS.fullmatch(operand)
        if not match:
            raise PtxError(f"an address: {operand}")
        offset = int(match[2] or 0)
        return f"{self.read(match[1], 'u64')} + u64({offset:#x})" if offset else self.read(match[1], "u64")

    # ---- statements
    def operation(self, opcode, operands):
        result, kinds, computed = operation_of(opcode)
        if len(operands) != 1 + len(kinds):
            raise PtxError(f"{len(operands)} operands")
        values = dict(zip("abcd", map(self.read, operands[1:], kinds)))
        if self.next_slip is not None and opcode == "fma.rn.f64":
            computed = f"slip == {self.next_slip} ? a * b + c : {computed}"
            self.next_slip += 1
        computed = re.sub(r"\b[abcd]\b", lambda name: values[name[0]], computed)
        return self.write(operands[0], result, computed)

    def access(self, opcode, operands):
        verb, space, count, kind = access_of(opcode)
        place, numbers = (operands[1], operands[0]) if verb == "ld" else (operands[0], operands[1])
        registers = [one.strip() for one in numbers.strip("{}").split(",")]
        if len(registers) != count:
            raise PtxError(f"{len(registers)} numbers")
        begin = "shared_memory() + " if space == "shared" else ""
        code = [f"const u64 at = {begin}{self.address(place)};"]
        if space != "param":
            code.append(f"PTX_TOUCH({self.number}, {len(self.sites)}, at, {count * BYTES[kind]}, {str(verb == 'st').lower()});")
            self.sites.append(opcode)
        for i, register in enumerate(registers):
            at = f"at + {i * BYTES[kind]}" if i else "at"
            if verb == "ld":
                code.append(self.write(register, kind, f"*({kind}_at*)({at})"))
            else:
                code.append(f"*({kind}_at*)({at}) = {self.read(register, kind)};")
        return "{ " + " ".join(code) + " }"

    def atomic(self, opcode, operands):
        computed, kind = atomic_of(opcode)
        values = {name: self.read(operand, kind) for name, operand in zip("bc", operands[2:])}
        computed = re.sub(r"\b[bc]\b", lambda name: values[name[0]], computed)
        touched = f"PTX_TOUCH({self.number}, {len(self.sites)}, at, {BYTES[kind]}, true);"
        self.sites.append(opcode)
        return (f"{{ const u64 at = {self.address(operands[1])}; {touched} const {kind} old = *({kind}_at*)at; "
                f"*({kind}_at*)at = {kind}({computed}); {self.write(operands[0], kind, 'old')} }}")  # fmt: skip

    def call(self, operands):
        names = [operand.strip("() ") for operand in operands]
        at = next((i for i, name in enumerate(names) if name in self.numbers), None)
        if at is None:
            raise PtxError("a function that is not there")
        self.called.add(names[at])
        given = names[at + 1] if at + 1 < len(names) else ""
        result = identifier(names[0]) if at == 1 else "nullptr"
        given = ", ".join(identifier(name.strip()) for name in given.split(",") if name.strip())
        return f"{{ const u8* const given[] = {{{given or 'nullptr'}}}; run_{self.numbers[names[at]]}(given, {result}); }}"

    def move_parts(self, opcode, operands):
        """A number into its parts, or the reverse."""
        kind = opcode.split(".")[1]
        into_parts = operands[0].startswith("{")
        parts = [one.strip() for one in operands[0 if into_parts else 1].strip("{}").split(",")]
        bits = 8 * BYTES[kind] // len(parts)
        if into_parts:
            whole = self.read(operands[1], kind)
            return " ".join(self.write(part, f"b{bits}", f"{whole} >> {i * bits}") for i, part in enumerate(parts))
        joined = " | ".join(f"u64({self.read(part, f'b{bits}')}) << {i * bits}" for i, part in enumerate(parts))
        return self.write(operands[0], kind, joined)

    def shuffle(self, opcode, operands):
        target, _, inside = operands[0].partition("|")
        arguments = [self.read(operands[i], "u32") for i in (4, 1, 2, 3)]
        told = self.write(inside, "pred", "inside") if inside else ""
        return (f"{{ bool inside = false; const u32 got = {SHUFFLE[opcode]}({', '.join(arguments)}, inside); "
                f"{self.write(target, 'b32', 'got')} {told} }}")  # fmt: skip

    def code_of(self, instruction):
        opcode, operands = instruction.opcode, instruction.operands
        if opcode in ("bra", "bra.uni"):
            return f"goto {identifier(operands[0])};"
        if opcode in ("ret", "exit"):
            return "return;"
        if opcode in ("call", "call.uni"):
            return self.call(operands)
        if opcode == "trap":
            return "__builtin_trap();"
        if opcode == "bar.warp.sync":
            return f"wait_for_warp({self.read(operands[0], 'u32')});"
        if opcode in SHUFFLE:
            return self.shuffle(opcode, operands)
        if opcode.startswith("mov.b") and "{" in "".join(operands):
            return self.move_parts(opcode, operands)
        if access_of(opcode):
            return self.access(opcode, operands)
        if atomic_of(opcode):
            return self.atomic(opcode, operands)
        if operation_of(opcode):
            return self.operation(opcode, operands)
        raise PtxError("no translation")

    def direct(self, words):
        if words.startswith("pragma") or OTHER_REGISTER.fullmatch(words):
            return
        match = REGISTERS.fullmatch(words)
        if match:
            kind, name, many = match.groups()
            (self.ranges if many else self.registers)[name] = kind
            return
        match = LOCAL.fullmatch(words)
        if match and not self.local_bytes:
            self.symbols[match[1]] = "u64(local_memory)"
            self.local_bytes = int(match[2])
            return
        match = CALL_PARAMETER.fullmatch(words)
        if not match:
            raise PtxError(words)
        kind, name, count = match.groups()
        self.symbols[name] = f"u64({identifier(name)})"
        self.lines.append(f"alignas(16) u8 {identifier(name)}[{BYTES[kind] * int(count or 1)}];")

    def begin_piece(self):
        self.lines.append(f"PTX_PIECE({len(self.pieces)});")
        self.pieces.append({})

    def text(self):
        """The C++ of the whole function."""
        self.begin_piece()
        for statement in self.function.body:
            try:
                self.add(statement)
            except PtxError as error:
                raise PtxError(f"{error}, in `{getattr(statement, 'text', statement)}` of {self.function.name}") from None
        head = [f"void run_{self.number}([[maybe_unused]] const u8* const* parameter, [[maybe_unused]] u8* result) {{"]
        if self.local_bytes:
            head += [f"alignas(64) u8 local_memory[{self.local_bytes}];",
                     "__builtin_memset(local_memory, 0xa5, sizeof local_memory);"]  # fmt: skip
        for kind in dict.fromkeys(self.used.values()):
            names = [identifier(register) for register, its_kind in self.used.items() if its_kind == kind]
            head.append(f"{kind} {', '.join(f'{name} = unset_{kind}' for name in names)};")
        instructions = ", ".join(str(sum(piece.values())) for piece in self.pieces)
        head.append(f"PTX_COUNTS({self.number}, {instructions});")
        return "\n".join([*head, *self.lines, "}", ""])

    def add(self, statement):
        if isinstance(statement, Directive):
            self.direct(statement.words)
        elif isinstance(statement, Label):
            self.lines.append(f"{identifier(statement.name)}:;")
            if self.pieces[-1]:
                self.begin_piece()
            else:  # nothing since the last one: the label joins it
                self.lines.append(f"PTX_PIECE({len(self.pieces) - 1});")
        elif isinstance(statement, Brace):
            self.lines.append(statement.text)
        elif isinstance(statement, Instruction):
            piece = self.pieces[-1]
            piece[statement.opcode] = piece.get(statement.opcode, 0) + 1
            code = self.code_of(statement)
            if statement.guard:
                condition = self.read(statement.guard, "pred")
                code = f"if ({condition}) {{ {code} }}"
            self.lines.append(code)
            if statement.opcode.startswith(("bra", "call")):
                self.begin_piece()
