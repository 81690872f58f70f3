// SPDX-License-Identifier: Apache-2.0
// Numbers of a scene's materials from pictures of it. Programs use engine/fit.hpp.
#pragma once

#include "core/api.hpp"
#include "core/interrupt_poll.hpp"
#include "fit/fit_state.hpp"
#include "fit/observation.hpp"
#include "fit/parameters.hpp"
#include "fit/saved_arrays.hpp"
#include "fit/verdict.hpp"
#include "render/renderer.hpp"

#include <memory>
#include <vector>

namespace weft::fit {

/// Finds numbers that explain pictures, by Gauss-Newton steps on recorded paths. One thread at a time, with its renderer.
/// What is given stays as it is; the scene's numbers on the device are those of the last draw, and after write() those
/// that were found, but for factors of lights, which stay as the scene has them.
class WEFT_API ScalarFit {
public:
    /// @param renderer of the scene; it outlives the fit and renders no other scene meanwhile. @param sought no textures.
    /// @throws ArgumentError if there is no observation or nothing to find, or something does not fit the scene, see
    ///         require_valid() and Parameter; CompileError, DeviceError.
    ScalarFit(render::Renderer& renderer, std::vector<Observation> observations,
              const Sought& sought, FitSettings settings, core::InterruptPoll check = {});
    ~ScalarFit();
    ScalarFit(ScalarFit&&) noexcept;
    ScalarFit& operator=(ScalarFit&&) noexcept;

    /// Draws new samples and uses them up. The first step selects pixels besides. If it throws, the fit is as it was.
    /// @throws what `check` throws; ArgumentError if renders are no finite numbers, or no pixel tells anything.
    void step();
    [[nodiscard]] FitState state() const;
    /// Draws what was found anew and tells whether it explains the pictures. Later steps are as if it had not.
    /// @throws as step().
    [[nodiscard]] Verdict judge();
    /// Leaves the scene on the device with what was found.
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
