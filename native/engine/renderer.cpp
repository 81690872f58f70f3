// SPDX-License-Identifier: Apache-2.0
#include "engine/renderer.hpp"

#include "core/text.hpp"
#include "engine/renderer_access.hpp"
#include "engine/runtime.hpp"
#include "render/renderer.hpp"

#include <utility>

namespace weft::engine {

namespace {

Image image_of(const scene::Camera& camera, std::vector<float> pixels) {
    const std::int64_t count = camera.width * camera.height;
    return {.width = camera.width,
            .height = camera.height,
            .channels = std::ssize(pixels) / count,
            .pixels = std::move(pixels)};
}

compile::ModuleDesc module_desc(const Runtime& runtime) {
    compile::ModuleDesc desc;
    desc.include_paths = runtime.settings().include_paths;
    desc.defines = runtime.settings().defines;
    desc.target = runtime.context().device->target();
    return desc;
}

} // namespace

class Renderer::State {
public:
    State(std::shared_ptr<const Runtime> runtime, scene::Scene scene, RendererDesc desc)
        : m_runtime(std::move(runtime)),
          m_renderer(
              m_runtime->context(), module_desc(*m_runtime),
              {.bsdf_tables =
                   m_runtime->settings().root / "shaders" / "weft" / "bsdf" / "tables.npy",
               .libraries = m_runtime->settings().root / "lib"},
              std::move(scene),
              {.batch = desc.batch.value_or(0),
               .light_sampling = desc.light_sampling,
               .message = [runtime = m_runtime.get()](
                              std::string_view text) { runtime->warn({std::string(text)}); }},
              std::move(desc.lit_by)) {}

    [[nodiscard]] render::Renderer& renderer() noexcept { return m_renderer; }
    [[nodiscard]] const core::InterruptPoll& poll() const noexcept {
        return m_runtime->context().poll;
    }
    [[nodiscard]] render::PictureDesc picture_desc(const Progress& progress) const {
        return {.progress = progress, .check = m_runtime->context().poll};
    }

private:
    std::shared_ptr<const Runtime> m_runtime; ///< lives longer than what warns by it
    render::Renderer m_renderer;
};

struct RendererAccess {
    static Renderer::State& state(const Renderer& renderer) noexcept { return *renderer.m_state; }
};

render::Renderer& renderer_of(Renderer& renderer) noexcept {
    return RendererAccess::state(renderer).renderer();
}

const core::InterruptPoll& poll_of(const Renderer& renderer) noexcept {
    return RendererAccess::state(renderer).poll();
}

Renderer::Renderer(const Engine& engine, scene::Scene scene, const RendererDesc& desc) {
    if (desc.batch.value_or(1) < 1) {
        throw core::ArgumentError(core::text("Renderer: batch must be 1 or more paths, got ",
                                             *desc.batch, "; leave it as it is made"));
    }
    m_state = std::make_unique<State>(engine.runtime(), std::move(scene), desc);
}

Renderer::~Renderer() = default;
Renderer::Renderer(Renderer&&) noexcept = default;
Renderer& Renderer::operator=(Renderer&&) noexcept = default;

void Renderer::update(scene::Scene scene, std::vector<scene::Scene> lit_by) {
    m_state->renderer().update(std::move(scene), std::move(lit_by));
}

void Renderer::select_lights(std::size_t which) {
    m_state->renderer().select_lights(which);
}

const scene::Scene& Renderer::scene() const noexcept {
    return m_state->renderer().scene();
}

Image Renderer::render(const scene::Camera& camera, const render::PathSettings& settings,
                       const Progress& progress) {
    return image_of(camera,
                    m_state->renderer().render(camera, settings, m_state->picture_desc(progress)));
}

std::vector<NamedImage> Renderer::render_layers(const scene::Camera& camera,
                                                std::span<const std::string> names,
                                                const render::PathSettings& settings,
                                                const Progress& progress) {
    std::vector<NamedImage> images;
    for (render::Layer& layer :
         m_state->renderer().layers(camera, settings, names, m_state->picture_desc(progress))) {
        images.push_back({.name = std::string(layer.spec->name),
                          .image = image_of(camera, std::move(layer.pixels))});
    }
    return images;
}

std::uint64_t Renderer::memory(const scene::Camera& camera, const render::PathSettings& settings,
                               bool has_layers) const {
    return m_state->renderer().memory(camera, settings, has_layers);
}

} // namespace weft::engine
