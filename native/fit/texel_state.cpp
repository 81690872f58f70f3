// SPDX-License-Identifier: Apache-2.0
#include "fit/texel_state.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "tensor/transfer.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace weft::fit {

using tensor::TensorRef;

namespace {

constexpr double kLeastCurvature =
    0.2; ///< of the mean of a map: where signs cancel, less would be a leap
constexpr FitModule kTexels = FitModule::texels;

/// Radius, texels.
std::int64_t blur_of(const ImageShape& shape, const StepSchedule& schedule) {
    const auto side = static_cast<double>(std::min(shape.width, shape.height));
    return static_cast<std::int64_t>(
        std::min(static_cast<double>(schedule.blur), schedule.widest_blur * side));
}

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

const Preconditioner& TexelState::preconditioner(const TextureRegion& region, std::int64_t blur) {
    const auto found = std::ranges::find_if(m_preconditioners, [&](const KeptPreconditioner& own) {
        return own.first == region.first && own.blur == blur && own.curvatures == m_curvatures;
    });
    if (found != m_preconditioners.end()) {
        return found->preconditioner;
    }
    forget_preconditioner(region);
    m_preconditioners.push_back(
        {region.first, blur, m_curvatures, make_preconditioner(region, blur)});
    return m_preconditioners.back().preconditioner;
}

/// Makes room for one: what is outdated goes, else what was made first.
void TexelState::forget_preconditioner(const TextureRegion& region) {
    const auto is_own = [&](const KeptPreconditioner& own) { return own.first == region.first; };
    const auto outdated = std::erase_if(m_preconditioners, [&](const KeptPreconditioner& own) {
        return is_own(own) && own.curvatures != m_curvatures;
    });
    if (outdated == 0 && std::ranges::count_if(m_preconditioners, is_own) >= kMaxPreconditioners) {
        m_preconditioners.erase(std::ranges::find_if(m_preconditioners, is_own));
    }
}

Preconditioner TexelState::make_preconditioner(const TextureRegion& region, std::int64_t blur) {
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
    return {.divisor = std::move(divisor), .prior = std::move(prior), .sums = sums};
}

void TexelState::move(const TextureRegion& region, const TensorRef& gradient,
                      const StepSchedule& schedule) {
    const std::int64_t blur = blur_of(region.shape, schedule);
    const Preconditioner& resists = preconditioner(region, blur);
    const TensorRef derivative = m_images.blurred(region.part_of(gradient), region.shape, blur);
    const TensorRef texels = region.part_of(m_texels);
    m_images.add_variation(texels, derivative, region.shape,
                           {.soft = kEdge, .weight = resists.prior, .scale = kEdge});
    m_images.calls().lanes(kTexels, "moveTexels", region.size(), derivative, resists.divisor,
                           texels, region.part_of(m_velocity), schedule.momentum, schedule.rate,
                           region.parameter.bounds[0], region.parameter.bounds[1]);
}

Matrix TexelState::products(const TextureRegion& region, std::span<const TensorRef> rows,
                            std::int64_t blur) {
    FitKernels& calls = m_images.calls();
    const TensorRef divisor = preconditioner(region, blur).divisor;
    const std::int64_t size = region.size();
    const std::size_t last = rows.size() - 1;
    const TensorRef flat = calls.create({std::ssize(rows) * size});
    for (std::size_t number = 0; number < rows.size(); ++number) {
        calls.copy(slice(flat, static_cast<std::int64_t>(number) * size, size),
                   m_images.blurred(region.part_of(rows[number]), region.shape, blur));
    }
    const TensorRef scaled = calls.create({size});
    Matrix out(last, rows.size());
    for (std::size_t number = 0; number < last; ++number) {
        calls.lanes(kTexels, "scaleKnown", size,
                    slice(flat, static_cast<std::int64_t>(number) * size, size), divisor, scaled);
        const std::vector<float> products = calls.download(*calls.dots(flat, scaled));
        for (std::size_t other = 0; other < rows.size(); ++other) {
            out(number, other) = static_cast<double>(products[other]);
        }
    }
    return out;
}

std::size_t TexelState::known_count(const TextureRegion& region) {
    return static_cast<std::size_t>(
        m_images.calls().download(*preconditioner(region, 0).sums).front());
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

SavedArrays TexelState::save() const {
    SavedArrays out;
    for (const auto& [name, values] : tensors()) {
        std::vector<float> own = m_images.calls().download(*values);
        out.arrays.emplace(name, SavedArray{{own.size()}, std::move(own)});
    }
    out.add("counts", {static_cast<double>(m_curvatures), static_cast<double>(m_averaged)});
    return out;
}

void TexelState::restore(const SavedArrays& saved) {
    const std::vector<double> counts = saved.doubles("counts", 2);
    std::vector<std::vector<float>> read;
    for (const auto& [name, values] : tensors()) {
        read.push_back(saved.floats(name));
        if (std::ssize(read.back()) != values->element_count()) {
            throw core::ArgumentError(core::text("restore: the saved array '", name, "' must have ",
                                                 values->element_count(), " numbers, got ",
                                                 read.back().size(), "; start anew"));
        }
    }
    std::size_t number = 0;
    for (const auto& [name, values] : tensors()) {
        tensor::upload(*values, std::as_bytes(std::span(read[number++])));
    }
    m_curvatures = static_cast<std::int64_t>(counts[0]);
    m_averaged = static_cast<std::int64_t>(counts[1]);
    m_preconditioners.clear();
}

std::array<std::pair<const char*, TensorRef>, 5> TexelState::tensors() const {
    return {{{"texels", m_texels},
             {"mean", m_mean},
             {"curved", m_curved},
             {"shown", m_shown},
             {"velocity", m_velocity}}};
}

} // namespace weft::fit
