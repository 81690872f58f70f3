// SPDX-License-Identifier: Apache-2.0
#include "fit/joint_numbers.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/dense.hpp"
#include "fit/observation.hpp"
#include "fit/quadratic.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weft::fit {

namespace {

using Eigen::Index;

constexpr double kRadius = 0.08; ///< largest step of a number, of its range
/// Iterations that steps of numbers are averaged over before results are.
constexpr std::size_t kRecentIterations = 6;
/// Of the range: averages start anew when numbers have moved farther.
constexpr double kRestartDistance = 0.02;
constexpr double kDamping = 1e-2; ///< of each diagonal entry

/// mean += (values - mean) * fraction.
template <typename Values, typename Value>
void add_to(std::vector<Value>& mean, const Values& values, double fraction) {
    for (std::size_t i = 0; i < mean.size(); ++i) {
        mean[i] += static_cast<Value>(fraction) * (values(i) - mean[i]);
    }
}

/// mean += (the mean of both - mean) * fraction.
void add_both(std::vector<float>& mean, std::span<const float> a, std::span<const float> b,
              double fraction) {
    mean.resize(a.size());
    add_to(mean, [&](std::size_t i) { return (a[i] + b[i]) / 2; }, fraction);
}

} // namespace

JointNumbers::JointNumbers(Vector start, Vector low, Vector high, Prior prior)
    : m_low(std::move(low)), m_high(std::move(high)), m_prior(std::move(prior)),
      m_x(std::move(start)), m_fixed(m_x.size()), m_equations(m_x.size(), m_x.size()),
      m_pull(m_x.size()), m_matrix(m_x.size(), m_x.size()) {
    require_count("JointNumbers", m_low.size());
    require_count("JointNumbers", m_high.size());
    require_count("JointNumbers", m_prior.expected.size());
    require_count("JointNumbers", m_prior.precision.size());
    start_at(Vector(m_x), m_fixed);
}

void JointNumbers::require_count(const char* function, std::size_t count) const {
    if (count != m_x.size()) {
        throw core::ArgumentError(
            core::text(function, ": there are ", m_x.size(), " numbers, got ", count, " for them"));
    }
}

void JointNumbers::start_at(std::span<const double> x, std::vector<bool> fixed) {
    require_count("JointNumbers::start_at", x.size());
    require_count("JointNumbers::start_at", fixed.size());
    m_fixed = std::move(fixed);
    for (std::size_t i = 0; i < m_x.size(); ++i) {
        m_x[i] = std::min(std::max(x[i], m_low[i]), m_high[i]);
    }
    m_origin = m_x;
    m_equations = Matrix(m_x.size(), m_x.size());
    m_pull.assign(m_x.size(), 0.0);
    m_count = 0;
}

void JointNumbers::move_fixed(std::span<const double> x) {
    require_count("JointNumbers::move_fixed", x.size());
    for (std::size_t i = 0; i < m_x.size(); ++i) {
        m_x[i] = std::min(std::max(m_fixed[i] ? x[i] : m_x[i], m_low[i]), m_high[i]);
    }
}

void JointNumbers::return_to(std::span<const double> x) {
    require_count("JointNumbers::return_to", x.size());
    for (std::size_t i = 0; i < m_x.size(); ++i) {
        m_x[i] = m_fixed[i] ? m_x[i] : x[i];
    }
    restart_averages();
}

void JointNumbers::restart_averages() {
    m_origin = m_x;
    m_residual.clear();
    m_jacobian.clear();
    m_matrix = Matrix(m_x.size(), m_x.size());
    m_averaged = 0;
}

Vector JointNumbers::step(const ReducedEquations& reduced, double variance, bool is_averaging) {
    require_count("JointNumbers::step", reduced.matrix.rows);
    require_count("JointNumbers::step", reduced.matrix.columns);
    require_count("JointNumbers::step", reduced.gradient.size());
    m_count = is_averaging ? m_count + 1 : std::min(m_count + 1, kRecentIterations);
    const double fraction = 1 / static_cast<double>(m_count);
    const DenseVector place = view(m_x);
    const DenseVector pull = view(reduced.matrix) * place - view(reduced.gradient);
    add_to(m_equations.values, [&](std::size_t i) { return reduced.matrix.values[i]; }, fraction);
    add_to(m_pull, [&](std::size_t i) { return pull[static_cast<Index>(i)]; }, fraction);

    NormalEquations normal =
        exact_equations(m_equations, to_vector(view(m_equations) * place - view(m_pull)), 0);
    m_prior.add_to(normal, m_x, 2 * variance);
    std::vector<Index> free;
    for (std::size_t i = 0; i < m_x.size(); ++i) {
        if (!m_fixed[i]) {
            free.push_back(static_cast<Index>(i));
        }
    }
    const DenseMatrix own = view(normal.matrix)(free, free);
    const DenseVector slope = view(normal.gradient)(free);
    const Vector found =
        damped_step(exact_equations(to_matrix(own), to_vector(slope), 0), kDamping);

    Vector step(m_x.size());
    double farthest = 1e-30;
    for (std::size_t k = 0; k < free.size(); ++k) {
        const auto i = static_cast<std::size_t>(free[k]);
        step[i] = found[k];
        farthest = std::max(farthest, std::abs(found[k]) / (m_high[i] - m_low[i]));
    }
    for (std::size_t i = 0; i < m_x.size(); ++i) {
        const double wanted = m_x[i] + step[i] * std::min(1.0, kRadius / farthest);
        step[i] = std::min(std::max(wanted, m_low[i]), m_high[i]) - m_x[i];
        m_x[i] += step[i];
    }
    return step;
}

