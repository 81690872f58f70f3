# SPDX-License-Identifier: GPL-3.0-or-later
"""What is inside of objects: nodes of volumes, and the Volume socket of a material's output."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from weft.scene import Closure
from weft.scene.materials import closures_of, varies

from ..spec import NodeSpec
from ..values import SURFACES, call, call_with

if TYPE_CHECKING:
    from weft.scene.materials import Surface

    from ..compile import Compiler, Scope
    from ..context import NodeContext
    from ..model import Node, Socket

DENSITY = (0.0, 100.0)
GLOW = (0.0, 1e6)


def _absorption(context: NodeContext, output: str) -> Surface:
    color, density = context.input("Color"), context.input("Density")
    return Closure("medium", absorption=call("volumeAbsorption", 3, x=color, y=density))


def _scatter(context: NodeContext, output: str) -> Surface:
    phase = context.properties.get("phase", "HENYEY_GREENSTEIN")
    if phase != "HENYEY_GREENSTEIN":
        context.problem(f"the phase function {phase} is not supported", "HENYEY_GREENSTEIN")
    color, density = context.input("Color"), context.input("Density")
    scattering = call("volumeScattering", 3, x=color, y=density)
    return Closure("medium", scattering=scattering, anisotropy=context.input("Anisotropy"))


def _principled(context: NodeContext, output: str) -> Surface:
    color, density = context.input("Color"), context.input("Density")
    names = ("Emission Color", "Emission Strength")
    heat = ("Blackbody Intensity", "Blackbody Tint", "Temperature")
    glow = {}
    if any(context.is_kept(name) or context.number(name) != 0 for name in (names[1], heat[0])):
        sockets = {f"x{k}": context.input(name) for k, name in enumerate((*names, *heat))}
        glow["emission"] = call_with("principledEmission", 3, sockets)
    return Closure(
        "medium",
        scattering=call("volumeScattering", 3, x=color, y=density),
        absorption=call(
            "principledAbsorption", 3, x=color, y=density, z=context.input("Absorption Color")
        ),
        anisotropy=context.input("Anisotropy"),
        **glow,
    )


def _coefficients(context: NodeContext, output: str) -> Surface:
    phase = context.properties.get("phase", "HENYEY_GREENSTEIN")
    if phase != "HENYEY_GREENSTEIN":
        context.problem(f"the phase function {phase} is not supported", "HENYEY_GREENSTEIN")
    return Closure(
        "medium",
        absorption=context.input("Absorption Coefficients"),
        scattering=context.input("Scatter Coefficients"),
        emission=context.input("Emission Coefficients"),
        anisotropy=context.input("Anisotropy"),
    )


def compile_volume(compiler: Compiler, scope: Scope, end: Node, target: str) -> Surface | None:
    """Return what arrives at the output's Volume; ``None``: nothing, or nothing that is supported.

    Args:
        compiler: Of the material.
        scope: Of the output.
        end: The output.
        target: ``material``, ``world`` or ``light``.
    """
    socket = next((s for s in end.inputs if s.identifier == "Volume"), None)
    if socket is None or socket.link is None:
        return None
    content = _arriving(compiler, scope, end, socket)
    if content is None:
        return None
    if target != "material":
        compiler.problem(scope, end, "the volume of a world is not supported", "no volume")
        return None
    if varies(content):
        message = "a volume that varies in space is not supported"
        compiler.problem(scope, end, message, "no volume")
        return None
    if _has_several_anisotropies(content):
        message = "several scatterings of different anisotropy in one volume are not supported"
        compiler.problem(scope, end, message, "their mean anisotropy")
    return content


def _has_several_anisotropies(volume: Surface) -> bool:
    media = [c for c in closures_of(volume) if c.kind == "medium" and "scattering" in c.inputs]
    turns = [c.inputs.get("anisotropy", 0.0) for c in media]
    return len({getattr(turn, "value", id(turn)) for turn in turns}) > 1


def _arriving(compiler: Compiler, scope: Scope, end: Node, socket: Socket) -> Surface | None:
    """Return the shader that drives the socket, if it does anything inside."""
    content = compiler.input(scope, end, socket).content
    if not isinstance(content, SURFACES):
        return None
    acts = any(c.kind in {"medium", "emission"} for c in closures_of(content))
    return content if acts else None


ENTRIES: Mapping[str, NodeSpec] = MappingProxyType(
    {
        "ShaderNodeVolumeAbsorption": NodeSpec(
            "Volume Absorption", _absorption, "The same everywhere", {"Density": DENSITY}
        ),
        "ShaderNodeVolumeCoefficients": NodeSpec(
            "Volume Coefficients",
            _coefficients,
            "The same everywhere. Henyey-Greenstein only",
            {
                "Absorption Coefficients": DENSITY,
                "Scatter Coefficients": DENSITY,
                "Emission Coefficients": GLOW,
            },
        ),
        "ShaderNodeVolumePrincipled": NodeSpec(
            "Principled Volume",
            _principled,
            "The same everywhere, without attributes",
            {"Density": DENSITY, "Emission Strength": GLOW, "Emission Color": GLOW},
        ),
        "ShaderNodeVolumeScatter": NodeSpec(
            "Volume Scatter",
            _scatter,
            "The same everywhere. Henyey-Greenstein only",
            {"Density": DENSITY},
        ),
    }
)
