# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501 (Slang in one line reads better than in two strings)
"""Random differentiable Slang functions: nests of loops, jumps, indexed reads that collide.

Each takes ``float[8] x``, ``float4 v``, a structure ``Block p`` with an array, three integers that bound
loops, and returns a number. ``module_text`` adds functions that compute their derivatives in
reverse and in forward mode.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import weft

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

INPUTS = 16
"""Numbers that a function is differentiated by: x, v, p.a."""

PARAMETERS = "float[8] x, float4 v, Block p, no_diff int n0, no_diff int n1, no_diff int n2"
ARGUMENTS = "x, v, p, n0, n1, n2"
STATE = (
    "float s = 0.5f; float y = 0.1f; float[4] h = { 0.2f, 0.3f, 0.4f, 0.5f }; float4 w = v;"
    " float q = 0.4f, r = 0.6f; float3 c = 0.f; Machine m = { 0.3f, 0.7f };"
)
RESULT = (
    "return s + 0.3f * y + 0.1f * h[0] + 0.2f * h[3] + 0.05f * (w.x + w.z)"
    " + 0.1f * q + 0.2f * dot(c, float3(1.f, 2.f, 3.f)) + 0.3f * m.a * m.b;"
)

PRELUDE = """
struct Block : IDifferentiable
{
    float[4] a;
    [Differentiable] float at(no_diff int i) { return a[i % 4] * 1.1f; }
    [Differentiable] float both(no_diff int i, no_diff int j) { return a[i % 4] * 0.7f + a[j % 4] * a[i % 4]; }
}
[Differentiable] float blend(float a, float b) { return sin(a * b + 0.1f); }
[Differentiable] void push(inout float a, float b) { a = a * 0.5f + sin(b); }
[Differentiable] void give(float a, out float b, out float c) { b = a * a * 0.5f; c = cos(a); }
struct Machine : IDifferentiable
{
    float a; float b;
    [Differentiable] [mutating] void step(float t) { a = 0.5f * a + sin(t); b = 0.6f * b + 0.2f * a * t; }
}
[Differentiable] T pick<T : IDifferentiable, let N : int>(T[N] a, no_diff int i) { return a[i % N]; }
"""


@dataclass
class Program:
    """One function, and the bounds that its loops take at run time."""

    name: str
    text: str
    bounds: tuple[int, int, int]


class Writer:
    """Draws one function from a generator of random numbers."""

    def __init__(self, random: random.Random, name: str) -> None:
        self.random = random
        self.name = name
        self.bounds = [0, 0, 0]

    def index(self, names: Sequence[str], size: int) -> str:
        """An index below `size`; two of them often have the same value."""
        pick = self.random.choice
        if self.random.random() < 0.15:
            return str(self.random.randrange(size))
        a, b = pick(names), pick(names)
        return f"({a} * {self.random.randint(1, 3)} + {b} + {self.random.randrange(size)}) % {size}"

    def statement(self, names: Sequence[str]) -> str:
        """One statement on the state."""
        x, x2 = self.index(names, 8), self.index(names, 8)
        h, h2 = self.index(names, 4), self.index(names, 4)
        v, v2 = self.index(names, 4), self.index(names, 4)
        a = self.index(names, 4)
        condition = f"({self.random.choice(names)} + {self.random.choice(names)}) % 2 == 0"
        return self.random.choice(
            (
                f"s = sin(s * x[{x}] + 0.1f);",
                f"s += 0.2f * x[{x}] + 0.3f * x[{x2}] * y;",
                f"y = y * 0.7f + x[{x}] * s;",
                f"y += x[{x}] * x[{x2}] * 0.1f;",
                f"h[{h}] = 0.5f * h[{h2}] + sin(x[{x}]);",
                f"h[{h}] += 0.1f * h[{h2}] * s;",
                f"h[{h}] *= 0.9f;",
                f"s = s * 0.8f + h[{h}] * 0.1f;",
                f"s = blend(s, x[{x}]);",
                f"push(s, h[{h}]);",
                f"push(h[{h}], x[{x}]);",
                f"y = 0.6f * y + v[{v}] * w[{v2}];",
                f"w[{v}] = 0.5f * w[{v2}] + 0.1f * x[{x}];",
                f"s = 0.7f * s + p.a[{a}] * p.a[{h}];",
                f"s = 0.7f * s + p.at({a}) * 0.2f + p.both({a}, {h}) * 0.1f;",
                f"y = 0.5f * y + pick(x, {x}) * pick(h, {h});",
                f"push(q, x[{x}]);",
                f"sincos(x[{x}] * 0.7f, q, r);",
                f"give(x[{x}], r, h[{h}]);",
                "s = 0.6f * s + 0.2f * q;",
                "{ float t = q; y = 0.5f * y + t * r; }",
                f"m.step(x[{x}]);",
                "s = 0.7f * s + 0.3f * m.a * m.b;",
                f"c.x += 0.2f * x[{x}] * s;",
                f"c[({h}) % 3] = 0.4f * c.y + sin(y);",
                f"c = 0.3f; c.z = x[{x}];",
                "s = sin(s + 0.2f * c.x * c.z);",
                f"if ({condition}) s = s * x[{x}] + 0.3f;",
                f"if ({condition}) {{ y = y * 0.5f + x[{x}]; }} else y -= 0.1f * h[{h}];",
            )
        )

    def statements(self, names: Sequence[str], most: int, least: int = 0) -> list[str]:
        """Some statements."""
        return [self.statement(names) for _ in range(self.random.randint(least, most))]

    def jump(self, variable: str) -> list[str]:
        """A jump that some round takes, or none."""
        if self.random.random() >= 0.3:
            return []
        word = self.random.choice(("break", "continue", "return s * 2.f"))
        return [f"if ({variable} == {self.random.randint(1, 5)}) {word};"]

    def loop(self, level: int, depth: int, names: list[str]) -> list[str]:
        """A loop of one of three kinds that holds those below it."""
        variable = "ijk"[level]
        most = 9 if depth < 3 else 4  # what is kept grows with the product of all bounds
        rounds = self.random.randint(1, most)
        kind = self.random.choices(("for", "while", "do"), (8, 2, 2))[0]
        drawn = self.random.random()
        bound, attribute = str(rounds), ""
        if kind != "for" or drawn < 0.3:
            attribute = f"[MaxIters({rounds})] "
        elif drawn < 0.4:
            attribute = f"[MaxIters({rounds + self.random.randint(0, 2)})] "
        elif drawn < 0.6:
            self.bounds[level] = max(self.bounds[level], rounds)
            bound, attribute = f"n{level}", f"[MaxIters({most})] "
        elif drawn < 0.7:
            bound = f"kRounds{rounds}"
        inner = [*names, variable]
        body = self.statements(inner, 2, least=int(level + 1 == depth))
        if level + 1 < depth:
            body += self.loop(level + 1, depth, inner)
            if self.random.random() < 0.2:
                body += self.loop(level + 1, depth, inner)
            body += self.statements(inner, 2)
            if self.random.random() < 0.15:
                body = [f"if ({variable} != {self.random.randint(0, 3)}) {{", *body, "}"]
        return self.head(kind, attribute, variable, bound, body)

    def head(
        self, kind: str, attribute: str, variable: str, bound: str, body: list[str]
    ) -> list[str]:
        """The loop around `body`."""
        if kind == "for":
            step = self.random.choice(("++{0}", "{0}++", "{0} += 1")).format(variable)
            test = self.random.choice(("{0} < {1}", "{1} > {0}")).format(variable, bound)
            first = f"{attribute}for (int {variable} = 0; {test}; {step}) {{"
            return [first, *self.jump(variable), *body, "}"]
        counter = f"{variable}_"
        begin = ["{", f"int {counter} = 0;"]
        rest = [f"int {variable} = {counter};", *body, f"{counter} = {counter} + 1;"]
        if kind == "while":
            return [*begin, f"{attribute}while ({counter} < {bound}) {{", *rest, "}", "}"]
        return [*begin, f"{attribute}do {{", *rest, f"}} while ({counter} < {bound});", "}"]

    def program(self) -> Program:
        """The whole function."""
        depth = self.random.choice((1, 2, 2, 2, 3))
        lines = self.statements(["1", "n0"], 2)
        lines += ["{", *self.loop(0, depth, ["2"]), "}"]
        if self.random.random() < 0.15:
            lines += ["{", *self.loop(0, depth, ["1"]), "}"]
        lines += self.statements(["1", "2"], 2)
        return Program(self.name, self.wrapped("\n    ".join(lines)), tuple(self.bounds))

    def wrapped(self, lines: str) -> str:
        """The lines as a function, or as one that it calls."""
        name = self.name
        body = f"{{\n    {STATE}\n    {lines}\n    {RESULT}\n}}"
        plain = f"[Differentiable] float {name}({PARAMETERS})\n"
        way = self.random.choices(
            ("plain", "called", "method", "generic", "inlined"), (6, 2, 1, 1, 1)
        )[0]
        if way == "called":
            return (
                f"[Differentiable] float {name}_("
                + PARAMETERS
                + f")\n{body}\n{plain}{{ return {name}_({ARGUMENTS}); }}"
            )
        if way == "inlined":
            return (
                f"[Differentiable] [ForceInline] float {name}_({PARAMETERS})\n{body}\n"
                f"{plain}{{ float t = 0.f; for (int q = 0; q < 2; ++q) t += (1.f + 0.1f * q) * {name}_({ARGUMENTS}); return t; }}"
            )
        if way == "method":
            holder = f"struct {name}_S {{ float unused; [Differentiable] float run({PARAMETERS})\n{body} }}\n"
            return f"{holder}{plain}{{ {name}_S o; o.unused = 1.f; return no_diff(o).run({ARGUMENTS}); }}"
        if way == "generic":
            return (
                f"[Differentiable] float {name}_<let Z : int>({PARAMETERS})\n{body}\n"
                f"{plain}{{ return {name}_<0>({ARGUMENTS}); }}"
            )
        return plain + body


def draw(random: random.Random, name: str) -> Program:
    """Draw one function."""
    return Writer(random, name).program()


PROBE = """
struct Derivatives { float value; float[16] slopes; }

