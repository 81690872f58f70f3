# SPDX-License-Identifier: Apache-2.0
"""Turns the PTX of a kernel into C++ that runs one of its threads on the host.

So that what NVRTC makes of a kernel can be looked at without a GPU: reads and writes of local
memory are checked, and a compiler's mistake shows as a wrong number. Knows the instructions that
arithmetic on floats and integers takes, and calls without recursion, whose functions share one
local memory; a barrier or any other one is a ValueError with its line. The source of their meaning
is NVIDIA's "Parallel Thread Execution ISA".
"""

from __future__ import annotations

import re

TYPES = {
    **{f"{kind}{bits}": f"uint{bits}_t" for kind in "ub" for bits in (8, 16, 32, 64)},
    **{f"s{bits}": f"int{bits}_t" for bits in (8, 16, 32, 64)},
    "f32": "float",
    "f64": "double",
}
REGISTERS = {
    "pred": "bool", "b16": "uint16_t", "b32": "uint32_t", "b64": "uint64_t",
    "f32": "float", "f64": "double",
}  # fmt: skip
WIDE = {"s16": "int32_t", "u16": "uint32_t", "s32": "int64_t", "u32": "uint64_t"}
ORDERED = {
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    "lo": "<", "ls": "<=", "hi": ">", "hs": ">=",
}  # fmt: skip
UNORDERED = {"equ": "==", "neu": "!=", "ltu": "<", "leu": "<=", "gtu": ">", "geu": ">="}
OPERATORS = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^", "div": "/", "rem": "%"}

PROLOGUE = """
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
template <class T, class S> T as(S s)
{
    if constexpr (sizeof(T) == sizeof(S)) { T t; memcpy(&t, &s, sizeof t); return t; }
    else return (T)s;
}
template <class D, class S> void set(D& d, S s)
{
    if constexpr (sizeof(D) == sizeof(S)) memcpy(&d, &s, sizeof d);
    else d = (D)s;
}
template <class T> T shl(T a, uint32_t n) { return n >= sizeof(T) * 8 ? T(0) : (T)(a << n); }
template <class T> T shr(T a, uint32_t n)
{
    if (n >= sizeof(T) * 8) return a < 0 ? T(-1) : T(0);
    return (T)(a >> n);
}
template <class T> T bfi(T a, T b, uint32_t at, uint32_t size)
{
    const T mask = (T)((size >= sizeof(T) * 8 ? ~T(0) : (T)((T(1) << size) - 1)) << at);
    return (T)((b & ~mask) | ((T)(a << at) & mask));
}
static uint32_t prmt(uint32_t a, uint32_t b, uint32_t selector)
{
    const uint64_t both = a | (uint64_t)b << 32;
    uint32_t r = 0;
    for (int i = 0; i < 4; i++)
    {
        const uint32_t pick = selector >> (4 * i);
        uint8_t byte = (uint8_t)(both >> (8 * (pick & 7)));
        if (pick & 8) byte = byte & 128 ? 255 : 0;
        r |= (uint32_t)byte << (8 * i);
    }
    return r;
}
static void outside(const char* what, int line, long at)
{
    fprintf(stderr, "line %d of the PTX %s local memory at %ld, outside of it\\n", line, what, at);
    exit(9);
}
static unsigned char local_memory[@LOCAL@ + 1];
template <class T, bool is_local> T load(uint64_t address, int line)
{
    const int64_t at = (int64_t)(address - (uint64_t)local_memory);
    if (is_local && (at < 0 || at + (int64_t)sizeof(T) > @LOCAL@)) outside("reads", line, at);
    T t; memcpy(&t, (void*)address, sizeof t); return t;
}
template <class T, bool is_local> void store(uint64_t address, T value, int line)
{
    const int64_t at = (int64_t)(address - (uint64_t)local_memory);
    if (is_local && (at < 0 || at + (int64_t)sizeof(T) > @LOCAL@)) outside("writes", line, at);
    memcpy((void*)address, &value, sizeof value);
}
static uint32_t block_index;
"""


def split_operands(text: str) -> list[str]:
    """Split at commas outside of braces."""
    return [word.strip() for word in re.split(r",(?![^{]*\})", text)] if text else []


