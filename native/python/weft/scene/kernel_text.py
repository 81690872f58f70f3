# SPDX-License-Identifier: Apache-2.0
"""The Slang modules of a scene: one for each program of its materials, and one for the rest.

The text of a program says nothing of the other materials: what is edited is compiled alone, and
equal programs of other scenes are found in the cache.
"""

from __future__ import annotations

import re
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
        has_bumps: A material takes differences over part of a pixel.
        has_light_tree: Lights at finite distance are drawn from a tree.
        has_kinds: Paths know what kind of ray they send.
        has_hidden: Objects are hidden from some kinds of ray.
        has_terminators: Objects lift light rays near the edge of their shadow.
        has_media: Objects hold media.
        has_limits: Paths have limits beside their number of bounces.
        has_walks: Light wanders below surfaces.
        fits_media: Numbers of media are fitted.
        has_lamp_rules: Lamps are hidden from some kinds of ray, or cast no shadow.
    """

    light_kinds: int
    is_placed: bool
    sorts_paths: bool = True
    is_see_through: bool = False
    has_glow: bool = False
    has_cones: bool = False
    has_bumps: bool = False
    has_light_tree: bool = False
    has_kinds: bool = False
    has_hidden: bool = False
    has_terminators: bool = False
    has_media: bool = False
    has_limits: bool = False
    has_walks: bool = False
    fits_media: bool = False
    has_lamp_rules: bool = False

    @property
    def is_uncounted(self) -> bool:
        """Whether only the host can tell how many segments the longest path has."""
        return self.has_hidden or self.has_media or self.has_walks

    @property
    def has_long_paths(self) -> bool:
        """Whether paths carry what only some scenes need, see PathRow of path_rows.slang."""
        return any(
            (
                self.is_see_through,
                self.has_glow,
                self.has_cones,
                self.has_bumps,
                self.has_light_tree,
                self.has_kinds,
                self.has_media,
                self.has_walks,
            )
        )


def wrapped_source(source: str) -> str:
    """Return a user's text inside a namespace; its imports stay outside."""
    imports = re.findall(r"^\s*(?:__exported\s+)?import\s+[^;]+;", source, re.MULTILINE)
    body = re.sub(r"^\s*(?:__exported\s+)?import\s+[^;]+;", "", source, flags=re.MULTILINE)
    return "\n".join([*imports, f"namespace {namespace_of(source)}", "{", body, "}"])


_PROGRAM = """
[Differentiable]
Surface<{bsdf}> programSurface(no_diff MaterialContext m, no_diff ShadingPoint s)
{{
    {text}
}}

struct Program : IMaterialProgram
{{
    static bool shines() {{ return {shines}; }}
    static bool scatters() {{ return {scatters}; }}
    static bool wanders() {{ return {wanders}; }}
    static bool passes() {{ return {passes}; }}
    static bool isBoundary() {{ return {is_boundary}; }}
    static float3 transparency(MaterialContext m, ShadingPoint s) {{ return {transparency}; }}
    static float3 emission(MaterialContext m, ShadingPoint s)
    {{
        return programSurface(m, s).emission;
    }}
    static Shading shade(MaterialContext m, ShadingPoint s, float3 light, float3 u)
    {{
        return shadeSurface(programSurface(m, s), s, light, u);
    }}
    [Differentiable]
    static Response respond(no_diff MaterialContext m, no_diff ShadingPoint s, no_diff float3
    light, no_diff float3 bounce, no_diff bool isDelta, no_diff WalkSteps walk)
    {{
        return respondSurface(programSurface(m, s), s, light, bounce, isDelta, walk);
    }}
    static float3 albedo(MaterialContext m, ShadingPoint s)
    {{
        return programSurface(m, s).bsdf.albedo();
    }}
}}

void programStep(int k, SceneView scene, PathView paths, StepSettings settings)
{{
    if (paths.serves(k))
        stepPath<Program>(paths.pathOf(k), scene, paths, settings);
}}

void programLayers(int k, SceneView scene, PathView paths, LayerSettings settings, float* layers)
{{
    writeLayers<Program>(paths.pathOf(k), scene, paths, settings, layers);
}}
"""


_DIMMING = """
void programDim(int k, SceneView scene, PathView paths)
{
    if (paths.serves(k))
        dimLight<Program>(paths.pathOf(k), scene, paths);
}
"""


