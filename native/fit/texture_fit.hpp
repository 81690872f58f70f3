// SPDX-License-Identifier: Apache-2.0
// Textures of a scene's materials from pictures of it. Programs use engine/fit.hpp.
#pragma once

#include "core/api.hpp"
#include "core/interrupt_poll.hpp"
#include "fit/parameters.hpp"
#include "fit/scene_fit.hpp"
#include "render/renderer.hpp"

#include <vector>

namespace weft::fit {

/// Finds textures that explain pictures, by preconditioned gradient steps on recorded paths; numbers stay as they are. The
/// scene's texels on the device are those of the last draw, and after write() those that were found.
class WEFT_API TextureFit : public SceneFit {
public:
    /// @param renderer of the scene; it outlives the fit and renders no other scene meanwhile.
    /// @param check called while draws are under way; what it throws ends a step.
    /// @throws ArgumentError if there is no observation or no texture, or something does not fit the scene: see
    ///         require_valid(), bounds that do not rise, an input that no texture drives, a texture with mip levels or that
    ///         drives a normal, one that is given twice, or that lights the scene where an observation leaves its material
    ///         dark; CompileError, DeviceError.
    TextureFit(render::Renderer& renderer, std::vector<Observation> observations,
               const std::vector<TextureParameter>& textures, const FitSettings& settings,
               core::InterruptPoll check = {});
};

} // namespace weft::fit