def register(operand: str) -> str:
    """Return the C++ name of a register."""
    return "r_" + operand[1:].replace(".", "_")


def value(operand: str, kind: str) -> str:
    """Return a C++ expression of a register, a literal or an address."""
    if operand.startswith("%"):
        return f"as<{kind}>({register(operand)})"
    if operand.startswith("0f"):
        return f"as<float>((uint32_t)0x{operand[2:]})"
    if operand.startswith("0d"):
        return f"as<double>((uint64_t)0x{operand[2:]})"
    if re.fullmatch(r"-?\d+U?", operand):
        return f"({kind})({operand.rstrip('U')}LL)"
    return f"(uint64_t)g_{operand}"


def address(operand: str) -> str:
    """Return a C++ expression of "[%rd1+8]"."""
    base, _, offset = operand.strip("[]").partition("+")
    return f"({value(base, 'uint64_t')} + ({offset or 0}LL))"


SPECIAL = {"%ctaid.x": "block_index", "%ntid.x": "1u"}
"""Of the one thread that runs; all other special registers are 0."""


def move(parts: list[str], operands: list[str]) -> str:
    to, source = operands
    kind = TYPES.get(parts[-1], "bool")
    if re.match(r"%(tid|ctaid|ntid|nctaid)\b", source):
        return f"set({register(to)}, {SPECIAL.get(source, '0u')});"
    if "__local_depot" in source:
        return f"set({register(to)}, (uint64_t)local_memory);"
    if to.startswith("{"):
        low, high = split_operands(to[1:-1])
        whole = f"as<uint64_t>({register(source)})"
        first = f"set({register(low)}, (uint32_t){whole});"
        return f"{first} set({register(high)}, (uint32_t)({whole} >> 32));"
    if source.startswith("{"):
        low, high = (value(word, "uint32_t") for word in split_operands(source[1:-1]))
        return f"set({register(to)}, ((uint64_t){low} | (uint64_t){high} << 32));"
    return f"set({register(to)}, {value(source, kind)});"


def transfer(parts: list[str], operands: list[str], line: int) -> str:
    kind = TYPES[parts[-1]]
    is_local = str("local" in parts).lower()
    is_load = parts[0] == "ld"
    where, what = (operands[1], operands[0]) if is_load else operands
    words = split_operands(what[1:-1]) if what.startswith("{") else [what]
    result = f"{{ const uint64_t at = {address(where)};"
    for number, word in enumerate(words):
        place = f"at + {number} * sizeof({kind})"
        if is_load:
            result += f" set({register(word)}, load<{kind}, {is_local}>({place}, {line}));"
        else:
            result += f" store<{kind}, {is_local}>({place}, {value(word, kind)}, {line});"
    return result + " }"


def compare(parts: list[str], operands: list[str]) -> str:
    kind = TYPES[parts[-1]]
    to, a, b = register(operands[0]), value(operands[1], kind), value(operands[2], kind)
    if parts[1] in ORDERED:
        return f"{to} = {a} {ORDERED[parts[1]]} {b};"
    return f"{to} = {a} != {a} || {b} != {b} || {a} {UNORDERED[parts[1]]} {b};"


def multiply(parts: list[str], operands: list[str]) -> str:
    name = parts[-1]
    kind = WIDE[name] if "wide" in parts else TYPES[name]
    a, b = (f"({kind}){value(word, TYPES[name])}" for word in operands[1:3])
    if "hi" in parts:
        return f"({TYPES[name]})(((__int128){a} * (__int128){b}) >> {name[1:]})"
    summand = f" + {value(operands[3], kind)}" if parts[0] == "mad" else ""
    return f"({kind})({a} * {b}{summand})"


def convert(parts: list[str], operand: str) -> str:
    to, source = TYPES[parts[-2]], value(operand, TYPES[parts[-1]])
    if "rni" in parts:
        return f"({to})std::nearbyint({source})"
    return f"({to})std::trunc({source})" if "rzi" in parts else f"({to}){source}"


