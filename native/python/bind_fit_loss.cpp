// SPDX-License-Identifier: Apache-2.0
// The loss of a fit over all its phases, and the noise of its renders.
#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/loss_meter.hpp"
#include "fit/observation.hpp"
#include "fit/relative_noise.hpp"
#include "fit/residuals.hpp"
#include "fit/sample_counts.hpp"
#include "python/bind_fit.hpp"
#include "python/fit_arrays.hpp"

#include <algorithm>
#include <memory>
#include <pybind11/stl.h>
#include <string>
#include <utility>

namespace weft::python {

namespace py = pybind11;

namespace {

using Meter = fit::LossMeter;
using Pixels = Meter::Pixels;

template <typename T>
std::vector<std::vector<T>> vectors_of(const std::vector<FitArray<T>>& arrays) {
    std::vector<std::vector<T>> out;
    out.reserve(arrays.size());
    for (const FitArray<T>& array : arrays) {
        out.push_back(vector_of(array));
    }
    return out;
}

[[noreturn]] void refuse(const Meter& own, const char* function, const char* what) {
    throw core::ArgumentError(core::text("LossMeter.", function, ": ", what, " for each of the ",
                                         own.state().views.size(), " views of the meter"));
}

std::size_t pixels_of(const Meter& own, std::size_t view) {
    return own.state().views[view].noise.size();
}

void require_pixels(const Meter& own, const std::vector<FitWords>& pixels, const char* function) {
    bool fits = pixels.size() == own.state().views.size();
    for (std::size_t view = 0; fits && view < pixels.size(); ++view) {
        fits = std::ranges::all_of(span_of(pixels[view]), [&](std::uint32_t pixel) {
            return pixel < pixels_of(own, view);
        });
    }
    if (!fits) {
        refuse(own, function, "there must be numbers of pixels of its picture");
    }
}

void record(Meter& own, const std::vector<FitWords>& pixels, const std::vector<FitFloats>& weights,
            const FitFloats& a, const FitFloats& b) {
    require_pixels(own, pixels, "record");
    std::vector<fit::DrawnView> views;
    std::size_t rows = 0;
    bool fits = weights.size() == pixels.size();
    for (std::size_t view = 0; fits && view < pixels.size(); ++view) {
        fits =
            static_cast<std::size_t>(weights[view].size()) == fit::kChannels * pixels_of(own, view);
        views.push_back({.pixels = span_of(pixels[view]), .weights = span_of(weights[view])});
        rows += fit::kChannels * views.back().pixels.size();
    }
    if (!fits || static_cast<std::size_t>(a.size()) != rows ||
        static_cast<std::size_t>(b.size()) != rows) {
        refuse(own, "record",
               "there must be three weights a pixel, and three residuals a pixel "
               "that is drawn");
    }
    own.record(views, {span_of(a), span_of(b)});
}

/// What counts of the views. Owns what fit::CountedView points to.
class Counted {
public:
    Counted(const Meter& own, const std::vector<FitFloats>& trust,
            const std::vector<FitFlags>& lost) {
        bool fits = trust.size() == own.state().views.size() && lost.size() == trust.size();
        for (std::size_t view = 0; fits && view < trust.size(); ++view) {
            fits = static_cast<std::size_t>(trust[view].size()) == pixels_of(own, view) &&
                   lost[view].size() == trust[view].size();
        }
        if (!fits) {
            refuse(own, "loss", "there must be trust and a flag a pixel");
        }
        m_lost = vectors_of(lost);
        for (std::size_t view = 0; view < trust.size(); ++view) {
            views.push_back({.trust = span_of(trust[view]), .lost = &m_lost[view]});
        }
    }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

