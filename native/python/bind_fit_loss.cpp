// SPDX-License-Identifier: Apache-2.0
// The loss of a fit over all its phases, and the noise of its renders.
#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/loss_meter.hpp"
#include "fit/residuals.hpp"
#include "fit/sample_counts.hpp"
#include "fit/scalar_setup.hpp"
#include "python/bind_fit.hpp"
#include "python/fit_objects.hpp"

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

std::vector<std::vector<float>> weights_of(const FitViews& views) {
    const FitTurn turn(views);
    std::vector<std::vector<float>> out;
    out.reserve(views.views.size());
    for (const fit::View& view : views.views) {
        out.emplace_back(view.weights().begin(), view.weights().end());
    }
    return out;
}

/// Of views, whose weights as they are first are those of the loss.
struct MeterObject {
    explicit MeterObject(std::shared_ptr<FitViews> of)
        : views(completed(std::move(of), "LossMeter")), own(weights_of(*views)) {}

    std::shared_ptr<FitViews> views;
    Meter own;
};

void record(MeterObject& meter, const FitFloats& a, const FitFloats& b) {
    const fit::ResidualPair residuals{span_of(a), span_of(b)};
    const FitTurn turn(*meter.views);
    require_residuals("LossMeter.record", *meter.views, residuals);
    fit::record_loss(meter.own, meter.views->views, residuals);
}

void begin(MeterObject& meter, const FitFloats& a, const FitFloats& b) {
    const fit::ResidualPair residuals{span_of(a), span_of(b)};
    const FitTurn turn(*meter.views);
    require_residuals("LossMeter.begin", *meter.views, residuals);
    fit::begin_loss(meter.own, meter.views->views, residuals);
}

py::dict state(const MeterObject& meter) {
    const Meter& own = meter.own;
    py::dict out;
    out["is_open"] = to_array(std::vector<bool>{own.state().is_open});
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

void restore(MeterObject& meter, const py::dict& saved) {
    Meter& own = meter.own;
    const std::vector<bool> is_open = saved.contains("is_open")
                                          ? vector_of(py::cast<FitFlags>(saved["is_open"]))
                                          : std::vector<bool>();
    if (is_open.size() != 1) {
        throw core::ArgumentError("LossMeter.restore: there is no flag 'is_open'; start anew");
    }
    Meter::State found{.is_open = is_open.front()};
    for (std::size_t view = 0; view < own.state().views.size(); ++view) {
        found.views.push_back(
            {.noise = vector_of(saved_array<FitFloats>(saved, "noise", view)),
             .is_counted = vector_of(saved_array<FitFlags>(saved, "counted", view)),
             .products = vector_of(saved_array<FitDoubles>(saved, "products", view)),
             .variances = vector_of(saved_array<FitDoubles>(saved, "variances", view))});
    }
    own.restore(std::move(found));
}

void keep(MeterObject& meter, const std::vector<FitWords>& pixels) {
    const std::vector<Pixels>& views = meter.own.state().views;
    bool fits = pixels.size() == views.size();
    for (std::size_t view = 0; fits && view < pixels.size(); ++view) {
        const std::size_t count = views[view].noise.size();
        fits = std::ranges::all_of(span_of(pixels[view]),
                                   [count](std::uint32_t pixel) { return pixel < count; });
    }
    if (!fits) {
        throw core::ArgumentError(core::text("LossMeter.keep: there must be numbers of pixels of "
                                             "its picture for each of the ",
                                             views.size(), " views"));
    }
    for (std::size_t view = 0; view < pixels.size(); ++view) {
        meter.own.keep(view, span_of(pixels[view]));
    }
}

void bind_noise(py::module_& module) {
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
    py::classh<MeterObject>(module, "LossMeter",
                            "Keeps the latest products of residuals of each pixel; see "
                            "native/fit/loss_meter.hpp.\n\n"
                            "Args:\n    views: Of the fit; their weights as they are now are those "
                            "of the loss.\n")
        .def(py::init<std::shared_ptr<FitViews>>(), py::arg("views").none(false))
        .def_property_readonly(
            "is_open", [](const MeterObject& meter) { return meter.own.state().is_open; },
            "Nothing was recorded: the pixels of the first record count.")
        .def("begin", &begin, py::arg("a"), py::arg("b"),
             "Counts the pixels that are drawn now, by the noise that their residuals show.\n\n"
             "Args:\n    a: Weighted residuals of one sample set, all views one after the other.\n"
             "    b: Of the other.\n")
        .def("record", &record, py::arg("a"), py::arg("b"),
             "Keeps the residuals of the pixels that are drawn now; others keep theirs.\n\n"
             "Args:\n    a: Weighted residuals of one sample set, all views one after the other.\n"
             "    b: Of the other.\n")
        .def("keep", &keep, py::arg("pixels"),
             "Counts no pixels but these, one array a view: no later phase draws the others.")
        .def_property_readonly(
            "loss",
            [](const MeterObject& meter) {
                const FitTurn turn(*meter.views);
                return meter.own.loss(fit::counted_views(meter.views->views));
            },
            "Mean product of the residuals of both sample sets, a pixel and channel, relative to "
            "the light around, squared; infinite before any record. Noise makes it negative at "
            "times.")
        .def_property_readonly(
            "noise_floor",
            [](const MeterObject& meter) {
                const FitTurn turn(*meter.views);
                return meter.own.noise_floor(fit::counted_views(meter.views->views));
            },
            "Standard deviation of loss by noise of renders where nothing else is left; infinite "
            "before any record.")
        .def("state", &state, "Returns all that later losses depend on, by name.")
        .def("restore", &restore, py::arg("saved"),
             "Goes back to where state() was called; arrays that do not fit raise ArgumentError.");
}

} // namespace weft::python
