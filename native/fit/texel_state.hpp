// SPDX-License-Identifier: Apache-2.0
// The texels of a scene while a fit moves them, on the device: steps, curvature, and means. For the sources of this layer.
#pragma once

#include "fit/image_kernels.hpp"
#include "fit/texture_regions.hpp"
#include "fit/texture_schedule.hpp"

#include <cstdint>
#include <list>

namespace weft::fit {

/// Differences of neighbouring texels below it count by their square.
inline constexpr double kEdge = 0.05;

/// What resists steps of a texture.
struct Stiffness {
    /// Of gradients, one float a texel's channel: curvature, and that of the prior; its negative where texels do not move:
    /// what the pictures hardly show is left to hole filling.
    tensor::TensorRef divisor;
    tensor::TensorRef prior; ///< weight of the prior, one float
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
    [[nodiscard]] const Stiffness& stiffness(const TextureRegion& region, std::int64_t blur);
    /// Steps against a gradient, with momentum and within the bounds of the map.
    /// @param gradient of the loss, for all texels of the scene; the map's may be overwritten.
    void move(const TextureRegion& region, const tensor::TensorRef& gradient,
              const StepSchedule& schedule);

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

private:
    struct KeptStiffness {
        std::int64_t first;      ///< of the region
        std::int64_t blur;       ///< texels
        std::int64_t curvatures; ///< that it was made of
        Stiffness stiffness;
    };

    [[nodiscard]] Stiffness make_stiffness(const TextureRegion& region, std::int64_t blur);
    void forget_stiffness(const TextureRegion& region);

    ImageKernels& m_images;
    tensor::TensorRef m_texels;
    tensor::TensorRef m_mean;
    tensor::TensorRef m_curved; ///< mean curvature
    tensor::TensorRef m_shown;  ///< its mean magnitude
    tensor::TensorRef m_velocity;
    std::int64_t m_curvatures = 0;
    std::int64_t m_averaged = 0;
    std::list<KeptStiffness> m_stiffness; ///< in the order in which they were made
};

} // namespace weft::fit
