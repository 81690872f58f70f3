// SPDX-License-Identifier: Apache-2.0
// Models of a fit: renders as functions of numbers, of texels, and of both.
#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/noise_meter.hpp"
#include "python/bind_fit.hpp"
#include "python/fit_objects.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace weft::python {

namespace py = pybind11;

namespace {

using Scalars = ScalarModelObject;
using Hidden = std::vector<FitFlags>;

fit::Vector place_of(const Scalars& own, const FitDoubles& x) {
    if (static_cast<std::size_t>(x.size()) != own.unknowns.start.size()) {
        throw core::ArgumentError(core::text("ScalarModel: x must have ", own.unknowns.start.size(),
                                             " numbers, one an unknown, got ", x.size()));
    }
    return vector_of(x);
}

/// @throws ArgumentError if a view's light has the factor of none of the unknowns.
void require_lights(const FitViews& views, const fit::Unknowns& unknowns) {
    for (const fit::View& view : views.views) {
        for (const fit::ViewPart& part : view.parts()) {
            const bool is_known =
                !part.light || std::ranges::any_of(unknowns.blocks, [&](const auto& block) {
                    return block.light == part.light;
                });
            if (!is_known) {
                throw core::ArgumentError(
                    core::text("ScalarModel: a part of picture '", view.observation().name,
                               "' has light ", *part.light, ", and no unknown is its factor"));
            }
        }
    }
}

// NOLINTNEXTLINE(readability-function-size): one parameter for each of ScalarModel().
std::shared_ptr<Scalars> create_scalars(const std::shared_ptr<FitViews>& views,
                                        const fit::Unknowns& unknowns,
                                        const std::shared_ptr<render::SceneTables>& tables,
                                        std::int64_t samples, std::int64_t bounces,
                                        std::uint64_t seed, const py::object& interrupt) {
    require_lights(*completed(views, "ScalarModel"), unknowns);
    fit::ScalarModelDesc desc{
        .samples = samples, .bounces = bounces, .seed = seed, .check = poll_with(interrupt)};
    const FitTurn turn(*views);
    return std::make_shared<Scalars>(views, unknowns, made(tables), std::move(desc));
}

void draw(Scalars& own, const FitDoubles& x, std::optional<std::int64_t> samples) {
    const fit::Vector place = place_of(own, x);
    const FitTurn turn(*own.views);
    if (samples) {
        own.model.draw_samples(place, *samples);
    } else {
        own.model.draw(place);
    }
}

py::tuple residuals(Scalars& own, const FitDoubles& x) {
    const fit::Vector place = place_of(own, x);
    fit::ResidualPair found;
    {
        const FitTurn turn(*own.views);
        found = own.model.residuals(place);
    }
    return to_tuple(found);
}

py::tuple linearize(Scalars& own, const FitDoubles& x) {
    const fit::Vector place = place_of(own, x);
    fit::SamplePair found;
    {
        const FitTurn turn(*own.views);
        found = own.model.linearize(place);
    }
    const auto table = [&](std::span<const float> values) {
        return to_array(values).reshape({py::ssize_t{-1}, static_cast<py::ssize_t>(place.size())});
    };
    return py::make_tuple(to_array(found.a.residual), table(found.a.jacobian),
                          to_array(found.b.residual), table(found.b.jacobian));
}

py::tuple look(Scalars& own, const FitDoubles& x, std::int64_t samples, std::uint64_t number,
               std::optional<std::int64_t> bounces) {
    const fit::Vector place = place_of(own, x);
    fit::ResidualPair found;
    {
        const FitTurn turn(*own.views);
        found = own.model.look(place, samples, number, bounces);
    }
    return to_tuple(found);
}

py::list validate(Scalars& own, const FitDoubles& x, std::int64_t samples,
                  std::optional<std::int64_t> bounces, std::int64_t paths) {
    const fit::Look look = look_of(own, place_of(own, x), bounces);
    std::vector<fit::Validation> found;
    {
        const FitTurn turn(*own.views);
        found = fit::draw_validations(look, own.views->views, samples, paths);
    }
    return to_list(found);
}

py::list differences(Scalars& own, const FitDoubles& x, const std::vector<FitWords>& pixels,
                     std::int64_t samples, std::uint64_t draw) {
    return draw_differences(*own.views, look_of(own, place_of(own, x)), pixels, samples, draw);
}

bool select_pixels(Scalars& own, const FitDoubles& x, double fraction, const Hidden& hidden) {
    const fit::Vector place = place_of(own, x);
    std::vector<std::vector<bool>> flags;
    std::ranges::transform(hidden, std::back_inserter(flags), &vector_of<bool>);
    const std::vector<fit::View>& views = own.views->views;
    for (std::size_t number = 0; number < flags.size(); ++number) {
        if (flags.size() != views.size() || flags[number].size() != views[number].lost().size()) {
            throw core::ArgumentError("ScalarModel.select_pixels: hidden must have one flag a "
                                      "pixel of each view's picture");
        }
    }
    const FitTurn turn(*own.views);
    return own.model.select_pixels(place, fraction, flags);
}

void write(Scalars& own, const FitDoubles& x) {
    const fit::Vector place = place_of(own, x);
    const FitTurn turn(*own.views);
    own.model.write(place);
}

void bind_draws(py::classh<Scalars>& bound) {
    bound
        .def("draw", &draw, py::arg("x"), py::arg("samples") = py::none(),
             "Draws new samples of all views at x.\n\n"
             "Args:\n    x: Numbers, shape (p,).\n"
             "    samples: Paths a pixel in each sample set; None: those of iterations.\n")
        .def("residuals", &residuals, py::arg("x"),
             "Returns the weighted residuals of both sample sets of the last draw, all views one "
             "after the other.")
        .def(
            "linearize", &linearize, py::arg("x"),
            "Returns residuals, shape (n,), and derivatives, shape (n, p), of one sample set, then "
            "those of the other.")
        .def("look", &look, py::arg("x"), py::arg("samples"), py::arg("draw"),
             py::arg("bounces") = py::none(),
             "Returns the residuals of new samples, which no iteration has.\n\n"
             "Args:\n    x: Numbers.\n    samples: Paths a pixel in each sample set.\n"
             "    draw: Number that the samples follow from.\n"
             "    bounces: Surfaces that a path may leave; None: as many as in iterations.\n")
        .def("validate", &validate, py::arg("x"), py::arg("samples"),
             py::arg("bounces") = py::none(), py::arg("paths") = std::int64_t{1} << 20U,
             "Draws all pixels that count, or those of tiles all over large pictures, at numbers; "
             "returns counts, a, b, weights and trust of weft.fit.validation.Validation, a tuple a "
             "view.\n\n"
             "Args:\n    x: Numbers.\n    samples: Paths a pixel in each sample set, at least.\n"
             "    bounces: As of look().\n    paths: Of all views.\n")
        .def("differences", &differences, py::arg("x"), py::arg("pixels"), py::arg("samples"),
             py::arg("draw"),
             "Renders some pixels of the pictures, whether or not they count; returns render minus "
             "picture, shape (pixels, 3), one array a view.\n\n"
             "Args:\n    x: Numbers.\n    pixels: Of each view.\n"
             "    samples: Paths a pixel in each sample set.\n"
             "    draw: Number that the samples follow from.\n");
}

void bind_scalars(py::module_& module) {
    py::classh<Scalars> bound(module, "ScalarModel",
                              "Renders of a scene as a function of a few numbers, by recorded "
                              "paths; see native/fit/scalar_model.hpp.\n\n"
                              "Args:\n    views: With recorders for the directions of `unknowns`.\n"
                              "    unknowns: What changes.\n    tables: Of the scene.\n"
                              "    samples: Paths a pixel in each sample set of an iteration.\n"
                              "    bounces: Surfaces that a path may leave.\n"
                              "    seed: Equal seeds give equal fits.\n"
                              "    interrupt: Its check() ends a draw by raising.\n");
    bound.def(py::init(&create_scalars), py::arg("views").none(false),
              py::arg("unknowns").none(false), py::arg("tables").none(false), py::arg("samples"),
              py::arg("bounces"), py::arg("seed"), py::arg("interrupt"));
    bind_draws(bound);
    bound
        .def(
            "select_pixels", &select_pixels, py::arg("x"), py::arg("fraction"),
            py::arg("hidden") = py::list(),
            "Keeps the pixels that tell something about the unknowns; returns whether any does.\n\n"
            "Args:\n    x: Where to look.\n"
            "    fraction: Of the information, the sum of the leverages, that is kept.\n"
            "    hidden: Pixels that do not count, one flag a pixel of each view's picture; none: "
            "all count.\n")
        .def("write", &write, py::arg("x"), "Gives the scene on the device the numbers.")
        .def(
            "set_samples",
            [](Scalars& own, std::int64_t samples) {
                const FitTurn turn(*own.views);
                own.model.set_samples(samples);
            },
            py::arg("samples"), "Sets the paths a pixel in each sample set of later draws.")
        .def_property(
            "iterations",
            [](const Scalars& own) {
                const FitTurn turn(*own.views);
                return own.model.iterations();
            },
            [](Scalars& own, std::uint64_t iterations) {
                const FitTurn turn(*own.views);
                own.model.set_iterations(iterations);
            },
            "Draws so far, which later samples follow from.");
}

template <typename Weighing>
void bind_rounds(py::classh<Weighing>& bound) {
    bound.def(
        py::init([](const FitViews& views) { return std::make_unique<Weighing>(views.views); }),
        py::arg("views"));
    bound.def_property("rounds", &Weighing::rounds, &Weighing::set_rounds, "So far.");
}

void bind_weighing(py::module_& module) {
    using fit::MapReweighting;
    using fit::Reweighting;
    py::classh<Reweighting> numbers(
        module, "Reweighting",
        "When the pixels of robust targets are weighed anew; see "
        "native/fit/reweighting.hpp.\n\nArgs:\n    views: Of the fit.\n");
    bind_rounds(numbers);
    numbers.def("is_over", &Reweighting::is_over, "Returns whether weights stay as they are.")
        .def(
            "go_on",
            [](Reweighting& own, Scalars& model, const FitDoubles& x, std::int64_t samples) {
                const fit::Look look = look_of(model, place_of(model, x));
                const FitTurn turn(*model.views);
                return own.go_on(look, model.views->views, samples);
            },
            py::arg("model"), py::arg("x"), py::arg("samples"),
            "Weighs pixels by what is left of them; returns whether weights have changed.\n\n"
            "Args:\n    model: Of the fit.\n    x: Its numbers.\n"
            "    samples: Paths a pixel in each sample set, at least.\n");
    py::classh<MapReweighting> maps(module, "MapReweighting",
                                    "The same where textures move: after fractions of their "
                                    "iterations.\n\nArgs:\n    views: Of the fit.\n");
    bind_rounds(maps);
    maps.def("is_due", &MapReweighting::is_due, py::arg("done"),
             "Returns whether pixels are to be weighed, after a fraction of the iterations.")
        .def(
            "go_on",
            [](MapReweighting& own, Scalars& model, const FitDoubles& x, std::int64_t samples) {
                const fit::Look look = look_of(model, place_of(model, x));
                const FitTurn turn(*model.views);
                own.go_on(look, model.views->views, samples);
            },
            py::arg("model"), py::arg("x"), py::arg("samples"),
            "Weighs pixels by what is left of them.\n\n"
            "Args:\n    model: Of the numbers that move with the textures.\n"
            "    x: Its numbers.\n    samples: Paths a pixel in each sample set, at least.\n")
        .def(
            "go_on",
            [](MapReweighting& own, TextureModelObject& model, std::int64_t samples) {
                const fit::Look look = look_of(model);
                const FitTurn turn(*model.views);
                own.go_on(look, model.views->views, samples);
            },
            py::arg("model"), py::arg("samples"),
            "Weighs pixels by what is left of them.\n\n"
            "Args:\n    model: Of the textures.\n"
            "    samples: Paths a pixel in each sample set, at least.\n");
}

/// Of views of Python's.
struct NoiseObject {
    explicit NoiseObject(std::shared_ptr<FitViews> of)
        : views(completed(std::move(of), "NoiseMeter")), own(views->views) {}

