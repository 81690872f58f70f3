// SPDX-License-Identifier: Apache-2.0
#include "fit/joint_model.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/normal_equations.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace weft::fit {

using tensor::TensorRef;

namespace {

constexpr std::size_t kCrossIterations = 6;   ///< that cross blocks are averaged over
constexpr std::size_t kCrossInterval = 4;     ///< iterations from one to the next, later
constexpr std::size_t kTextureIterations = 3; ///< textures alone, before numbers move
constexpr std::int64_t kLeastBlur = 1; ///< radius of what cross blocks are averaged over, texels

LossOfDraw loss_of(const SamplePair& pair) {
    const std::span<const float> a = pair.a.residual;
    const std::span<const float> b = pair.b.residual;
    double loss = 0;
    double noise = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const auto first = static_cast<double>(a[i]);
        const auto second = static_cast<double>(b[i]);
        loss += first * second;
        noise += (first - second) * (first - second);
    }
    const auto count = static_cast<double>(std::max<std::size_t>(a.size(), 1));
    return {.loss = loss / count, .noise = noise / count / 4};
}

/// Derivatives by one of the unknowns.
std::vector<float> column(const LinearizedResiduals& set, std::size_t unknown, std::size_t count) {
    std::vector<float> out(set.residual.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = set.jacobian[i * count + unknown];
    }
    return out;
}

std::vector<PartFactor> factors_of(const std::vector<float>& lights) {
    std::vector<PartFactor> out(lights.size() / kChannels);
    for (std::size_t i = 0; i < out.size() * kChannels; ++i) {
        out[i / kChannels].at(i % kChannels) = static_cast<double>(lights[i]);
    }
    return out;
}

} // namespace

JointModel::JointModel(ScalarModel& scalars, TextureModel& textures)
    : m_scalars(scalars), m_textures(textures),
      m_numbers(scalars.unknowns().start, scalars.unknowns().low, scalars.unknowns().high,
                scalars.unknowns().prior_or_none()) {}

bool JointModel::is_all_fixed() const {
    return std::ranges::all_of(m_numbers.fixed(), [](bool fixed) { return fixed; });
}

void JointModel::step(std::size_t iteration, const StepSchedule& schedule,
                      const TiedSchedule& tied_schedule) {
    TextureReplay& replay = m_textures.replay();
    replay.give(replay.state().texels());
    m_scalars.draw_samples(m_numbers.x(), schedule.samples);
    replay.set_light_factors(factors_of(m_scalars.unknowns().light_factors(m_numbers.x())));
    replay.note_draw();
    const SamplePair pair = linearize();
    const TensorRef gradient = replay.collect(adjoints({pair.a.residual, pair.b.residual}));
    const bool moves_numbers = !is_all_fixed();
    const bool is_cross_due =
        moves_numbers && (m_cross_count < kCrossIterations || iteration % kCrossInterval == 0);
    // What draws, waits or may be no number comes first: it leaves all as it was if it throws.
    const std::vector<TensorRef> cross =
        is_cross_due ? cross_blocks(pair) : std::vector<TensorRef>();
    const std::vector<Adjoints> raised =
        m_textures.needs_curvature() ? raised_adjoints() : std::vector<Adjoints>();
    replay.require_numbers();
    m_textures.note_loss(loss_of(pair));
    add_cross_blocks(cross);
    if (!raised.empty()) {
        m_textures.add_curvature(
            [&](std::size_t number) { return replay.collect(raised[number]); });
        replay.require_numbers();
    }
    if (moves_numbers && iteration >= kTextureIterations) {
        move_numbers(pair, gradient, schedule);
    }
    m_textures.move(gradient, schedule, tied_schedule);
    if (schedule.is_averaged) {
        average(pair);
    }
}

/// Of the last draw; without derivatives where all numbers are fixed.
SamplePair JointModel::linearize() {
    const TensorRef& texels = m_textures.replay().state().texels();
    SamplePair pair;
    if (is_all_fixed()) {
        const ResidualPair found = m_scalars.residuals(m_numbers.x(), texels);
        pair = {{found.a, {}}, {found.b, {}}};
    } else {
        pair = m_scalars.linearize(m_numbers.x(), texels);
    }
    m_residuals[0].assign(pair.a.residual.begin(), pair.a.residual.end());
    m_residuals[1].assign(pair.b.residual.begin(), pair.b.residual.end());
    // The model's own last until the next residuals() only.
    pair.a.residual = m_residuals[0];
    pair.b.residual = m_residuals[1];
    return pair;
}

/// What each sample set of each view passes on: samples of one carry the other's values.
/// @param values of both sets, one a residual.
Adjoints JointModel::adjoints(const Rows& values) {
    const std::vector<View>& views = m_scalars.views();
    const std::vector<float> gains = m_scalars.unknowns().gains(m_numbers.x(), views.size());
    std::vector<std::vector<float>> rows;
    std::size_t first = 0;
    for (std::size_t number = 0; number < views.size(); ++number) {
        const View& view = views[number];
        const std::size_t size = kChannels * view.pixels().size();
        std::vector<float> own(2 * size);
        for (std::size_t i = 0; i < size; ++i) {
            const std::size_t channel = i % kChannels;
            const float scale =
                view.weights()[kChannels * std::size_t{view.pixels()[i / kChannels]} + channel] *
                gains[kChannels * number + channel];
            own[i] = values[1][first + i] * scale;
            own[size + i] = values[0][first + i] * scale;
        }
        rows.push_back(std::move(own));
        first += size;
    }
    return m_textures.replay().upload(rows);
}

