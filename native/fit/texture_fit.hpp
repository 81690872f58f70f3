// SPDX-License-Identifier: Apache-2.0
// Textures of a scene's materials from pictures of it. Programs use engine/fit.hpp.
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

/// Finds textures that explain pictures, by preconditioned gradient steps on recorded paths; numbers stay as they are. One
/// thread at a time, with its renderer. What is given stays as it is; the scene's texels on the device are those of the last
/// draw, and after write() those that were found.
class WEFT_API TextureFit {
public:
    /// @param renderer of the scene; it outlives the fit and renders no other scene meanwhile.
    /// @throws ArgumentError if there is no observation or no texture, or something does not fit the scene: see
    ///         require_valid(), bounds that do not rise, an input that no texture drives, a texture with mip levels or that
    ///         drives a normal, one that is given twice; CompileError, DeviceError.
    TextureFit(render::Renderer& renderer, std::vector<Observation> observations,
               const std::vector<TextureParameter>& textures, const FitSettings& settings,
               core::InterruptPoll check = {});
    ~TextureFit();
    TextureFit(TextureFit&&) noexcept;
    TextureFit& operator=(TextureFit&&) noexcept;

    /// Draws new samples and uses them up. The first step selects pixels, and weighs them by the noise of renders, besides.
    /// If it throws, textures are as they were.
    /// @throws what `check` throws; ArgumentError if renders or derivatives are no finite numbers.
    void step();
    /// Without values; cheap.
    [[nodiscard]] FitState state() const;
    /// What was found, in the order of the parameters. Waits for the device.
    [[nodiscard]] std::vector<FittedTexture> textures();
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
