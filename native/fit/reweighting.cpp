// SPDX-License-Identifier: Apache-2.0
#include "fit/reweighting.hpp"

#include "fit/robust_weights.hpp"
#include "fit/validation.hpp"

#include <algorithm>
#include <utility>

namespace weft::fit {

namespace {

constexpr std::int64_t kPaths = std::int64_t{1} << 18U; ///< of a look between draws, all views

} // namespace

Reweighting::Reweighting(const std::vector<View>& views) {
    const bool is_robust =
        std::ranges::any_of(views, [](const View& view) { return view.observation().robust; });
    m_rounds = is_robust ? 0 : kWeighingRounds;
}

bool Reweighting::is_over() const noexcept {
    return m_rounds >= kWeighingRounds;
}

bool Reweighting::go_on(ScalarModel& model, std::span<const double> x, std::vector<View>& views,
                        std::int64_t samples) {
    const std::vector<Validation> validations = draw_validations(model, x, views, samples, kPaths);
    std::vector<const Validation*> robust;
    std::vector<View*> weighed;
    for (std::size_t number = 0; number < views.size(); ++number) {
        if (views[number].observation().robust) {
            robust.push_back(&validations[number]);
            weighed.push_back(&views[number]);
        }
    }
    NewTrust found = weigh_residuals(robust);
    for (std::size_t number = 0; number < weighed.size(); ++number) {
        weighed[number]->set_trust(std::move(found.trust[number]));
    }
    m_rounds = found.has_changed ? m_rounds + 1 : kWeighingRounds;
    return found.has_changed;
}

} // namespace weft::fit
