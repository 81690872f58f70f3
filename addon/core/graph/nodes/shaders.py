# SPDX-License-Identifier: GPL-3.0-or-later
"""Shaders: closures, and what puts them together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from weft.scene import Add, Closure, Mix

from ..spec import NodeSpec
from ..values import call
from .closures import ClosureNode, Gate, closure_node

if TYPE_CHECKING:
    from weft.scene.materials import Surface

    from ..context import NodeContext


def _mix(context: NodeContext, output: str) -> Surface | None:
    first, second = context.surface("Shader"), context.surface("Shader_001")
    factor = context.number("Fac")
    if not context.is_kept("Fac") and isinstance(factor, float) and not 0 < factor < 1:
        return first if factor <= 0 else second
    if first is None and second is None:
        return None
    nothing = Closure("none")
    return Mix(first or nothing, second or nothing, context.input("Fac"))


def _add(context: NodeContext, output: str) -> Surface | None:
    first, second = context.surface("Shader"), context.surface("Shader_001")
    if first is None or second is None:
        return first or second
    return Add(first, second)


def _holdout(context: NodeContext, output: str) -> Surface | None:
    context.problem("holdouts are not supported", "a black surface")
    return None


def _metallic(context: NodeContext, output: str) -> Surface:
    if context.properties.get("fresnel_type", "F82") == "F82":
        return _METALLIC.compile(context, output)
    surface = _CONDUCTOR.compile(context, output)
    ior, extinction = context.input("IOR"), context.input("Extinction")
    surface.inputs["color"] = call("conductorColor", 3, ior=ior, extinction=extinction)
    surface.inputs["edge_tint"] = call("conductorEdgeTint", 3, ior=ior, extinction=extinction)
    return surface


def _sheen(context: NodeContext, output: str) -> Surface:
    is_velvet = context.properties.get("distribution") == "ASHIKHMIN"
    return (_VELVET if is_velvet else _SHEEN).compile(context, output)


def _same(*names: str) -> dict[str, str]:
    """Return inputs whose name is Blender's in snake case."""
    return {name: name.lower().replace(" ", "_") for name in names}


_FILM = MappingProxyType({"Thin Film Thickness": Gate(0.0, ("Thin Film IOR",))})
_ANISOTROPY = MappingProxyType({"Anisotropy": Gate(0.0, ("Rotation",))})

_SUBSURFACE = ("Subsurface Radius", "Subsurface Scale", "Subsurface IOR", "Subsurface Anisotropy")

PRINCIPLED = ClosureNode(
    "principled",
    {
        **_same("Base Color", "Metallic", "Roughness", "IOR", "Alpha", "Diffuse Roughness"),
        **_same("Subsurface Weight", *_SUBSURFACE),
        "Specular IOR Level": "specular_level",
        **_same("Specular Tint", "Anisotropic", "Anisotropic Rotation", "Transmission Weight"),
        **_same("Coat Weight", "Coat Roughness", "Coat IOR", "Coat Tint"),
        **_same("Sheen Weight", "Sheen Roughness", "Sheen Tint"),
        **_same("Emission Color", "Emission Strength", "Thin Film Thickness", "Thin Film IOR"),
    },
    {
        "Metallic": Gate(0.0),
        "Alpha": Gate(1.0),
        "Diffuse Roughness": Gate(0.0),
        "Subsurface Weight": Gate(0.0, _SUBSURFACE),
        "Anisotropic": Gate(0.0, ("Anisotropic Rotation",)),
        "Transmission Weight": Gate(0.0),
        "Coat Weight": Gate(0.0, ("Coat Roughness", "Coat IOR", "Coat Tint")),
        "Sheen Weight": Gate(0.0, ("Sheen Roughness", "Sheen Tint")),
        "Emission Strength": Gate(0.0, ("Emission Color",)),
        **_FILM,
    },
    {"Normal": "normal", "Coat Normal": "coat_normal"},
)

_EMISSION = ClosureNode("emission", _same("Color", "Strength"), normals={})

_CONDUCTOR = ClosureNode(
    "metallic",
    _same("Roughness", "Anisotropy", "Rotation", "Thin Film Thickness", "Thin Film IOR"),
    {**_FILM, **_ANISOTROPY},
)

_METALLIC = replace(
    _CONDUCTOR,
    inputs={"Base Color": "color", **_same("Edge Tint"), **_CONDUCTOR.inputs},
)

_SHEEN = ClosureNode("sheen", _same("Color", "Roughness"), distributions=("MICROFIBER",))
_VELVET = replace(_SHEEN, kind="velvet", distributions=("ASHIKHMIN",))

_BELOW = ClosureNode(
    "subsurface", _same("Color", "Scale", "Radius", "IOR", "Roughness", "Anisotropy")
)

_GLASS = ClosureNode(
    "glass", _same("Color", "Roughness", "IOR", "Thin Film Thickness", "Thin Film IOR"), _FILM
)

_GLOSSY = ClosureNode("glossy", _same("Color", "Roughness", "Anisotropy", "Rotation"), _ANISOTROPY)


_WALKS = "Subsurface scattering by random walks only"

ENTRIES: Mapping[str, NodeSpec] = MappingProxyType(
    {
        "ShaderNodeAddShader": NodeSpec("Add Shader", _add),
        "ShaderNodeBackground": closure_node("Background", _EMISSION),
        "ShaderNodeBsdfAnisotropic": closure_node("Glossy BSDF", _GLOSSY),
        "ShaderNodeBsdfDiffuse": closure_node(
            "Diffuse BSDF",
            ClosureNode("diffuse", _same("Color", "Roughness"), {"Roughness": Gate(0.0)}),
        ),
        "ShaderNodeBsdfGlass": closure_node("Glass BSDF", _GLASS),
        "ShaderNodeBsdfMetallic": NodeSpec(
            "Metallic BSDF",
            _metallic,
            "A physical conductor has the reflectance of its index at 0 and 82 degrees, between "
            "them that of F82",
            {**_METALLIC.bounds(), "IOR": (0.0, 10.0), "Extinction": (0.0, 10.0)},
        ),
        "ShaderNodeBsdfPrincipled": closure_node(
            "Principled BSDF",
            PRINCIPLED,
            f"{_WALKS}. No Thin Wall",
        ),
        "ShaderNodeBsdfRefraction": closure_node(
            "Refraction BSDF",
            ClosureNode("refraction", _same("Color", "Roughness", "IOR")),
        ),
        "ShaderNodeBsdfSheen": NodeSpec("Sheen BSDF", _sheen, "", _SHEEN.bounds()),
        "ShaderNodeBsdfTranslucent": closure_node(
            "Translucent BSDF", ClosureNode("translucent", _same("Color"))
        ),
        "ShaderNodeBsdfTransparent": closure_node(
            "Transparent BSDF", ClosureNode("transparent", _same("Color"), normals={})
        ),
        "ShaderNodeEmission": closure_node("Emission", _EMISSION),
        "ShaderNodeHoldout": NodeSpec("Holdout", _holdout, "Shown as black"),
        "ShaderNodeMixShader": NodeSpec("Mix Shader", _mix),
        "ShaderNodeSubsurfaceScattering": closure_node("Subsurface Scattering", _BELOW, _WALKS),
    }
)