/// J_t' J_n of a draw.
std::vector<TensorRef> JointModel::cross_blocks(const SamplePair& pair) {
    const std::size_t unknowns = m_numbers.x().size();
    std::vector<TensorRef> out;
    for (std::size_t unknown = 0; unknown < unknowns; ++unknown) {
        const std::vector<float> a = column(pair.a, unknown, unknowns);
        const std::vector<float> b = column(pair.b, unknown, unknowns);
        out.push_back(m_textures.replay().collect(adjoints({a, b})));
    }
    return out;
}

/// @param blocks of a draw; empty: it was not asked for them.
void JointModel::add_cross_blocks(const std::vector<TensorRef>& blocks) {
    if (blocks.empty()) {
        return;
    }
    ++m_cross_count;
    if (m_cross_count == 1) {
        m_cross = blocks;
        return;
    }
    const auto count = static_cast<double>(std::min(m_cross_count, kCrossIterations));
    for (std::size_t unknown = 0; unknown < blocks.size(); ++unknown) {
        m_textures.replay().kernels().each(FitModule::texels, "addToMean", m_cross[unknown],
                                           blocks[unknown], count);
    }
}

/// What films change by as each map is raised.
std::vector<Adjoints> JointModel::raised_adjoints() {
    TextureReplay& replay = m_textures.replay();
    std::vector<Adjoints> raised;
    for (const TextureRegion& region : replay.regions()) {
        const ResidualPair above = m_scalars.residuals(m_numbers.x(), replay.raised(region));
        std::array<std::vector<float>, 2> changes;
        for (std::size_t set = 0; set < 2; ++set) {
            const std::span<const float> after = set == 0 ? above.a : above.b;
            std::ranges::transform(after, m_residuals.at(set), std::back_inserter(changes.at(set)),
                                   [](float now, float before) {
                                       return (now - before) / static_cast<float>(kRaise);
                                   });
        }
        raised.push_back(adjoints({changes[0], changes[1]}));
    }
    // What is collected follows a replay of the texels as they are.
    static_cast<void>(m_scalars.residuals(m_numbers.x(), replay.state().texels()));
    return raised;
}

/// Of the numbers, with the textures eliminated. @param blur radius, texels.
ReducedEquations JointModel::reduced(const SamplePair& pair, const TensorRef& gradient,
                                     std::int64_t blur) {
    const NormalEquations normal = normal_equations(pair, 1);
    std::vector<TensorRef> rows = m_cross;
    rows.push_back(gradient);
    const Matrix eliminated = m_textures.products(rows, blur);
    const std::size_t count = m_cross.size();
    ReducedEquations out{.matrix = Matrix(count, count), .gradient = Vector(count)};
    for (std::size_t row = 0; row < count; ++row) {
        // collect() adds both sample sets, normal_equations() takes their mean.
        for (std::size_t other = 0; other < count; ++other) {
            out.matrix(row, other) = 2 * normal.matrix(row, other) - eliminated(row, other);
        }
        out.gradient[row] = 2 * normal.gradient[row] - eliminated(row, count);
    }
    return out;
}

/// A step within the trust region and the bounds, and what it makes of the gradient by the texels.
void JointModel::move_numbers(const SamplePair& pair, const TensorRef& gradient,
                              const StepSchedule& schedule) {
    const ReducedEquations equations = reduced(pair, gradient, std::max(schedule.blur, kLeastBlur));
    const double variance = residual_variance({pair.a.residual, pair.b.residual});
    const Vector step = m_numbers.step(equations, variance, schedule.is_averaged);
    for (std::size_t unknown = 0; unknown < step.size(); ++unknown) {
        m_textures.replay().kernels().each(FitModule::texels, "addScaled", gradient,
                                           m_cross[unknown], step[unknown]);
    }
}

/// Averages what the iteration has found, unless the numbers have moved on.
void JointModel::average(const SamplePair& pair) {
    if (!m_numbers.average()) {
        m_textures.restart_average();
        return;
    }
    if (!is_all_fixed()) {
        TextureReplay& replay = m_textures.replay();
        const TensorRef none = replay.kernels().zeros({replay.state().texels()->element_count()});
        m_numbers.add(pair, reduced(pair, none, 0).matrix, m_textures.known_count());
    }
    m_textures.average();
}

SavedArrays JointModel::save() const {
    SavedArrays out;
    out.add_part("numbers", m_numbers.save());
    std::vector<float> cross;
    for (const TensorRef& row : m_cross) {
        const std::vector<float> own = m_textures.replay().kernels().download(*row);
        cross.insert(cross.end(), own.begin(), own.end());
    }
    out.arrays.emplace("cross", SavedArray{{cross.size()}, std::move(cross)});
    out.add("cross_count", {static_cast<double>(m_cross_count)});
    return out;
}

void JointModel::restore(const SavedArrays& saved) {
    TextureReplay& replay = m_textures.replay();
    const std::vector<float> cross = saved.floats("cross");
    const auto size = static_cast<std::size_t>(replay.state().texels()->element_count());
    const std::size_t wanted = cross.empty() ? 0 : m_numbers.x().size() * size;
    if (cross.size() != wanted) {
        throw core::ArgumentError(core::text("restore: the saved cross block must have ", wanted,
                                             " numbers, got ", cross.size(), "; start anew"));
    }
    const SavedArrays numbers = saved.part("numbers");
    m_numbers.restore(numbers, numbers.contains("residual") ? m_textures.known_count() : 0);
    m_cross_count = static_cast<std::size_t>(saved.doubles("cross_count", 1).front());
    m_cross.clear();
    for (std::size_t first = 0; first < cross.size(); first += size) {
        m_cross.push_back(replay.kernels().upload(std::span(cross).subspan(first, size)));
    }
}

} // namespace weft::fit