bool JointNumbers::average() {
    double moved = 0;
    for (std::size_t i = 0; i < m_x.size(); ++i) {
        moved = std::max(moved, std::abs(m_x[i] - m_origin[i]) / (m_high[i] - m_low[i]));
    }
    if (moved > kRestartDistance) {
        restart_averages();
        return false;
    }
    ++m_averaged;
    return true;
}

void JointNumbers::add(const SamplePair& pair, const Matrix& matrix, std::size_t texels) {
    require_shapes(pair, m_x.size(), kChannels, "JointNumbers::add");
    require_count("JointNumbers::add", matrix.rows);
    require_count("JointNumbers::add", matrix.columns);
    if (m_averaged == 0) {
        throw core::ArgumentError("JointNumbers::add: average() must count the iteration first");
    }
    if (!m_residual.empty() && m_residual.size() != pair.residual_count()) {
        throw core::ArgumentError(core::text("JointNumbers::add: iterations have ",
                                             m_residual.size(), " residuals, got ",
                                             pair.residual_count()));
    }
    const double fraction = 1 / static_cast<double>(m_averaged);
    add_both(m_residual, pair.a.residual, pair.b.residual, fraction);
    add_both(m_jacobian, pair.a.jacobian, pair.b.jacobian, fraction);
    add_to(m_matrix.values, [&](std::size_t i) { return matrix.values[i] / 2; }, fraction);
    learn(texels);
}

void JointNumbers::learn(std::size_t texels) {
    const std::size_t rows = m_residual.size();
    const std::size_t left =
        std::max({rows > texels ? rows - texels : 0, rows / 10, std::size_t{1}});
    const double noise = std::sqrt(static_cast<double>(rows) / static_cast<double>(left));
    std::vector<float> residual(rows);
    std::ranges::transform(m_residual, residual.begin(), [noise](float value) {
        return static_cast<float>(static_cast<double>(value) * noise);
    });
    const SamplePair pair{{residual, m_jacobian}, {residual, m_jacobian}};
    const double variance = residual_variance({residual, residual});
    Vector known(m_x.size());
    Matrix total = m_matrix;
    for (std::size_t i = 0; i < m_x.size(); ++i) {
        known[i] = variance * m_prior.precision[i];
        total(i, i) += known[i];
    }
    m_information = gather_information(exact_equations(total, Vector(m_x.size()), 0), pair,
                                       {.known = known, .cluster_size = kChannels});
}

SavedArrays JointNumbers::save() const {
    const std::size_t count = m_x.size();
    SavedArrays out;
    out.add("x", m_x);
    out.add_flags("fixed", m_fixed);
    out.add("origin", m_origin);
    out.arrays["matrix"] = {{count, count}, m_matrix.values};
    out.add("counts", {static_cast<double>(m_averaged), static_cast<double>(m_count)});
    out.arrays["equations.matrix"] = {{count, count}, m_equations.values};
    out.add("equations.pull", m_pull);
    if (!m_residual.empty()) {
        out.arrays["residual"] = {{m_residual.size()}, m_residual};
        out.arrays["jacobian"] = {{m_residual.size(), count}, m_jacobian};
    }
    return out;
}

void JointNumbers::restore(const SavedArrays& saved, std::size_t texels) {
    const std::size_t count = m_x.size();
    JointNumbers other(saved.doubles("x", count), m_low, m_high, m_prior);
    other.m_x = saved.doubles("x", count);
    other.m_fixed = saved.flags("fixed", count);
    other.m_origin = saved.doubles("origin", count);
    other.m_matrix.values = saved.doubles("matrix", count * count);
    other.m_equations.values = saved.doubles("equations.matrix", count * count);
    other.m_pull = saved.doubles("equations.pull", count);
    const Vector counts = saved.doubles("counts", 2);
    other.m_averaged = static_cast<std::size_t>(counts[0]);
    other.m_count = static_cast<std::size_t>(counts[1]);
    if (saved.contains("residual")) {
        other.m_residual = saved.floats("residual");
        other.m_jacobian = saved.floats("jacobian");
        other.learn(texels);
    }
    *this = std::move(other);
}

} // namespace weft::fit
