// SPDX-License-Identifier: Apache-2.0
// Textures of a fit, alone and together with numbers.
#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/best_texels.hpp"
#include "fit/unknown_environment.hpp"
#include "python/bind_fit.hpp"
#include "python/fit_objects.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

namespace weft::python {

namespace py = pybind11;

namespace {

using Textures = TextureModelObject;
using Joint = JointModelObject;
/// name, bounds, smoothness, and whether it lights the scene.
using Given = std::tuple<std::string, fit::Bounds, double, bool>;

std::shared_ptr<Textures> create_textures(const std::shared_ptr<FitViews>& views,
                                          const std::shared_ptr<render::SceneTables>& tables,
                                          const std::vector<Given>& textures, std::int64_t bounces,
                                          std::uint64_t seed, const py::object& interrupt) {
    static_cast<void>(completed(views, "TextureModel"));
    std::vector<fit::TextureParameter> parameters;
    parameters.reserve(textures.size());
    for (const auto& [name, bounds, smoothness, is_light] : textures) {
        parameters.push_back(
            {.name = name, .bounds = bounds, .smoothness = smoothness, .is_light = is_light});
    }
    fit::TextureReplayDesc desc{.bounces = bounces, .seed = seed, .check = poll_with(interrupt)};
    const FitTurn turn(*views);
    return std::make_shared<Textures>(views, made(tables), parameters, std::move(desc));
}

/// Calls a member of the model in turn.
template <auto Member>
auto call(Textures& own) {
    const FitTurn turn(*own.views);
    return (own.model.*Member)();
}

bool step(Textures& own, std::size_t iteration, std::size_t iterations, std::int64_t samples) {
    const FitTurn turn(*own.views);
    const fit::TextureStep schedule = own.model.schedule_alone(iteration, iterations, samples);
    own.model.replay().draw(schedule.maps.samples);
    own.model.step(schedule.maps, schedule.tied);
    return schedule.maps.is_averaged;
}

py::array_t<float> image_of(const fit::FittedTexture& own, const std::vector<float>& values) {
    return py::array_t<float>(std::array<std::size_t, 3>{own.height, own.width, own.channels},
                              values.data());
}

py::list results(Textures& own) {
    const std::vector<fit::FittedTexture> found =
        call<static_cast<std::vector<fit::FittedTexture> (fit::TextureModel::*)()>(
            &fit::TextureModel::result)>(own);
    py::list out;
    for (const fit::FittedTexture& each : found) {
        out.append(
            py::make_tuple(image_of(each, each.pixels),
                           py::array_t<float>(std::array<std::size_t, 2>{each.height, each.width},
                                              each.known.data()),
                           image_of(each, each.errors)));
    }
    return out;
}

py::array_t<double> image_of(const fit::TexelImage& own) {
    return py::array_t<double>(
        std::array<std::size_t, 3>{own.shape.height, own.shape.width, own.shape.channels},
        own.values.data());
}

py::list tied_uncertainty(Textures& own) {
    const std::vector<fit::TiedUncertainty> found = call<&fit::TextureModel::tied_uncertainty>(own);
    py::list out;
    for (const fit::TiedUncertainty& each : found) {
        py::list known;
        for (const std::vector<bool>& flags : each.known) {
            known.append(to_array(flags).reshape(
                {static_cast<py::ssize_t>(each.maps.shape.height), py::ssize_t{-1}}));
        }
        out.append(py::make_tuple(each.numbers, image_of(each.maps), image_of(each.unknown.errors),
                                  to_array(each.unknown.correlation), known));
    }
    return out;
}

py::list validate(Textures& own, std::int64_t samples, std::optional<std::int64_t> bounces,
                  std::int64_t paths) {
    std::vector<fit::Validation> found;
    {
        const FitTurn turn(*own.views);
        found = fit::draw_validations(look_of(own, bounces), own.views->views, samples, paths);
    }
    return to_list(found);
}

py::list differences(Textures& own, const std::vector<FitWords>& pixels, std::int64_t samples,
                     std::uint64_t draw) {
    return draw_differences(*own.views, look_of(own), pixels, samples, draw);
}

/// State of something as arrays by name, and back, in turn.
template <typename Own>
py::dict save(const FitViews& views, const Own& own) {
    fit::SavedArrays saved;
    {
        const FitTurn turn(views);
        saved = own.save();
    }
    return to_dict(saved);
}

template <typename Own>
void restore(const FitViews& views, Own& own, const py::dict& saved) {
    const fit::SavedArrays arrays = saved_arrays_of(saved);
    const FitTurn turn(views);
    own.restore(arrays);
}

void bind_losses(py::classh<Textures>& bound) {
    bound
        .def_property_readonly(
            "losses",
            [](Textures& own) {
                const FitTurn turn(*own.views);
                return own.model.losses();
            },
            "One a step.")
        .def_property_readonly("loss", &call<&fit::TextureModel::loss>,
                               "Of the last step: mean product of the residuals of both sample "
                               "sets; infinite before any.")
        .def_property_readonly("noise_floor", &call<&fit::TextureModel::noise_floor>,
                               "Standard deviation of a loss by noise of renders alone.")
        .def_property_readonly("is_settled", &call<&fit::TextureModel::is_settled>,
                               "Whether the loss has ceased to fall.")
        .def_property_readonly(
            "draws",
            [](Textures& own) {
                const FitTurn turn(*own.views);
                return own.model.replay().draws();
            },
            "So far.")
        .def_property_readonly(
            "lost_texels",
            [](Textures& own) {
                const FitTurn turn(*own.views);
                return own.model.replay().lost_texels();
            },
            "Texels whose derivatives were no finite numbers, at most of any draw.")
        .def_property_readonly("has_tied", &call<&fit::TextureModel::has_tied>,
                               "Whether some textures are maps of one material.");
}

void bind_steps(py::classh<Textures>& bound) {
    bound
        .def(
            "select_pixels",
            [](Textures& own) {
                const FitTurn turn(*own.views);
                own.model.replay().select_pixels();
            },
            "Keeps the pixels that show the materials, or their close neighbours.")
        .def(
            "weigh_by_noise",
            [](Textures& own, std::int64_t samples) {
                const FitTurn turn(*own.views);
                own.model.weigh_by_noise(samples);
            },
            py::arg("samples"), "Measures the noise of renders, and weighs pixels by it.")
        .def("step", &step, py::arg("iteration"), py::arg("iterations"), py::arg("samples"),
             "Draws new samples and makes one step; returns whether iterations are averaged from "
             "there on, see average().\n\n"
             "Args:\n    iteration: Its number, from 0.\n    iterations: Of the fit.\n"
             "    samples: Paths a pixel in each sample set of the iterations that count most.\n")
        .def("average", &call<&fit::TextureModel::average>,
             "Adds the texels as they are to their mean.")
        .def(
            "upload",
            [](Textures& own) {
                const FitTurn turn(*own.views);
                own.model.replay().give(own.model.replay().state().texels());
            },
            "Gives the scene on the device the textures as they are.")
        .def("write_result", &call<&fit::TextureModel::write_result>,
             "Gives the scene on the device the textures that were found, without holes.");
}

void bind_textures(py::module_& module) {
    py::classh<Textures> bound(
        module, "TextureModel",
        "Fits textures by gradient steps that are replayed from recorded paths; see "
        "native/fit/texture_model.hpp.\n\n"
        "Args:\n    views: With recorders that give gradients of texels.\n"
        "    tables: Of the scene.\n"
        "    textures: Name, bounds and smoothness of each, and whether it lights the scene.\n"
        "    bounces: Surfaces that a path may leave.\n    seed: Equal seeds give equal fits.\n"
        "    interrupt: Its check() ends a draw by raising.\n");
    bound.def(py::init(&create_textures), py::arg("views").none(false),
              py::arg("tables").none(false), py::arg("textures"), py::arg("bounces"),
              py::arg("seed"), py::arg("interrupt"));
    bind_losses(bound);
    bind_steps(bound);
    bound
        .def("results", &results,
             "Returns pixels, known and errors of each texture, the top row first; see "
             "weft.fit.FittedTexture.")
        .def("undetermined", &call<&fit::TextureModel::undetermined>,
             "Returns why pictures do not determine a texture, one text a texture; \"\": they do.")
        .def("tied_uncertainty", &tied_uncertainty,
             "Returns what is not known of maps of one material, a tuple a group: numbers of the "
             "maps, how they were found, errors and correlation, and which texels pictures show of "
             "each map, all on their common grid.")
        .def("validate", &validate, py::arg("samples"), py::arg("bounces") = py::none(),
             py::arg("paths") = std::int64_t{1} << 20U,
             "Draws all pixels that count, or those of tiles all over large pictures, with the "
             "textures as they were found; see ScalarModel.validate().\n\n"
             "Args:\n    samples: Paths a pixel in each sample set, at least.\n"
             "    bounces: Surfaces that a path may leave; None: as many as in iterations.\n"
             "    paths: Of all views.\n")
        .def("differences", &differences, py::arg("pixels"), py::arg("samples"), py::arg("draw"),
             "Renders some pixels with the textures as they were found; see "
             "ScalarModel.differences().")
        .def(
            "save", [](const Textures& own) { return save(*own.views, own.model); },
            "Returns arrays by name: all that later steps depend on, the views apart.")
        .def(
            "restore",
            [](Textures& own, const py::dict& saved) { restore(*own.views, own.model, saved); },
            py::arg("saved"),
            "Goes back to where save() was called; arrays that do not fit raise ArgumentError.");
}

bool step_joint(Joint& own, std::size_t iteration, std::size_t iterations, std::int64_t samples) {
    const FitTurn turn(*own.scalars->views);
    const fit::TextureStep schedule = own.textures->model.schedule(iteration, iterations, samples);
    own.model.step(iteration, schedule.maps, schedule.tied);
    return schedule.maps.is_averaged;
}

/// Something of the numbers, read in turn.
template <typename Read>
auto read(const Joint& own, const Read& read_numbers) {
    const FitTurn turn(*own.scalars->views);
    return read_numbers(own.model.numbers());
}

void bind_numbers(py::classh<Joint>& bound) {
    bound
        .def_property_readonly(
            "x",
            [](const Joint& own) {
                const fit::Vector x = read(own, [](const auto& numbers) { return numbers.x(); });
                return to_array(std::span<const double>(x));
            },
            "Where the numbers are, shape (p,).")
        .def_property_readonly(
            "fixed",
            [](const Joint& own) {
                return to_array(read(own, [](const auto& numbers) { return numbers.fixed(); }));
            },
            "Which of them steps leave alone.")
        .def_property_readonly(
            "averaged",
            [](const Joint& own) {
                return read(own, [](const auto& numbers) { return numbers.averaged(); });
            },
            "Iterations that results are averaged over.")
        .def_property_readonly(
            "information",
            [](const Joint& own) {
                const auto found =
                    read(own, [](const auto& numbers) { return numbers.information(); });
                return found ? py::object(to_tuple(*found)) : py::object(py::none());
            },
            "matrix, covariance, lost and drawn_share of weft.fit.information.Information; None: "
            "nothing is averaged.")
        .def(
            "start_at",
            [](Joint& own, const FitDoubles& x, const FitFlags& fixed) {
                const fit::Vector place = vector_of(x);
                const std::vector<bool> flags = vector_of(fixed);
                const FitTurn turn(*own.scalars->views);
                own.model.numbers().start_at(place, flags);
            },
            py::arg("x"), py::arg("fixed"),
            "Begins elsewhere; steps leave those alone that are `fixed`.")
        .def(
            "move_fixed",
            [](Joint& own, const FitDoubles& x) {
                const fit::Vector place = vector_of(x);
                const FitTurn turn(*own.scalars->views);
                own.model.numbers().move_fixed(place);
            },
            py::arg("x"), "Puts the numbers that are fixed at a place; others keep theirs.");
}

void bind_joint(py::module_& module) {
    py::classh<Joint> bound(module, "JointModel",
                            "Numbers and textures in one step; see native/fit/joint_model.hpp.\n\n"
                            "Args:\n    scalars: Model of the numbers.\n"
                            "    textures: Model of the textures, with the same views.\n");
    bound.def(py::init([](std::shared_ptr<ScalarModelObject> scalars,
                          std::shared_ptr<Textures> textures) {
                  if (made(scalars)->views != made(textures)->views) {
                      throw core::ArgumentError("JointModel: both models must have the same views");
                  }
                  return std::make_shared<Joint>(std::move(scalars), std::move(textures));
              }),
              py::arg("scalars").none(false), py::arg("textures").none(false));
    bind_numbers(bound);
    bound
        .def("step", &step_joint, py::arg("iteration"), py::arg("iterations"), py::arg("samples"),
             "Draws new samples and makes one step of all that moves; returns whether iterations "
             "are averaged.\n\n"
             "Args:\n    iteration: Of the textures, from 0.\n    iterations: Of the fit.\n"
             "    samples: Paths a pixel in each sample set of the iterations that count most.\n")
        .def_property_readonly(
            "residuals",
            [](const Joint& own) {
                fit::ResidualPair found;
                {
                    const FitTurn turn(*own.scalars->views);
                    found = own.model.residuals();
                }
                return to_tuple(found);
            },
            "Of both sample sets of the last step, before it.")
        .def(
            "save", [](const Joint& own) { return save(*own.scalars->views, own.model); },
            "Returns arrays by name: all that later steps depend on, models and views apart.")
        .def(
            "restore",
            [](Joint& own, const py::dict& saved) {
                restore(*own.scalars->views, own.model, saved);
            },
            py::arg("saved"),
            "Goes back to where save() was called, after the models; arrays that do not fit raise "
            "ArgumentError.");
}

/// With the model that it is of.
struct BestObject {
    BestObject(const std::shared_ptr<Textures>& textures, std::size_t iterations,
               std::shared_ptr<Joint> joint)
        : model(made(textures)), numbers(std::move(joint)),
          own(model->model, iterations, numbers ? &numbers->model.numbers() : nullptr) {}

