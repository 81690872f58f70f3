// SPDX-License-Identifier: Apache-2.0
// The vector of unknowns of a fit, and the residuals and derivatives that it makes of films.
#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/observation.hpp"
#include "fit/pixel_selection.hpp"
#include "fit/unknowns.hpp"
#include "fit/view_rows.hpp"
#include "python/bind_fit.hpp"
#include "python/fit_arrays.hpp"
#include "python/interpreter_lock.hpp"
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

/// What is compared with a film. Owns what fit::ViewFilm points to.
class PythonFilm {
public:
    PythonFilm(std::size_t number, FitFloats parts, std::vector<std::optional<std::size_t>> lights,
               FitWords pixels, FitFloats weights, FitFloats image)
        : m_number(number), m_parts(std::move(parts)), m_lights(std::move(lights)),
          m_pixels(std::move(pixels)), m_weights(std::move(weights)), m_image(std::move(image)) {
        const auto count = static_cast<std::size_t>(m_pixels.size());
        const bool fits = m_parts.ndim() == 4 && !m_lights.empty() &&
                          static_cast<std::size_t>(m_parts.shape(0)) == m_lights.size() &&
                          static_cast<std::size_t>(m_parts.shape(2)) == count &&
                          m_parts.shape(1) > 0 && m_parts.shape(3) == 3;
        if (!fits) {
            throw core::ArgumentError(core::text(
                "ViewFilm: parts must have shape (", m_lights.size(), ", 1 + directions, ", count,
                ", 3), got ", m_parts.size(), " numbers in ", m_parts.ndim(), " dimensions"));
        }
        const std::span<const std::uint32_t> drawn = span_of(m_pixels);
        const auto all = static_cast<std::size_t>(m_image.size()) / fit::kChannels;
        if (m_weights.size() != m_image.size() ||
            std::ranges::any_of(drawn, [&](std::uint32_t pixel) { return pixel >= all; })) {
            throw core::ArgumentError(core::text("ViewFilm: image and weights must have three "
                                                 "numbers for every pixel of the picture, got ",
                                                 m_image.size(), " and ", m_weights.size()));
        }
    }

    [[nodiscard]] fit::ViewFilm get() const {
        return {.number = m_number,
                .parts = span_of(m_parts),
                .lights = m_lights,
                .pixels = span_of(m_pixels),
                .weights = span_of(m_weights),
                .image = span_of(m_image)};
    }
    [[nodiscard]] std::size_t direction_count() const {
        return static_cast<std::size_t>(m_parts.shape(1)) - 1;
    }

private:
    std::size_t m_number;
    FitFloats m_parts;
    std::vector<std::optional<std::size_t>> m_lights;
    FitWords m_pixels;
    FitFloats m_weights;
    FitFloats m_image;
};

/// @throws ArgumentError if a film has no such view, light or direction.
void require_film(const fit::FilmFactors& own, const PythonFilm& film, std::size_t directions) {
    const fit::ViewFilm given = film.get();
    const bool has_view = fit::kChannels * given.number < own.gains.size();
    const bool has_lights = std::ranges::all_of(given.lights, [&](const auto& light) {
        return fit::kChannels * (light.value_or(0) + 1) <= own.lights.size();
    });
    if (!has_view || !has_lights || film.direction_count() < directions) {
        throw core::ArgumentError(core::text("FilmFactors: a film of view ", given.number, " with ",
                                             film.direction_count(),
                                             " directions is none of these unknowns"));
    }
}

py::tuple rows(const fit::FilmFactors& own, const PythonFilm& film) {
    std::size_t directions = 0;
    for (const fit::UnknownColumn& column : own.columns) {
        directions = std::max(directions, column.direction ? *column.direction + 1 : 0);
    }
    require_film(own, film, directions);
    const fit::ViewFilm given = film.get();
    std::vector<float> residual;
    std::vector<float> jacobian;
    {
        const Unlocked unlocked;
        fit::append_rows(given, own, residual, jacobian);
    }
    const std::vector<std::size_t> shape{residual.size(), own.columns.size()};
    return py::make_tuple(to_array(residual), py::array_t<float>(shape, jacobian.data()));
}

