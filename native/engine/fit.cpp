// SPDX-License-Identifier: Apache-2.0
#include "engine/fit.hpp"

#include "engine/fit_checkpoint.hpp"
#include "engine/fit_history.hpp"
#include "engine/renderer_access.hpp"
#include "fit/environment_search.hpp"
#include "fit/joint_fit.hpp"
#include "fit/scalar_fit.hpp"
#include "fit/texture_fit.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace weft::engine {

namespace {

std::unique_ptr<fit::SceneFit> make_fit(Renderer& renderer,
                                        std::vector<fit::Observation> observations,
                                        const fit::Sought& sought,
                                        const fit::FitSettings& settings) {
    render::Renderer& own = renderer_of(renderer);
    if (sought.textures.empty()) {
        return std::make_unique<fit::ScalarFit>(own, std::move(observations), sought, settings,
                                                poll_of(renderer));
    }
    if (sought.has_numbers()) {
        return std::make_unique<fit::JointFit>(own, std::move(observations), sought, settings,
                                               poll_of(renderer));
    }
    return std::make_unique<fit::TextureFit>(own, std::move(observations), sought.textures,
                                             settings, poll_of(renderer));
}

std::optional<fit::EnvironmentSearch> make_search(Renderer& renderer,
                                                  std::vector<fit::Observation>& observations,
                                                  const fit::Sought& sought) {
    if (!sought.environment) {
        return std::nullopt;
    }
    return fit::EnvironmentSearch(renderer_of(renderer), observations, sought);
}

} // namespace

class Fit::State {
public:
    State(Renderer& renderer, std::vector<fit::Observation> observations, const fit::Sought& sought,
          const fit::FitSettings& settings)
        : m_renderer(renderer_of(renderer)), m_lights(m_renderer.lights()),
          m_search(make_search(renderer, observations, sought)),
          m_sought(m_search ? m_search->sought() : sought), m_settings(settings),
          m_fit(make_fit(renderer, std::move(observations), m_sought, settings)) {}

    fit::FitState step() {
        m_fit->step();
        fit::FitState now = state();
        m_history.push_back(now);
        m_history.back().problems.clear();
        return now;
    }
    [[nodiscard]] fit::FitState state() const { return m_fit->state(); }
    /// That of the environment is none.
    [[nodiscard]] std::vector<fit::FittedTexture> textures() {
        std::vector<fit::FittedTexture> out = m_fit->textures();
        if (m_search) {
            out.pop_back();
        }
        return out;
    }
    [[nodiscard]] std::optional<fit::FittedEnvironment> environment() {
        return m_search ? std::optional(m_search->found(m_fit->textures().back())) : std::nullopt;
    }
    [[nodiscard]] fit::Verdict judge() { return m_fit->judge(); }
    void write() { m_fit->write(); }

    [[nodiscard]] const std::vector<fit::FitState>& history() const noexcept { return m_history; }
    void save_checkpoint(const std::filesystem::path& path) {
        fit::SavedArrays out;
        out.add_part("fit", m_fit->save());
        out.add_part("history", save_history(m_history));
        write_checkpoint(path, signature(), out);
    }
    void resume(const std::filesystem::path& path) {
        const fit::SavedArrays saved = read_checkpoint(path, signature());
        std::vector<fit::FitState> history = restored_history(saved.part("history"), state());
        m_fit->restore(saved.part("fit"));
        m_history = std::move(history);
    }

private:
    /// The first call looks through scene and pictures.
    [[nodiscard]] const std::string& signature() {
        if (m_signature.empty()) {
            m_signature =
                signature_of(m_renderer, m_fit->observations(), m_sought, m_settings, m_lights);
        }
        return m_signature;
    }

    render::Renderer& m_renderer;
    std::size_t m_lights;                           ///< selected when the fit was made
    std::optional<fit::EnvironmentSearch> m_search; ///< not set: the environment is known
    fit::Sought m_sought;                           ///< an unknown environment is a texture here
    fit::FitSettings m_settings;
    std::unique_ptr<fit::SceneFit> m_fit;
    std::string m_signature{}; ///< empty: not known yet
    std::vector<fit::FitState> m_history{};
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

std::optional<fit::FittedEnvironment> Fit::environment() {
    return m_state->environment();
}

fit::Verdict Fit::judge() {
    return m_state->judge();
}

fit::FitState Fit::run(const std::function<void(const fit::FitState&)>& progress) {
    fit::FitState state = m_state->state();
    while (!state.is_done) {
        state = m_state->step();
        if (progress) {
            progress(state);
        }
    }
    m_state->write();
    return state;
}

const std::vector<fit::FitState>& Fit::history() const noexcept {
    return m_state->history();
}

void Fit::save_checkpoint(const std::filesystem::path& path) const {
    m_state->save_checkpoint(path);
}

void Fit::resume(const std::filesystem::path& path) {
    m_state->resume(path);
}

} // namespace weft::engine
