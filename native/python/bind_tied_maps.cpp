// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/map_group.hpp"
#include "fit/tied_maps.hpp"
#include "python/bind_fit.hpp"
#include "python/fit_arrays.hpp"
#include "python/interpreter_lock.hpp"
#include "python/one_at_a_time.hpp"

#include <pybind11/stl.h>

#include <array>
#include <memory>

namespace weft::python {

namespace py = pybind11;

namespace {

/// The scene's texels, which are written to.
using Texels = py::array_t<float, py::array::c_style>;

fit::TexelView image_of(const FitDoubles& array, const char* what) {
    if (array.ndim() < 2) {
        throw core::ArgumentError(
            core::text(what, " must have rows and columns, got ", array.ndim(), " dimensions"));
    }
    const auto height = static_cast<std::size_t>(array.shape(0));
    const auto width = static_cast<std::size_t>(array.shape(1));
    const auto size = static_cast<std::size_t>(array.size());
    return {{.height = height,
             .width = width,
             .channels = size / std::max<std::size_t>(height * width, 1)},
            span_of(array)};
}

/// An array that has the image's numbers, not copies of them.
py::array_t<double> to_image(fit::TexelImage image) {
    const std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(image.shape.height),
                                         static_cast<py::ssize_t>(image.shape.width),
                                         static_cast<py::ssize_t>(image.shape.channels)};
    auto owned = std::make_unique<std::vector<double>>(std::move(image.values));
    const double* numbers = owned->data();
    const py::capsule owner(owned.release(),
                            [](void* values) { delete static_cast<std::vector<double>*>(values); });
    return py::array_t<double>(shape, numbers, owner);
}

/// The same with a matrix for each texel.
py::array_t<double> to_blocks(fit::TexelImage image, std::size_t count) {
    const auto height = static_cast<py::ssize_t>(image.shape.height);
    const auto width = static_cast<py::ssize_t>(image.shape.width);
    const auto size = static_cast<py::ssize_t>(count);
    return to_image(std::move(image)).reshape({height, width, size, size});
}

std::span<float> written(Texels& texels) {
    return {texels.mutable_data(), static_cast<std::size_t>(texels.size())};
}

/// Rows of floats, as long as the arrays live.
std::vector<std::span<const float>> spans_of(const std::vector<FitFloats>& arrays) {
    std::vector<std::span<const float>> out;
    for (const FitFloats& array : arrays) {
        out.push_back(span_of(array));
    }
    return out;
}

using PythonTiedMaps = OneAtATime<fit::TiedMaps>;

void bind_regions(py::module_& module) {
    using fit::MapRegion;
    py::classh<MapRegion>(module, "MapRegion",
                          "A texture that a fit may change, among the texels of a scene.\n\n"
                          "Args:\n    name: Input of a material, \"<material>.<input>\".\n"
                          "    first: Of its floats among those of all textures.\n"
                          "    shape: Rows, columns and channels of the texture.\n"
                          "    bounds: Smallest and largest texel.\n"
                          "    smoothness: Weight of the prior that neighbours are alike.\n"
                          "    is_light: It lights the scene: all pixels tell of it.\n")
        .def(py::init([](std::string name, std::size_t first,
                         const std::array<std::size_t, 3>& shape, const fit::Bounds& bounds,
                         double smoothness, bool is_light) {
                 return std::make_unique<MapRegion>(MapRegion{
                     .name = std::move(name),
                     .first = first,
                     .shape = {.height = shape[0], .width = shape[1], .channels = shape[2]},
                     .bounds = bounds,
                     .smoothness = smoothness,
                     .is_light = is_light});
             }),
             py::arg("name"), py::arg("first"), py::arg("shape"), py::arg("bounds"),
             py::arg("smoothness"), py::arg("is_light") = false)
        .def_readonly("name", &MapRegion::name, "Input of a material that it drives.");
    module.def(
        "group_maps",
        [](const std::vector<MapRegion>& regions) { return fit::group_maps(regions); },
        py::arg("regions"),
        "Returns which regions are maps of one material, by their numbers; single maps and lights "
        "are in no group.");
}

void bind_group(py::module_& module) {
    using fit::MapGroup;
    py::classh<MapGroup>(module, "MapGroup",
                         "Maps of one material: D numbers a texel of a common grid, channel after "
                         "channel; see native/fit/map_group.hpp.")
        .def(py::init([](std::vector<fit::MapRegion> regions) {
                 return std::make_unique<MapGroup>(std::move(regions));
             }),
             py::arg("regions"))
        .def_property_readonly(
            "size",
            [](const MapGroup& own) {
                return py::make_tuple(own.shape().height, own.shape().width);
            },
            "Rows and columns of the grid: those of the largest map.")
        .def_property_readonly(
            "channels",
            [](const MapGroup& own) {
                py::list out;
                for (std::size_t number = 0; number < own.regions().size(); ++number) {
                    const std::size_t first = own.first_channel(number);
                    const std::size_t end = first + own.regions()[number].shape.channels;
                    out.append(py::slice(static_cast<py::ssize_t>(first),
                                         static_cast<py::ssize_t>(end), 1));
                }
                return out;
            },
            "Which of the D numbers belong to each map.")
        .def(
            "bounds",
            [](const MapGroup& own) {
                return py::make_tuple(to_array(std::span<const double>(own.low())),
                                      to_array(std::span<const double>(own.high())));
            },
            "Returns the smallest and the largest texels, shape (D,).")
        .def(
            "gather",
            [](const MapGroup& own, const FitFloats& texels) {
                return to_image(own.gather(span_of(texels)));
            },
            py::arg("texels"),
            "Returns the maps among the texels of the scene, shape (height, width, D).")
        .def(
            "gather_sums",
            [](const MapGroup& own, const FitFloats& texels) {
                return to_image(own.gather_sums(span_of(texels)));
            },
            py::arg("texels"),
            "Returns derivatives by texels of the grid: those of a larger texel are shared out.")
        .def(
            "scatter",
            [](const MapGroup& own, const FitDoubles& maps, Texels& texels) {
                own.scatter(image_of(maps, "MapGroup.scatter: maps"), written(texels));
            },
            py::arg("maps"), py::arg("texels").noconvert(),
            "Writes maps of gather() to the texels of the scene.")
        .def(
            "grown",
            [](const MapGroup& own, const FitDoubles& image) {
                return to_image(own.grown(image_of(image, "MapGroup.grown: image")));
            },
            py::arg("image"),
            "Returns an image of a map, shape (height, width, channels), on the grid.")
        .def(
            "shrunk",
            [](const MapGroup& own, std::size_t number, const FitDoubles& image) {
                return to_image(own.shrunk(number, image_of(image, "MapGroup.shrunk: image")));
            },
            py::arg("number"), py::arg("image"),
            "Returns means of an image on the grid over the texels of one of the maps.")
        .def(
            "blocks",
            [](const MapGroup& own, const std::vector<FitFloats>& answers) {
                const auto spans = spans_of(answers);
                fit::TexelImage found;
                {
                    const Unlocked unlocked;
                    found = own.blocks(spans);
                }
                return to_blocks(std::move(found), own.shape().channels);
            },
            py::arg("answers"),
            "Returns the curvature of each texel's numbers, summed over the texels around it.\n\n"
            "Args:\n    answers: J' times the derivatives of the films along each map, over the "
            "scene's texels.\n\n"
            "Returns:\n    Shape (height, width, D, D), symmetric.\n");
}

void bind_schedule(py::module_& module) {
    using fit::TiedSchedule;
    py::classh<TiedSchedule>(
        module, "TiedSchedule",
        "How an iteration moves tied maps.\n\n"
        "Args:\n    blur: Of steps, texels.\n    rate: Share of the full step.\n"
        "    noise: Share of an iteration's own variance that is left in the texels.\n"
        "    shift: Share of the step of all texels alike; they move by nothing else while "
        "`is_first`.\n"
        "    is_first: Texels keep their differences.\n"
        "    is_guided: Maps of the shape of reflections follow the others.\n")
        .def(py::init([](double blur, double rate, double noise, double shift, bool is_first,
                         bool is_guided) {
                 return std::make_unique<TiedSchedule>(
                     TiedSchedule{blur, rate, noise, shift, is_first, is_guided});
             }),
             py::arg("blur"), py::arg("rate"), py::arg("noise"), py::arg("shift"),
             py::arg("is_first"), py::arg("is_guided") = false)
        .def_readonly("blur", &TiedSchedule::blur, "Of steps, texels.")
        .def_readonly("rate", &TiedSchedule::rate, "Share of the full step.")
        .def_readonly("noise", &TiedSchedule::noise,
                      "Share of an iteration's own variance that is left in the texels.")
        .def_readonly("shift", &TiedSchedule::shift, "Share of the step of all texels alike.")
        .def_readonly("is_first", &TiedSchedule::is_first, "Texels keep their differences.")
        .def_readonly("is_guided", &TiedSchedule::is_guided,
                      "Maps of the shape of reflections follow the others.");
    module.def("tied_schedule", &fit::tied_schedule, py::arg("iteration"), py::arg("iterations"),
               "Returns how one of the iterations of a fit moves tied maps.");
}

py::array_t<double> move(PythonTiedMaps& own, const FitDoubles& maps, const FitDoubles& gradient,
                         const FitDoubles& variation, const fit::TiedSchedule& schedule) {
    const fit::TexelView before = image_of(maps, "TiedMaps.move: maps");
    const fit::TexelView slope = image_of(gradient, "TiedMaps.move: gradient");
    const fit::TexelView change = image_of(variation, "TiedMaps.move: variation");
    return to_image(
        own.run([&](fit::TiedMaps& tied) { return tied.move(before, slope, change, schedule); }));
}

py::array_t<double> products(PythonTiedMaps& own, const std::vector<FitFloats>& rows, double blur) {
    const auto spans = spans_of(rows);
    return to_array(own.run([&](fit::TiedMaps& tied) { return tied.products(spans, blur); }));
}

py::tuple uncertainty(PythonTiedMaps& own, const FitDoubles& maps, double variance,
                      double sharing) {
    const fit::TexelView found = image_of(maps, "TiedMaps.uncertainty: maps");
    fit::MapUncertainty unknown = own.run(
        [&](const fit::TiedMaps& tied) { return tied.uncertainty(found, variance, sharing); });
    return py::make_tuple(to_image(std::move(unknown.errors)), to_array(unknown.correlation));
}

void bind_maps(py::module_& module) {
    using Maps = PythonTiedMaps;
    py::classh<Maps>(module, "TiedMaps",
                     "The prior of the maps of a material, and their steps; see "
                     "native/fit/tied_maps.hpp.\n\n"
                     "Args:\n    group: The maps.\n"
                     "    maps: As they are at first, shape (height, width, D).\n")
        .def(py::init([](const fit::MapGroup& group, const FitDoubles& maps) {
                 return std::make_unique<Maps>(group, image_of(maps, "TiedMaps: maps"));
             }),
             py::arg("group"), py::arg("maps"))
        .def_property_readonly(
            "covariance",
            [](Maps& own) {
                return to_array(own.run([](const auto& tied) { return tied.covariance(); }));
            },
            "Of the prior, shape (D, D).")
        .def(
            "forget_views", [](Maps& own) { own.run([](auto& tied) { tied.forget_views(); }); },
            "Counts the pictures that show each texel anew: none so far.")
        .def(
            "add_view",
            [](Maps& own, const FitFloats& answers) {
                const auto told = span_of(answers);
                own.run([told](auto& tied) { tied.add_view(told); });
            },
            py::arg("answers"),
            "Counts a picture, by what it tells of the scene's texels, 0 or more.")
        .def(
            "expect",
            [](Maps& own, double loss, double left) {
                own.run([=](auto& tied) { tied.expect(loss, left); });
            },
            py::arg("loss"), py::arg("left"),
            "Notes how much the texels do not explain.\n\n"
            "Args:\n    loss: Of the last iteration: variance of residuals without its own noise.\n"
            "    left: What the texels have taken up of that noise.\n")
        .def(
            "add_blocks",
            [](Maps& own, const FitDoubles& blocks) {
                const fit::TexelView image = image_of(blocks, "TiedMaps.add_blocks: blocks");
                own.run([&image](auto& tied) { tied.add_blocks(image); });
            },
            py::arg("blocks"),
            "Averages the curvature over iterations; those of fireflies count no more than others.")
        .def("move", &move, py::arg("maps"), py::arg("gradient"), py::arg("variation"),
             py::arg("schedule"),
             "Returns the maps after a step.\n\n"
             "Args:\n    maps: As they are, shape (height, width, D).\n"
             "    gradient: Of the loss.\n"
             "    variation: Derivative of the total variation of each map.\n"
             "    schedule: How far.\n")
        .def(
            "step",
            [](Maps& own, const FitFloats& gradient, Texels& texels,
               const fit::TiedSchedule& schedule) {
                const auto slope = span_of(gradient);
                const auto moved = written(texels);
                own.run([&](auto& tied) { tied.step(slope, moved, schedule); });
            },
            py::arg("gradient"), py::arg("texels").noconvert(), py::arg("schedule"),
            "Moves the maps among the texels of the scene, against a gradient by these texels.")
        .def("products", &products, py::arg("rows"), py::arg("blur"),
             "Returns sums over the texels of a' P^-1 b, P the inverse covariance of a texel's "
             "numbers times twice the variance.\n\n"
             "Args:\n    rows: Derivatives by the scene's texels; the last one is only a right "
             "factor.\n    blur: They are averaged by a Gaussian of so many texels.\n\n"
             "Returns:\n    Shape (rows - 1, rows).\n")
        .def("uncertainty", &uncertainty, py::arg("maps"), py::arg("variance"), py::arg("sharing"),
             "Returns errors and correlation of weft.fit.map_errors.Uncertainty.\n\n"
             "Args:\n    maps: As they were found, shape (height, width, D).\n"
             "    variance: Of a residual about what the maps explain.\n"
             "    sharing: Texels that a lookup mixes: each has a share of what pixels tell of "
             "all.\n")
        .def(
            "save",
            [](Maps& own) { return to_dict(own.run([](auto& tied) { return tied.save(); })); },
            "Returns arrays by name: all that later steps depend on.")
        .def(
            "restore",
            [](Maps& own, const py::dict& saved) {
                const fit::SavedArrays arrays = saved_arrays_of(saved);
                own.run([&arrays](auto& tied) { tied.restore(arrays); });
            },
            py::arg("saved"),
            "Goes back to where save() was called; arrays that do not fit raise ArgumentError.");
}

} // namespace

void bind_tied_maps(py::module_& module) {
    bind_regions(module);
    bind_group(module);
    bind_schedule(module);
    bind_maps(module);
    module.def(
        "variation_derivative",
        [](const FitDoubles& image, double soft) {
            return to_image(
                fit::variation_derivative(image_of(image, "variation_derivative: image"), soft));
        },
        py::arg("image"), py::arg("soft"),
        "Returns the derivative of the total variation of an image (Rudin, Osher and Fatemi "
        "1992), in float.\n\n"
        "Args:\n    image: Shape (height, width, channels).\n"
        "    soft: Differences of neighbours below it count by their square.\n");
}

} // namespace weft::python
