// SPDX-License-Identifier: Apache-2.0
// An observation with what a fit keeps for it.
#pragma once

#include "fit/observation.hpp"
#include "render/recorder.hpp"
#include "scene/scene.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weft::fit {

/// How a fit draws its views.
struct ViewDraw {
    std::int64_t samples = 1;               ///< paths a pixel in each of the two sample sets
    std::int64_t bounces = 8;               ///< surfaces that a path may leave
    std::span<const std::uint32_t> seeds{}; ///< of this view and iteration, one a part
    core::InterruptPoll check{};
};

/// How a fit draws all of its views.
struct ViewsDraw {
    std::int64_t samples = 1; ///< paths a pixel in each of the two sample sets
    std::int64_t bounces = 8; ///< surfaces that a path may leave
    std::uint64_t seed = 0;   ///< of the fit
    std::uint64_t draw = 0;   ///< number of the draw
    core::InterruptPoll check{};
};

/// What records one part of the light of a picture, see lighting.hpp.
struct ViewPart {
    std::shared_ptr<render::Recorder> recorder; ///< not null
    std::optional<std::size_t> light{}; ///< number of the light whose factor it has; not set: none
};

/// What weights() hold.
enum class Weighting : std::uint8_t {
    fitted, ///< noise of the picture and of renders, and trust
    noise,  ///< noise of the picture alone
    unit,   ///< 1, also for pixels that do not count
};

/// What a view draws and how much each pixel counts, for checkpoints and phases that come back to it.
struct ViewState {
    std::vector<std::uint32_t> pixels{}; ///< that are drawn
    std::vector<float> trust{};          ///< one a pixel of the picture
    std::vector<float> noise{};          ///< one a pixel of the picture; empty: alike
    std::vector<bool> lost{};            ///< one flag a pixel of the picture
};

/// Pixels that count, which of them are drawn, and the paths of the last draw. One thread at a time.
class View {
public:
    /// @param observation a valid one; it outlives the view. @param parts of its light, at least one.
    /// @param start_media what the camera is in; empty: nothing.
    /// @param noise_weights three a pixel of the picture; empty: noise_weights() of the observation.
    /// @throws ArgumentError unless there are as many weights as numbers of the picture.
    View(const Observation& observation, std::vector<ViewPart> parts,
         std::vector<std::uint32_t> start_media, std::vector<float> noise_weights = {});

    [[nodiscard]] const Observation& observation() const noexcept { return *m_observation; }
    [[nodiscard]] bool is_robust() const noexcept { return m_observation->robust; }
    [[nodiscard]] std::span<const ViewPart> parts() const noexcept { return m_parts; }
    /// That draws it.
    [[nodiscard]] const device::Device& device() const noexcept;
    /// Of the picture, pixels.
    [[nodiscard]] std::size_t width() const noexcept {
        return static_cast<std::size_t>(m_observation->camera.width);
    }
    /// Numbers of the pixels that are drawn, y * width + x, ascending.
    [[nodiscard]] const std::vector<std::uint32_t>& pixels() const noexcept { return m_pixels; }
    void set_pixels(std::vector<std::uint32_t> pixels);
    /// Another one whenever pixels() or weights() may have changed.
    [[nodiscard]] std::uint64_t version() const noexcept { return m_version; }
    /// Three a pixel of the picture; 0: it does not count.
    [[nodiscard]] std::span<const float> weights() const noexcept { return m_weights; }
    /// Of the picture's noise, with full trust: what weights() are made from.
    [[nodiscard]] const std::vector<float>& noise_weights() const noexcept {
        return m_noise_weights;
    }
    /// What a robust loss leaves of each pixel of the picture, in (0, 1]; 1 where there is none.
    [[nodiscard]] const std::vector<float>& trust() const noexcept { return m_trust; }
    /// Weights have the square root of it. @param trust one a pixel of the picture.
    void set_trust(std::vector<float> trust);
    /// Weights are divided by it. @param noise of renders, of what is usual, one a pixel of the picture, above 0.
    void set_noise(std::vector<float> noise);
    /// For looks at pixels that are not those of a step.
    void set_weighting(Weighting weighting);
    /// Which pixels gave no finite number at any time, one flag a pixel of the picture; they do not count any more.
    [[nodiscard]] const std::vector<bool>& lost() const noexcept { return m_lost; }
    [[nodiscard]] std::size_t lost_count() const noexcept;
    /// Lets pixels not count any more. @param bad which of those that are drawn.
    /// @throws NonFiniteError if more than half of the pixels that are drawn are lost by now.
    void leave_out(const std::vector<bool>& bad);
    [[nodiscard]] ViewState state() const;
    /// Goes back to a state(); pixels that were lost since then stay lost.
    /// @throws ArgumentError if it is that of another picture; then nothing changes.
    void restore(const ViewState& state);
    /// @throws ArgumentError unless restore() takes the state.
    void require(const ViewState& state) const;
    /// What did not count of the view, a sentence; "": all does.
    [[nodiscard]] std::string problem() const;

    /// The pixels that have a weight, ascending.
    [[nodiscard]] std::vector<std::uint32_t> counted_pixels() const;
    /// Draws all pixels that count, or those of them in every `stride`-th row and column.
    void show_all(std::size_t stride = 1);

    void draw(const ViewDraw& draw);
    /// Fraction of the samples of each pixel that is drawn whose first surface has one of the materials of the recorders, by
    /// a draw of two samples; in [0, 1].
    [[nodiscard]] std::vector<float> direct_fraction(std::uint32_t seed,
                                                     const core::InterruptPoll& check);
    /// The mean of samples [first, first + count) of each pixel that is drawn: parts x (1 + directions) x pixels x 3,
    /// 0 where any of a pixel's is no finite number.
    /// @throws NonFiniteError if more than half of the pixels that are drawn are no finite numbers.
    [[nodiscard]] std::vector<float> resolve_to_host(std::int64_t first, std::int64_t count,
                                                     bool with_tangents);
    /// Means over squares of side 2 `radius` + 1, for all pixels that count; 0 where none is drawn nearby.
    /// @param values one a pixel that is drawn.
    [[nodiscard]] std::vector<float> spread(std::span<const double> values,
                                            std::size_t radius) const;

private:
    void update_weights();

    const Observation* m_observation;
    std::vector<ViewPart> m_parts;
    std::vector<std::uint32_t> m_start_media;
    std::vector<float> m_noise_weights;
    std::vector<float> m_weights;
    std::vector<float> m_trust;
    std::vector<float> m_noise; ///< empty: alike
    Weighting m_weighting = Weighting::fitted;
    std::vector<bool> m_lost;
    std::vector<std::uint32_t> m_pixels;
    std::uint64_t m_version = 0;
    bool m_is_drawn = false; ///< the pixels are those of the last draw
};

/// Numbers of the materials that parameters belong to, ascending. @param names of parameters.
[[nodiscard]] std::vector<std::uint32_t> owning_materials(const scene::Scene& scene,
                                                          std::span<const std::string> names);

/// Calls work(number of a view) for each. Views of one device follow each other in one thread, those of the first device in
/// this one; all have ended at the return. @throws what `work` has thrown, of the first device on which it did.
void each_view(const std::vector<View>& views, const std::function<void(std::size_t)>& work);

/// Draws the pixels of all views in two independent halves, each view and each part of its light with a seed of its own.
void draw_views(std::vector<View>& views, const ViewsDraw& draw);

} // namespace weft::fit
