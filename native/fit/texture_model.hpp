// SPDX-License-Identifier: Apache-2.0
// Textures from pictures: replayed gradients, scaled by curvature, and averaged iterates. For the sources of this layer.
#pragma once

#include "fit/fitted_texture.hpp"
#include "fit/texture_replay.hpp"
#include "fit/tied_textures.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace weft::fit {

/// How an iteration moves textures.
struct TextureStep {
    StepSchedule maps{}; ///< those that move alone, and samples and averages of all
    TiedSchedule tied{}; ///< maps of one material
};

/// Fits textures by gradient steps that are replayed from recorded paths. Texels, films and all that steps keep of them stay
/// on the device. One thread at a time.
class TextureModel {
public:
    /// @throws as TextureReplay().
    TextureModel(dispatch::Context context, const render::SceneTablesRef& tables,
                 std::vector<View>& views, std::span<const TextureParameter> parameters,
                 TextureReplayDesc desc);

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

    /// Of the last step: variance of the mean residual of a draw, by that draw.
    [[nodiscard]] double noise() const noexcept { return m_noise; }
    /// Variance of a residual about what the textures explain.
    [[nodiscard]] double unexplained() const;
    /// Measures the noise of renders, and weighs pixels by it. @param samples paths a pixel in each sample set.
    void weigh_by_noise(std::int64_t samples);
    /// Whether some textures are maps of one material, and move together.
    [[nodiscard]] bool has_tied() const noexcept { return !m_tied.is_empty(); }
    /// How an iteration moves the textures: coarse structure first, averages in the second half.
    /// @param iteration its number, from 0. @param iterations of the fit, at least 1.
    /// @param samples paths a pixel in each sample set of the iterations that count most.
    [[nodiscard]] TextureStep schedule(std::size_t iteration, std::size_t iterations,
                                       std::int64_t samples) const;
    /// The same where no numbers move with the textures: small maps are not averaged away, unless pictures are robust.
    [[nodiscard]] TextureStep schedule_alone(std::size_t iteration, std::size_t iterations,
                                             std::int64_t samples) const;
    /// Makes one step on the last draw. @param tied_schedule how maps of one material move.
    /// @throws as TextureReplay::require_numbers(); texels are then as they were.
    void step(const StepSchedule& schedule, const TiedSchedule& tied_schedule = {});
    // What a step is made of, for models of textures and numbers together.
    /// Keeps the loss of a draw, and the noise of its mean residuals.
    void note_loss(const LossOfDraw& found);
    /// Whether this draw is to tell curvature.
    [[nodiscard]] bool needs_curvature() const noexcept;
    /// Averages the curvature of all maps over draws.
    /// @param answer J' times what films change by as a map is raised by one, by the number of its region, for all texels.
    void add_curvature(const std::function<tensor::TensorRef(std::size_t)>& answer);
    /// Steps against a gradient of the loss, which may be overwritten, with all maps.
    void move(const tensor::TensorRef& gradient, const StepSchedule& schedule,
              const TiedSchedule& tied_schedule);
    /// Products of derivatives over what resists steps of all maps, (rows - 1) x rows: C' D^-1 C.
    /// @param rows derivatives by all texels of the scene; the last one is only a right factor.
    /// @param blur radius that they are averaged over, texels.
    [[nodiscard]] Matrix products(std::span<const tensor::TensorRef> rows, std::int64_t blur);
    /// Floats of textures that pictures show.
    [[nodiscard]] std::size_t known_count();

    /// Goes on from other texels of the scene, at rest; averages begin anew there.
    void return_to(const tensor::TensorRef& texels);
    /// Adds the texels as they are to their mean.
    void average() { m_replay.state().average(); }
    /// Gives the scene on the device the textures that were found, without holes.
    void write_result();
    /// Forgets the mean of the texels.
    void restart_average() { m_replay.state().restart_average(); }
    /// The textures, their holes filled. Waits.
    [[nodiscard]] std::vector<FittedTexture> result();
    /// Why pictures do not determine a texture, one text a texture; "": they do. Waits.
    [[nodiscard]] std::vector<std::string> undetermined();
    /// What is not known of the groups of maps of one material, as they were found. Waits.
    [[nodiscard]] std::vector<TiedUncertainty> tied_uncertainty() const;

    /// All that later steps depend on, the views apart. Waits.
    [[nodiscard]] SavedArrays save() const;
    /// Goes back to where save() was called. @throws ArgumentError if arrays do not fit.
    void restore(const SavedArrays& saved);

private:
    [[nodiscard]] FittedTexture result(std::size_t number, std::span<const TiedUncertainty> tied);
    [[nodiscard]] std::vector<float> errors(std::size_t number,
                                            std::span<const TiedUncertainty> tied);

    TextureReplay m_replay;
    TiedTextures m_tied;
    std::vector<double> m_losses;
    double m_noise = 0; ///< variance of the mean residual of the last draw, by that draw
};

} // namespace weft::fit
