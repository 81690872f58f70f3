// SPDX-License-Identifier: Apache-2.0
// Films of a view on the device, their residuals, and the adjoints that these start. For the sources of this layer.
#pragma once

#include "fit/fit_kernels.hpp"
#include "fit/view.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace weft::fit {

/// Factors of the colours of a part of the light.
using PartFactor = std::array<double, kChannels>;

/// The films before and after a step.
struct FilmChange {
    tensor::TensorRef before;
    tensor::TensorRef after;
    double step = 1; ///< its size
};

/// What a view's drawn pixels are compared with, on the device. Films hold both sample sets: three floats a drawn pixel of
/// the first, then those of the second. One thread at a time.
class ViewFilms {
public:
    /// @param view of the fit. @param kernels Both outlive the films.
    ViewFilms(View& view, FitKernels& kernels) : m_view(&view), m_kernels(&kernels) {}

    [[nodiscard]] View& view() const noexcept { return *m_view; }
    /// Pixels that are drawn.
    [[nodiscard]] std::int64_t count() const noexcept { return std::ssize(m_view->pixels()); }

    /// The films of the last draw for other texels; pixels that are no numbers are 0.
    /// @param texels of all textures. @param drawn samples a pixel of each sample set.
    [[nodiscard]] tensor::TensorRef replay(const tensor::TensorRef& texels, std::int64_t drawn);
    /// Three floats, not divided by anything: products of the residuals of both sample sets, a quarter of their squared
    /// differences, and pixels whose films were no numbers.
    [[nodiscard]] tensor::TensorRef sums(const tensor::TensorRef& film);
    /// Mean squared difference of the sample sets' residuals, one a drawn pixel. Waits.
    [[nodiscard]] std::vector<float> differences(const tensor::TensorRef& film);
    /// Tells the view which pixels count no more. Waits. @throws as View::leave_out().
    void leave_out_lost();
    /// Derivatives of the loss by films, for each part of the light. @param factors of each part.
    [[nodiscard]] std::vector<tensor::TensorRef> adjoints(const tensor::TensorRef& film,
                                                          std::span<const PartFactor> factors);
    /// Adjoints that carry what films change by, over the step, for each part of the light.
    [[nodiscard]] std::vector<tensor::TensorRef>
    change_adjoints(const FilmChange& change, std::span<const PartFactor> factors);

private:
    void refresh();
    template <typename Launch>
    [[nodiscard]] static std::vector<tensor::TensorRef> each(std::span<const PartFactor> factors,
                                                             const Launch& launch);

    View* m_view;
    FitKernels* m_kernels;
    std::optional<std::uint64_t> m_version; ///< of the view, that the tensors follow
    tensor::TensorRef m_image;
    tensor::TensorRef m_weights;
    tensor::TensorRef m_lost; ///< uint32, one a drawn pixel
};

} // namespace weft::fit
