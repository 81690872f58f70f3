// SPDX-License-Identifier: Apache-2.0
// The texels of a scene while a fit moves them, on the device: steps, curvature, and means. For the sources of this layer.
#pragma once

#include "fit/image_kernels.hpp"
#include "fit/matrix.hpp"
#include "fit/saved_arrays.hpp"
#include "fit/texture_regions.hpp"
#include "fit/texture_schedule.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <utility>

namespace weft::fit {

/// Preconditioners of a map that are kept, by blur.
inline constexpr std::ptrdiff_t kMaxPreconditioners = 2;

/// Differences of neighbouring texels below it count by their square.
inline constexpr double kEdge = 0.05;

/// What resists steps of a texture.
struct Preconditioner {
    /// Of gradients, one float a texel's channel: curvature, and that of the prior; its negative where texels do not move:
    /// what the pictures hardly show is left to hole filling.
    tensor::TensorRef divisor;
    tensor::TensorRef prior; ///< weight of the prior, one float
    tensor::TensorRef sums;  ///< two floats: how many are known, and the sum of their curvature
};

/// Texels, and all that their steps keep of each. All tensors have one float a texel's channel. One thread at a time.
class TexelState {
public:
    /// @param kernels outlive the state. @param texels of the scene, flat; copied.
    TexelState(ImageKernels& kernels, const tensor::TensorRef& texels);

    /// Where the steps are.
    [[nodiscard]] const tensor::TensorRef& texels() const noexcept { return m_texels; }
    /// Goes on from other texels, which stay as they are, at rest.
    void return_to(const tensor::TensorRef& texels);
    /// The texels with those of one map raised.
    [[nodiscard]] tensor::TensorRef raised(const TextureRegion& region, double by);

    /// Draws that the curvature is averaged over.
    [[nodiscard]] std::int64_t curvatures() const noexcept { return m_curvatures; }
    /// One draw more: add_curvature() of each map follows.
    void begin_curvature() noexcept { ++m_curvatures; }
    /// Averages the curvature of a map over curvatures() draws.
    /// @param answer what its texels together add to each of them; of other texels, it says nothing.
    void add_curvature(const TextureRegion& region, const tensor::TensorRef& answer);
    /// What resists steps that are averaged over squares. @param blur radius of the squares, texels.
    [[nodiscard]] const Preconditioner& preconditioner(const TextureRegion& region,
                                                       std::int64_t blur);
    /// Steps against a gradient, with momentum and within the bounds of the map.
    /// @param gradient of the loss, for all texels of the scene; the map's may be overwritten.
    void move(const TextureRegion& region, const tensor::TensorRef& gradient,
              const StepSchedule& schedule);
    /// Products of derivatives over what resists steps of a map, (rows - 1) x rows: C' D^-1 C. Waits.
    /// @param rows derivatives by all texels of the scene; the last one is only a right factor.
    /// @param blur radius of the squares that they are averaged over, texels.
    [[nodiscard]] Matrix products(const TextureRegion& region,
                                  std::span<const tensor::TensorRef> rows, std::int64_t blur);
    /// Floats of a map that pictures show. Waits.
    [[nodiscard]] std::size_t known_count(const TextureRegion& region);

    /// Adds the texels as they are to their mean.
    void average();
    /// Forgets the mean.
    void restart_average() noexcept { m_averaged = 0; }
    /// Draws that the mean is of.
    [[nodiscard]] std::int64_t averaged() const noexcept { return m_averaged; }
    /// The texels of the scene as they were found: their mean, if there is one.
    [[nodiscard]] const tensor::TensorRef& found() const noexcept {
        return m_averaged > 0 ? m_mean : m_texels;
    }
    /// 1 for the texels of a map that pictures show, else 0: height x width.
    [[nodiscard]] tensor::TensorRef known(const TextureRegion& region);
    /// The texels of a map as they were found, its holes filled.
    [[nodiscard]] tensor::TensorRef filled(const TextureRegion& region);

    /// texels, mean, curved, shown, velocity and counts: all that later steps depend on. Waits.
    [[nodiscard]] SavedArrays save() const;
    /// Goes back to where save() was called. @throws ArgumentError if arrays do not fit; then nothing changes.
    void restore(const SavedArrays& saved);

private:
    struct KeptPreconditioner {
        std::int64_t first;      ///< of the region
        std::int64_t blur;       ///< texels
        std::int64_t curvatures; ///< that it was made of
        Preconditioner preconditioner;
    };

    /// All that is saved, by name.
    [[nodiscard]] std::array<std::pair<const char*, tensor::TensorRef>, 5> tensors() const;
    [[nodiscard]] Preconditioner make_preconditioner(const TextureRegion& region,
                                                     std::int64_t blur);
    void forget_preconditioner(const TextureRegion& region);

    ImageKernels& m_images;
    tensor::TensorRef m_texels;
    tensor::TensorRef m_mean;
    tensor::TensorRef m_curved; ///< mean curvature
    tensor::TensorRef m_shown;  ///< its mean magnitude
    tensor::TensorRef m_velocity;
    std::int64_t m_curvatures = 0;
    std::int64_t m_averaged = 0;
    std::list<KeptPreconditioner> m_preconditioners; ///< in the order in which they were made
};

} // namespace weft::fit
