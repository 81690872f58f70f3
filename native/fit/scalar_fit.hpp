// SPDX-License-Identifier: Apache-2.0
// Numbers of a scene's materials from pictures of it. Programs use engine/fit.hpp.
#pragma once

#include "core/api.hpp"
#include "core/interrupt_poll.hpp"
#include "fit/parameters.hpp"
#include "fit/scene_fit.hpp"
#include "render/renderer.hpp"

#include <vector>

namespace weft::fit {

/// Finds numbers that explain pictures, by Gauss-Newton steps on recorded paths. The scene's numbers on the device are those
/// of the last draw, and after write() those that were found.
class WEFT_API ScalarFit : public SceneFit {
public:
    /// @param renderer of the scene; it outlives the fit and renders no other scene meanwhile. @param sought no textures.
    /// @param check called while draws are under way; what it throws ends a step.
    /// @throws ArgumentError if there is no observation or nothing to find, or something does not fit the scene, see
    ///         require_valid() and Parameter; CompileError, DeviceError.
    ScalarFit(render::Renderer& renderer, std::vector<Observation> observations,
              const Sought& sought, const FitSettings& settings, core::InterruptPoll check = {});
};

} // namespace weft::fit
