// SPDX-License-Identifier: Apache-2.0
#include "fit/joint_stage.hpp"

#include "fit/sample_counts.hpp"
#include "fit/saved_parts.hpp"
#include "fit/scalar_pass.hpp"
#include "fit/scalar_setup.hpp"
#include "fit/texture_pass.hpp"
#include "scene/parameter_names.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace weft::fit {

namespace {

/// Scalar passes with texture passes between them.
std::vector<std::unique_ptr<Phase>> build_phases(JointStage& stage) {
    std::vector<std::unique_ptr<Phase>> out;
    out.push_back(std::make_unique<ScalarPass>(stage, 0));
    for (std::size_t number = 0; number < kPolish; ++number) {
        out.push_back(std::make_unique<TexturePass>(stage, number));
        out.push_back(std::make_unique<ScalarPass>(stage, number + 1));
    }
    return out;
}

} // namespace

JointStage::JointStage(ScalarModel& numbers, TextureModel& textures, const FitSettings& settings,
                       ShownPixels find_shown)
    : Stage(numbers.views(), settings), scalars(numbers), images(textures),
      unknowns(numbers.unknowns()), meter(loss_weights(numbers.views())), model(numbers, textures),
      solver(numbers, unknowns.start, solver_settings(unknowns, early_settings(settings))),
      weighing(numbers.views()), m_find_shown(std::move(find_shown)) {
    set_phases(build_phases(*this));
}

const std::vector<std::vector<bool>>& JointStage::shown() {
    if (!m_shown.empty()) {
        return m_shown;
    }
    const bool is_light =
        std::ranges::any_of(images.replay().regions(),
                            [](const TextureRegion& region) { return region.parameter.is_light; });
    if (!is_light) {
        m_shown = m_find_shown();
        return m_shown;
    }
    for (const View& view : views()) { // all pixels tell of it
        m_shown.emplace_back(view.lost().size(), true);
    }
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

/// Textures were averaged enough, where the numbers stay, and the loss does not fall.
bool JointStage::has_converged() const {
    return is_done() && have_averaged(*this) && is_settled();
}

double JointStage::loss() const {
    return meter.loss(counted_views(scalars.views()));
}

double JointStage::noise_floor() const {
    return meter.noise_floor(counted_views(scalars.views()));
}

Look JointStage::look_at_result(std::optional<std::int64_t> bounces) {
    write();
    return [this, bounces](std::int64_t samples, std::uint64_t draw) {
        return scalars.look(x(), samples, draw, bounces);
    };
}

void JointStage::write() {
    if (!m_before) {
        m_before = images.replay().scene_texels();
    }
    scalars.write(x());
    images.write_result();
}

/// Passes that move numbers alone look at the texels that the scene has.
void JointStage::prepare() {
    if (m_before) {
        images.replay().give(m_before);
        m_before.reset();
    }
}

Look JointStage::look() {
    return [this](std::int64_t samples, std::uint64_t draw) {
        return scalars.look(x(), samples, draw);
    };
}

void JointStage::record(const ResidualPair& residuals) {
    record_loss(meter, views(), residuals);
}

void JointStage::begin_loss(const ResidualPair& residuals) {
    fit::begin_loss(meter, views(), residuals);
}

std::vector<ViewState> JointStage::save_views() const {
    return states_of(views());
}

void JointStage::restore_views(const std::vector<ViewState>& saved) {
    fit::restore(views(), saved);
}

void JointStage::set_samples() {
    const std::int64_t wanted = settings().samples;
    scalars.set_samples(iteration_samples(drawn_pixels(views()), 0, wanted, wanted));
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
        if (fixed[row]) {
            out.is_silent[row] = alone.is_silent[row];
        }
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
