// SPDX-License-Identifier: Apache-2.0
#include "fit/reweighting.hpp"

#include "fit/robust_weights.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace weft::fit {

namespace {

constexpr std::int64_t kPaths = std::int64_t{1} << 18U; ///< of a look between draws, all views
/// Of the iterations of textures: their pixels are weighed then.
constexpr std::array<double, 3> kShares{0.25, 0.375, 0.5};

/// How views are looked at.
struct Weighing {
    std::int64_t samples = 1; ///< paths a pixel in each half, at least
    bool with_detail = false; ///< see weigh_residuals()
};

/// Gives pixels of robust views weights by what is left of them; returns whether they have changed.
bool weigh(const Look& look, std::vector<View>& views, const Weighing& how) {
    const std::vector<Validation> validations = draw_validations(look, views, how.samples, kPaths);
    std::vector<const Validation*> robust;
    std::vector<View*> weighed;
    for (std::size_t number = 0; number < views.size(); ++number) {
        if (views[number].is_robust()) {
            robust.push_back(&validations[number]);
            weighed.push_back(&views[number]);
        }
    }
    NewTrust found = weigh_residuals(robust, how.with_detail);
    for (std::size_t number = 0; number < weighed.size(); ++number) {
        weighed[number]->set_trust(std::move(found.trust[number]));
    }
    return found.has_changed;
}

} // namespace

Reweighting::Reweighting(const std::vector<View>& views)
    : m_rounds(std::ranges::any_of(views, &View::is_robust) ? 0 : kWeighingRounds) {}

bool Reweighting::is_over() const noexcept {
    return m_rounds >= kWeighingRounds;
}

bool Reweighting::go_on(const Look& look, std::vector<View>& views, std::int64_t samples) {
    const bool has_changed = weigh(look, views, {.samples = samples});
    m_rounds = has_changed ? m_rounds + 1 : kWeighingRounds;
    return has_changed;
}

MapReweighting::MapReweighting(const std::vector<View>& views)
    : m_rounds(std::ranges::any_of(views, &View::is_robust) ? 0 : kShares.size()) {}

bool MapReweighting::is_due(double done) const noexcept {
    return m_rounds < kShares.size() && done >= kShares.at(m_rounds);
}

void MapReweighting::go_on(const Look& look, std::vector<View>& views, std::int64_t samples) {
    static_cast<void>(weigh(look, views, {.samples = samples, .with_detail = true}));
    ++m_rounds;
}

} // namespace weft::fit