float[16] flat(float[8] x, float4 v, Block.Differential p)
{
    float[16] r;
    for (int i = 0; i < 8; i++) r[i] = x[i];
    for (int i = 0; i < 4; i++) { r[8 + i] = v[i]; r[12 + i] = p.a[i]; }
    return r;
}
"""

HEAD = """
Derivatives {way}(int which, float[8] x, float4 v, Block p, int n0, int n1, int n2)
{{
    Derivatives r = {{}};
    float[8] zero_x; for (int i = 0; i < 8; i++) zero_x[i] = 0.f;
    Block.Differential zero_p; for (int i = 0; i < 4; i++) zero_p.a[i] = 0.f;
    switch (which)
    {{{cases}
    }}
    return r;
}}
"""

REVERSE = """
        case {number}: {{
            r.value = {name}(x, v, p, n0, n1, n2);
            var dx = diffPair(x, zero_x);
            var dv = diffPair(v, float4(0.f));
            var dp = diffPair(p, zero_p);
            bwd_diff({name})(dx, dv, dp, n0, n1, n2, 1.f);
            r.slopes = flat(dx.d, dv.d, dp.d);
            break;
        }}"""

FORWARD = """
        case {number}:
            for (int i = 0; i < 16; i++)
            {{
                var ex = zero_x; float4 ev = float4(0.f); var ep = zero_p;
                if (i < 8) ex[i] = 1.f; else if (i < 12) ev[i - 8] = 1.f; else ep.a[i - 12] = 1.f;
                let d = fwd_diff({name})(diffPair(x, ex), diffPair(v, ev), diffPair(p, ep), n0, n1, n2);
                r.value = d.p;
                r.slopes[i] = d.d;
            }}
            break;"""


def module_text(programs: Sequence[Program], *, forward: bool = False) -> str:
    """A module with the functions, `value_of` and `reverse` (`forward`) of (which, x, v, p, n0, n1, n2)."""
    rounds = "\n".join(f"static const int kRounds{n} = {n};" for n in range(1, 10))
    functions = "\n".join(program.text for program in programs)
    values = "".join(
        f" case {number}: return {program.name}({ARGUMENTS});"
        for number, program in enumerate(programs)
    )
    value = (
        f"\nfloat value_of(int which, {PARAMETERS.replace('no_diff ', '')})"
        f" {{ switch (which) {{{values} default: return 0.f; }} }}\n"
    )
    way, case = ("forward", FORWARD) if forward else ("reverse", REVERSE)
    cases = "".join(
        case.format(number=number, name=program.name) for number, program in enumerate(programs)
    )
    return PRELUDE + rounds + functions + PROBE + value + HEAD.format(way=way, cases=cases)


STEP = 4e-3
"""Between the points of differences; inputs are of size 1."""


def point_of(number: int) -> np.ndarray:
    """Where the function of that number is differentiated."""
    return np.random.default_rng(number).uniform(0.3, 1.2, INPUTS)


def slopes_of(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Differences of fourth order from values at -2, -1, 1 and 2 steps, and how far to trust them."""
    down2, down, up, up2 = values
    narrow, wide = (up - down) / (2 * STEP), (up2 - down2) / (4 * STEP)
    rounding = 4e-7 * np.abs(values).max() / STEP
    return (4 * narrow - wide) / 3, np.abs(narrow - wide) + rounding


