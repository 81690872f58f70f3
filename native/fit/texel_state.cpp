// SPDX-License-Identifier: Apache-2.0
#include "fit/texel_state.hpp"

#include "tensor/transfer.hpp"

#include <algorithm>

namespace weft::fit {

using tensor::TensorRef;

namespace {

constexpr double kLeastCurvature =
    0.2; ///< of the mean of a map: where signs cancel, less would be a leap
constexpr std::ptrdiff_t kMostKept = 2; ///< stiffnesses of a map, by blur
constexpr FitModule kTexels = FitModule::texels;

} // namespace

TexelState::TexelState(ImageKernels& kernels, const TensorRef& texels)
    : m_images(kernels), m_texels(kernels.calls().copy_of(texels)),
      m_mean(kernels.calls().copy_of(texels)),
      m_curved(kernels.calls().zeros({texels->element_count()})),
      m_shown(kernels.calls().zeros({texels->element_count()})),
      m_velocity(kernels.calls().zeros({texels->element_count()})) {}

void TexelState::return_to(const TensorRef& texels) {
    m_images.calls().copy(m_texels, texels);
    tensor::clear(*m_velocity);
}

TensorRef TexelState::raised(const TextureRegion& region, double by) {
    TensorRef out = m_images.calls().copy_of(m_texels);
    m_images.calls().each(kTexels, "raiseBy", region.part_of(out), by);
    return out;
}

void TexelState::add_curvature(const TextureRegion& region, const TensorRef& answer) {
    m_images.calls().each(kTexels, "addCurvature", region.part_of(m_curved),
                          region.part_of(m_shown), region.part_of(answer),
                          static_cast<double>(m_curvatures));
}

const Stiffness& TexelState::stiffness(const TextureRegion& region, std::int64_t blur) {
    const auto found = std::ranges::find_if(m_stiffness, [&](const KeptStiffness& own) {
        return own.first == region.first && own.blur == blur && own.curvatures == m_curvatures;
    });
    if (found != m_stiffness.end()) {
        return found->stiffness;
    }
    forget_stiffness(region);
    m_stiffness.push_back({region.first, blur, m_curvatures, make_stiffness(region, blur)});
    return m_stiffness.back().stiffness;
}

/// Makes room for one: what is outdated goes, else what was made first.
void TexelState::forget_stiffness(const TextureRegion& region) {
    const auto is_own = [&](const KeptStiffness& own) { return own.first == region.first; };
    const auto outdated = std::erase_if(m_stiffness, [&](const KeptStiffness& own) {
        return is_own(own) && own.curvatures != m_curvatures;
    });
    if (outdated == 0 && std::ranges::count_if(m_stiffness, is_own) >= kMostKept) {
        m_stiffness.erase(std::ranges::find_if(m_stiffness, is_own));
    }
}

Stiffness TexelState::make_stiffness(const TextureRegion& region, std::int64_t blur) {
    FitKernels& calls = m_images.calls();
    const TensorRef known =
        m_images.known(m_images.blurred(region.part_of(m_shown), region.shape, blur));
    TensorRef divisor = m_images.blurred(region.part_of(m_curved), region.shape, blur);
    if (blur <= 0) {
        divisor = calls.copy_of(divisor);
    }
    const std::int64_t threads = parts_of(known->element_count());
    const TensorRef parts = calls.create({threads, 2});
    calls.lanes(kTexels, "sumMarked", threads, divisor, known, known->element_count(), threads,
                parts);
    const TensorRef sums = calls.sum_of_parts(parts);
    TensorRef prior = calls.create({1});
    calls.lanes(kTexels, "makeDivisor", known->element_count(), known, sums,
                region.parameter.smoothness, kLeastCurvature, prior, divisor);
    return {.divisor = std::move(divisor), .prior = std::move(prior)};
}

void TexelState::move(const TextureRegion& region, const TensorRef& gradient,
                      const StepSchedule& schedule) {
    const Stiffness& resists = stiffness(region, schedule.blur);
    const TensorRef derivative =
        m_images.blurred(region.part_of(gradient), region.shape, schedule.blur);
    const TensorRef texels = region.part_of(m_texels);
    m_images.add_variation(texels, derivative, region.shape,
                           {.soft = kEdge, .weight = resists.prior, .scale = kEdge});
    m_images.calls().lanes(kTexels, "moveTexels", region.size(), derivative, resists.divisor,
                           texels, region.part_of(m_velocity), schedule.momentum, schedule.rate,
                           region.parameter.bounds[0], region.parameter.bounds[1]);
}

void TexelState::average() {
    ++m_averaged;
    m_images.calls().each(kTexels, "addToMean", m_mean, m_texels, static_cast<double>(m_averaged));
}

TensorRef TexelState::known(const TextureRegion& region) {
    return m_images.known_texels(region.part_of(m_shown), region.shape);
}

TensorRef TexelState::filled(const TextureRegion& region) {
    TensorRef out = m_images.calls().copy_of(region.part_of(found()));
    m_images.fill_holes(out, known(region), region.shape);
    return out;
}

} // namespace weft::fit
