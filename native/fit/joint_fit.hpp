// SPDX-License-Identifier: Apache-2.0
// Numbers and textures of a scene's materials together, from pictures of it. Programs use engine/fit.hpp.
#pragma once

#include "core/api.hpp"
#include "core/interrupt_poll.hpp"
#include "fit/parameters.hpp"
#include "fit/scene_fit.hpp"
#include "render/renderer.hpp"

#include <vector>

namespace weft::fit {

/// Finds numbers, exposures and strengths of lights together with textures, in phases: numbers alone where pixels show no
/// texture, then textures with the numbers that only they determine, in turn, and a polish of the former at the end; see
/// joint_stage.hpp. The scene's numbers and texels on the device are those of the last draw, and after write() those that
/// were found.
class WEFT_API JointFit : public SceneFit {
public:
    /// @param renderer of the scene; it outlives the fit and renders no other scene meanwhile.
    /// @param sought at least one texture, and at least one number, exposure or light.
    /// @param check called while draws are under way; what it throws ends a step.
    /// @throws ArgumentError if there is no observation, one of the two kinds is missing, or something does not fit the
    ///         scene: as ScalarFit() and TextureFit(); CompileError, DeviceError.
    JointFit(render::Renderer& renderer, std::vector<Observation> observations,
             const Sought& sought, const FitSettings& settings, core::InterruptPoll check = {});
};

} // namespace weft::fit