_GLOWING = """
void programColor(int k, SceneView scene, PathView paths)
{
    if (paths.serves(k))
        colorLight<Program>(paths.pathOf(k), scene, paths);
}

float2 programMeasure(SceneView scene, uint2 place)
{
    return meanGlow<Program>(scene, place);
}
"""


_RECORDING = """
void programRecord(int k, SceneView scene, PathView paths, RecordView records,
                   StepSettings settings)
{
    recordPath<Program>(k, scene, paths, records, settings);
}

void programReplay(int k, SceneView scene, RecordView records)
{
    replayRecord<Program>(k, scene, records);
}

void programTangents(int k, SceneView scene, RecordView records, DirectionView directions)
{
    replayTangents<Program>(k, scene, records, directions);
}

void programGradients(int k, SceneView scene, RecordView records)
{
    replayGradients<Program>(k, scene, records);
}
"""


_TRAITS = """
export static const uint weft_light_kinds = {light_kinds};
export static const bool weft_is_placed = {is_placed};
export static const bool weft_sorts_paths = {sorts_paths};
export static const bool weft_is_see_through = {is_see_through};
export static const bool weft_has_glow = {has_glow};
export static const bool weft_has_cones = {has_cones};
export static const bool weft_has_bumps = {has_bumps};
export static const bool weft_has_light_tree = {has_light_tree};
export static const bool weft_has_kinds = {has_kinds};
export static const bool weft_has_hidden = {has_hidden};
export static const bool weft_has_terminators = {has_terminators};
export static const bool weft_has_media = {has_media};
export static const bool weft_has_limits = {has_limits};
export static const bool weft_has_walks = {has_walks};
export static const bool weft_fits_media = {fits_media};
export static const bool weft_has_lamp_rules = {has_lamp_rules};
"""


_SHARED = """
uint classify(int i, SceneView scene, PathView paths, uint programs)
{
    return classifyPath(i, scene, paths, programs);
}

uint classifyLight(int i, SceneView scene, PathView paths, uint programs)
{
    return classifyLightRay(i, scene, paths, programs);
}

uint classifyShining(int i, SceneView scene, PathView paths, uint programs)
{
    return classifyGlow(i, scene, paths, programs);
}

void escape(int k, SceneView scene, PathView paths, StepSettings settings)
{
    if (paths.serves(k))
        escapePath(paths.pathOf(k), scene, paths, settings);
}

void skip(int k, SceneView scene, PathView paths, StepSettings settings)
{
    skipSurface(paths.pathOf(k), scene, paths, settings);
}

void skipLight(int k, SceneView scene, PathView paths)
{
    skipShadow(paths.pathOf(k), scene, paths);
}

void noLayers(int k, PathView paths, float* layers)
{
    writeNoLayers(paths.pathOf(k), paths, layers);
}

void developAll(int i, PathView paths, StepSettings settings, float* layers, float* film)
{
    developLayers(i, paths, settings, layers, film);
}

void close(int i, PathView paths, RecordView records) { closePath(i, paths, records); }

void settle(int k, PathView paths, RecordView records) { settleRecord(k, paths, records); }

void seed(int i, PathView paths, RecordView records, StepSettings settings, float* gradients,
          uint pixels, float weight)
{
    seedGradients(i, paths, records, settings, gradients, pixels, weight);
}

void developHalf(int i, SceneView scene, PathView paths, RecordView records, StepSettings settings,
                 uint first, uint count, uint tangents, DirectionView directions, uint pixels,
                 float* film)
{
    developRecords(i, scene, paths, records, settings, first, count, tangents, directions, pixels,
                   film);
}
"""


_MEDIA = """
void cross(int i, SceneView scene, PathView paths, StepSettings settings)
{
    crossMedia(i, scene, paths, settings);
}

void finish(int i, SceneView scene, PathView paths) { finishLight(i, scene, paths); }

void scatter(int k, SceneView scene, PathView paths, StepSettings settings)
{
    scatterPath(paths.pathOf(k), scene, paths, settings);
}
"""


_FITTED_MEDIA = """
uint mark(int i, SceneView scene, PathView paths) { return markMedium(i, scene, paths); }

void recordMedia(int k, SceneView scene, PathView paths, RecordView records, StepSettings settings)
{
    recordMedium(k, scene, paths, records, settings);
}

void recordScattered(int k, SceneView scene, PathView paths, RecordView records,
                     StepSettings settings)
{
    scatterRecorded(k, scene, paths, records, settings);
}

void replayMedia(int k, SceneView scene, RecordView records)
{
    replayMedium(k, scene, records);
}

void mediaTangents(int k, SceneView scene, RecordView records, DirectionView directions)
{
    replayMediumTangents(k, scene, records, directions);
}
"""


