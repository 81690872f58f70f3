// SPDX-License-Identifier: Apache-2.0
#include "fit/attempts.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/saved_parts.hpp"

#include <algorithm>
#include <cmath>

namespace weft::fit {

namespace {

constexpr std::size_t kEnoughReturns =
    2; ///< other starts that end at one candidate: no more are tried
constexpr double kSameDistance =
    0.05; ///< of the range: candidates that are nearer to each other are one

} // namespace

SavedArrays Candidate::save() const {
    SavedArrays out;
    out.arrays.emplace("loss", SavedArray{{}, std::vector{loss}});
    out.arrays.emplace("deviation", SavedArray{{}, std::vector{deviation}});
    out.add("losses", losses);
    out.add("x", x);
    out.add("errors", errors);
    out.add_flags("moved", moved);
    out.add_part("information", fit::save(information));
    return out;
}

Candidate Candidate::restore(const SavedArrays& saved, std::size_t parameter_count,
                             std::size_t group_count) {
    Candidate out;
    out.loss = saved.doubles("loss", 1)[0];
    out.deviation = saved.doubles("deviation", 1)[0];
    out.losses = saved.doubles("losses", group_count);
    out.x = saved.doubles("x", parameter_count);
    out.errors = saved.doubles("errors", parameter_count);
    out.moved = saved.flags("moved", parameter_count);
    out.information = restored_information(saved.part("information"), parameter_count);
    return out;
}

Attempts::Attempts(AttemptLimits limits)
    : m_limits(std::move(limits)), m_moved(m_limits.groups.size(), true) {}

std::size_t Attempts::group_count() const noexcept {
    std::int64_t largest = 0;
    for (const std::int64_t group : m_limits.groups) {
        largest = std::max(largest, group);
    }
    return static_cast<std::size_t>(largest) + 1;
}

const Candidate* Attempts::best() const noexcept {
    const auto found = std::min_element(
        m_candidates.begin(), m_candidates.end(),
        [](const auto& one, const auto& other) { return one->loss < other->loss; });
    return found == m_candidates.end() ? nullptr : found->get();
}

void Attempts::begin(std::vector<bool> moved, std::size_t iterations) {
    m_moved = std::move(moved);
    m_began = iterations;
}

void Attempts::forget(std::size_t iterations) {
    m_candidates.clear();
    begin(std::vector<bool>(m_limits.groups.size(), true), iterations);
}

bool Attempts::is_over(std::size_t iterations, std::size_t averaged, bool is_still) const noexcept {
    return iterations - m_began >= kMaxStartIterations || (averaged >= kMinAverages && is_still);
}

bool Attempts::may_go_on(std::size_t iterations) const noexcept {
    const bool is_time_left =
        !m_limits.iterations.has_value() ||
        iterations + kMaxStartIterations + kAveragesBeforeQuestion <= *m_limits.iterations;
    return m_candidates.size() < m_limits.starts && is_time_left;
}

std::vector<bool> Attempts::groups_apart(const Candidate& one, const Candidate& other) const {
    std::vector<bool> apart(group_count(), false);
    for (std::size_t i = 0; i < m_limits.groups.size(); ++i) {
        const double extent = m_limits.extent[i];
        const bool is_told = std::max(one.errors[i], other.errors[i]) < kDoubtfulError * extent;
        if (is_told && std::abs(one.x[i] - other.x[i]) > kSameDistance * extent) {
            apart[static_cast<std::size_t>(m_limits.groups[i])] = true;
        }
    }
    return apart;
}

std::vector<bool> Attempts::returned() const {
    const Candidate& here = *m_candidates.back();
    std::vector<std::size_t> times(group_count(), 0);
    for (std::size_t number = 0; number + 1 < m_candidates.size(); ++number) {
        const Candidate& candidate = *m_candidates[number];
        const std::vector<bool> apart = groups_apart(candidate, here);
        std::vector<bool> is_same(apart.size(), false);
        for (std::size_t i = 0; i < m_limits.groups.size(); ++i) {
            const auto group = static_cast<std::size_t>(m_limits.groups[i]);
            is_same[group] =
                is_same[group] || (here.moved[i] && candidate.moved[i] && !apart[group]);
        }
        for (std::size_t group = 0; group < times.size(); ++group) {
            times[group] += is_same[group] ? 1 : 0;
        }
    }
    std::vector<bool> out(m_limits.groups.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = times[static_cast<std::size_t>(m_limits.groups[i])] >= kEnoughReturns;
    }
    return out;
}

Vector Attempts::gathered() const {
    Vector out(m_limits.groups.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto group = static_cast<std::size_t>(m_limits.groups[i]);
        const auto best = std::min_element(m_candidates.begin(), m_candidates.end(),
                                           [&](const auto& one, const auto& other) {
                                               return one->losses[group] < other->losses[group];
                                           });
        out[i] = (*best)->x[i];
    }
    return out;
}

SavedArrays Attempts::save() const {
    SavedArrays out;
    out.add("attempts", {static_cast<double>(m_candidates.size()), static_cast<double>(m_began)});
    out.add_flags("moved", m_moved);
    for (std::size_t number = 0; number < m_candidates.size(); ++number) {
        out.add_part(core::text("place", number), m_candidates[number]->save());
    }
    return out;
}

void Attempts::restore(const SavedArrays& saved) {
    const std::vector<double> counts = saved.doubles("attempts", 2);
    const std::size_t parameters = m_limits.groups.size();
    std::vector<bool> moved = saved.flags("moved", parameters);
    std::vector<std::shared_ptr<const Candidate>> candidates;
    for (std::size_t number = 0; number < static_cast<std::size_t>(counts[0]); ++number) {
        const SavedArrays part = saved.part(core::text("place", number));
        candidates.push_back(
            std::make_shared<const Candidate>(Candidate::restore(part, parameters, group_count())));
    }
    m_candidates = std::move(candidates);
    begin(std::move(moved), static_cast<std::size_t>(counts[1]));
}

} // namespace weft::fit
