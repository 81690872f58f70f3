// SPDX-License-Identifier: Apache-2.0
// Textures of a fit.
#include "core/error.hpp"
#include "core/text.hpp"
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

void bind_textures(py::module_& module) {
    py::classh<Textures> bound(
        module, "TextureModel",
        "Textures that are fitted by gradient steps, replayed from recorded paths, for a FitStage; "
        "see native/fit/texture_model.hpp.\n\n"
        "Args:\n    views: With recorders that give gradients of texels.\n"
        "    tables: Of the scene.\n"
        "    textures: Name, bounds and smoothness of each, and whether it lights the scene.\n"
        "    bounces: Surfaces that a path may leave.\n    seed: Equal seeds give equal fits.\n"
        "    interrupt: Its check() ends a draw by raising.\n");
    bound.def(py::init(&create_textures), py::arg("views").none(false),
              py::arg("tables").none(false), py::arg("textures"), py::arg("bounces"),
              py::arg("seed"), py::arg("interrupt"));
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
        .def_property_readonly(
            "lost_texels",
            [](Textures& own) {
                const FitTurn turn(*own.views);
                return own.model.replay().lost_texels();
            },
            "Texels whose derivatives were no finite numbers, at most of any draw.");
}

} // namespace

void bind_fit_textures(py::module_& module) {
    module.attr("ENVIRONMENT_LOOKUP") = fit::environment_lookup();
    module.attr("MAX_PRECONDITIONERS") = fit::kMaxPreconditioners;
    bind_textures(module);
}

} // namespace weft::python