_WALKS = """
void queueWalks(int k, PathView paths, WalkView walks) { queueWalk(k, paths, walks); }

void keepWalks(int k, WalkView walks) { keepWalk(k, walks); }

void sendWalks(int k, PathView paths, WalkView walks) { sendWalk(k, paths, walks); }

void stepWalks(int k, SceneView scene, PathView paths, WalkView walks, StepSettings settings)
{
    stepWalk(k, scene, paths, walks, settings);
}

void recordWalks(int k, SceneView scene, PathView paths, WalkView walks, RecordView records,
                 StepSettings settings)
{
    recordWalk(k, scene, paths, walks, records, settings);
}
"""


_MEDIUM = """
void programMedium(int k, SceneView scene, uint* materials, float* rows)
{
    const uint material = materials[k];
    storeMedium(rows, material, mediumOf(materialContext(scene, material)));
}
"""


_MEDIUM_SLOPES = """
void programSlopes(int k, SceneView scene, DirectionView directions, uint material, float* rows)
{
    const uint entry = directions.starts[material] + uint(k);
    MaterialContext m = materialContext(scene, material);
    m.scene.materials.parameters.tangents =
        scene.materials.parameters.tangents + entry * directions.slots;
    m.scene.materials.parameters.firstTangent = m.base;
    const DifferentialPair<Medium> medium = fwd_diff(mediumOf)(m);
    const Medium slope = { medium.d.absorption, medium.d.scattering, medium.d.emission,
                           medium.d.anisotropy };
    storeCoefficients(rows, entry, slope);
}
"""


def _flag(value: bool) -> str:
    return str(value).lower()


def _print_traits(traits: SceneTraits) -> str:
    return _TRAITS.format(
        light_kinds=traits.light_kinds,
        is_placed=_flag(traits.is_placed),
        sorts_paths=_flag(traits.sorts_paths),
        is_see_through=_flag(traits.is_see_through),
        has_glow=_flag(traits.has_glow),
        has_cones=_flag(traits.has_cones),
        has_bumps=_flag(traits.has_bumps),
        has_light_tree=_flag(traits.has_light_tree),
        has_kinds=_flag(traits.has_kinds),
        has_lamp_rules=_flag(traits.has_lamp_rules),
        has_hidden=_flag(traits.has_hidden),
        has_terminators=_flag(traits.has_terminators),
        has_media=_flag(traits.has_media),
        has_limits=_flag(traits.has_limits),
        has_walks=_flag(traits.has_walks),
        fits_media=_flag(traits.fits_media),
    )


def print_shared_module(traits: SceneTraits) -> str:
    """Return the Slang module with the kernels that evaluate no material."""
    parts = ["import weft.render;", _print_traits(traits), _SHARED]
    parts += [_MEDIA] * traits.has_media + [_FITTED_MEDIA] * traits.fits_media
    return "\n\n".join(parts + [_WALKS] * traits.has_walks)


def print_program_module(program: Program, traits: SceneTraits) -> str:
    """Return the Slang module of a program with the kernels that run it."""
    parts = [
        "import weft.bsdf;",
        "import weft.render;",
        *(f"import {name};" for name in dict.fromkeys(program.modules)),
        _print_traits(traits),
        *map(wrapped_source, dict.fromkeys(program.sources)),
        *dict.fromkeys(program.functions),
        _PROGRAM.format(
            bsdf=program.bsdf,
            text=program.text,
            shines=_flag(program.shines),
            scatters=_flag(program.scatters),
            wanders=_flag(program.wanders),
            passes=_flag(program.passes),
            is_boundary=_flag(program.is_boundary),
            transparency=f"{program.transparency}(m, s)" if program.passes else "float3(0.f)",
        ),
    ]
    if traits.has_glow and program.shines:
        parts.append(_GLOWING)
    if traits.is_see_through and program.passes:
        parts.append(_DIMMING)
    if program.medium:
        parts += [program.medium, _MEDIUM]
    return "\n\n".join(parts)


def print_recording_module(program: Program, traits: SceneTraits) -> str:
    """Return print_program_module() with the kernels that record and replay paths.

    Args:
        program: Whose parameters change.
        traits: Of the scene.
    """
    text = print_program_module(program, traits) + _RECORDING
    return text + _MEDIUM_SLOPES if program.medium and traits.fits_media else text
