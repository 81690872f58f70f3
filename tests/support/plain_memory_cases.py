# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501 (Slang in one line reads better than in two strings)
"""Differentiable functions of a number and of memory without gradients: ``float f(KIND t, float x)``.

``KIND`` is each of KINDS. RETURN stands for ``return`` in a function
with a result, for an assignment to ``result`` in one without.
"""

KINDS = {
    "RWTensor": "RWTensor<float, 1>",
    "IRWTensor": "IRWTensor<float, 1>",
    "NDBuffer": "NDBuffer<float, 1>",
    "RWStructuredBuffer": "RWStructuredBuffer<float>",
    "pointer": "no_diff float*",
    "alias": "Memory",
}

COMMON = """
typealias Memory = RWTensor<float, 1>;
void increase(inout float value) { value = value + 1.f; }
void give(out float value) { value = 4.f; }
float next(float value) { return value + 1.f; }
"""

# Functions of the kind itself, with names of their own in each module.
CALLED = """
float bump(KIND t) { t[0] = t[0] + 1.f; return t[0]; }
void twice(KIND t) { bump(t); bump(t); }
float peek(KIND t) { return t[0]; }
void poke(KIND t, float value) { t[0] = value; }
[Differentiable] float smooth_bump(KIND t, float x) { t[0] += 1.f; return t[0] * x; }
"""

HOLDER = """
struct Holder
{
    VARIABLE t;
    float step() { t[0] += 1.f; return t[0]; }
}
"""

# What reads memory and changes it.
CHANGED = {
    "assignment": "t[0] = t[0] + 1.f; RETURN(t[0] * x)",
    "assignment of what was read": "float a = t[0]; t[0] = a * 2.f; RETURN(a * x)",
    "assignment of a parameter": "float a = t[0]; t[0] = detach(x); RETURN(a * x)",
    "compound": "t[0] += 1.f; RETURN(t[0] * x)",
    "compound, product": "t[0] *= 3.f; RETURN(t[0] * x)",
    "increment": "t[0]++; RETURN(t[0] * x)",
    "increment before": "++t[0]; RETURN(t[0] * x)",
    "decrement": "t[0]--; RETURN(t[0] * x)",
    "counter in a loop": "float s = x; for (int i = 0; i < 3; i++) { t[0] += 1.f; s *= x; } RETURN(s)",
    "loop": "for (int i = 0; i < 3; i++) t[0] += 1.f; RETURN(t[0] * x)",
    "while": "int i = 0; [MaxIters(3)] while (i < 3) { t[0] = t[0] + 1.f; i++; } RETURN(t[0] * x)",
    "branch": "if (x > 0.f) t[0] += 1.f; RETURN(t[0] * x)",
    "other branch": "if (x < 0.f) t[1] = 3.f; else t[0] = t[0] + 1.f; RETURN(t[0] * x)",
    "read in a condition": "float s = t[0] < 5.5f ? x * x : x; t[0] += 1.f; RETURN(s)",
    "variable index": "int i = x > 0.f ? 0 : 1; t[i] = t[i] + 1.f; RETURN(t[i] * x)",
    "two indices": "int i = x > 0.f ? 0 : 1; float a = t[i]; t[0] = 9.f; RETURN(a * x)",
    "index changed between": "int i = 0; t[i] = 1.f; i++; float a = t[i]; t[1] = 8.f; RETURN(a * x)",
    "written in a branch only": "if (x < 0.f) t[0] = 1.f; float a = t[0]; t[0] = 9.f; RETURN(a * x)",
    "inout": "increase(t[0]); RETURN(t[0] * x)",
    "call": "float a = no_diff bump(t); RETURN(a * x)",
    "call of a call": "no_diff twice(t); RETURN(t[0] * x)",
    "call in an expression": "RETURN(x * no_diff bump(t))",
    "call that reads, call that writes": "float a = no_diff peek(t); no_diff poke(t, 9.f); RETURN(a * x)",
    "a value by a function": "t[0] = no_diff next(t[0]); RETURN(t[0] * x)",
    "differentiable call": "RETURN(smooth_bump(t, x) * x)",
    "another name": "KIND u = t; u[0] += 1.f; RETURN(t[0] * x)",
    "another name, read first": "let u = t; float a = u[0]; t[0] = 9.f; RETURN(a * x)",
    "method": "Holder h = { t }; float a = no_diff h.step(); RETURN(a * x)",
    "field": "Holder h = { t }; h.t[0] += 1.f; RETURN(h.t[0] * x)",
}

# What is the same in a second run.
KEPT = {
    "written": "t[0] = detach(x) * 2.f; RETURN(x * x)",
    "written, a constant": "t[0] = 3.f; RETURN(x * x)",
    "written, then read": "t[0] = 4.f; RETURN(t[0] * x)",
    "written, then changed": "t[0] = 2.f; t[0] += 1.f; RETURN(t[0] * x)",
    "written in a loop": "float s = 0.f; for (int i = 0; i < 2; i++) { t[i] = 3.f; s += t[i] * x; } RETURN(s)",
    "written in a branch": "if (x > 0.f) { t[0] = 4.f; x = x * t[0]; } RETURN(x * x)",
    "read": "RETURN(t[0] * x)",
    "read in a loop": "float s = 0.f; for (int i = 0; i < 2; i++) s += t[i] * x; RETURN(s)",
    "read by a function": "float a = no_diff peek(t); RETURN(a * x)",
    "another element": "float a = t[1]; t[0] = a + 1.f; RETURN(a * x)",
    "written by a function": "no_diff poke(t, 6.f); RETURN(x * x)",
    "an array": "float[2] value = { x, x }; value[0] = value[0] * x; RETURN(value[0])",
    "a call of a value": "float a = no_diff next(t[0]); RETURN(a * x)",
}


def names_of(cases):
    """Return a name of a function for each case."""
    return {case: f"f{number}" for number, case in enumerate(cases)}


def cases_for(cases, kind):
    """Return the cases that can be written with a kind: no variable has the type of an interface."""
    is_interface = kind == "IRWTensor"
    return {
        case: body
        for case, body in cases.items()
        if not (is_interface and ("Holder" in body or "KIND u" in body))
    }


def module_text(cases, kind, *, has_result):
    """Return the source of the cases: a line for each at its end."""
    argument, variable = KINDS[kind], KINDS[kind].removeprefix("no_diff ")
    lines = COMMON.splitlines() + CALLED.splitlines()
    lines += [] if kind == "IRWTensor" else HOLDER.splitlines()
    for case, name in names_of(cases).items():
        body, value = cases[case].removesuffix(")").split("RETURN(")
        if has_result:
            head, end = f"float {name}(KIND t, float x)", f"return {value};"
        else:
            head, end = f"void {name}(KIND t, float x, out float result)", f"result = {value};"
        lines.append(f"[Differentiable] {head} {{ {body}{end} }}")
    text = "\n".join(lines) + "\n"
    text = text.replace("KIND u", "VARIABLE u").replace("VARIABLE", variable)
    return text.replace("KIND", argument)
