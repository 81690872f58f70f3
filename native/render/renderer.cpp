// SPDX-License-Identifier: Apache-2.0
#include "render/renderer.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "render/memory.hpp"
#include "render/path_buffers.hpp"
#include "scene/media.hpp"

#include <algorithm>
#include <utility>

namespace weft::render {

namespace {

/// Some channels of an image of LayerRow::kEnd channels.
std::vector<float> channels_of(const std::vector<float>& film, const AovSpec& spec) {
    constexpr std::size_t kRows = scene::layouts::LayerRow::kEnd;
    std::vector<float> out;
    out.reserve(film.size() / kRows * spec.channels);
    for (std::size_t at = spec.first; at < film.size(); at += kRows) {
        out.insert(out.end(), film.begin() + static_cast<std::ptrdiff_t>(at),
                   film.begin() + static_cast<std::ptrdiff_t>(at + spec.channels));
    }
    return out;
}

} // namespace

Renderer::Renderer(const dispatch::Context& context, const compile::ModuleDesc& modules,
                   RendererFiles files, scene::Scene scene, RendererOptions options,
                   std::vector<scene::Scene> lit_by)
    : m_files(std::move(files)), m_options(std::move(options)),
      m_film(std::make_shared<FilmTracer>(context, modules)) {
    update(std::move(scene), std::move(lit_by));
    const device::Device& device = *context.device;
    m_film->batch = m_options.batch > 0
                        ? m_options.batch
                        : default_batch(device.info(), device.memory_info(), m_film->traits());
}

void Renderer::update(scene::Scene scene, std::vector<scene::Scene> lit_by) {
    const auto& device = m_film->modules()->context().device;
    const bool is_new = m_scene.tables.empty();
    const auto kept = std::make_shared<KeptParts>(
        device, is_new ? nullptr : m_scene.tables.front()->kept().get());
    std::vector<SceneGeometryRef> scenes{
        std::make_shared<const SceneGeometry>(scene_geometry(*kept, std::move(scene)))};
    for (scene::Scene& lit : lit_by) {
        scenes.push_back(
            std::make_shared<const SceneGeometry>(scene_geometry(*kept, std::move(lit))));
    }
    std::vector<SceneTablesRef> tables = build_lit_tables(
        kept, scenes,
        {.light_sampling = m_options.light_sampling, .bsdf_tables = m_files.bsdf_tables});
    const bool is_lit = std::ranges::any_of(
        tables, [](const SceneTablesRef& entry) { return entry->lights().is_lit; });
    const scene::SceneTraits traits = kernel_traits(*device, tables);
    m_scene = prepare_scene(m_film->modules(), std::move(tables), traits,
                            {.libraries = m_files.libraries}, m_scene.traced.get());
    m_lights = 0;
    m_film->set_scene(m_scene.on_device());
    if (!is_lit) {
        warn("Renderer: the scene has no light, pictures of it will be black; add a light, an "
             "emissive material or an environment");
    }
}

const SceneTablesRef& Renderer::lit_tables(std::size_t which) const {
    if (which >= m_scene.tables.size()) {
        throw core::ArgumentError(core::text("Renderer: lights 0 to ", m_scene.tables.size() - 1,
                                             " can be selected, got ", which,
                                             "; give more scenes as lit_by"));
    }
    return m_scene.tables[which];
}

void Renderer::select_lights(std::size_t which) {
    static_cast<void>(lit_tables(which));
    m_lights = which;
}

void Renderer::warn(std::string_view text) const {
    if (m_options.message) {
        m_options.message(text);
    }
}

std::vector<std::uint32_t> Renderer::start_media(const scene::Camera& camera) const {
    if (!m_film->traits().has_media) {
        return {};
    }
    const scene::CameraMedia media = scene::camera_media(scene(), camera);
    if (media.differs_at_corners) {
        warn("Renderer: a medium begins within the film of the orthographic camera; its paths "
             "begin in what the middle of the film is in");
    }
    return {media.stack.begin(), media.stack.end()};
}

SceneInput Renderer::input(std::span<const std::uint32_t> media) const {
    return {.view = m_scene.tables[m_lights]->view(),
            .limits = scene().light_paths,
            .start_media = media};
}

SceneTablesRef Renderer::relit(scene::Scene scene) const {
    const SceneTablesRef& own = tables();
    return std::make_shared<SceneTables>(
        own->kept(),
        std::make_shared<const SceneGeometry>(scene_geometry(*own->kept(), std::move(scene))),
        SceneTablesDesc{.light_sampling = m_film->traits().has_light_tree ? LightSampling::tree
                                                                          : LightSampling::power,
                        .bsdf_tables = m_files.bsdf_tables},
        own.get());
}

std::unique_ptr<Recorder> Renderer::create_recorder(std::vector<std::uint32_t> materials,
                                                    std::span<const float> rows, bool with_texels,
                                                    SceneTablesRef lit) const {
    const scene::MaterialTable& table = *tables()->materials();
    auto directions = std::make_shared<const Directions>(m_film->modules()->context().device,
                                                         table.records, rows, table.values.size());
    return std::make_unique<Recorder>(
        m_film, RecorderDesc{.tables = tables(),
                             .lit = lit ? std::move(lit) : m_scene.tables[m_lights],
                             .materials = std::move(materials),
                             .directions = std::move(directions),
                             .with_texels = with_texels});
}

std::vector<float> Renderer::render(const scene::Camera& camera, const PathSettings& settings,
                                    const PictureDesc& desc) {
    scene::require_valid(camera);
    const std::vector<std::uint32_t> media = start_media(camera);
    return m_film->picture(input(media), camera, settings, desc);
}

std::vector<Layer> Renderer::layers(const scene::Camera& camera, const PathSettings& settings,
                                    std::span<const std::string> names, const PictureDesc& desc) {
    scene::require_valid(camera);
    std::vector<Layer> layers;
    for (const std::string& name : names) {
        layers.push_back({.spec = &require_aov(name, "Renderer::layers")});
    }
    const std::vector<std::uint32_t> media = start_media(camera);
    std::vector<float> means;
    std::vector<float> centres;
    for (Layer& layer : layers) {
        if (layer.spec->first == scene::layouts::LayerRow::kEnd) {
            layer.pixels = m_film->coverage(input(media), camera, settings, desc);
            continue;
        }
        std::vector<float>& film = layer.spec->is_mean ? means : centres;
        if (film.empty()) {
            film = layer.spec->is_mean ? m_film->layers(input(media), camera, settings)
                                       : m_film->centre_layers(input(media), camera, settings);
        }
        layer.pixels = channels_of(film, *layer.spec);
    }
    return layers;
}

CentreHits Renderer::centre_hits(const scene::Camera& camera) {
    const std::vector<std::uint32_t> media = start_media(camera);
    return m_film->centre_hits(input(media), camera);
}

std::uint64_t Renderer::memory(const scene::Camera& camera, const PathSettings& settings,
                               bool has_layers) const {
    return scene_bytes(m_scene) + picture_bytes(*m_film, camera, settings, has_layers);
}

} // namespace weft::render
