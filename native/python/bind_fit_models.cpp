// SPDX-License-Identifier: Apache-2.0
// The model of a fit of numbers: renders as functions of them.
#include "core/error.hpp"
#include "core/text.hpp"
#include "python/bind_fit.hpp"
#include "python/fit_objects.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace weft::python {

namespace py = pybind11;

namespace {

using Scalars = ScalarModelObject;

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

} // namespace

void bind_fit_models(py::module_& module) {
    py::classh<Scalars>(module, "ScalarModel",
                        "Renders of a scene as a function of a few numbers, by recorded paths, for "
                        "a FitStage; see native/fit/scalar_model.hpp.\n\n"
                        "Args:\n    views: With recorders for the directions of `unknowns`.\n"
                        "    unknowns: What changes.\n    tables: Of the scene.\n"
                        "    samples: Paths a pixel in each sample set of an iteration.\n"
                        "    bounces: Surfaces that a path may leave.\n"
                        "    seed: Equal seeds give equal fits.\n"
                        "    interrupt: Its check() ends a draw by raising.\n")
        .def(py::init(&create_scalars), py::arg("views").none(false),
             py::arg("unknowns").none(false), py::arg("tables").none(false), py::arg("samples"),
             py::arg("bounces"), py::arg("seed"), py::arg("interrupt"));
}

} // namespace weft::python
