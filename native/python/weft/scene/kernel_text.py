# SPDX-License-Identifier: Apache-2.0
"""The Slang modules of a scene: the programs of its materials, and the kernels that run them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft.scene.program import namespace_of

if TYPE_CHECKING:
    from weft.scene.program import Program


@dataclass(frozen=True)
class SceneTraits:
    """What kernels may leave out, see shaders/weft/render/traits.slang.

    Args:
        light_kinds: Bits of the kinds of light in the scene.
        is_placed: Every mesh is placed once and not mirrored, and its triangles are in world space.
        sorts_paths: A launch serves paths of one program; else all paths, and picks its own.
        is_see_through: A material lets light pass straight.
        has_glow: Triangles whose light varies are sampled as lights.
        has_cones: A texture has levels.
    """

    light_kinds: int
    is_placed: bool
    sorts_paths: bool = True
    is_see_through: bool = False
    has_glow: bool = False
    has_cones: bool = False


def wrapped_source(source: str) -> str:
    """Return a user's text inside a namespace; its imports stay outside."""
    imports = re.findall(r"^\s*(?:__exported\s+)?import\s+[^;]+;", source, re.MULTILINE)
    body = re.sub(r"^\s*(?:__exported\s+)?import\s+[^;]+;", "", source, flags=re.MULTILINE)
    return "\n".join([*imports, f"namespace {namespace_of(source)}", "{", body, "}"])


_PROGRAM = """
[Differentiable]
Surface<{bsdf}> surface{number}(no_diff MaterialContext m, no_diff ShadingPoint s)
{{
    {text}
}}

struct Program{number} : IMaterialProgram
{{
    static bool shines() {{ return {shines}; }}
    static bool scatters() {{ return {scatters}; }}
    static bool passes() {{ return {passes}; }}
    static float3 transparency(MaterialContext m, ShadingPoint s) {{ return {transparency}; }}
    static float3 emission(MaterialContext m, ShadingPoint s)
    {{
        return surface{number}(m, s).emission;
    }}
    static Shading shade(MaterialContext m, ShadingPoint s, float3 light, float3 u)
    {{
        return shadeSurface(surface{number}(m, s), s, light, u);
    }}
    [Differentiable]
    static Response respond(no_diff MaterialContext m, no_diff ShadingPoint s, no_diff float3
    light, no_diff float3 bounce)
    {{
        return respondSurface(surface{number}(m, s), light, bounce);
    }}
    static float3 albedo(MaterialContext m, ShadingPoint s)
    {{
        return surface{number}(m, s).bsdf.albedo();
    }}
}}

void step{number}(int k, SceneView scene, PathView paths, StepSettings settings)
{{
    if (paths.serves(k, {number}))
        stepPath<Program{number}>(paths.pathOf(k), scene, paths, settings);
}}
"""


_DIMMING = """
void dim{number}(int k, SceneView scene, PathView paths)
{{
    if (paths.serves(k, {number}))
        dimLight<Program{number}>(paths.pathOf(k), scene, paths);
}}
"""


_GLOW = """
export static const bool weft_has_glow = true;

uint classifyShining(int i, SceneView scene, PathView paths, uint programs)
{
    return classifyGlow(i, scene, paths, programs);
}
"""


_GLOWING = """
void color{number}(int k, SceneView scene, PathView paths)
{{
    if (paths.serves(k, {number}))
        colorLight<Program{number}>(paths.pathOf(k), scene, paths);
}}

float2 measure{number}(SceneView scene, uint2 place)
{{
    return meanGlow<Program{number}>(scene, place);
}}
"""


_SEE_THROUGH = """
export static const bool weft_is_see_through = true;

uint classifyLight(int i, SceneView scene, PathView paths, uint programs)
{
    return classifyLightRay(i, scene, paths, programs);
}
"""


_SHARED = """
export static const uint weft_light_kinds = {light_kinds};
export static const bool weft_is_placed = {is_placed};
export static const bool weft_sorts_paths = {sorts_paths};

uint classify(int i, SceneView scene, PathView paths, uint programs)
{{
    return classifyPath(i, scene, paths, programs);
}}

void escape(int k, SceneView scene, PathView paths, StepSettings settings)
{{
    if (paths.serves(k, {programs}))
        escapePath(paths.pathOf(k), scene, paths, settings);
}}
"""


