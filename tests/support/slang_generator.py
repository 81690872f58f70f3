# SPDX-License-Identifier: Apache-2.0
"""Random Slang functions, the same for the same seed, in which nothing is undefined.

Real numbers that decide something (conditions, conversions to integers) come from the parameters
by sums and products alone, so that functions of different accuracy cannot make other decisions.
The parameter ``e`` is 0: what sines and their kind get in addition, which tells how much an error
of theirs changes.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

PRELUDE = """
struct Cell { float size; int id; float2 place; uint key; bool on; }
Cell moved(Cell c, float by, int k)
{
    c.place = c.place.yx + by;
    c.id += k;
    if ((k & 1) != 0) return c;
    c.size = clamp(c.size * 0.5f - by, -8.f, 8.f);
    c.key ^= uint(k) << 3;
    c.on = !c.on;
    return c;
}
void parted(float a, int k, out float rest, inout int whole)
{
    rest = a * 0.25f;
    if (k > whole) { whole = k - 1; return; }
    rest -= 1;
    whole ^= k;
}
"""
PARAMETERS = "float x, float y, float3 p, int n, uint u, bool b, float e"
ARGUMENTS = "x, y, p, n, u, b, e"
EDGES = (0, -0.0, 1, -1, 0.5, -0.5, 2.5, -2.5, 4, -4, 1 / 1024)
MARGIN = 2e-6
"""Of functions that are not exact."""

_INTEGERS = ("s", "t", "k", "ia[{}]", "c.id", "w.x", "w[{1}]")
_REALS = ("f", "g", "fa[{}]", "c.size", "v.y", "v[{2}]", "c.place.x")
_KINDS = ("float", "int", "uint", "bool", "float3")


@dataclass(frozen=True)
class Program:
    """A function.

    Attributes:
        name: Its name.
        kind: What it returns.
        text: The function and its helper, without ``PRELUDE``.
        falls: Whether a case goes on in the next one: Mesa 22 refuses some such functions.
    """

    name: str
    kind: str
    text: str
    falls: bool

    @property
    def source(self) -> str:
        """All that it takes."""
        return PRELUDE + self.text


def programs(seed: int, count: int) -> list[Program]:
    """Return functions with names from ``f0`` on."""
    return [_Writer(f"{seed} {number}").program(number) for number in range(count)]


def batch(functions: list[Program]) -> str:
    """Return a source with a function ``batch``, which returns what all give in a structure."""
    fields = " ".join(f"{function.kind} {function.name};" for function in functions)
    calls = " ".join(f"r.{f.name} = {f.name}({ARGUMENTS});" for f in functions)
    texts = "".join(function.text for function in functions)
    return (
        f"{PRELUDE}{texts}struct Results {{ {fields} }}\n"
        f"Results batch({PARAMETERS}) {{ Results r; {calls} return r; }}\n"
    )


def inputs(seed: int, count: int) -> dict[str, Any]:
    """Return values of the parameters, of at most 12 significant bits, a third of them edges."""
    draw = np.random.default_rng(seed)

    def reals(*shape: int) -> Any:
        values = draw.integers(-2048, 2048, shape) / 512
        return np.where(draw.random(shape) < 0.33, draw.choice(EDGES, shape), values)

    integers = draw.integers(-2048, 2048, count)
    return {
        "x": reals(count).astype(np.float32),
        "y": reals(count).astype(np.float32),
        "p": reals(count, 3).astype(np.float32),
        "n": np.where(draw.random(count) < 0.33, draw.integers(-2, 3, count), integers).astype(
            np.int32
        ),
        "u": np.where(draw.random(count) < 0.33, 0, draw.integers(0, 4096, count)).astype(np.int32),
        "b": draw.integers(0, 2, count).astype(bool),
        "e": np.zeros(count, np.float32),
    }


def moved(values: dict[str, Any]) -> list[dict[str, Any]]:
    """Return values that are a few units in the last place away, and what functions err by."""
    found = []
    for sign in (-1, 1):
        near = dict(values)
        for name in ("x", "y", "p"):
            for _ in range(4):
                near[name] = np.nextafter(near[name], np.float32(sign * np.inf))
        found.append(near)
        found.append(values | {"e": np.full_like(values["e"], sign * MARGIN)})
    return found


class _Writer:
    """Writes one function; what it may use of its surroundings is in the fields."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)
        self.counters = 0
        self.in_loop = 0
        self.can_break = False
        self.kind = "float"
        self.helper = ""
        self.rounds = 1
        self.falls = self.random.random() < 0.3
        self.fell = False

    def program(self, number: int) -> Program:
        name, helper = f"f{number}", f"h{number}"
        self.kind = "float"
        body = self.block(2, "    ")
        text = (
            f"float {helper}({PARAMETERS}, inout int k)\n{{\n"
            f"{self.locals()}{body}    return {self.real(2)};\n}}\n"
        )
        self.helper = f"{helper}({ARGUMENTS}, k)"
        self.kind = self.pick(*_KINDS)
        body = self.block(3, "    ") + self.block(3, "    ")
        text += f"{self.kind} {name}({PARAMETERS})\n{{\n    int k = n;\n{self.locals()}{body}"
        text += f"    return {self.result()};\n}}\n"
        return Program(name, self.kind, text, self.fell)

    def locals(self) -> str:
        return (
            "    float f = x, g = 0.5f;\n    int s = 1, t = n;\n    uint q = u;\n"
            "    bool o = b;\n    float3 v = p;\n    int2 w = int2(n, 3);\n"
            "    float fa[4] = { x, 1, y, -2 };\n    int ia[4] = { 1, n, 7, -3 };\n"
            "    Cell c = { y, n, p.xy, u, b };\n"
        )

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def place(self, names: tuple[str, ...]) -> str:
        """Return a variable, at an index that only the values tell if it is an array."""
        name = self.pick(*names)
        if "{}" in name:
            return name.replace("{}", f"({self.integer(1)}) & 3")
        if "{1}" in name:
            return name.replace("{1}", f"({self.integer(1)}) & 1")
        if "{2}" in name:
            return name.replace("{2}", f"uint({self.integer(1)}) % 3")
        return name

    def exact(self, depth: int) -> str:
        """Return a real number that decides something."""
        if depth == 0:
            return self.pick("x", "y", "p.x", "p.y", "p.z", "1", "-0.5f", "0", "float(k & 63)")
        a, b = self.exact(depth - 1), self.exact(0)
        form = self.pick("{a} + {b}", "{a} - {b}", "0.5f * {a}", "abs({a})", "min({a}, {b})")
        return f"({form.format(a=a, b=b)})"

    def real(self, depth: int) -> str:
        if depth == 0 or self.random.random() < 0.15:
            return self.pick("x", "y", "p.z", "0.25f", "-3", "0", self.place(_REALS))
        a, b = self.real(depth - 1), self.real(depth - 1)
        form = self.pick(
            "({a} + {b})",
            "({a} - {b})",
            "({a} * {b})",
            "({a} / (abs({b}) + 0.5f))",
            "min({a}, {b})",
            "max({a}, {b})",
            "abs({a})",
            "(-({a}))",
            "clamp({a}, -1.f, 2.f)",
            "lerp({a}, {b}, 0.25f)",
            "sqrt(abs({a}) + 0.25f)",
            "sin(clamp({a}, -8.f, 8.f) + e)",
            "cos(clamp({a}, -8.f, 8.f) + e)",
            "exp(clamp({a}, -4.f, 2.f) + e)",
            "log(abs({a}) + 0.5f + e)",
            "pow(abs({a}) + 0.5f + e, clamp({b}, -2.f, 2.f))",
            "floor({exact})",
            "frac({exact})",
            "round({exact} + 0.1f)",
            "sign({exact})",
            "step({exact}, 1.f)",
            "smoothstep(-1.f, 1.f, {a})",
            "dot(v, float3({a}, {b}, 1))",
            "length(float2({a}, {b}) + 0.25f)",
            "float({integer} & 255)",
            "(float({integer}) * 1e-9f)",
            "(float({unsigned}) * 1e-9f)",
            "({truth} ? {a} : {b})",
        )
        return self.filled(form, depth, a=a, b=b)

    def filled(self, form: str, depth: int, **known: str) -> str:
        """Put expressions into the braces that the caller has none for."""
        for name in ("exact", "integer", "unsigned", "truth"):
            if f"{{{name}}}" in form:
                known[name] = getattr(self, name)(min(depth, 2) - 1)
        return form.format(**known)

    def integer(self, depth: int) -> str:
        if depth <= 0 or self.random.random() < 0.2:
            edge = self.pick("0", "1", "-1", "9", "int(0x80000000u)", "0x7fffffff")
            return self.pick("n", edge, self.pick("s", "t", "k", "c.id", "w.y"))
        a, b = self.integer(depth - 1), self.integer(depth - 1)
        form = self.pick(
            "({a} + {b})",
            "({a} - {b})",
            "({a} * {b})",
            "({a} & {b})",
            "({a} | {b})",
            "({a} ^ {b})",
            "(~{a})",
            "(-({a}))",
            "({a} << ({b} & 31))",
            "({a} >> ({b} & 31))",
            "({a} / (({b} & 15) + 1))",
            "(({a} & 0x7fffffff) % (({b} & 15) + 1))",
            "min({a}, {b})",
            "max({a}, {b})",
            "abs({a})",
            "clamp({a}, -20, 20)",
            "ia[{a} & 3]",
            "int({unsigned} / 3u)",
            "int(clamp({exact} * 4, -99.f, 99.f))",
            "({truth} ? {a} : {b})",
        )
        return self.filled(form, depth, a=a, b=b)

    def unsigned(self, depth: int) -> str:
        if depth <= 0 or self.random.random() < 0.2:
            return self.pick("u", "q", "c.key", "0xffffffffu", "7u", "0u")
        a, b = self.unsigned(depth - 1), self.unsigned(depth - 1)
        form = self.pick(
            "({a} + {b})",
            "({a} * {b})",
            "({a} - {b})",
            "({a} ^ {b})",
            "({a} >> ({b} & 31))",
            "({a} << ({b} & 31))",
            "({a} / ({b} | 1u))",
            "({a} % ({b} | 1u))",
            "min({a}, {b})",
            "max({a}, {b})",
            "uint({integer})",
            "uint(clamp({exact}, 0.f, 99.f))",
            "({truth} ? {a} : {b})",
        )
        return self.filled(form, depth, a=a, b=b)

    def truth(self, depth: int) -> str:
        if depth < 0:
            return self.pick("b", "o", "c.on")
        compare = self.pick("<", ">", "<=", ">=", "==", "!=")
        form = self.random.randrange(6)
        if form < 2:
            return f"({self.exact(depth)} {compare} {self.exact(0)})"
        if form == 2:
            return f"({self.integer(depth)} {compare} {self.integer(0)})"
        if form == 3:
            return f"({self.unsigned(depth)} {compare} {self.unsigned(0)})"
        a, b = self.truth(depth - 1), self.truth(depth - 1)
        return f"({a} {self.pick('&&', '||', '==')} {b})" if form == 4 else f"(!{a})"

    def result(self) -> str:
        if self.kind == "float":
            return f"{self.real(2)} + f + c.size + fa[s & 3]"
        if self.kind == "float3":
            return f"v * {self.real(1)} + float3(f, c.place)"
        if self.kind == "bool":
            return f"o != {self.truth(1)}"
        if self.kind == "uint":
            return f"{self.unsigned(2)} + q * 31u + c.key + uint(s)"
        return f"{self.integer(2)} + s * 31 + t + k * 7 + w.x + ia[t & 3] + c.id"

    def assignment(self) -> str:
        return self.random.choice(
            (
                lambda: f"{self.place(_REALS)} = clamp({self.real(3)}, -8.f, 8.f);",
                lambda: f"{self.place(_REALS)} = clamp({self.real(2)}, -8.f, 8.f);",
                lambda: f"{self.place(_INTEGERS)} = {self.integer(3)};",
                lambda: f"{self.place(_INTEGERS)} {self.pick('+', '^', '*')}= {self.integer(2)};",
                lambda: f"q = {self.unsigned(3)};",
                lambda: f"o = {self.truth(1)};",
                lambda: f"v = clamp(v.zxy * {self.real(1)}, -8.f, 8.f);",
                lambda: f"v = clamp(cross(v, float3({self.real(1)}, f, 1)), -8.f, 8.f);",
                lambda: f"w = w.yx + int2({self.integer(1)}, 1);",
                lambda: f"c = moved(c, {self.exact(1)}, {self.integer(1)});",
                lambda: f"parted({self.exact(1)}, {self.integer(1)}, {self.pick('f', 'g')}, s);",
                lambda: f"g = clamp({self.helper}, -8.f, 8.f);" if self.helper else "o = !o;",
            )
        )()

    def block(self, depth: int, indent: str) -> str:
        count = self.random.randint(1, 3)
        return "".join(self.statement(depth, indent) for _ in range(count))

    def statement(self, depth: int, indent: str) -> str:
        chance = self.random.random()
        if depth == 0 or chance < 0.35:
            return f"{indent}{self.assignment()}\n"
        inner = indent + "    "
        if chance < 0.5:
            then, other = self.block(depth - 1, inner), self.block(depth - 1, inner)
            return f"{indent}if ({self.truth(1)})\n{indent}{{\n{then}{indent}}}\n" + (
                f"{indent}else\n{indent}{{\n{other}{indent}}}\n" if chance < 0.43 else ""
            )
        if chance < 0.75 and self.rounds <= 6:
            return self.loop(depth, indent)
        if chance < 0.85:
            return self.switch(depth, indent)
        if chance < 0.9:
            return f"{indent}if ({self.truth(1)}) return {self.result()};\n"
        if self.in_loop and chance < 0.95:
            return f"{indent}if ({self.truth(1)}) continue;\n"
        if self.can_break:
            return f"{indent}if ({self.truth(1)}) break;\n"
        return f"{indent}{self.assignment()}\n"

    def loop(self, depth: int, indent: str) -> str:
        self.counters += 1
        i, bound = f"i{self.counters}", self.random.randint(1, 4)
        before = self.can_break, self.in_loop, self.rounds
        self.can_break, self.in_loop, self.rounds = True, 1, self.rounds * bound
        body = self.block(depth - 1, indent + "    ")
        self.can_break, self.in_loop, self.rounds = before
        braces = f"\n{indent}{{\n{indent}    k += {i};\n{body}{indent}}}"
        form = self.random.randrange(5)
        if form == 0:
            return f"{indent}int {i} = 0;\n{indent}while ({i}++ < {bound}){braces}\n"
        if form == 1:
            condition = f"while ({i}++ < {bound} && {self.truth(0)});"
            return f"{indent}int {i} = 0;\n{indent}do{braces} {condition}\n"
        limit = self.pick(f"{bound}", f"clamp(n, 1, {bound})", f"int(u % {bound + 1}u)")
        return f"{indent}for (int {i} = 0; {i} < {limit}; {i}++){braces}\n"

    def switch(self, depth: int, indent: str) -> str:
        before = self.can_break
        text = f"{indent}switch ({self.integer(1)} & 3)\n{indent}{{\n"
        self.can_break = True
        inner, falls = indent + "    ", False
        for case in self.random.sample(range(4), self.random.randint(1, 4)):
            fell, falls = falls, self.falls and self.random.random() < 0.5
            self.fell = self.fell or fell
            body = self.block(0 if fell or falls else depth - 1, inner)
            text += f"{indent}case {case}:\n{body}" + ("" if falls else f"{inner}break;\n")
        if self.random.random() < 0.7:
            self.fell = self.fell or falls
            text += f"{indent}default:\n{self.block(0 if falls else depth - 1, inner)}"
        self.can_break = before
        return f"{text}{indent}    break;\n{indent}}}\n"