    std::shared_ptr<Textures> model;
    std::shared_ptr<Joint> numbers;
    fit::BestTexels own;
};

void bind_best(py::module_& module) {
    py::classh<BestObject>(module, "BestTexels",
                           "Keeps texels, and the numbers that move with them, of the iterations "
                           "with the smallest loss; see native/fit/best_texels.hpp.\n\n"
                           "Args:\n    model: Of the textures.\n    iterations: Of the fit.\n"
                           "    joint: With the numbers that move with the textures; None: none "
                           "do.\n")
        .def(py::init<std::shared_ptr<Textures>, std::size_t, std::shared_ptr<Joint>>(),
             py::arg("model").none(false), py::arg("iterations"), py::arg("joint") = py::none())
        .def(
            "restart",
            [](BestObject& best) {
                const FitTurn turn(*best.model->views);
                best.own.restart();
            },
            "Forgets all: pixels count otherwise, or numbers have moved.")
        .def(
            "note",
            [](BestObject& best) {
                const FitTurn turn(*best.model->views);
                return best.own.note();
            },
            "Takes note of a step that was made; returns whether the best texels were put back.")
        .def(
            "save", [](const BestObject& best) { return save(*best.model->views, best.own); },
            "Returns arrays by name: all that later steps depend on.")
        .def(
            "restore",
            [](BestObject& best, const py::dict& saved) {
                restore(*best.model->views, best.own, saved);
            },
            py::arg("saved"),
            "Goes back to where save() was called; arrays that do not fit raise ArgumentError.");
}

} // namespace

void bind_fit_textures(py::module_& module) {
    module.attr("ENVIRONMENT_LOOKUP") = fit::environment_lookup();
    module.attr("MAX_PRECONDITIONERS") = fit::kMaxPreconditioners;
    bind_textures(module);
    bind_joint(module);
    bind_best(module);
}

} // namespace weft::python
