# SPDX-License-Identifier: Apache-2.0
"""What the first results of node templates cost a shade in Cycles, beside their estimates.

Cycles leaves out what a result does not need: of a structure the first field is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import weft
from bench.lowering.functions import VERSION, of_group
from bench.lowering.shading import NodeOf, nanoseconds
from support import template_cases as templates

PASSED = "float passed(float2 p) { return p.x; }"


def lowered_templates(names: Sequence[str]) -> dict[str, weft.Lowered]:
    """Return the templates that trees of shaders compute, by file's name; no names: all."""
    return {
        file.stem: templates.lowered(file, blender=VERSION)
        for file in templates.files()
        if (not names or file.stem in names)
        and "shader" not in templates.case_of(file, file.stem).refused
    }


def print_templates(names: Sequence[str], size: int = 128, samples: int = 64) -> None:
    """Print a line a template; those that were named are measured alone."""
    functions = lowered_templates(names)
    unknown = sorted(set(names) - set(functions))
    if unknown:
        raise SystemExit(f"bench nodes: there is no template '{unknown[0]}'")
    passed = weft.lower(None, "passed", text=PASSED, blender=VERSION)

    def maker(function: weft.Lowered) -> Callable[[], NodeOf]:
        return lambda: of_group(function)

    cases = [(name, maker(function), False) for name, function in functions.items()]
    costs = nanoseconds([("", maker(passed), False), *cases], size, samples)
    feeding = costs.pop("") - (passed.cost or 0)
    for name, cost in costs.items():
        function = functions[name]
        print(
            f"{name}: {cost - feeding:.0f} ns a shade of the first result; all of it is estimated "
            f"at {function.cost:.0f}, {function.nodes} nodes"
        )