    std::shared_ptr<FitViews> views;
    fit::NoiseMeter own;
};

void bind_noise(py::module_& module) {
    module.attr("MEASURED_DRAWS") = fit::kMeasuredDraws;
    py::classh<NoiseObject>(module, "NoiseMeter",
                            "Sums up how much the two sample sets of draws differ; see "
                            "native/fit/noise_meter.hpp.\n\nArgs:\n    views: Of the fit.\n")
        .def(py::init<std::shared_ptr<FitViews>>(), py::arg("views").none(false))
        .def(
            "add",
            [](NoiseObject& meter, const FitFloats& a, const FitFloats& b) {
                const fit::ResidualPair residuals{span_of(a), span_of(b)};
                const FitTurn turn(*meter.views);
                require_residuals("NoiseMeter.add", *meter.views, residuals);
                meter.own.add(residuals);
            },
            py::arg("a"), py::arg("b"),
            "Adds a draw of the pixels that are drawn now: weighted residuals of both sample sets.")
        .def(
            "apply",
            [](NoiseObject& meter) {
                const FitTurn turn(*meter.views);
                fit::weigh_by_noise(meter.views->views, meter.own);
            },
            "Lets the views' pixels count by the noise that was measured.");
}

} // namespace

void bind_fit_models(py::module_& module) {
    bind_scalars(module);
    bind_weighing(module);
    bind_noise(module);
}

} // namespace weft::python
