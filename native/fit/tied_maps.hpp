// SPDX-License-Identifier: Apache-2.0
// Maps of one material that are tied by what they have in common.
//
// Few views tell of a texel fewer numbers than base colour, roughness and metallic have. Many texels tell more together:
// where a material is a mix of few, its maps change along few directions. So the numbers x of a texel have a normal prior
// whose mean m and covariance S are found with them (empirical Bayes; expectation maximisation, Dempster, Laird and Rubin
// 1977): steps solve (H + n S^-1) dx = -(g + n S^-1 (x - m)), with n twice the variance of what is not explained. While that
// is much, texels are held to few directions; as it becomes less, each finds its own place.
#pragma once

#include "core/api.hpp"
#include "fit/map_errors.hpp"
#include "fit/map_group.hpp"
#include "fit/matrix.hpp"
#include "fit/saved_arrays.hpp"
#include "fit/texel_image.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace weft::fit {

/// How an iteration moves tied maps.
struct TiedSchedule {
    double blur = 0;        ///< of steps, texels
    double rate = 0;        ///< share of the full step
    double noise = 0;       ///< share of an iteration's own variance that is left in the texels
    double shift = 0;       ///< share of the step of all texels alike
    bool is_first = false;  ///< texels keep their differences: all move alike
    bool is_guided = false; ///< maps of the shape of reflections follow the others; see guided.hpp
};

[[nodiscard]] WEFT_API TiedSchedule tied_schedule(std::size_t iteration, std::size_t iterations);

/// The prior of the maps of a material, and their steps. One thread at a time.
class TiedMaps {
public:
    /// Knows nothing but where the maps begin.
    /// @param maps as they are at first, MapGroup::gather(). @throws ArgumentError if they have another shape.
    WEFT_API TiedMaps(MapGroup group, const TexelView& maps);

    [[nodiscard]] const MapGroup& group() const noexcept { return m_group; }
    [[nodiscard]] const Vector& mean() const noexcept { return m_mean; }
    [[nodiscard]] const Matrix& covariance() const noexcept { return m_covariance; }

    /// Counts the pictures that show each texel anew: none so far.
    WEFT_API void forget_views();
    /// Counts a picture. @param answers what it tells of the scene's texels, 0 or more.
    WEFT_API void add_view(std::span<const float> answers);

    /// Notes how much the texels do not explain.
    /// @param loss of the last iteration: variance of residuals without its own noise.
    /// @param left what the texels have taken up of that noise.
    WEFT_API void expect(double loss, double left);
    /// Averages the curvature over iterations; fireflies count no more than other texels.
    /// @param blocks of MapGroup::blocks().
    WEFT_API void add_blocks(const TexelView& blocks);

    /// The maps after a step.
    /// @param maps as they are. @param gradient of the loss, gather_sums().
    /// @param variation derivative of the total variation of each map; see variation_derivative().
    [[nodiscard]] WEFT_API TexelImage move(const TexelView& maps, const TexelView& gradient,
                                           const TexelView& variation,
                                           const TiedSchedule& schedule);
    /// Moves the maps among the texels of the scene. @param gradient of the loss by these texels.
    WEFT_API void step(std::span<const float> gradient, std::span<float> texels,
                       const TiedSchedule& schedule);

    /// Inverse covariance of each texel's numbers, times twice the variance, D x D channels.
    /// @param blur of the blocks, texels; at least 1.
    [[nodiscard]] WEFT_API TexelImage precision(double blur = 0);
    /// Sums over the texels of a' P^-1 b, with P of precision(): what goes where maps are eliminated from normal equations.
    /// @param rows derivatives by the scene's texels; averaged by a Gaussian of `blur` texels.
    /// @return (rows - 1) x rows: the last one is only a right factor.
    [[nodiscard]] WEFT_API Matrix products(std::span<const std::span<const float>> rows,
                                           double blur);

    /// What is not known of the maps. @param maps as they were found.
    /// @param variance of a residual about what the maps explain.
    /// @param sharing texels that a lookup mixes: each has a share of what pixels tell of all.
    [[nodiscard]] WEFT_API MapUncertainty uncertainty(const TexelView& maps, double variance,
                                                      double sharing) const;

    /// All that later steps depend on: mean, covariance, blocks, views, numbers.
    [[nodiscard]] WEFT_API SavedArrays save() const;
    /// Goes back to where save() was called. @throws ArgumentError if arrays do not fit; then nothing changes.
    WEFT_API void restore(const SavedArrays& saved);

private:
    /// Blocks without negative eigenvalues, blurred; kept until they change.
    [[nodiscard]] const TexelImage& lifted(double blur, core::ThreadPool* pool);
    [[nodiscard]] std::vector<bool> informed() const;
    /// 2 n S^-1, D x D.
    [[nodiscard]] Matrix pull() const;
    [[nodiscard]] TexelImage stepped(const TexelView& maps, const TexelView& gradient,
                                     const TexelView& variation, const TiedSchedule& schedule,
                                     core::ThreadPool* pool);
    /// Adds the step of all texels by few numbers, which pictures tell best, to maps; moves the mean.
    void shift(const TexelView& maps, const TexelView& gradient, double share, std::size_t bends,
               TexelImage& moved, core::ThreadPool* pool);
    void follow(TexelImage& maps, core::ThreadPool* pool);
    void learn(const TexelView& maps, double blur, core::ThreadPool* pool);

    MapGroup m_group;
    Vector m_low;
    Vector m_high;
    Vector m_range;
    Vector m_mean;
    Matrix m_covariance;
    TexelImage m_blocks;
    std::vector<double> m_views; ///< that show each texel
    double m_variance =
        1; ///< of residuals, with that of the iterations which is left in the texels
    std::size_t m_count = 0; ///< iterations that blocks are averaged over
    std::optional<double> m_loss;
    std::vector<std::pair<double, TexelImage>> m_lifted; ///< by blur
};

} // namespace weft::fit
