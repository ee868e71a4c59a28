"""What each PTX instruction computes, as C++. An opcode that stands in no table here has no translation, and so
has no floating-point operation that leaves its rounding to ptxas or rounds otherwise than to the nearest, drops
denormal numbers or approximates: those would be other bits than the CPU's, or bits that nobody knows."""

import re
from functools import lru_cache

from ptx_module import BYTES

INT = "[usb](?:8|16|32|64)"
FLOAT = "f(?:32|64)"

# Opcode, with the instruction's type as {t}; the result's type; the operands' types; what is computed of the
# operands a, b, c, d. "t": the instruction's type, of n bits, "w": the integer twice as wide. An integer result is
# cut to its type, so that sums of u64 serve all widths.
OPERATIONS = [
    (f"(?:mov|cvta(?:\\.to)?(?:\\.global|\\.local)?)\\.{{t:{INT}|{FLOAT}|pred}}", "t", "t", "a"),
    # Addresses of shared memory count from its start.
    ("cvta\\.shared\\.{t:u64}", "t", "t", "shared_memory() + a"),
    ("cvta\\.to\\.shared\\.{t:u64}", "t", "t", "a - shared_memory()"),
    (f"add\\.{{t:{INT}}}", "t", "tt", "u64(a) + u64(b)"),
    (f"sub\\.{{t:{INT}}}", "t", "tt", "u64(a) - u64(b)"),
    (f"mul\\.lo\\.{{t:{INT}}}", "t", "tt", "u64(a) * u64(b)"),
    (f"mad\\.lo\\.{{t:{INT}}}", "t", "ttt", "u64(a) * u64(b) + u64(c)"),
    ("mul\\.wide\\.{t:[us](?:16|32)}", "w", "tt", "w(a) * w(b)"),
    ("mad\\.wide\\.{t:[us](?:16|32)}", "w", "ttw", "u64(w(a) * w(b)) + u64(c)"),
    ("mul\\.hi\\.{t:[us](?:32)}", "t", "tt", "(w(a) * w(b)) >> 32"),
    ("div\\.{t:[us](?:16|32|64)}", "t", "tt", "a / b"),
    ("rem\\.{t:[us](?:16|32|64)}", "t", "tt", "a % b"),
    ("min\\.{t:[us](?:16|32|64)}", "t", "tt", "a < b ? a : b"),
    ("max\\.{t:[us](?:16|32|64)}", "t", "tt", "a > b ? a : b"),
    ("neg\\.{t:s(?:16|32|64)}", "t", "t", "-u64(a)"),
    ("abs\\.{t:s(?:16|32|64)}", "t", "t", "a < 0 ? -u64(a) : u64(a)"),
    ("and\\.{t:b(?:16|32|64)|pred}", "t", "tt", "a & b"),
    ("or\\.{t:b(?:16|32|64)|pred}", "t", "tt", "a | b"),
    ("xor\\.{t:b(?:16|32|64)|pred}", "t", "tt", "a ^ b"),
    ("not\\.{t:b(?:16|32|64)}", "t", "t", "~a"),
    ("not\\.{t:pred}", "t", "t", "!a"),
    ("shl\\.{t:b(?:16|32|64)}", "t", ("t", "u32"), "b < n ? u64(a) << b : 0ul"),
    ("shr\\.{t:[ub](?:16|32|64)}", "t", ("t", "u32"), "b < n ? u64(a) >> b : 0ul"),
    ("shr\\.{t:s(?:16|32|64)}", "t", ("t", "u32"), "s64(a) >> (b < 63 ? b : 63)"),
    ("shf\\.l\\.wrap\\.{t:b32}", "t", ("t", "t", "u32"), "u64(b) << (c & 31) | u64(a) >> (32 - (c & 31))"),
    ("shf\\.r\\.wrap\\.{t:b32}", "t", ("t", "t", "u32"), "(u64(b) << 32 | u64(a)) >> (c & 31)"),
    ("bfi\\.{t:b(?:32|64)}", "t", ("t", "t", "u32", "u32"), "put_bits(a, b, c, d)"),
    ("prmt\\.{t:b32}", "t", "ttt", "permute_bytes(a, b, c)"),
    ("brev\\.{t:b(?:32|64)}", "t", "t", "reverse_bits(a)"),
    ("clz\\.{t:b32}", "u32", "t", "a == 0 ? 32 : __builtin_clz(a)"),
    ("clz\\.{t:b64}", "u32", "t", "a == 0 ? 64 : __builtin_clzll(a)"),
    ("popc\\.{t:b(?:32|64)}", "u32", "t", "__builtin_popcountll(a)"),
    ("bfind\\.shiftamt\\.{t:u32}", "u32", "t", "a == 0 ? ~0u : u32(__builtin_clz(a))"),
    (f"selp\\.{{t:{INT}|{FLOAT}}}", "t", ("t", "t", "pred"), "c ? a : b"),
    # Sums, differences and products without .rn may become fused ones.
    (f"add\\.rn\\.{{t:{FLOAT}}}", "t", "tt", "a + b"),
    (f"sub\\.rn\\.{{t:{FLOAT}}}", "t", "tt", "a - b"),
    (f"mul\\.rn\\.{{t:{FLOAT}}}", "t", "tt", "a * b"),
    (f"div\\.rn\\.{{t:{FLOAT}}}", "t", "tt", "a / b"),
    (f"rcp\\.rn\\.{{t:{FLOAT}}}", "t", "t", "t(1) / a"),
    ("fma\\.rn\\.{t:f64}", "t", "ttt", "__builtin_fma(a, b, c)"),
    ("fma\\.rn\\.{t:f32}", "t", "ttt", "__builtin_fmaf(a, b, c)"),
    ("sqrt\\.rn\\.{t:f64}", "t", "t", "__builtin_sqrt(a)"),
    (f"neg\\.{{t:{FLOAT}}}", "t", "t", "-a"),
    ("abs\\.{t:f64}", "t", "t", "__builtin_fabs(a)"),
    ("abs\\.{t:f32}", "t", "t", "__builtin_fabsf(a)"),
    (f"min\\.{{t:{FLOAT}}}", "t", "tt", "lesser(a, b)"),
    (f"max\\.{{t:{FLOAT}}}", "t", "tt", "greater(a, b)"),
    # Conversions that are exact, to the nearest, or say what they cut.
    (f"cvt\\.{{t:{INT}}}\\.(?P<o>{INT})", "t", "o", "a"),
    (f"cvt\\.rn\\.{{t:{FLOAT}}}\\.(?P<o>{INT})", "t", "o", "t(a)"),
    ("cvt\\.rn\\.{t:f32}\\.(?P<o>f64)", "t", "o", "f32(a)"),
    ("cvt\\.{t:f64}\\.(?P<o>f32)", "t", "o", "f64(a)"),
    ("cvt\\.rni\\.{t:f64}\\.(?P<o>f64)", "t", "o", "__builtin_rint(a)"),
    ("cvt\\.rmi\\.{t:f64}\\.(?P<o>f64)", "t", "o", "__builtin_floor(a)"),
    ("cvt\\.rpi\\.{t:f64}\\.(?P<o>f64)", "t", "o", "__builtin_ceil(a)"),
    ("cvt\\.rzi\\.{t:[us](?:32|64)}\\.(?P<o>f64)", "t", "o", "cut<t>(a)"),
    # Exchanges of a warp, that the device plays.
    ("vote\\.sync\\.ballot\\.{t:b32}", "u32", ("pred", "u32"), "ptx::ballot(b, a)"),
    ("match\\.any\\.sync\\.{t:b(?:32|64)}", "u32", ("t", "u32"), "ptx::match_any(b, a)"),
]