def is_right(found: np.ndarray, truth: np.ndarray, error: np.ndarray) -> bool:
    """Say whether derivatives are those of differences, as far as these can be trusted."""
    scale = max(1e-2, float(np.abs(truth).max()))
    return bool(np.all(np.abs(found - truth) < 2e-3 * scale + error))


def differences(
    module: weft.Module, which: int, point: np.ndarray, bounds: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Differences of a function by its 16 inputs, and how far to trust them."""
    places = np.concatenate([point + shift * STEP * np.eye(INPUTS) for shift in (-2, -1, 1, 2)])
    x, v, a = (np.ascontiguousarray(part, np.float32) for part in np.split(places, (8, 12), axis=1))
    values = module.value_of(which, x, v, {"a": a}, *bounds, _result="numpy").astype(float)
    return slopes_of(values.reshape(4, INPUTS))


def find_wrong(
    device: weft.Device, programs: Sequence[Program], *, forward: bool = False
) -> list[str]:
    """Return what a mode gets wrong, a line a function: central differences are the truth."""
    name = f"random_{programs[0].name}"
    module = weft.Module.load_from_source(device, name, module_text(programs, forward=forward))
    derivative = module.forward if forward else module.reverse
    wrong = []
    for number, program in enumerate(programs):
        point = point_of(number)
        x, v, a = (part.astype(np.float32) for part in np.split(point, (8, 12)))
        found = np.array(derivative(number, x, v, {"a": a}, *program.bounds)["slopes"])
        truth, error = differences(module, number, point, program.bounds)
        if not is_right(found, truth, error):
            wrong.append(f"{program.name}: found {found}, differences {truth}\n{program.text}")
    return wrong
