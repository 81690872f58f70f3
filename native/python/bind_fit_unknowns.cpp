// SPDX-License-Identifier: Apache-2.0
// The vector of unknowns of a fit.
#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/observation.hpp"
#include "fit/unknowns.hpp"
#include "python/bind_fit.hpp"
#include "python/fit_arrays.hpp"
#include "scene/material_table.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <pybind11/stl.h>
#include <string>
#include <tuple>
#include <utility>

namespace weft::python {

namespace py = pybind11;

namespace {

using fit::Unknowns;

/// @throws ArgumentError unless there is one number an unknown.
std::span<const double> place_of(const Unknowns& own, const FitDoubles& x) {
    if (static_cast<std::size_t>(x.size()) != own.start.size()) {
        throw core::ArgumentError(core::text("Unknowns: x must have ", own.start.size(),
                                             " numbers, one an unknown, got ", x.size()));
    }
    return span_of(x);
}

/// @throws ArgumentError if a factor is of a view that is none of so many.
void require_views(const Unknowns& own, std::size_t views) {
    for (const fit::UnknownBlock& block : own.blocks) {
        if (block.view && *block.view >= views) {
            throw core::ArgumentError(core::text("Unknowns: '", block.name, "' is of view ",
                                                 *block.view, ", and there are ", views));
        }
    }
}

/// How a fit is to change a parameter: bounds, scale and start.
using Range = std::tuple<std::optional<fit::Bounds>, std::optional<std::string>, FitDoubles>;

void add_parameter(Unknowns& own, const scene::MaterialTable& table, std::string name,
                   std::vector<std::string> tied, const Range& range) {
    const auto& [bounds, scale, start] = range;
    fit::Parameter parameter{.name = std::move(name), .bounds = bounds, .tied = std::move(tied)};
    if (scale) {
        parameter.scale = *scale == "log" ? scene::Scale::log : scene::Scale::linear;
    }
    parameter.start = vector_of(start);
    fit::add_parameter(own, table, parameter);
}

void add_factor(Unknowns& own, std::string name, std::size_t size,
                const std::pair<double, fit::Bounds>& range, std::optional<std::size_t> view,
                std::optional<std::size_t> light) {
    const auto& [start, bounds] = range;
    if ((size != 1 && size != fit::kChannels) || bounds[0] <= 0 || bounds[1] <= bounds[0]) {
        throw core::ArgumentError(core::text("Unknowns.add_factor: '", name,
                                             "' must have 1 or 3 numbers between two bounds above "
                                             "0, got ",
                                             size, " within (", bounds[0], ", ", bounds[1], ")"));
    }
    fit::add_factor(own, {.name = std::move(name), .size = size, .view = view, .light = light},
                    start, bounds);
}

void expect(Unknowns& own, std::size_t block, const FitDoubles& mean, double deviation) {
    if (block >= own.blocks.size() ||
        (mean.size() != 1 && static_cast<std::size_t>(mean.size()) != own.blocks[block].size)) {
        throw core::ArgumentError(
            core::text("Unknowns.expect: block ", block, " of ", own.blocks.size(),
                       " must have one mean, or one a component, got ", mean.size()));
    }
    fit::add_expected(own, block, {.mean = vector_of(mean), .deviation = deviation});
}

py::array_t<float> colors(const std::vector<float>& values) {
    const std::vector<std::size_t> shape{values.size() / fit::kChannels, fit::kChannels};
    return py::array_t<float>(shape, values.data());
}

void write(const Unknowns& own, const FitDoubles& x,
           py::array_t<float, py::array::c_style>& scene_values) {
    const std::span<float> values(scene_values.mutable_data(),
                                  static_cast<std::size_t>(scene_values.size()));
    for (const fit::UnknownBlock& block : own.blocks) {
        for (const std::vector<std::size_t>& slots : block.slots) {
            for (const std::size_t slot : slots) {
                if (slot >= values.size()) {
                    throw core::ArgumentError(core::text("Unknowns.write: '", block.name,
                                                         "' sets number ", slot, " of ",
                                                         values.size()));
                }
            }
        }
    }
    own.write(place_of(own, x), values);
}

void bind_vector(py::module_& module) {
    using Block = fit::UnknownBlock;
    py::classh<Block>(module, "UnknownBlock", "One parameter, exposure or light within Unknowns.")
        .def_readonly("first", &Block::first, "Its first unknown.")
        .def_readonly("size", &Block::size, "Number of its unknowns.")
        .def_readonly("is_log", &Block::is_log, "The unknown is the logarithm of the value.")
        .def_property_readonly("is_factor", &Block::is_factor,
                               "It scales a view or a light, and is no number of a material.");
    py::classh<Unknowns>(module, "Unknowns",
                         "The vector of unknowns of a fit, on the scale of their transforms; "
                         "without any at first.")
        .def(py::init<>())
        .def("add_parameter", &add_parameter, py::arg("table"), py::arg("name"), py::arg("tied"),
             py::arg("range"),
             "Appends the unknowns of a parameter.\n\n"
             "Args:\n    table: Of the scene.\n    name: Of the parameter.\n"
             "    tied: Names of others that always have the same value.\n"
             "    range: Bounds, or None: those of the input; \"linear\", \"log\" or None: the "
             "scale "
             "of the input; where the fit begins, empty: the value of the scene.\n\n"
             "Raises:\n    ArgumentError: A name is unknown, or bounds, scale or start do not "
             "fit.\n")
        .def("add_factor", &add_factor, py::arg("name"), py::arg("size"), py::arg("range"),
             py::arg("view"), py::arg("light"),
             "Appends the factor of a picture or of a light.\n\n"
             "Args:\n    name: In results.\n    size: 1, or 3: one a channel.\n"
             "    range: Where the fit begins, and bounds above 0.\n"
             "    view: Number of the picture; None: of none.\n"
             "    light: Number of the light; None: of none.\n")
        .def("expect", &expect, py::arg("block"), py::arg("mean"), py::arg("deviation"),
             "Adds to the prior what is expected of a parameter, when all unknowns are there.\n\n"
             "Args:\n    block: Number of its block.\n    mean: One number, or one a component.\n"
             "    deviation: Standard deviation.\n")
        .def_readonly("blocks", &Unknowns::blocks, "One a parameter or factor, in their order.")
        .def_property_readonly(
            "start", [](const Unknowns& own) { return to_array(own.start); }, "Shape (n,).")
        .def_property_readonly(
            "low", [](const Unknowns& own) { return to_array(own.low); }, "Lower bounds.")
        .def_property_readonly(
            "high", [](const Unknowns& own) { return to_array(own.high); }, "Upper bounds.")
        .def(
            "values",
            [](const Unknowns& own, const FitDoubles& x) {
                return to_array(own.values(place_of(own, x)));
            },
            py::arg("x"), "Returns the unknowns on the scale of the scene.")
        .def(
            "derivatives",
            [](const Unknowns& own, const FitDoubles& x) {
                return to_array(own.derivatives(place_of(own, x)));
            },
            py::arg("x"), "Returns the derivatives of values().")
        .def(
            "gains",
            [](const Unknowns& own, const FitDoubles& x, std::size_t views) {
                require_views(own, views);
                return colors(own.gains(place_of(own, x), views));
            },
            py::arg("x"), py::arg("views"),
            "Returns the factors of the pictures, shape (views, 3).")
        .def(
            "light_factors",
            [](const Unknowns& own, const FitDoubles& x) {
                return colors(own.light_factors(place_of(own, x)));
            },
            py::arg("x"),
            "Returns the factors of lights, shape (lights + 1, 3); the last, 1, is for others.")
        .def("write", &write, py::arg("x"), py::arg("scene_values").noconvert(),
             "Sets the floats of the scene.")
        .def("directions", &Unknowns::directions, py::arg("parameters"),
             "Returns the directions that forward mode needs among so many parameters.");
}

void bind_directions(py::module_& module) {
    using Directions = fit::UnknownDirections;
    py::classh<Directions>(module, "UnknownDirections",
                           "Directions in the space of the scene's parameters.")
        .def_property_readonly(
            "rows",
            [](const Directions& own) {
                const std::vector<std::size_t> shape{own.count, own.parameters};
                return py::array_t<float>(shape, own.rows.data());
            },
            "Shape (directions, parameters).");
}

} // namespace

void bind_fit_unknowns(py::module_& module) {
    bind_vector(module);
    bind_directions(module);
}

} // namespace weft::python
