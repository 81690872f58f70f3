// SPDX-License-Identifier: Apache-2.0
#include "engine/fit.hpp"

#include "engine/renderer_access.hpp"
#include "fit/scalar_fit.hpp"

#include <utility>

namespace weft::engine {

class Fit::State {
public:
    State(Renderer& renderer, std::vector<fit::Observation> observations,
          const fit::Sought& sought, const fit::FitSettings& settings)
        : fit(renderer_of(renderer), std::move(observations), sought, settings, poll_of(renderer)) {
    }

    fit::ScalarFit fit;
};

Fit::Fit(Renderer& renderer, std::vector<fit::Observation> observations,
         const std::vector<fit::Parameter>& parameters, const std::vector<fit::Exposure>& exposures,
         const std::vector<fit::LightParameter>& lights, const fit::FitSettings& settings)
    : m_state(std::make_unique<State>(renderer, std::move(observations),
                                      fit::Sought{parameters, exposures, lights},
                                      settings)) {}

Fit::~Fit() = default;
Fit::Fit(Fit&&) noexcept = default;
Fit& Fit::operator=(Fit&&) noexcept = default;

void Fit::step() {
    m_state->fit.step();
}

fit::FitState Fit::state() const {
    return m_state->fit.state();
}

fit::Verdict Fit::judge() {
    return m_state->fit.judge();
}

fit::FitState Fit::run(const std::function<void(const fit::FitState&)>& progress) {
    fit::FitState state = m_state->fit.state();
    while (!state.is_done) {
        m_state->fit.step();
        state = m_state->fit.state();
        if (progress) {
            progress(state);
        }
    }
    m_state->fit.write();
    return state;
}

} // namespace weft::engine
