// SPDX-License-Identifier: Apache-2.0
#include "engine/fit.hpp"

#include "engine/renderer_access.hpp"
#include "fit/joint_fit.hpp"
#include "fit/scalar_fit.hpp"
#include "fit/texture_fit.hpp"

#include <type_traits>
#include <utility>
#include <variant>

namespace weft::engine {

namespace {

using AnyFit = std::variant<fit::ScalarFit, fit::TextureFit, fit::JointFit>;

AnyFit make_fit(Renderer& renderer, std::vector<fit::Observation> observations,
                const fit::Sought& sought, const fit::FitSettings& settings) {
    render::Renderer& own = renderer_of(renderer);
    if (sought.textures.empty()) {
        return fit::ScalarFit(own, std::move(observations), sought, settings, poll_of(renderer));
    }
    if (!sought.parameters.empty() || !sought.exposures.empty() || !sought.lights.empty()) {
        return fit::JointFit(own, std::move(observations), sought, settings, poll_of(renderer));
    }
    return fit::TextureFit(own, std::move(observations), sought.textures, settings,
                           poll_of(renderer));
}

} // namespace

class Fit::State {
public:
    State(Renderer& renderer, std::vector<fit::Observation> observations, const fit::Sought& sought,
          const fit::FitSettings& settings)
        : m_fit(make_fit(renderer, std::move(observations), sought, settings)) {}

    void step() {
        std::visit([](auto& fit) { fit.step(); }, m_fit);
    }
    [[nodiscard]] fit::FitState state() const {
        return std::visit([](const auto& fit) { return fit.state(); }, m_fit);
    }
    [[nodiscard]] std::vector<fit::FittedTexture> textures() {
        return std::visit(
            [](auto& fit) -> std::vector<fit::FittedTexture> {
                if constexpr (std::is_same_v<std::decay_t<decltype(fit)>, fit::ScalarFit>) {
                    return {};
                } else {
                    return fit.textures();
                }
            },
            m_fit);
    }
    [[nodiscard]] fit::Verdict judge() {
        return std::visit([](auto& fit) { return fit.judge(); }, m_fit);
    }
    void write() {
        std::visit([](auto& fit) { fit.write(); }, m_fit);
    }

private:
    AnyFit m_fit;
};

Fit::Fit(Renderer& renderer, std::vector<fit::Observation> observations,
         const std::vector<fit::Parameter>& parameters, const std::vector<fit::Exposure>& exposures,
         const std::vector<fit::LightParameter>& lights, const fit::FitSettings& settings)
    : Fit(renderer, std::move(observations),
          fit::Sought{.parameters = parameters, .exposures = exposures, .lights = lights},
          settings) {}

Fit::Fit(Renderer& renderer, std::vector<fit::Observation> observations, const fit::Sought& sought,
         const fit::FitSettings& settings)
    : m_state(std::make_unique<State>(renderer, std::move(observations), sought, settings)) {}

Fit::~Fit() = default;
Fit::Fit(Fit&&) noexcept = default;
Fit& Fit::operator=(Fit&&) noexcept = default;

void Fit::step() {
    m_state->step();
}

fit::FitState Fit::state() const {
    return m_state->state();
}

std::vector<fit::FittedTexture> Fit::textures() {
    return m_state->textures();
}

fit::Verdict Fit::judge() {
    return m_state->judge();
}

fit::FitState Fit::run(const std::function<void(const fit::FitState&)>& progress) {
    fit::FitState state = m_state->state();
    while (!state.is_done) {
        m_state->step();
        state = m_state->state();
        if (progress) {
            progress(state);
        }
    }
    m_state->write();
    return state;
}

} // namespace weft::engine
