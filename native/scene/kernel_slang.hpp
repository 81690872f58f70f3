// SPDX-License-Identifier: Apache-2.0
// The Slang text around materials. It stays in step with the modules of shaders/weft/render that it calls. Of a program
// first, then of all of a scene.
#pragma once

#include <string_view>

namespace weft::scene {

/// The kernels that run a program.
inline constexpr std::string_view kProgram = R"slang(
[Differentiable]
Surface<{bsdf}> programSurface(no_diff MaterialContext m, no_diff ShadingPoint s)
{
    {text}
}

struct Program : IMaterialProgram
{
    static bool isEmissive() { return {isEmissive}; }
    static bool scatters() { return {scatters}; }
    static bool wanders() { return {wanders}; }
    static bool isTransparent() { return {isTransparent}; }
    static bool isBoundary() { return {is_boundary}; }
    static float3 transparency(MaterialContext m, ShadingPoint s) { return {transparency}; }
    static float3 emission(MaterialContext m, ShadingPoint s)
    {
        return programSurface(m, s).emission;
    }
    static Shading shade(MaterialContext m, ShadingPoint s, float3 light, float3 u)
    {
        return shadeSurface(programSurface(m, s), s, light, u);
    }
    [Differentiable]
    static Response respond(no_diff MaterialContext m, no_diff ShadingPoint s, no_diff float3
    light, no_diff float3 bounce, no_diff bool isDelta, no_diff WalkSteps walk)
    {
        return respondSurface(programSurface(m, s), s, light, bounce, isDelta, walk);
    }
    static float3 albedo(MaterialContext m, ShadingPoint s)
    {
        return programSurface(m, s).bsdf.albedo();
    }
}

void programStep(int k, SceneView scene, PathView paths, StepSettings settings)
{
    if (paths.serves(k))
        stepPath<Program>(paths.pathOf(k), scene, paths, settings);
}

void programLayers(int k, SceneView scene, PathView paths, LayerSettings settings, float* layers)
{
    writeLayers<Program>(paths.pathOf(k), scene, paths, settings, layers);
}
)slang";

/// Of a transparent program.
inline constexpr std::string_view kTransparentShadows = R"slang(
void programShadow(int k, SceneView scene, PathView paths)
{
    if (paths.serves(k))
        attenuateShadowRay<Program>(paths.pathOf(k), scene, paths);
}
)slang";

/// Of a program that emits light which varies over triangles.
inline constexpr std::string_view kTexturedEmission = R"slang(
void programColor(int k, SceneView scene, PathView paths)
{
    if (paths.serves(k))
        colorLight<Program>(paths.pathOf(k), scene, paths);
}

float2 programMeasure(SceneView scene, uint2 place)
{
    return meanEmission<Program>(scene, place);
}
)slang";

/// Keep paths, and shade them again.
inline constexpr std::string_view kRecording = R"slang(
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
)slang";

/// Of a program with something inside.
inline constexpr std::string_view kMedium = R"slang(
void programMedium(int k, SceneView scene, uint* materials, float* rows)
{
    const uint material = materials[k];
    storeMedium(rows, material, mediumOf(materialContext(scene, material)));
}
)slang";

/// Of a program with something inside whose numbers are fitted.
inline constexpr std::string_view kMediumDerivatives = R"slang(
void programDerivatives(int k, SceneView scene, DirectionView directions, uint material, float* rows)
{
    const uint entry = directions.starts[material] + uint(k);
    MaterialContext m = materialContext(scene, material);
    m.scene.materials.parameters.tangents =
        scene.materials.parameters.tangents + entry * directions.slots;
    m.scene.materials.parameters.firstTangent = m.base;
    const DifferentialPair<Medium> medium = fwd_diff(mediumOf)(m);
    const Medium derivative = { medium.d.absorption, medium.d.scattering, medium.d.emission,
                                medium.d.anisotropy };
    storeCoefficients(rows, entry, derivative);
}
)slang";

/// What evaluates no material.
inline constexpr std::string_view kShared = R"slang(
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
    return classifyEmitter(i, scene, paths, programs);
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

void resolveAll(int i, PathView paths, StepSettings settings, float* layers, float* film)
{
    resolveLayers(i, paths, settings, layers, film);
}

void close(int i, PathView paths, RecordView records) { closePath(i, paths, records); }

void settle(int k, PathView paths, RecordView records) { settleRecord(k, paths, records); }

void seed(int i, PathView paths, RecordView records, StepSettings settings, float* gradients,
          uint pixels, float weight)
{
    seedGradients(i, paths, records, settings, gradients, pixels, weight);
}

void resolveSamples(int i, SceneView scene, PathView paths, RecordView records, StepSettings settings,
                 uint first, uint count, uint tangents, DirectionView directions, uint pixels,
                 float* film)
{
    resolveRecords(i, scene, paths, records, settings, first, count, tangents, directions, pixels,
                   film);
}
)slang";

/// Of scenes with objects that hold media.
inline constexpr std::string_view kMedia = R"slang(
void cross(int i, SceneView scene, PathView paths, StepSettings settings)
{
    crossMedia(i, scene, paths, settings);
}

void finish(int i, SceneView scene, PathView paths) { finishLight(i, scene, paths); }

void scatter(int k, SceneView scene, PathView paths, StepSettings settings)
{
    scatterPath(paths.pathOf(k), scene, paths, settings);
}
)slang";

/// Of scenes in which numbers of media are fitted.
inline constexpr std::string_view kFittedMedia = R"slang(
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
)slang";

/// Of scenes in which light wanders below surfaces.
inline constexpr std::string_view kSubsurface = R"slang(
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
)slang";

} // namespace weft::scene
