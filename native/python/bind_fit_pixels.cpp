// SPDX-License-Identifier: Apache-2.0
// Which pixels a fit draws, and what it makes of them.
#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/inflation.hpp"
#include "fit/view_pixels.hpp"
#include "python/bind_fit.hpp"
#include "python/fit_arrays.hpp"
#include "python/interpreter_lock.hpp"

#include <algorithm>
#include <pybind11/stl.h>
#include <utility>

namespace weft::python {

namespace py = pybind11;

namespace {

/// Residuals and derivatives of both halves.
using Halves = std::pair<std::pair<FitFloats, FitFloats>, std::pair<FitFloats, FitFloats>>;

py::array_t<double> inflation(const Halves& halves, const std::vector<FitWords>& pixels,
                              const std::vector<std::size_t>& widths, const FitDoubles& matrix) {
    if (pixels.size() != widths.size()) {
        throw core::ArgumentError(core::text(
            "inflation: ", pixels.size(), " views must have as many widths, got ", widths.size()));
    }
    std::vector<fit::ViewPixels> views;
    views.reserve(pixels.size());
    for (std::size_t number = 0; number < pixels.size(); ++number) {
        views.push_back({.pixels = vector_of(pixels[number]),
                         .width = std::max<std::size_t>(widths[number], 1)});
    }
    const auto& [a, b] = halves;
    const fit::SamplePair pair{{span_of(a.first), span_of(a.second)},
                               {span_of(b.first), span_of(b.second)}};
    const fit::Matrix own = matrix_of(matrix, "inflation: matrix");
    fit::Vector out;
    {
        const Unlocked unlocked;
        out = fit::inflation(pair, views, own);
    }
    return to_array(out);
}

} // namespace

void bind_fit_pixels(py::module_& module) {
    module.def(
        "counted_pixels",
        [](const FitFloats& weights) { return to_array(fit::counted_pixels(span_of(weights))); },
        py::arg("weights"),
        "Returns the numbers of the pixels that have a weight.\n\n"
        "Args:\n    weights: Shape (pixels, 3).\n");
    module.def(
        "inflation", &inflation, py::arg("halves"), py::arg("pixels"), py::arg("widths"),
        py::arg("matrix"),
        "Returns the factor, at least 1, by which each standard error grows where residuals "
        "of neighbours are alike; see native/fit/inflation.hpp.\n\n"
        "Args:\n    halves: Residuals, shape (n,), and derivatives, shape (n, p), of both "
        "halves.\n    pixels: That were drawn, one array a view.\n"
        "    widths: Of the pictures.\n    matrix: H of the normal equations, shape (p, p).\n");
}

} // namespace weft::python
