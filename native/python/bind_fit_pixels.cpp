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

/// @throws ArgumentError if a pixel lies outside a picture of so many.
void require_within(const FitWords& pixels, std::size_t count, const char* function) {
    const std::span<const std::uint32_t> own = span_of(pixels);
    const auto beyond =
        std::ranges::find_if(own, [count](std::uint32_t pixel) { return pixel >= count; });
    if (beyond != own.end()) {
        throw core::ArgumentError(core::text(function, ": pixels must be below ", count,
                                             ", the pixels of the picture, got ", *beyond));
    }
}

py::array_t<float> spread(const FitDoubles& values, const FitWords& drawn,
                          std::pair<std::size_t, std::size_t> extent, const FitWords& shown,
                          std::size_t radius) {
    const auto [height, width] = extent;
    require_within(drawn, height * width, "spread");
    require_within(shown, height * width, "spread");
    if (values.size() != drawn.size()) {
        throw core::ArgumentError(core::text(
            "spread: ", drawn.size(), " pixels must have as many values, got ", values.size()));
    }
    return to_array(fit::spread({.pixels = vector_of(drawn), .width = width}, height,
                                span_of(values), span_of(shown), radius));
}

/// Residuals and derivatives of both halves.
using Halves = std::pair<std::pair<FitFloats, FitFloats>, std::pair<FitFloats, FitFloats>>;

py::array_t<double> inflation(const Halves& halves, const std::vector<FitWords>& pixels,
                              const std::vector<std::size_t>& widths, const FitDoubles& matrix) {
    if (pixels.size() != widths.size()) {
        throw core::ArgumentError(core::text(
            "inflation: ", pixels.size(), " views must have as many widths, got ", widths.size()));
    }
    std::vector<fit::ViewPixels> views;
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
        "lattice_of",
        [](const FitWords& counted, std::size_t width, std::size_t stride) {
            return to_array(fit::lattice_of(
                {.pixels = vector_of(counted), .width = std::max<std::size_t>(width, 1)},
                std::max<std::size_t>(stride, 1)));
        },
        py::arg("counted"), py::arg("width"), py::arg("stride"),
        "Returns the pixels in every `stride`-th row and column; all if there are none.");
    module.def("spread", &spread, py::arg("values"), py::arg("drawn"), py::arg("extent"),
               py::arg("shown"), py::arg("radius"),
               "Returns means over squares, one for each pixel that is shown; 0 where none is "
               "drawn nearby.\n\n"
               "Args:\n    values: One a pixel that is drawn.\n    drawn: Numbers of pixels.\n"
               "    extent: Height and width of the picture.\n    shown: Numbers of pixels.\n"
               "    radius: Pixels; a square has a side of 2 `radius` + 1.\n");
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
