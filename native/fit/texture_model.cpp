// SPDX-License-Identifier: Apache-2.0
#include "fit/texture_model.hpp"

#include "core/error.hpp"
#include "fit/noise_meter.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

namespace weft::fit {

using tensor::TensorRef;

namespace {

constexpr double kSharing =
    4; ///< texels that a lookup mixes: each gets a share of what pixels tell of all
/// Of the iterations: before, maps of one material still find what they share.
constexpr double kTiedAverageFraction = 0.75;
/// Of the shorter side of a map: means over more would leave none of the structure of small maps.
constexpr double kWidestBlur = 1.0 / 32;
/// Curvature is told by the first draws, and by every so many later ones.
constexpr std::int64_t kFirstCurvatures = 4;
constexpr std::uint64_t kCurvatureEvery = 8;
/// The same where maps of one material move together: their blocks need more.
constexpr std::int64_t kFirstTiedCurvatures = 16;
constexpr std::uint64_t kTiedCurvatureEvery = 3;

/// @param known 1 for texels that pictures show, else 0.
std::string why_undetermined(const std::vector<float>& known) {
    const bool is_shown = std::ranges::any_of(known, [](float mark) { return mark > 0; });
    return is_shown ? "" : "no pixel of the pictures shows it";
}

/// Rows from the other end.
std::vector<float> flipped(const std::vector<float>& rows, std::size_t height) {
    const std::size_t row = rows.size() / height;
    std::vector<float> out;
    out.reserve(rows.size());
    for (std::size_t y = height; y-- > 0;) {
        const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(y * row);
        out.insert(out.end(), begin, begin + static_cast<std::ptrdiff_t>(row));
    }
    return out;
}

} // namespace

TextureModel::TextureModel(dispatch::Context context, const render::SceneTablesRef& tables,
                           std::vector<View>& views, std::span<const TextureParameter> parameters,
                           TextureReplayDesc desc)
    : m_replay(std::move(context), tables, views, parameters, std::move(desc)), m_tied(m_replay) {}

double TextureModel::loss() const noexcept {
    return m_losses.empty() ? std::numeric_limits<double>::infinity() : m_losses.back();
}

double TextureModel::noise_floor() const noexcept {
    if (m_losses.empty()) {
        return std::numeric_limits<double>::infinity();
    }
    double pixels = 0;
    for (const View& view : m_replay.views()) {
        pixels += static_cast<double>(view.pixels().size());
    }
    return 2 * m_noise / std::sqrt(std::max(pixels, 1.0 / kChannels));
}

bool TextureModel::is_settled() const {
    return has_settled(m_losses, m_noise);
}

void TextureModel::weigh_by_noise(std::int64_t samples) {
    NoiseMeter meter(m_replay.views());
    for (std::size_t draw = 0; draw < kMeasuredDraws; ++draw) {
        m_replay.draw(samples);
        static_cast<void>(m_replay.replay());
        meter.add(m_replay.differences());
    }
    fit::weigh_by_noise(m_replay.views(), meter);
}

TextureStep TextureModel::schedule(std::size_t iteration, std::size_t iterations,
                                   std::int64_t samples) const {
    TextureStep out{.maps = texture_schedule(iteration, iterations, samples),
                    .tied = tied_schedule(std::min(iteration, iterations - 1), iterations)};
    if (has_tied()) {
        out.maps.is_averaged = static_cast<double>(iteration + 1) >
                               kTiedAverageFraction * static_cast<double>(iterations);
    }
    return out;
}

TextureStep TextureModel::schedule_alone(std::size_t iteration, std::size_t iterations,
                                         std::int64_t samples) const {
    TextureStep out = schedule(iteration, iterations, samples);
    // Pixels that nothing explains are told from detail while textures are coarse.
    if (std::ranges::none_of(m_replay.views(), &View::is_robust)) {
        out.maps.widest_blur = kWidestBlur;
    }
    return out;
}

bool TextureModel::needs_curvature() const noexcept {
    return m_replay.state().curvatures() < (has_tied() ? kFirstTiedCurvatures : kFirstCurvatures) ||
           m_replay.draws() % (has_tied() ? kTiedCurvatureEvery : kCurvatureEvery) == 0;
}

void TextureModel::step(const StepSchedule& schedule, const TiedSchedule& tied_schedule) {
    // What is collected follows the replay before it: that of the texels comes last.
    const std::vector<Films> raised =
        needs_curvature() ? m_replay.raised_films() : std::vector<Films>();
    const LossOfDraw found = m_replay.replay();
    const TensorRef gradient = m_replay.gradient();
    if (!raised.empty()) {
        add_curvature([&](std::size_t number) { return m_replay.curvature(raised[number]); });
    }
    m_replay.require_numbers();
    note_loss(found);
    move(gradient, schedule, tied_schedule);
}

void TextureModel::note_loss(const LossOfDraw& found) {
    m_losses.push_back(found.loss);
    m_noise = found.noise;
}

/// Averages, for each texel, what all texels of its map together add to its curvature. Steps of gradient over this sum
/// converge where J has one sign in a pixel (Gilbert 1972; SIRT). Each map is raised alone, for maps answer with different
/// signs: their sum may be zero where each of them tells much.
void TextureModel::add_curvature(const std::function<TensorRef(std::size_t)>& answer) {
    if (has_tied() && m_replay.state().curvatures() == 0) {
        m_tied.count_views();
    }
    m_replay.state().begin_curvature();
    std::vector<TensorRef> answers;
    for (std::size_t number = 0; number < m_replay.regions().size(); ++number) {
        answers.push_back(answer(number));
        m_replay.state().add_curvature(m_replay.regions()[number], answers.back());
    }
    m_tied.add_curvature(answers);
}

void TextureModel::move(const TensorRef& gradient, const StepSchedule& schedule,
                        const TiedSchedule& tied_schedule) {
    for (std::size_t number = 0; number < m_replay.regions().size(); ++number) {
        if (!m_tied.has(number)) {
            m_replay.state().move(m_replay.regions()[number], gradient, schedule);
        }
    }
    m_tied.move(gradient, loss(), m_noise, tied_schedule);
}

Matrix TextureModel::products(std::span<const TensorRef> rows, std::int64_t blur) {
    Matrix out = m_tied.products(rows, static_cast<double>(blur));
    for (std::size_t number = 0; number < m_replay.regions().size(); ++number) {
        if (m_tied.has(number)) {
            continue;
        }
        const Matrix own = m_replay.state().products(m_replay.regions()[number], rows, blur);
        std::ranges::transform(out.values, own.values, out.values.begin(), std::plus<>());
    }
    return out;
}

std::size_t TextureModel::known_count() {
    std::size_t count = 0;
    for (const TextureRegion& region : m_replay.regions()) {
        count += m_replay.state().known_count(region);
    }
    return count;
}

void TextureModel::return_to(const TensorRef& texels) {
    m_replay.state().return_to(texels);
    m_replay.state().restart_average();
}

void TextureModel::write_result() {
    // A copy: a fit that goes on does so from what has holes.
    const TensorRef found = m_replay.kernels().copy_of(m_replay.state().found());
    for (const TextureRegion& region : m_replay.regions()) {
        m_replay.kernels().copy(region.part_of(found), m_replay.state().filled(region));
    }
    m_replay.give(found);
}

double TextureModel::unexplained() const {
    const std::size_t last =
        std::min(std::max<std::size_t>(m_losses.size() / 4, 1), m_losses.size());
    const double sum =
        std::accumulate(m_losses.end() - static_cast<std::ptrdiff_t>(last), m_losses.end(), 0.0);
    const double level = last == 0 ? 0.0 : sum / static_cast<double>(last);
    const auto averaged =
        static_cast<double>(std::max<std::int64_t>(m_replay.state().averaged(), 1));
    return std::max(level, 0.0) + m_noise / averaged;
}

std::vector<FittedTexture> TextureModel::result() {
    const std::vector<TiedUncertainty> tied = tied_uncertainty();
    std::vector<FittedTexture> out;
    out.reserve(m_replay.regions().size());
    for (std::size_t number = 0; number < m_replay.regions().size(); ++number) {
        out.push_back(result(number, tied));
    }
    return out;
}

std::vector<std::string> TextureModel::undetermined() {
    std::vector<std::string> out;
    out.reserve(m_replay.regions().size());
    for (const TextureRegion& region : m_replay.regions()) {
        out.push_back(
            why_undetermined(m_replay.kernels().download(*m_replay.state().known(region))));
    }
    return out;
}

/// Standard errors of the texels of a map.
std::vector<float> TextureModel::errors(std::size_t number, std::span<const TiedUncertainty> tied) {
    if (m_tied.has(number)) {
        return m_tied.errors(number, tied);
    }
    const TextureRegion& region = m_replay.regions()[number];
    std::vector<float> errors =
        m_replay.kernels().download(*m_replay.state().preconditioner(region, 0).divisor);
    const auto variance = static_cast<float>(2 * kSharing * unexplained());
    for (float& each : errors) {
        each = std::sqrt(variance / std::abs(each));
    }
    return errors;
}

FittedTexture TextureModel::result(std::size_t number, std::span<const TiedUncertainty> tied) {
    const TextureRegion& region = m_replay.regions()[number];
    FitKernels& kernels = m_replay.kernels();
    TexelState& state = m_replay.state();
    FittedTexture out{.name = region.parameter.name,
                      .width = region.shape.width,
                      .height = region.shape.height,
                      .channels = region.shape.channels};
    const std::vector<float> known = kernels.download(*state.known(region));
    std::vector<float> errors = this->errors(number, tied);
    for (std::size_t i = 0; i < errors.size(); ++i) {
        if (!(known[i / out.channels] > 0)) {
            errors[i] = std::numeric_limits<float>::infinity();
        }
    }
    out.pixels = flipped(kernels.download(*state.filled(region)), out.height);
    out.known = flipped(known, out.height);
    out.errors = flipped(errors, out.height);
    out.undetermined = why_undetermined(known);
    return out;
}

std::vector<TiedUncertainty> TextureModel::tied_uncertainty() const {
    return m_tied.uncertainty(unexplained(), kSharing);
}

SavedArrays TextureModel::save() const {
    SavedArrays out = m_replay.state().save();
    std::vector<double> losses{m_noise, static_cast<double>(m_replay.draws())};
    losses.insert(losses.end(), m_losses.begin(), m_losses.end());
    out.add("losses", std::move(losses));
    m_tied.save(out);
    return out;
}

void TextureModel::restore(const SavedArrays& saved) {
    const std::vector<double> losses = saved.doubles("losses");
    if (losses.size() < 2) {
        throw core::ArgumentError("restore: the saved array 'losses' must have noise and draws "
                                  "before the losses; start anew");
    }
    SavedArrays before;
    m_tied.save(before);
    try {
        m_tied.restore(saved);
        m_replay.state().restore(saved);
    } catch (...) {
        m_tied.restore(before); // texels are as they were: all or nothing
        throw;
    }
    m_noise = losses[0];
    m_replay.set_draws(static_cast<std::uint64_t>(losses[1]));
    m_losses.assign(losses.begin() + 2, losses.end());
}

} // namespace weft::fit
