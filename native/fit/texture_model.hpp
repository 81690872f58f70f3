// SPDX-License-Identifier: Apache-2.0
// Textures from pictures: replayed gradients, scaled by curvature, and averaged iterates. For the sources of this layer.
#pragma once

#include "fit/fitted_texture.hpp"
#include "fit/texture_replay.hpp"
#include "fit/tied_textures.hpp"

#include <cstddef>
#include <vector>

namespace weft::fit {

/// Fits textures by gradient steps that are replayed from recorded paths. Texels, films and all that steps keep of them stay
/// on the device. One thread at a time.
class TextureModel {
public:
    /// @throws as TextureReplay().
    TextureModel(render::Renderer& renderer, std::vector<View>& views,
                 std::span<const TextureParameter> parameters, TextureReplayDesc desc);

    [[nodiscard]] TextureReplay& replay() noexcept { return m_replay; }
    [[nodiscard]] const TextureReplay& replay() const noexcept { return m_replay; }
    /// One a step.
    [[nodiscard]] const std::vector<double>& losses() const noexcept { return m_losses; }
    /// Of the last step: mean product of the residuals of both sample sets; infinite before any.
    [[nodiscard]] double loss() const noexcept;
    /// Standard deviation of a loss by noise of renders alone; infinite before any step.
    [[nodiscard]] double noise_floor() const noexcept;
    /// Whether the loss has ceased to fall.
    [[nodiscard]] bool is_settled() const;

    /// Measures the noise of renders, and weighs pixels by it. @param samples paths a pixel in each half.
    void weigh_by_noise(std::int64_t samples);
    /// Whether some textures are maps of one material, and move together.
    [[nodiscard]] bool has_tied() const noexcept { return !m_tied.is_empty(); }
    /// Makes one step on the last draw. @param tied_schedule how maps of one material move.
    /// @throws as TextureReplay::require_numbers(); texels are then as they were.
    void step(const StepSchedule& schedule, const TiedSchedule& tied_schedule = {});
    /// Goes on from other texels of the scene, at rest; averages begin anew there.
    void return_to(const tensor::TensorRef& texels);
    /// Adds the texels as they are to their mean.
    void average() { m_replay.state().average(); }
    /// Gives the scene on the device the textures that were found, without holes.
    void write_result();
    /// The textures, their holes filled. Waits.
    [[nodiscard]] std::vector<FittedTexture> result();

private:
    [[nodiscard]] bool needs_curvature() const noexcept;
    void add_curvature(const std::vector<Films>& raised);
    void move(const tensor::TensorRef& gradient, const StepSchedule& schedule);
    [[nodiscard]] double unexplained() const;
    [[nodiscard]] FittedTexture result(std::size_t number);
    [[nodiscard]] std::vector<float> errors(std::size_t number);

    TextureReplay m_replay;
    TiedTextures m_tied;
    std::vector<double> m_losses;
    double m_noise = 0; ///< variance of the mean residual of the last draw, by that draw
};

} // namespace weft::fit
