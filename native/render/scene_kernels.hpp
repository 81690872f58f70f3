// SPDX-License-Identifier: Apache-2.0
// Tables that kernels of the scene fill: coefficients of media, and what lights that vary give off.
#pragma once

#include "render/scene_tables.hpp"
#include "render/stage_modules.hpp"

namespace weft::render {

/// Computes the coefficients of a scene's media from its parameters. Does not wait.
/// @param modules of the scene. @param materials of the scene.
/// @param view of the scene, perhaps with other parameters. @param coefficients where they go, see
///        SceneTables::coefficients().
void evaluate_media(SceneModules& modules, const scene::MaterialTable& materials,
                    const KernelArgument& view, const tensor::TensorRef& coefficients);

/// Draws lights that vary over their triangle by what they give off: their mean over 16 places. Waits for the device
/// unless it was measured before. @param modules of the scene.
void measure_emitters(SceneModules& modules, SceneTables& tables);

/// Both, where there is something to do, for a scene under each of its lights.
void fill_tables(SceneModules& modules, std::span<const std::shared_ptr<SceneTables>> tables);

} // namespace weft::render