SIGNED = {"lt": "a < b", "le": "a <= b", "gt": "a > b", "ge": "a >= b"}
COMPARISONS = {"eq": "a == b", "ne": "a != b"} | SIGNED
# An ordered comparison with a number that is none (NaN) is false, an unordered one true.
FLOAT_COMPARISONS = {
    "eq": "a == b", "ne": "a < b || a > b", **SIGNED,
    "equ": "!(a < b || a > b)", "neu": "a != b", "ltu": "!(a >= b)", "leu": "!(a > b)", "gtu": "!(a <= b)",
    "geu": "!(a < b)", "num": "a == a && b == b", "nan": "a != a || b != b",
}  # fmt: skip
SETP = re.compile(f"setp\\.([a-z]+)(?:\\.(and|or|xor))?\\.({INT}|{FLOAT})")
JOINS = {"and": "&", "or": "|", "xor": "^"}
# At most this accessed at once; volatile ones and those past the first-level cache hold the same numbers.
ACCESS = re.compile(f"(ld|st)(?:\\.volatile)?(?:\\.(global|local|shared|param|const))?(?:\\.nc)?(?:\\.(v[24]))?\\.({INT}|{FLOAT})")
ATOMIC = re.compile("atom(?:\\.global)?\\.(add|min|max|cas)\\.([usb](?:32|64))")
ATOMIC_RESULTS = {"add": "u64(old) + u64(b)", "min": "b < old ? b : old", "max": "b > old ? b : old",
                  "cas": "old == b ? c : old"}  # fmt: skip


def compiled(operation):
    pattern, result, operands, computed = operation
    return re.compile(re.sub(r"\{t:(.*?)\}(?=$|\\|\()", r"(?P<t>\1)", pattern)), result, operands, computed


PATTERNS = [compiled(operation) for operation in OPERATIONS]


def wide(kind):
    """The integer type twice as wide."""
    return kind[0] + str(2 * int(kind[1:]))


@lru_cache(maxsize=None)
def operation_of(opcode):
    """The result's type, the operands' types and what is computed of them; None if the opcode is in no table."""
    setp = SETP.fullmatch(opcode)
    if setp:
        comparison, join, kind = setp.groups()
        computed = (FLOAT_COMPARISONS if kind[0] == "f" else COMPARISONS).get(comparison)
        if kind[0] == "u":  # the same under other names
            computed = computed or {"lo": "a < b", "ls": "a <= b", "hi": "a > b", "hs": "a >= b"}.get(comparison)
        if computed is None:
            return None
        if join is None:
            return "pred", (kind, kind), computed
        return "pred", (kind, kind, "pred"), f"({computed}) {JOINS[join]} c"
    for pattern, result, operands, computed in PATTERNS:
        match = pattern.fullmatch(opcode)
        if match:
            types = {**match.groupdict()}
            if types["t"] in BYTES:
                types["n"] = str(8 * BYTES[types["t"]])
            if types["t"][0] in "us":
                types["w"] = wide(types["t"])
            computed = re.sub(r"\b([twn])\b", lambda name: types[name[1]], computed)
            return types.get(result, result), tuple(types.get(o, o) for o in operands), computed
    return None


def access_of(opcode):
    """ld or st, its space or "", how many numbers, their type; None if the opcode is no access."""
    match = ACCESS.fullmatch(opcode)
    if not match:
        return None
    verb, space, vector, kind = match.groups()
    return verb, space or "", int(vector[1]) if vector else 1, kind


def atomic_of(opcode):
    """What the word becomes, and its type."""
    match = ATOMIC.fullmatch(opcode)
    return (ATOMIC_RESULTS[match[1]], match[2]) if match else None