def arithmetic(parts: list[str], operands: list[str]) -> str | None:
    """Return a C++ expression of what an instruction without a side effect computes."""
    name = parts[0]
    if name == "cvt":
        return convert(parts, operands[1])
    if name in ("mul", "mad"):
        return multiply(parts, operands)
    kind = "bool" if parts[-1] == "pred" else TYPES.get(parts[-1], "uint32_t")
    v = [value(word, kind) for word in operands[1:]]
    if name in OPERATORS:
        return f"({kind})({v[0]} {OPERATORS[name]} {v[1]})"
    simple = {
        "cvta": lambda: value(operands[1], "uint64_t"),
        "selp": lambda: f"({register(operands[3])} ? {v[0]} : {v[1]})",
        "not": lambda: f"!{v[0]}" if kind == "bool" else f"({kind})~{v[0]}",
        "neg": lambda: f"({kind})-{v[0]}",
        "abs": lambda: f"({kind})std::abs({v[0]})",
        "min": lambda: f"std::min({v[0]}, {v[1]})",
        "max": lambda: f"std::max({v[0]}, {v[1]})",
        "fma": lambda: f"std::fma({v[0]}, {v[1]}, {v[2]})",
        "shl": lambda: f"shl<{kind}>({v[0]}, {value(operands[2], 'uint32_t')})",
        "shr": lambda: f"shr<{kind}>({v[0]}, {value(operands[2], 'uint32_t')})",
        "prmt": lambda: f"prmt({', '.join(v)})",
        "bfi": lambda: (
            f"bfi<{kind}>({v[0]}, {v[1]}, {value(operands[3], 'uint32_t')},"
            f" {value(operands[4], 'uint32_t')})"
        ),
    }
    return simple[name]() if name in simple else None


def instruction(text: str, line: int) -> str:
    """Return C++ of one instruction. Raises ValueError if it is not known."""
    words = text.rstrip(";").split(None, 1)
    parts = words[0].split(".")
    operands = split_operands(words[1].strip()) if len(words) > 1 else []
    try:
        if parts[0] == "bra":
            return f"goto {label(operands[0])};"
        if parts[0] == "ret":
            return "return;"
        if parts[0] == "mov":
            return move(parts, operands)
        if parts[0] in ("ld", "st"):
            return transfer(parts, operands, line)
        if parts[0] == "setp" and len(operands) == 3:
            return compare(parts, operands)
        expression = arithmetic(parts, operands)
    except KeyError:
        expression = None
    if expression is None:
        raise ValueError(f"line {line} of the PTX: '{text}' is not known")
    return f"set({register(operands[0])}, {expression});"


def label(name: str) -> str:
    return name.replace("$", "l_")


def declaration(text: str) -> str | None:
    """Return C++ of ".reg .b32 %r<8>;", None of any other line."""
    found = re.match(r"\.reg \.(\w+) %(\w+)(?:<(\d+)>)?;", text)
    if found is None:
        return None
    kind, name, count = found.groups()
    names = [f"r_{name}{number}" for number in range(int(count))] if count else [f"r_{name}"]
    return f"static {REGISTERS[kind]} {', '.join(names)};"


