// SPDX-License-Identifier: Apache-2.0
// Films of recorded paths for other texels, their loss, and its derivatives by all texels. What is kept stays on the device:
// the host sees the loss, its noise, and how much was no number. For the sources of this layer.
#pragma once

#include "fit/residuals.hpp"
#include "fit/texel_state.hpp"
#include "fit/view_films.hpp"
#include "render/renderer.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace weft::fit {

struct TextureReplayDesc {
    std::int64_t bounces = 8;    ///< surfaces that a path may leave
    std::uint64_t seed = 0;      ///< equal seeds give equal fits
    core::InterruptPoll check{}; ///< what it throws ends a draw
};

/// Of each view and each part of its light: derivatives by the films of both sample sets.
using Adjoints = std::vector<std::vector<tensor::TensorRef>>;
/// Of each view.
using Films = std::vector<tensor::TensorRef>;

/// How far residuals are from the picture.
struct LossOfDraw {
    double loss = 0;  ///< mean product of the residuals of both sample sets
    double noise = 0; ///< variance of the mean residual of both sets, by the draw
};

/// Replays recorded paths for the textures of a fit. The gradient is that of r_A . r_B, whose expectation is the squared
/// error without its noise: samples of one half carry the residual of the other. One thread at a time.
class TextureReplay {
public:
    /// @param renderer of the scene. @param views of its pictures, with recorders that give gradients of texels. Both
    ///        outlive this. @throws as find_regions(); DeviceError.
    TextureReplay(render::Renderer& renderer, std::vector<View>& views,
                  std::span<const TextureParameter> parameters, TextureReplayDesc desc);
    TextureReplay(const TextureReplay&) = delete;
    TextureReplay& operator=(const TextureReplay&) = delete;

    [[nodiscard]] std::vector<View>& views() noexcept { return m_views; }
    [[nodiscard]] const std::vector<View>& views() const noexcept { return m_views; }
    [[nodiscard]] const std::vector<TextureRegion>& regions() const noexcept { return m_regions; }
    [[nodiscard]] TexelState& state() noexcept { return m_state; }
    [[nodiscard]] const TexelState& state() const noexcept { return m_state; }
    [[nodiscard]] FitKernels& kernels() noexcept { return m_images.calls(); }
    /// Draws so far.
    [[nodiscard]] std::uint64_t draws() const noexcept { return m_draws; }
    /// Counts them from 0 again: what follows is as if none had been.
    void restart_draws() noexcept { m_draws = 0; }

    /// Keeps the pixels that show the materials, or their close neighbours.
    void select_pixels();
    /// Draws new samples of all views at the textures as they are. @param samples paths a pixel in each half.
    void draw(std::int64_t samples);
    /// Draws the pixels of the views with the texels that the scene has, and leaves no trace in later draws.
    /// @return residuals of both halves, all views one after the other; valid until the next call.
    [[nodiscard]] ResidualPair look(std::int64_t samples, std::uint64_t draw);
    /// Gives the scene on the device texels, those of all its textures.
    void give(const tensor::TensorRef& texels);

    /// Replays the last draw for the texels as they are.
    LossOfDraw replay();
    /// How far the sample sets of the last replay() are apart, one a drawn pixel of each view.
    [[nodiscard]] std::vector<std::vector<float>> differences();
    /// The films of the last draw with one map after the other raised.
    [[nodiscard]] std::vector<Films> raised_films();
    /// The derivative of the loss of the last replay() by all texels.
    [[nodiscard]] tensor::TensorRef gradient();
    /// J' times what films of the last replay() change by as a map is raised, for all texels.
    /// @param raised of raised_films() of the draw.
    [[nodiscard]] tensor::TensorRef curvature(const Films& raised);
    /// J' times one number a pixel, channel and sample set of each view, for all texels. replay() comes before,
    /// require_numbers() before it is trusted.
    [[nodiscard]] tensor::TensorRef collect(const Adjoints& adjoints);
    /// Notes how much of what was collected was no number, and is 0 now. Waits.
    /// @throws ArgumentError if it is more than half of what is not 0.
    void require_numbers();
    /// What did not count of the pictures and textures, a sentence each.
    [[nodiscard]] std::vector<std::string> problems() const;

private:
    [[nodiscard]] Films films_of(const tensor::TensorRef& texels);
    [[nodiscard]] std::vector<PartFactor> factors_of(const View& view) const;

    std::vector<View>& m_views;
    TextureReplayDesc m_desc;
    std::vector<render::SceneTablesRef> m_tables; ///< of the scene, then under the lights of parts
    ImageKernels m_images;
    std::vector<TextureRegion> m_regions;
    TexelState m_state;
    std::vector<ViewFilms> m_view_films;
    Films m_films;                            ///< of the last replay()
    std::vector<tensor::TensorRef> m_counts;  ///< of collected numbers: not finite, and not 0
    std::array<std::vector<float>, 2> m_seen; ///< of look()
    std::uint64_t m_draws = 0;
    std::int64_t m_samples = 1; ///< of the last draw
    std::size_t m_lost = 0;     ///< texels whose derivatives were no numbers, at most of any draw
};

} // namespace weft::fit