py::array_t<float> residuals(const fit::FilmFactors& own, const PythonFilm& film) {
    require_film(own, film, 0);
    const fit::ViewFilm given = film.get();
    std::vector<float> out;
    {
        const Unlocked unlocked;
        fit::append_residuals(given, own, out);
    }
    return to_array(out);
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
        .def_readonly("prior", &Unknowns::prior, "What is known of them; None: nothing.")
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
        .def(
            "has_open_range", [](const Unknowns& own) { return to_array(own.open_range()); },
            "Returns which unknowns have bounds too wide to say where to start.")
        .def(
            "groups", [](const Unknowns& own) { return to_array(own.groups()); },
            "Returns a number for each unknown: those of a material share theirs.")
        .def("directions", &Unknowns::directions, py::arg("parameters"),
             "Returns the directions that forward mode needs among so many parameters.");
}

void bind_films(py::module_& module) {
    using Directions = fit::UnknownDirections;
    py::classh<Directions>(module, "UnknownDirections",
                           "Directions in the space of the scene's parameters, and what each "
                           "serves.")
        .def_property_readonly(
            "rows",
            [](const Directions& own) {
                const std::vector<std::size_t> shape{own.count, own.parameters};
                return py::array_t<float>(shape, own.rows.data());
            },
            "Shape (directions, parameters).")
        .def(
            "factors",
            [](const Directions& own, const Unknowns& unknowns, const FitDoubles& x,
               std::size_t views) {
                require_views(unknowns, views);
                if (own.columns.size() != unknowns.start.size()) {
                    throw core::ArgumentError(
                        core::text("UnknownDirections.factors: they serve ", own.columns.size(),
                                   " unknowns, and there are ", unknowns.start.size()));
                }
                return fit::film_factors(unknowns, own.columns, place_of(unknowns, x), views);
            },
            py::arg("unknowns"), py::arg("x"), py::arg("views"),
            "Returns what the unknowns make of films of so many views at a place.");
    py::classh<PythonFilm>(module, "ViewFilm",
                           "What was developed of a view, and what it is compared with.\n\n"
                           "Args:\n    number: Of the view.\n"
                           "    parts: Shape (parts, 1 + directions, pixels, 3).\n"
                           "    lights: Of each part: number of the light whose factor it has; "
                           "None: none.\n    pixels: That were drawn.\n"
                           "    weights: Of the picture, shape (pixels, 3).\n"
                           "    image: The picture, of the same shape.\n")
        .def(py::init<std::size_t, FitFloats, std::vector<std::optional<std::size_t>>, FitWords,
                      FitFloats, FitFloats>(),
             py::arg("number"), py::arg("parts"), py::arg("lights"), py::arg("pixels"),
             py::arg("weights"), py::arg("image"));
    py::classh<fit::FilmFactors>(module, "FilmFactors",
                                 "What unknowns make of films; see UnknownDirections.factors().")
        .def("rows", &rows, py::arg("film"),
             "Returns weighted residuals, shape (n,), and their derivatives, shape (n, p).")
        .def("residuals", &residuals, py::arg("film"), "Returns the residuals alone, shape (n,).");
}

py::array_t<double> leverages(const FitFloats& residual_a, const FitFloats& jacobian_a,
                              const FitFloats& residual_b, const FitFloats& jacobian_b) {
    const fit::SamplePair pair{{span_of(residual_a), span_of(jacobian_a)},
                               {span_of(residual_b), span_of(jacobian_b)}};
    std::vector<double> out;
    {
        const Unlocked unlocked;
        out = fit::leverages(pair, pair.parameter_count());
    }
    return to_array(out);
}

void bind_selection(py::module_& module) {
    module.def("leverages", &leverages, py::arg("residual_a"), py::arg("jacobian_a"),
               py::arg("residual_b"), py::arg("jacobian_b"),
               "Returns the leverage of each residual: how much it tells of the unknowns.\n\n"
               "Args:\n    residual_a: Shape (n,).\n    jacobian_a: Shape (n, p).\n"
               "    residual_b: Shape (n,).\n    jacobian_b: Shape (n, p).\n");
    module.def(
        "information_threshold",
        [](const FitFloats& information, float share) {
            return fit::information_threshold(vector_of(information), share);
        },
        py::arg("information"), py::arg("share"),
        "Returns from which information on pixels hold a share of all of it; 0: there is none.");
    module.def("pilot_stride", &fit::pilot_stride, py::arg("counted"),
               "Returns the rows and columns from one pixel of the first look to the next, where "
               "so many pixels count.");
}

} // namespace

void bind_fit_unknowns(py::module_& module) {
    bind_vector(module);
    bind_films(module);
    bind_selection(module);
}

} // namespace weft::python
