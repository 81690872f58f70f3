// SPDX-License-Identifier: Apache-2.0
// Pictures of a scene, path traced on an engine's device. Link weft::render. Start with scene/scene.hpp, which says what
// a scene is made of, then:
//
//     const auto weft = weft::engine::Engine::create();
//     weft::engine::Renderer renderer(*weft, describe_scene());
//     const weft::engine::Image image = renderer.render(camera, {.samples = 256});
#pragma once

#include "core/api.hpp"
#include "engine/engine.hpp"
#include "render/light_sampling.hpp"
#include "render/path_settings.hpp"
#include "scene/camera.hpp"
#include "scene/scene.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weft::engine {

/// A plain value; what it holds is copied.
struct RendererDesc {
    /// Most paths that are under way at a time, from 1: bounds the memory, about 150 bytes a path. Not set: 2^24 where they
    /// take at most an eighth of the GPU's free memory, fewer elsewhere, 2^20 at least and in software.
    std::optional<std::int64_t> batch{};
    render::LightSampling light_sampling =
        render::LightSampling::automatic; ///< as long as the renderer
    /// The scene under other lights and environments, that select_lights() shall render with the same kernels: the same
    /// objects, by pointer or by value.
    std::vector<scene::Scene> lit_by{};
};

/// Rows from the top, `channels` floats a pixel.
struct Image {
    std::int64_t width = 0;      ///< pixels, from 1
    std::int64_t height = 0;     ///< pixels, from 1
    std::int64_t channels = 3;   ///< floats a pixel, 1 to 3
    std::vector<float> pixels{}; ///< (height, width, channels), row-major
};

/// A layer of what a camera sees first, by its name.
struct NamedImage {
    std::string name; ///< as given to render_layers()
    Image image;      ///< its channels depend on the layer
};

/// Called with the fraction that is done, in (0, 1], after each batch. What it throws ends the picture.
using Progress = std::function<void(double)>;

/// Renders one scene on an engine's device. Keeps what it needs of the engine. One thread at a time may call the methods of
/// an object. Besides what is said below, all throw what kernels throw: CompileError if a Slang function of a material
/// does not compile, DeviceError if memory is short or the device was lost, core::Interrupted if EngineDesc::poll does.
class Renderer {
public:
    /// Uploads the scene, makes its acceleration structures and loads its kernels. What a scene lacks to be seen, a light,
    /// goes to EngineDesc::message.
    /// @param scene later changes of it do not show; see update(). Slang functions of its materials run with the rights
    ///        of the program: a scene of strangers is code of strangers, whatever SlangCall::origin says.
    /// @throws ArgumentError that names what cannot be: two materials with one name, a vertex that is not there, a light's
    ///         number that is not finite, an area of zero, an image of another size, ...; for a batch below 1.
    WEFT_API Renderer(const Engine& engine, scene::Scene scene, const RendererDesc& desc = {});
    WEFT_API ~Renderer();
    WEFT_API Renderer(Renderer&&) noexcept;
    WEFT_API Renderer& operator=(Renderer&&) noexcept;
    Renderer(const Renderer&) = delete;
    Renderer& operator=(const Renderer&) = delete;

    /// Renders another scene from now on. Pictures are those of a new renderer, number by number; what both scenes share, by
    /// pointer, stays on the device: meshes and their trees, images, kernels of materials of one form. A moved light,
    /// camera or object and other numbers of a material therefore take milliseconds. While it is at work, both scenes
    /// may need memory.
    /// @param lit_by as RendererDesc::lit_by, which it replaces; the scene's own lights are selected.
    /// @throws as the constructor; then the scene before is rendered as before.
    WEFT_API void update(scene::Scene scene, std::vector<scene::Scene> lit_by = {});

    /// Renders under other lights from now on: pictures of one part of the light after the other, or of one room at several
    /// times of day. Takes no time.
    /// @param which place in `lit_by`, from 1; 0: the scene's own lights.
    /// @throws ArgumentError if there are none.
    WEFT_API void select_lights(std::size_t which);

    /// The scene that is rendered, with the lights that are selected. Valid until update().
    [[nodiscard]] WEFT_API const scene::Scene& scene() const noexcept;

    /// The picture of a camera: radiance, linear Rec.709, 3 channels. Waits for the device.
    /// @throws ArgumentError for settings or a camera out of range.
    [[nodiscard]] WEFT_API Image render(const scene::Camera& camera,
                                        const render::PathSettings& settings = {},
                                        const Progress& progress = {});

    /// Layers of what a camera sees first, in the order of `names`. albedo (3 channels) and normal (3, world space) are means
    /// over the pixel; depth (1, metres along the view, infinite where nothing is), uv (2), object and material (1 each,
    /// numbers in the scene, -1: nothing) belong to the point at the pixel's centre; alpha (1) is how much of the pixel
    /// does not see past everything.
    /// @throws ArgumentError if there is no such layer, and as render().
    [[nodiscard]] WEFT_API std::vector<NamedImage>
    render_layers(const scene::Camera& camera, std::span<const std::string> names,
                  const render::PathSettings& settings = {}, const Progress& progress = {});

    /// Bytes of the device that the scene and a picture of it take, at most. Compiled kernels and what the driver needs for
    /// itself come on top; so does the scene before, while update() is at work.
    /// @param has_layers the picture is one of render_layers().
    [[nodiscard]] WEFT_API std::uint64_t memory(const scene::Camera& camera,
                                                const render::PathSettings& settings = {},
                                                bool has_layers = false) const;

private:
    class State;
    friend struct RendererAccess;
    std::unique_ptr<State> m_state;
};

} // namespace weft::engine