def parameters(text: str) -> dict[str, int]:
    """Return the bytes of each parameter that a text declares, by name."""
    found = re.findall(r"\.param (?:\.align \d+ )?\.([bfsu])(\d+) (\w+)(?:\[(\d+)\])?", text)
    return {name: int(bits) // 8 * int(count or 1) for _, bits, name, count in found}


def statements(ptx: str) -> list[tuple[int, str]]:
    """Return the lines without comments; heads and calls that fill several lines are one."""
    result: list[tuple[int, str]] = []
    is_open = False
    for line, whole in enumerate(ptx.splitlines(), 1):
        text = re.sub(r"\s+", " ", whole.split("//")[0]).strip()
        if is_open:
            result[-1] = (result[-1][0], f"{result[-1][1]} {text}")
        elif text:
            result.append((line, text))
        opens = text.startswith((".func", ".visible", "call")) or is_open
        is_open = opens and not (text.endswith(";") or text == ")" or text.endswith("()"))
    return result


class Function:
    """One function of a module: its registers, its place in local memory, its instructions."""

    def __init__(self, head: str, start: int) -> None:
        found = re.match(r"\.(?:visible \.entry|func) (?:\(([^)]*)\) )?([\w$]+) ?\((.*)\)", head)
        if found is None:
            raise ValueError(f"the head of a function is not known: {head}")
        self.result, self.name = list(parameters(found[1] or "")), found[2]
        self.arguments = list(parameters(found[3]))
        self.memory = parameters(head)
        self.start, self.size = start, 0
        self.registers: list[str] = []
        self.body: list[str] = []

    def add(self, text: str, line: int) -> None:
        """Read one statement."""
        if found := re.match(r"\.local .*\.b8 \w+\[(\d+)\];", text):
            self.size = (int(found[1]) + 15) // 16 * 16
        elif declared := declaration(text):
            if "temp_param_reg" not in declared:
                self.registers.append(declared)
        elif text.startswith(".param"):
            for name, size in parameters(text).items():
                self.memory[name] = max(size, self.memory.get(name, 0))
        elif found := re.match(r"(\$\w+):$", text):
            self.body.append(f"{label(found[1])}:;")
        elif text.startswith("call"):
            self.body.append(self.call(text, line))
        elif text[0] not in "{}().":
            guard = re.match(r"@(!?)%(\w+) (.*)", text)
            condition = f"if ({guard[1]}r_{guard[2]}) " if guard else ""
            self.body.append(f"{condition}{{ {instruction(guard[3] if guard else text, line)} }}")

    def call(self, text: str, line: int) -> str:
        found = re.match(r"call\.uni (?:\((\w+)\), )?([\w$]+), \( ?([^)]*?) ?\);", text)
        if found is None:
            raise ValueError(f"line {line} of the PTX: '{text}' is not known")
        name, given = namespace(found[2]), [word.strip() for word in found[3].split(",") if word]
        copies = [
            f"memcpy({name}::g_{found[2]}_param_{number}, g_{word}, {self.memory[word]});"
            for number, word in enumerate(given)
        ]
        back = (
            f"memcpy(g_{found[1]}, {name}::g_func_retval0, {self.memory[found[1]]});"
            if found[1]
            else ""
        )
        return f"{{ {' '.join(copies)} {name}::run(); {back} }}"

    def declare(self) -> str:
        """Return C++ of the registers and parameters, and the head."""
        memory = [f"static unsigned char g_{name}[{size}];" for name, size in self.memory.items()]
        inside = "\n".join([*self.registers, *memory, "static void run();"])
        return f"namespace {namespace(self.name)} {{\n{inside}\n}}"

    def define(self) -> str:
        """Return C++ of the body."""
        body = "\n".join(self.body).replace(
            "(uint64_t)local_memory)", f"(uint64_t)local_memory + {self.start})"
        )
        return f"namespace {namespace(self.name)} {{\nvoid run()\n{{\n{body}\n}}\n}}"


def namespace(name: str) -> str:
    return "f_" + name.replace("$", "_")


def translate(ptx: str) -> str:
    """Return C++ with ``static void kernel()``, and the module's variables as ``g_NAME`` before it.

    Raises:
        ValueError: The module has an instruction that is not known.
    """
    variables: list[str] = []
    functions: list[Function] = []
    for line, text in statements(ptx):
        start = functions[-1].start + functions[-1].size if functions else 0
        if found := re.match(r"\.(?:global|const) .*?\.b8 (\w+)\[(\d+)\](?: = (\{.*\}))?;", text):
            begin = f" = {found[3]}" if found[3] else ""
            variables.append(f"static unsigned char g_{found[1]}[{found[2]}]{begin};")
        elif text.startswith((".func", ".visible .entry")):
            if not text.endswith(";"):
                functions.append(Function(text, start))
        elif functions:
            functions[-1].add(text, line)
    size = functions[-1].start + functions[-1].size
    parts = [PROLOGUE.replace("@LOCAL@", str(size)), *variables]
    parts += [function.declare() for function in functions]
    parts += [function.define() for function in functions]
    return "\n".join(
        [*parts, f"static void kernel() {{ {namespace(functions[-1].name)}::run(); }}\n"]
    )