    std::vector<fit::CountedView> views{};

private:
    std::vector<std::vector<bool>> m_lost;
};

py::dict state(const Meter& own) {
    py::dict out;
    out["is_open"] = py::bool_(own.state().is_open);
    for (std::size_t view = 0; view < own.state().views.size(); ++view) {
        const Pixels& pixels = own.state().views[view];
        const auto set = [&](const char* name, const py::object& array) {
            out[py::str(core::text(name, ".", view))] = array;
        };
        set("noise", to_array(pixels.noise));
        set("counted", to_array(pixels.is_counted));
        set("products", to_array(pixels.products));
        set("variances", to_array(pixels.variances));
    }
    return out;
}

template <typename Array>
Array saved_array(const py::dict& saved, const char* name, std::size_t view) {
    const std::string key = core::text(name, ".", view);
    if (!saved.contains(key)) {
        throw core::ArgumentError(
            core::text("LossMeter.restore: there is no array '", key, "'; start anew"));
    }
    return py::cast<Array>(saved[py::str(key)]);
}

void restore(Meter& own, bool is_open, const py::dict& saved) {
    Meter::State found{.is_open = is_open};
    for (std::size_t view = 0; view < own.state().views.size(); ++view) {
        found.views.push_back(
            {.noise = vector_of(saved_array<FitFloats>(saved, "noise", view)),
             .is_counted = vector_of(saved_array<FitFlags>(saved, "counted", view)),
             .products = vector_of(saved_array<FitDoubles>(saved, "products", view)),
             .variances = vector_of(saved_array<FitDoubles>(saved, "variances", view))});
    }
    own.restore(std::move(found));
}

void set_noise(Meter& own, const std::vector<FitFloats>& noise) {
    bool fits = noise.size() == own.state().views.size();
    for (std::size_t view = 0; fits && view < noise.size(); ++view) {
        fits = static_cast<std::size_t>(noise[view].size()) == pixels_of(own, view);
    }
    if (!fits) {
        refuse(own, "set_noise", "there must be a number a pixel");
    }
    own.set_noise(vectors_of(noise));
}

void keep(Meter& own, const std::vector<FitWords>& pixels) {
    require_pixels(own, pixels, "keep");
    for (std::size_t view = 0; view < pixels.size(); ++view) {
        own.keep(view, span_of(pixels[view]));
    }
}

py::list relative_noise(const std::vector<FitDoubles>& squares,
                        const std::vector<FitDoubles>& counts) {
    bool fits = squares.size() == counts.size();
    std::vector<fit::MeasuredNoise> views;
    for (std::size_t view = 0; fits && view < squares.size(); ++view) {
        fits = squares[view].ndim() == 2 && counts[view].ndim() == 2 &&
               std::equal(squares[view].shape(), squares[view].shape() + 2, counts[view].shape());
        if (fits) {
            views.push_back({.height = static_cast<std::size_t>(squares[view].shape(0)),
                             .width = static_cast<std::size_t>(squares[view].shape(1)),
                             .squares = vector_of(squares[view]),
                             .counts = vector_of(counts[view])});
        }
    }
    if (!fits) {
        throw core::ArgumentError("relative_noise: squares and counts must have the same shapes "
                                  "(height, width), one of each a view");
    }
    py::list out;
    for (const std::vector<float>& noise : fit::relative_noise(views)) {
        out.append(to_array(noise));
    }
    return out;
}

void bind_noise(py::module_& module) {
    module.def("relative_noise", &relative_noise, py::arg("squares"), py::arg("counts"),
               "Returns the noise of weighted residuals, of what is usual, one array a view with a "
               "number a pixel; see native/fit/relative_noise.hpp.\n\n"
               "Args:\n    squares: Sums of mean squared differences of both halves, one array a "
               "view, shape (height, width).\n    counts: Draws of each pixel, of the same "
               "shapes.\n");
    module.def(
        "residual_variance",
        [](const FitFloats& a, const FitFloats& b) {
            if (a.size() == 0 || a.size() != b.size()) {
                throw core::ArgumentError(core::text("residual_variance: both sample sets must "
                                                     "have the same n >= 1 residuals, got ",
                                                     a.size(), " and ", b.size()));
            }
            return fit::residual_variance({span_of(a), span_of(b)});
        },
        py::arg("residual_a"), py::arg("residual_b"),
        "Returns the variance of a residual whose noise is the mean of two sample sets'.");
    module.attr("MAX_SAMPLES_FACTOR") = fit::kMaxSamplesFactor;
    module.attr("MIN_PATHS") = fit::kMinPaths;
    module.attr("PATHS_PER_SCALAR") = fit::kPathsPerNumber;
    module.def("iteration_samples", &fit::iteration_samples, py::arg("pixels"), py::arg("scalars"),
               py::arg("wanted"), py::arg("least"),
               "Returns the paths a pixel in each sample set of an iteration: more where pixels "
               "are few.\n\n"
               "Args:\n    pixels: Of all views that are drawn.\n    scalars: Number of unknowns.\n"
               "    wanted: Samples of the settings.\n    least: Samples that are enough.\n");
}

} // namespace

void bind_fit_loss(py::module_& module) {
    bind_noise(module);
    py::classh<Meter>(module, "LossMeter",
                      "Keeps the latest products of residuals of each pixel; see "
                      "weft.fit.loss.\n\n"
                      "Args:\n    weights: Of the loss, one array a view, shape (pixels, 3).\n")
        .def(py::init([](const std::vector<FitFloats>& weights) {
                 return std::make_unique<Meter>(vectors_of(weights));
             }),
             py::arg("weights"))
        .def_property_readonly(
            "is_open", [](const Meter& own) { return own.state().is_open; },
            "Nothing was recorded: the pixels of the first record count.")
        .def("record", &record, py::arg("pixels"), py::arg("weights"), py::arg("a"), py::arg("b"),
             "Keeps the residuals of the pixels that are drawn now; others keep theirs.\n\n"
             "Args:\n    pixels: That are drawn, one array a view.\n"
             "    weights: Of the residuals, one array a view, shape (pixels of the picture, 3).\n"
             "    a: Weighted residuals of one sample set, all views one after the other.\n"
             "    b: Of the other.\n")
        .def("set_noise", &set_noise, py::arg("noise"),
             "Lets pixels count by the noise of renders, one number a pixel of each view.")
        .def("keep", &keep, py::arg("pixels"), "Counts no pixels but these, one array a view.")
        .def(
            "loss",
            [](const Meter& own, const std::vector<FitFloats>& trust,
               const std::vector<FitFlags>& lost) {
                return own.loss(Counted(own, trust, lost).views);
            },
            py::arg("trust"), py::arg("lost"),
            "Returns the mean product of residuals; infinite before any record.\n\n"
            "Args:\n    trust: What a robust loss leaves, one array a view.\n"
            "    lost: Which pixels do not count, one array a view.\n")
        .def(
            "noise_floor",
            [](const Meter& own, const std::vector<FitFloats>& trust,
               const std::vector<FitFlags>& lost) {
                return own.noise_floor(Counted(own, trust, lost).views);
            },
            py::arg("trust"), py::arg("lost"),
            "Returns the standard deviation of loss() by noise of renders alone.")
        .def("state", &state, "Returns all that later losses depend on, by name.")
        .def("restore", &restore, py::arg("is_open"), py::arg("saved"),
             "Goes back to where state() was called; arrays that do not fit raise ArgumentError.");
}

} // namespace weft::python
