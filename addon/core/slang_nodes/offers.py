# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether another form of a function would be much faster than its nodes.

Measured in Blender 4.5 with functions of the tests' corpus (``./dev bench lower``): a shader of OSL
takes 6 to 50 ns and less than half a nanosecond an operation, but powers and the like, which Weft
computes more closely than OSL does, take 15 to 45. Estimates are higher than what was measured.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weft.lowering import Lowered

TIMES = 5
"""As much faster, by the estimate, as makes it worth a word."""

_SHADER_NS = 20.0
_OPERATION_NS = 0.4
_TEXTURE_NS = 60.0
_CLOSE_NS = MappingProxyType(
    {"POWER": 45.0}
    | dict.fromkeys(
        (
            *("EXPONENT", "LOGARITHM", "ARCTAN2", "ARCTANGENT", "ARCSINE", "ARCCOSINE"),
            *("SINH", "COSH", "TANH"),
        ),
        20.0,
    )
)


def osl_estimate(lowered: Lowered) -> float:
    """Return about how many nanoseconds a shade the OSL form of a shader tree takes, at most.

    Args:
        lowered: The nodes.
    """
    assert lowered.tree is not None
    found = _SHADER_NS + _OPERATION_NS * max(lowered.operations, lowered.nodes)
    for node in lowered.tree["nodes"]:
        found += _CLOSE_NS.get(node["properties"].get("operation", ""), 0.0)
        found += _TEXTURE_NS * node["type"].startswith("ShaderNodeTex")
    return found


def offer_of(lowered: Lowered) -> str | None:
    """Return a sentence if OSL would take a fifth of the time of nodes, or less.

    Args:
        lowered: The nodes, of any tree.

    Returns:
        ``None`` where it would not, or where there is no OSL.
    """
    tree = lowered.tree
    if tree is None or tree["tree"] != "ShaderNodeTree" or lowered.cost is None or lowered.images:
        return None
    estimate = osl_estimate(lowered)
    if lowered.cost < TIMES * estimate:
        return None
    return (
        f"as OSL it would take about {estimate:.0f} ns instead of {lowered.cost:.0f}, on "
        "processors and with OptiX; other materials are three to four times slower then"
    )
