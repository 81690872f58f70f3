// SPDX-License-Identifier: Apache-2.0
#include "fit/phases.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>

namespace weft::fit {

namespace {

/// Seconds of an iteration of textures over one of numbers, before any was timed.
constexpr double kCostRatio = 1.5;
/// Of the work: what is shown at most before the end.
constexpr double kLargestOpenFraction = 0.99;

double median(std::vector<double> values) {
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

} // namespace

PhaseList::PhaseList(std::vector<Phase*> phases) : m_phases(std::move(phases)) {}

std::size_t PhaseList::iterations() const noexcept {
    std::size_t out = 0;
    for (const Phase* const phase : m_phases) {
        out += phase->iterations();
    }
    return out;
}

bool PhaseList::is_done() const {
    return m_has_begun && current().is_done() && !next();
}

void PhaseList::step() {
    enter();
    Phase& phase = *m_phases[m_index];
    const auto began = std::chrono::steady_clock::now();
    phase.step();
    phase.add_seconds(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    m_last = phase.name();
    try {
        enter();
    } catch (const core::Interrupted&) { // NOLINT(bugprone-empty-catch)
        // The iteration was made: it must not look as if it had been given up.
    }
    m_progress = std::max(m_progress, progress());
}

/// Leaves the phases that are done, and begins the one that is not.
void PhaseList::enter() {
    for (;;) {
        Phase& phase = *m_phases[m_index];
        if (!m_has_begun) {
            phase.begin();
            m_has_begun = true;
        }
        if (!phase.is_done()) {
            return;
        }
        phase.end();
        const std::optional<std::size_t> following = next();
        if (!following) {
            return;
        }
        m_index = *following;
        m_has_begun = false;
    }
}

/// Number of the next phase that is needed; not set: there is none.
std::optional<std::size_t> PhaseList::next() const {
    for (std::size_t number = m_index + 1; number < m_phases.size(); ++number) {
        if (m_phases[number]->is_needed()) {
            return number;
        }
    }
    return std::nullopt;
}

/// Median seconds of iterations of a kind; not set: none was made. The first one compiles kernels: it counts where there is
/// no other.
std::optional<double> PhaseList::cost(PhaseKind kind) const {
    std::vector<double> timed;
    for (const Phase* const phase : m_phases) {
        if (phase->kind() == kind) {
            timed.insert(timed.end(), phase->seconds().begin(), phase->seconds().end());
        }
    }
    if (timed.empty()) {
        return std::nullopt;
    }
    if (timed.size() > 1) {
        timed.erase(timed.begin());
    }
    return median(std::move(timed));
}

PhaseList::Work PhaseList::work() const {
    const std::optional<double> of_textures = cost(PhaseKind::textures);
    const double scalars =
        cost(PhaseKind::scalars).value_or(of_textures ? *of_textures / kCostRatio : 1.0);
    const double textures = of_textures.value_or(scalars * kCostRatio);
    Work out;
    for (std::size_t number = 0; number < m_phases.size(); ++number) {
        const Phase& phase = *m_phases[number];
        const double each = phase.kind() == PhaseKind::scalars ? scalars : textures;
        out.done += each * static_cast<double>(phase.iterations());
        if (number == m_index || (number > m_index && phase.is_needed())) {
            out.left += each * phase.remaining();
        }
    }
    return out;
}

void PhaseList::describe(FitState& state) const {
    state.phase = m_last;
    state.progress = progress();
    state.seconds_left = seconds_left();
    state.seconds = 0;
    for (const Phase* const phase : m_phases) {
        state.seconds =
            std::accumulate(phase->seconds().begin(), phase->seconds().end(), state.seconds);
    }
}

double PhaseList::progress() const {
    if (is_done()) {
        return 1;
    }
    const Work found = work();
    const double fraction = found.done / std::max(found.done + found.left, 1e-30);
    return std::max(m_progress, std::min(fraction, kLargestOpenFraction));
}

double PhaseList::seconds_left() const {
    if (is_done()) {
        return 0;
    }
    return iterations() >= 2 ? work().left : std::numeric_limits<double>::infinity();
}

SavedArrays PhaseList::save() const {
    const auto last = std::ranges::find(m_phases, m_last, &Phase::name);
    SavedArrays out;
    out.add_counts("phase", {m_index, std::size_t{m_has_begun},
                             static_cast<std::size_t>(last - m_phases.begin())});
    out.add("progress", {m_progress});
    for (std::size_t number = 0; number < m_phases.size(); ++number) {
        out.add(core::text("seconds.", number), m_phases[number]->seconds());
    }
    out.add_part("current", current().save());
    return out;
}

void PhaseList::restore(const SavedArrays& saved) {
    const std::vector<std::size_t> numbers = saved.counts("phase", 3);
    const double progress = saved.doubles("progress", 1).front();
    if (numbers[0] >= m_phases.size() || numbers[1] > 1 || numbers[2] > m_phases.size()) {
        throw core::ArgumentError(core::text("restore: the saved phase must be one of ",
                                             m_phases.size(), ", got ", numbers[0], " and ",
                                             numbers[2], "; start anew"));
    }
    for (std::size_t number = 0; number < m_phases.size(); ++number) {
        m_phases[number]->set_seconds(saved.doubles(core::text("seconds.", number)));
    }
    m_index = numbers[0];
    m_has_begun = numbers[1] == 1;
    m_last = numbers[2] < m_phases.size() ? m_phases[numbers[2]]->name() : "";
    m_progress = progress;
    m_phases[m_index]->restore(saved.part("current"));
}

} // namespace weft::fit
