// SPDX-License-Identifier: Apache-2.0
// Numbers and textures of a scene's materials together, from pictures of it. Programs use engine/fit.hpp.
#pragma once

#include "core/api.hpp"
#include "core/interrupt_poll.hpp"
#include "fit/fit_state.hpp"
#include "fit/fitted_texture.hpp"
#include "fit/observation.hpp"
#include "fit/parameters.hpp"
#include "fit/saved_arrays.hpp"
#include "fit/verdict.hpp"
#include "render/renderer.hpp"

#include <memory>
#include <vector>

namespace weft::fit {

/// Finds numbers, exposures and strengths of lights together with textures, in phases: numbers alone where pixels show no
/// texture, then textures with the numbers that only they determine, in turn, and a polish of the former at the end; see
/// joint_stage.hpp. One thread at a time, with its renderer. What is given stays as it is; the scene's numbers and texels on
/// the device are those of the last draw, and after write() those that were found, but for factors of lights, which stay as
/// the scene has them.
class WEFT_API JointFit {
public:
    /// @param renderer of the scene; it outlives the fit and renders no other scene meanwhile.
    /// @param sought at least one texture, and at least one number, exposure or light.
    /// @param check called while draws are under way; what it throws ends a step.
    /// @throws ArgumentError if there is no observation, one of the two kinds is missing, or something does not fit the
    ///         scene: as ScalarFit() and TextureFit(); CompileError, DeviceError.
    JointFit(render::Renderer& renderer, std::vector<Observation> observations,
             const Sought& sought, const FitSettings& settings,
             const core::InterruptPoll& check = {});
    ~JointFit();
    JointFit(JointFit&&) noexcept;
    JointFit& operator=(JointFit&&) noexcept;

    /// Draws new samples and uses them up. The first step selects pixels besides, and the step after a phase that was
    /// interrupted in its beginning begins it. If it throws, the fit is as it was.
    /// @throws what `check` throws; ArgumentError if renders or derivatives are no finite numbers.
    void step();
    /// Without texels; cheap.
    [[nodiscard]] FitState state() const;
    /// What was found, in the order of the parameters. Waits for the device.
    [[nodiscard]] std::vector<FittedTexture> textures();
    /// Draws what was found anew and tells whether it explains the pictures. Later steps are as if it had not.
    /// @throws as step().
    [[nodiscard]] Verdict judge();
    /// Leaves the scene on the device with what was found. Later steps are as if it had not.
    void write();
    [[nodiscard]] const std::vector<Observation>& observations() const noexcept;
    /// All that later steps depend on, for checkpoints. Waits for the device.
    /// @throws ArgumentError if the renderer renders another scene since.
    [[nodiscard]] SavedArrays save() const;
    /// Goes back to where save() was called, by a fit that was made of the same.
    /// @throws ArgumentError if arrays are missing or do not fit; the fit is then as it was.
    void restore(const SavedArrays& saved);

private:
    class Implementation;
    std::unique_ptr<Implementation> m_implementation;
};

} // namespace weft::fit