_RECORDING = """
void close(int i, PathView paths, RecordView records) {{ closePath(i, paths, records); }}

void settle(int k, PathView paths, RecordView records) {{ settleRecord(k, paths, records); }}

void seed(int i, PathView paths, RecordView records, StepSettings settings, float* gradients,
          uint pixels, float weight)
{{
    seedGradients(i, paths, records, settings, gradients, pixels, weight);
}}

void developHalf(int i, PathView paths, RecordView records, StepSettings settings, uint first, uint
count,
                 uint tangents, uint pixels, float* film)
{{
    developRecords(i, paths, records, settings, first, count, tangents, pixels, film);
}}
"""

_RECORDED = """
void record{number}(int k, SceneView scene, PathView paths, RecordView records, StepSettings
settings)
{{
    recordPath<Program{number}>(k, scene, paths, records, settings);
}}

void replay{number}(int k, SceneView scene, RecordView records) {{ replayRecord<Program{number}>(k,
scene, records); }}

void tangents{number}(int k, SceneView scene, RecordView records, uint stride)
{{
    replayTangents<Program{number}, {tangents}>(k, scene, records, stride);
}}

void gradients{number}(int k, SceneView scene, RecordView records)
{{
    replayGradients<Program{number}>(k, scene, records);
}}
"""


_LAYERS = """
void noLayers(int k, PathView paths, float* layers)
{{
    writeNoLayers(paths.pathOf(k), paths, layers);
}}

void developAll(int i, PathView paths, StepSettings settings, float* layers, float* film)
{{
    developLayers(i, paths, settings, layers, film);
}}
"""

_LAYERS_OF_PROGRAM = """
void layers{number}(int k, SceneView scene, PathView paths, LayerSettings settings, float* layers)
{{
    writeLayers<Program{number}>(paths.pathOf(k), scene, paths, settings, layers);
}}
"""


def print_layer_module(programs: Sequence[Program], traits: SceneTraits) -> str:
    """Return print_module() with the kernels that write what a camera sees first."""
    kernels = [_LAYERS_OF_PROGRAM.format(number=number) for number in range(len(programs))]
    return "\n".join([print_module(programs, traits), _LAYERS.format(), *kernels])


def print_recording_module(
    programs: Sequence[Program], traits: SceneTraits, recorded: Sequence[int], tangents: int
) -> str:
    """Return print_module() with the kernels that record and replay paths.

    Args:
        programs: Of the scene.
        traits: Of the scene.
        recorded: Programs whose parameters change.
        tangents: Directions of forward mode, at least 1.
    """
    kernels = [_RECORDED.format(number=number, tangents=tangents) for number in recorded]
    return "\n".join([print_module(programs, traits), _RECORDING.format(), *kernels])


def print_module(programs: Sequence[Program], traits: SceneTraits) -> str:
    """Return the Slang module with all programs of a scene and the kernels that run them."""
    parts = [
        "import weft.bsdf;",
        "import weft.render;",
        *dict.fromkeys(f"import {name};" for program in programs for name in program.modules),
        _SHARED.format(
            light_kinds=traits.light_kinds,
            is_placed=str(traits.is_placed).lower(),
            sorts_paths=str(traits.sorts_paths).lower(),
            programs=len(programs),
        ),
    ]
    for source in dict.fromkeys(text for program in programs for text in program.sources):
        parts.append(wrapped_source(source))
    parts += dict.fromkeys(text for program in programs for text in program.functions)
    for number, program in enumerate(programs):
        parts.append(
            _PROGRAM.format(
                bsdf=program.bsdf,
                number=number,
                text=program.text,
                shines=str(program.shines).lower(),
                scatters=str(program.scatters).lower(),
                passes=str(program.passes).lower(),
                transparency=f"{program.transparency}(m, s)" if program.passes else "float3(0.f)",
            )
        )
    if traits.has_cones:
        parts.append("export static const bool weft_has_cones = true;")
    if traits.has_glow:
        parts.append(_GLOW)
        parts += [
            _GLOWING.format(number=number)
            for number, program in enumerate(programs)
            if program.shines
        ]
    if traits.is_see_through:
        parts.append(_SEE_THROUGH)
        parts += [
            _DIMMING.format(number=number)
            for number, program in enumerate(programs)
            if program.passes
        ]
    return "\n\n".join(parts)
