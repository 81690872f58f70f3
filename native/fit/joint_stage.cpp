// SPDX-License-Identifier: Apache-2.0
#include "fit/joint_stage.hpp"

#include "fit/build_views.hpp"
#include "fit/sample_counts.hpp"
#include "fit/saved_parts.hpp"
#include "fit/scalar_pass.hpp"
#include "fit/scalar_setup.hpp"
#include "fit/shown_pixels.hpp"
#include "scene/parameter_names.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>

namespace weft::fit {

namespace {

/// All that may change what lights give off.
std::vector<Parameter> changing_inputs(const Sought& sought) {
    std::vector<Parameter> out = sought.parameters;
    for (const TextureParameter& texture : sought.textures) {
        if (!texture.is_light) { // an unknown environment, which observations may leave dark
            out.push_back({.name = texture.name});
        }
    }
    return out;
}

std::vector<View> build_joint_views(render::Renderer& renderer,
                                    const std::vector<Observation>& observations,
                                    const Sought& sought, const Unknowns& unknowns) {
    std::vector<std::string> names = all_names(sought.parameters);
    std::ranges::copy(names_of(sought.textures), std::back_inserter(names));
    const UnknownDirections directions =
        unknowns.directions(renderer.tables()->materials()->values.size());
    const auto light =
        find_light_parts(renderer, observations, sought.lights, changing_inputs(sought));
    return build_views(renderer, observations, light,
                       {.materials = owning_materials(renderer.scene(), names),
                        .rows = directions.rows,
                        .with_texels = true});
}

/// Kernels of textures neither compile nor wait interruptibly: what they move cannot be given up half-way.
dispatch::Context without_poll(render::Renderer& renderer) {
    dispatch::Context context = renderer.film().modules()->context();
    context.poll = {};
    return context;
}

} // namespace

JointStage::JointStage(render::Renderer& own, std::vector<Observation> pictures,
                       const Sought& sought, const FitSettings& given,
                       const core::InterruptPoll& check)
    : renderer(own), tables(own.tables()), settings(given), observations(std::move(pictures)),
      textured(owning_materials(own.scene(), names_of(sought.textures))),
      unknowns(build_unknowns(*own.tables()->materials(), sought.parameters, sought.exposures,
                              names_of(observations), sought.lights)),
      views(build_joint_views(own, observations, sought, unknowns)), meter(loss_weights(views)),
      scalars(
          tables, views, unknowns,
          {.samples = given.samples, .bounces = given.bounces, .seed = given.seed, .check = check}),
      images(without_poll(own), tables, views, sought.textures,
             {.bounces = given.bounces, .seed = given.seed, .check = check}),
      model(scalars, images),
      solver(scalars, unknowns.start, solver_settings(unknowns, early_settings(given))),
      weighing(views) {}

const std::vector<std::vector<bool>>& JointStage::shown() {
    if (!m_shown.empty()) {
        return m_shown;
    }
    const bool is_light =
        std::ranges::any_of(images.replay().regions(),
                            [](const TextureRegion& region) { return region.parameter.is_light; });
    std::vector<std::vector<bool>> out;
    out.reserve(views.size());
    for (const View& view : views) {
        out.push_back(is_light ? std::vector<bool>(view.lost().size(), true)
                               : find_shown(renderer, view.observation().camera, textured));
    }
    m_shown = std::move(out);
    return m_shown;
}

std::vector<bool> JointStage::of_textured() const {
    std::set<std::string> owners;
    for (const TextureRegion& region : images.replay().regions()) {
        owners.insert(scene::split_owner(region.parameter.name).owner);
    }
    std::vector<bool> out(unknowns.start.size());
    for (const UnknownBlock& block : unknowns.blocks) {
        const bool is_owned =
            !block.is_factor() && owners.contains(scene::split_owner(block.name).owner);
        for (std::size_t i = block.first; is_owned && i < block.first + block.size; ++i) {
            out[i] = true;
        }
    }
    return out;
}

const Candidate* JointStage::best_candidate() const noexcept {
    return solver.is_elsewhere() ? solver.best() : nullptr;
}

/// By the pass under way as soon as that knows more than the one before.
JointStage::Fixed JointStage::fixed() const {
    const Fixed before{model.numbers().x(), found ? &*found : nullptr};
    const SolverState& state = solver.state();
    if (!is_scalar_pass || !state.information || !found) {
        return before;
    }
    const Vector errors = standard_errors(found->covariance, found->lost);
    const std::vector<bool>& are_fixed = model.numbers().fixed();
    for (std::size_t i = 0; i < errors.size(); ++i) {
        if (are_fixed[i] && !(state.errors[i] <= errors[i])) {
            return before;
        }
    }
    return {state.x, &*state.information};
}

Vector JointStage::x() const {
    if (passes == 0) {
        return best_candidate() == nullptr ? solver.state().x : best_candidate()->x;
    }
    const Fixed own = fixed();
    Vector out = model.numbers().x();
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = model.numbers().fixed()[i] ? own.x[i] : out[i];
    }
    return out;
}

std::optional<Information> JointStage::information() const {
    const std::optional<Information>& joint = model.numbers().information();
    const std::vector<bool>& are_fixed = model.numbers().fixed();
    const Information* const alone = fixed().information;
    const auto is_set = [](bool own) { return own; };
    if (passes < 2 || alone == nullptr || std::ranges::none_of(are_fixed, is_set)) {
        return joint;
    }
    if (std::ranges::all_of(are_fixed, is_set)) {
        return *alone;
    }
    return joint ? std::optional(merge_information(*joint, *alone, are_fixed)) : std::nullopt;
}

Vector JointStage::errors() const {
    const std::optional<Information> known = information();
    return known ? standard_errors(known->covariance, known->lost)
                 : Vector(unknowns.start.size(), std::numeric_limits<double>::infinity());
}

Look JointStage::look() {
    return [this](std::int64_t samples, std::uint64_t draw) {
        return scalars.look(x(), samples, draw);
    };
}

void JointStage::record(const ResidualPair& residuals) {
    record_loss(meter, views, residuals);
}

void JointStage::begin_loss(const ResidualPair& residuals) {
    fit::begin_loss(meter, views, residuals);
}

std::vector<ViewState> JointStage::save_views() const {
    return states_of(views);
}

void JointStage::restore_views(const std::vector<ViewState>& saved) {
    fit::restore(views, saved);
}

void JointStage::set_samples() {
    std::int64_t pixels = 0;
    for (const View& view : views) {
        pixels += std::ssize(view.pixels());
    }
    scalars.set_samples(iteration_samples(pixels, 0, settings.samples, settings.samples));
}

void JointStage::attempt(const std::function<void()>& work) {
    const std::vector<ViewState> before = save_views();
    const std::uint64_t draws = scalars.iterations();
    try {
        work();
    } catch (...) {
        restore_views(before);
        scalars.set_iterations(draws);
        throw;
    }
}

Information merge_information(const Information& joint, const Information& alone,
                              const std::vector<bool>& fixed) {
    Information out = joint;
    out.drawn_fraction.clear();
    for (std::size_t row = 0; row < fixed.size(); ++row) {
        for (std::size_t column = 0; column < fixed.size(); ++column) {
            if (fixed[row] || fixed[column]) {
                out.covariance(row, column) =
                    fixed[row] && fixed[column] ? alone.covariance(row, column) : 0;
            }
        }
        for (std::size_t direction = 0; fixed[row] && direction < out.lost.columns; ++direction) {
            out.lost(row, direction) = 0;
        }
    }
    return out;
}

} // namespace weft::fit
