// SPDX-License-Identifier: Apache-2.0
// Films of recorded paths for other texels, their loss, and its derivatives by all texels. What is kept stays on the device:
// the host sees the loss, its noise, and how much was no number. For the sources of this layer.
#pragma once

#include "fit/residuals.hpp"
#include "fit/texel_state.hpp"
#include "fit/view_films.hpp"
#include "render/lit_scene.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace weft::fit {

/// Of a map, in the units of its texels: how far it is raised to tell how films answer to it.
inline constexpr double kRaise = 0.05;

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
    /// @param context of the device. @param tables of the scene.
    /// @param views of its pictures, with recorders that give gradients of texels; they outlive this.
    /// @throws as find_regions(); DeviceError.
    TextureReplay(dispatch::Context context, const render::SceneTablesRef& tables,
                  std::vector<View>& views, std::span<const TextureParameter> parameters,
                  TextureReplayDesc desc);
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
    void set_draws(std::uint64_t draws) noexcept { m_draws = draws; }
    /// Counts a draw that another model has made of the views.
    void note_draw() noexcept { ++m_draws; }
    /// Of later replays. @param factors of the colours of each light that has one; all other light has 1.
    void set_light_factors(std::vector<PartFactor> factors) { m_factors = std::move(factors); }

    /// Keeps the pixels that show the materials, or their close neighbours.
    void select_pixels();
    /// Draws new samples of all views at the textures as they are. @param samples paths a pixel in each half.
    void draw(std::int64_t samples);
    /// Draws the pixels of the views with the texels that the scene has, and leaves no trace in later draws.
    /// @param bounces surfaces that a path may leave; not set: as many as in other draws.
    /// @return residuals of both sample sets, all views one after the other; valid until the next call.
    [[nodiscard]] ResidualPair look(std::int64_t samples, std::uint64_t draw,
                                    std::optional<std::int64_t> bounces = std::nullopt);
    /// A copy of the texels that the scene on the device has.
    [[nodiscard]] tensor::TensorRef scene_texels();
    /// Gives the scene on the device texels, those of all its textures.
    void give(const tensor::TensorRef& texels);

    /// Replays the last draw for the texels as they are.
    LossOfDraw replay();
    /// How far the sample sets of the last replay() are apart, one a drawn pixel of each view.
    [[nodiscard]] std::vector<std::vector<float>> differences();
    /// The films of the last draw with one map after the other raised.
    [[nodiscard]] std::vector<Films> raised_films();
    /// The texels of all textures with those of one map raised by kRaise.
    [[nodiscard]] tensor::TensorRef raised(const TextureRegion& region) {
        return m_state.raised(region, kRaise);
    }
    /// The derivative of the loss of the last replay() by all texels.
    [[nodiscard]] tensor::TensorRef gradient();
    /// J' times what films of the last replay() change by as a map is raised, for all texels.
    /// @param raised of raised_films() of the draw.
    [[nodiscard]] tensor::TensorRef curvature(const Films& raised);
    /// J' times one number a pixel, channel and sample set of each view, for all texels. A replay of the texels as they are
    /// comes before, require_numbers() before it is trusted.
    [[nodiscard]] tensor::TensorRef collect(const Adjoints& adjoints);
    /// Adjoints that the host has. @param rows of each view, both sample sets one after the other: three a drawn pixel each.
    [[nodiscard]] Adjoints upload(const std::vector<std::vector<float>>& rows);
    /// Notes how much of what was collected was no number, and is 0 now. Waits.
    /// @throws NonFiniteError if it is more than half of what is not 0.
    void require_numbers();
    /// Texels whose derivatives were no numbers, at most of any draw.
    [[nodiscard]] std::size_t lost_texels() const noexcept { return m_lost; }
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
    std::vector<PartFactor> m_factors; ///< of lights
    std::vector<ViewFilms> m_view_films;
    Films m_films;                            ///< of the last replay()
    std::vector<tensor::TensorRef> m_counts;  ///< of collected numbers: not finite, and not 0
    std::array<std::vector<float>, 2> m_seen; ///< of look()
    std::uint64_t m_draws = 0;
    std::int64_t m_samples = 1; ///< of the last draw
    std::size_t m_lost = 0;     ///< texels whose derivatives were no numbers, at most of any draw
};

} // namespace weft::fit
