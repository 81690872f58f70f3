// SPDX-License-Identifier: Apache-2.0
// The path tracer of one scene: what scripts' Renderer is made of, put together for C++. Programs use engine/renderer.hpp.
#pragma once

#include "core/api.hpp"
#include "render/aovs.hpp"
#include "render/film_tracer.hpp"
#include "render/lit_scene.hpp"
#include "render/recorder.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::render {

struct RendererFiles {
    std::filesystem::path bsdf_tables{}; ///< see SceneTablesDesc
    std::filesystem::path libraries{};   ///< see TracerDesc
};

struct RendererOptions {
    std::int64_t batch = 0; ///< see FilmTracer::batch; 0: default_batch()
    LightSampling light_sampling = LightSampling::automatic;
    /// Gets warnings: that nothing shines, that a medium begins within a film. Empty: nobody does.
    std::function<void(std::string_view)> message{};
};

/// A layer of a picture: height x width x channels floats, the top row first.
struct Layer {
    const AovSpec* spec = nullptr; ///< of kAovs
    std::vector<float> pixels{};
};

/// Renders one scene on one device. One thread at a time.
class WEFT_API Renderer {
public:
    /// @param modules options of all modules, see ModuleCache.
    /// @param lit_by the same objects under other lights, see select_lights().
    /// @throws ArgumentError for a scene that cannot be, as SceneTables() and TracedMeshes(); CompileError if a Slang
    ///         function of a material does not compile; DeviceError if memory is short.
    Renderer(const dispatch::Context& context, const compile::ModuleDesc& modules,
             RendererFiles files, scene::Scene scene, RendererOptions options = {},
             std::vector<scene::Scene> lit_by = {});

    /// Renders another scene from now on; meshes, images and kernels that it shares with the one before stay where they are.
    /// Pictures are those of a new renderer, number by number.
    /// @throws as Renderer(); then the scene before is rendered as before.
    void update(scene::Scene scene, std::vector<scene::Scene> lit_by = {});
    /// Renders under the lights of `lit_by` from now on, by their place there from 1; 0: the scene's own.
    /// @throws ArgumentError if there are none.
    void select_lights(std::size_t which);

    /// Which lights are selected.
    [[nodiscard]] std::size_t lights() const noexcept { return m_lights; }
    /// Tables of the scene under some lights, as select_lights() takes them. @throws as select_lights().
    [[nodiscard]] const SceneTablesRef& lit_tables(std::size_t which) const;
    /// With the lights that are selected.
    [[nodiscard]] const scene::Scene& scene() const noexcept {
        return m_scene.tables[m_lights]->scene();
    }
    [[nodiscard]] FilmTracer& film() noexcept { return *m_film; }
    /// Of the scene under its own lights.
    [[nodiscard]] const SceneTablesRef& tables() const noexcept { return m_scene.tables.front(); }

    /// Tables of a scene with its lights scaled, dark ones included: what is the same is the memory of tables(). They do
    /// not become one of those that select_lights() takes.
    /// @param scene one of those of lit_tables(), with other strengths or colours of lights.
    /// @throws as SceneTables().
    [[nodiscard]] SceneTablesRef relit(scene::Scene scene) const;

    /// What keeps paths of the scene for a fit, under the lights of some tables. After update() it is of no use any more.
    /// @param materials numbers of those whose parameters change.
    /// @param rows directions of forward mode, one after the other: a float for each of the scene's parameters, see
    ///        tables()->materials(). Empty: none.
    /// @param with_texels gradients will be asked for although there are directions.
    /// @param lit tables of relit(); null: those of the lights that are selected.
    /// @throws as Recorder() and Directions().
    [[nodiscard]] std::unique_ptr<Recorder> create_recorder(std::vector<std::uint32_t> materials,
                                                            std::span<const float> rows,
                                                            bool with_texels = false,
                                                            SceneTablesRef lit = nullptr) const;
    /// What a camera is in, for DrawDesc; empty: nothing.
    [[nodiscard]] std::vector<std::uint32_t> start_media(const scene::Camera& camera) const;

    /// As FilmTracer::picture().
    [[nodiscard]] std::vector<float> render(const scene::Camera& camera,
                                            const PathSettings& settings, const PictureDesc& desc);
    /// Layers of what the camera sees first, in the order of `names`.
    /// @throws ArgumentError if there is no such AOV.
    [[nodiscard]] std::vector<Layer> layers(const scene::Camera& camera,
                                            const PathSettings& settings,
                                            std::span<const std::string> names,
                                            const PictureDesc& desc);
    /// What the centres of a camera's pixels show. @throws as FilmTracer::centre_hits().
    [[nodiscard]] CentreHits centre_hits(const scene::Camera& camera);
    /// Bytes of the device that the scene and a picture of it take, at most, see memory.hpp.
    [[nodiscard]] std::uint64_t memory(const scene::Camera& camera, const PathSettings& settings,
                                       bool has_layers = false) const;

private:
    [[nodiscard]] SceneInput input(std::span<const std::uint32_t> media) const;
    void warn(std::string_view text) const;

    RendererFiles m_files;
    RendererOptions m_options;
    std::shared_ptr<FilmTracer> m_film; ///< of its recorders, too
    LitScene m_scene;
    std::size_t m_lights = 0; ///< place among the tables of m_scene
};

} // namespace weft::render
