// SPDX-License-Identifier: Apache-2.0
// Batches of paths from a camera to a film, with the memory and the kernels that they need. Start reading at picture().
#pragma once

#include "render/compile_together.hpp"
#include "render/path_stages.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace weft::render {

/// A scene as pictures and paths of it need it. What it points to must live during the call.
struct SceneInput {
    const KernelArgument& view;                 ///< SceneView of scene_view.slang
    const scene::LightPaths& limits;            ///< of its paths
    std::span<const std::uint32_t> start_media; ///< what the camera is in; empty: nothing
};

/// What a picture is made of besides its camera and settings.
struct PictureDesc {
    /// Replaces what PathSettings::shows_environment says, see Background of path.slang.
    std::optional<std::int64_t> background{};
    /// Called after each batch, when the device has done it, with the fraction that is done, in (0, 1]. What it throws ends
    /// the picture. Empty: nobody is told.
    std::function<void(double)> progress{};
    /// Called every 50 ms while kernels are compiled; what it throws ends the picture. Empty: it cannot be ended.
    core::InterruptPoll check{};
};

/// Some samples of some pixels.
struct PicturePart {
    Range pixels;
    Range samples;
};

/// A picture in parts of at most `batch` paths: all pixels of the first samples, then of the next ones.
class PictureParts {
public:
    /// @param batch paths, at least 1; it decides how many samples of a pixel are under way at once.
    PictureParts(std::int64_t pixels, std::int64_t samples, std::int64_t batch) noexcept;
    /// The next one, for a batch of now; not set: that was all.
    [[nodiscard]] std::optional<PicturePart> next(std::int64_t batch) noexcept;

private:
    std::int64_t m_pixels;
    std::int64_t m_samples;
    std::int64_t m_at_once;
    PicturePart m_part{};
};

/// What the centres of pixels show, in the order of pixels.
struct CentreHits {
    std::vector<std::uint32_t> instances; ///< kNoInstance: nothing
    std::vector<std::uint32_t> triangles; ///< of the instance's mesh
};

/// Traces the paths of one scene in batches and sums them up in films. A copy shares the memory of paths and the modules
/// of stages that there are, and goes its own way from then on. One thread at a time.
class FilmTracer : public PathStages {
public:
    /// @param options of modules, see ModuleCache.
    FilmTracer(const dispatch::Context& context, const compile::ModuleDesc& options);
    FilmTracer(const FilmTracer& other);
    FilmTracer& operator=(const FilmTracer&) = delete;
    ~FilmTracer() = default;

    /// Most paths that are under way at a time, from 1. It bounds the memory, and may change while a picture is made: it
    /// is looked at before each batch.
    std::int64_t batch = std::int64_t{1} << 20U;

    [[nodiscard]] const std::shared_ptr<ModuleCache>& modules() const noexcept { return m_modules; }
    [[nodiscard]] const std::shared_ptr<CompileProgress>& compiling() const noexcept {
        return m_compiling;
    }

    /// Later calls are about this scene. Memory of paths goes if those of the scene need other rows.
    void set_scene(SceneOnDevice scene);

    /// Radiance times exposure, linear Rec.709: height x width x 3, the top row first. Waits for the device.
    /// @throws what launches throw, and what the functions of `desc` throw; core::Interrupted if the context's poll does.
    [[nodiscard]] std::vector<float> picture(const SceneInput& input, const scene::Camera& camera,
                                             const PathSettings& settings, const PictureDesc& desc);
    /// Layers of what the camera sees first, height x width x LayerRow::kEnd: means over the samples of `settings`.
    /// Kernels are compiled when they are first needed.
    [[nodiscard]] std::vector<float> layers(const SceneInput& input, const scene::Camera& camera,
                                            const PathSettings& settings);
    /// Layers of the points at the centres of pixels, as layers(); the lens is taken to be a point.
    [[nodiscard]] std::vector<float> centre_layers(const SceneInput& input,
                                                   const scene::Camera& camera,
                                                   const PathSettings& settings);
    /// What part of each pixel is covered: does not see past everything, through what lets light pass, too. height x width.
    [[nodiscard]] std::vector<float> coverage(const SceneInput& input, const scene::Camera& camera,
                                              const PathSettings& settings,
                                              const PictureDesc& desc);
    /// By one ray a pixel and no shading; the lens is taken to be a point. Waits for the device.
    [[nodiscard]] CentreHits centre_hits(const SceneInput& input, const scene::Camera& camera);

    /// Memory for at least so many paths. @throws DeviceError if memory is short.
    [[nodiscard]] const std::shared_ptr<PathBuffers>& buffers(std::int64_t paths);
    /// Paths for which there is memory now.
    [[nodiscard]] std::int64_t capacity() const noexcept {
        return m_buffers ? m_buffers->capacity() : 0;
    }
    /// Gives back the memory of paths; the next picture takes it again.
    void forget_paths() noexcept { m_buffers.reset(); }

    /// Starts `count` paths of a camera.
    /// @param pixels numbers of pixels, y * width + x, uint32; null: all, in order.
    void generate(const SceneInput& input, const scene::Camera& camera,
                  const PathSettings& settings, PathBuffers& buffers, const KernelArgument& step,
                  std::int64_t count, const tensor::TensorRef& pixels = nullptr);

private:
    [[nodiscard]] StageModuleRef stages(const scene::Camera& camera, PixelFilter filter);
    [[nodiscard]] const tensor::TensorRef& pixel_numbers(std::int64_t count);
    [[nodiscard]] tensor::TensorRef upload(std::span<const std::uint32_t> words) const;
    [[nodiscard]] tensor::TensorRef create_film(std::int64_t floats) const;
    [[nodiscard]] std::vector<float> read_film(const tensor::Tensor& film) const;
    [[nodiscard]] std::vector<StageCall> surface_calls(const KernelArgument& view,
                                                       PathBuffers& buffers,
                                                       const KernelArgument& step) const;
    void compile(const SceneInput& input, const scene::Camera& camera, const PathSettings& settings,
                 PathBuffers& buffers, const KernelArgument& step, const tensor::TensorRef& film,
                 const core::InterruptPoll& check);
    void trace_part(const SceneInput& input, const scene::Camera& camera,
                    const PathSettings& settings, const PictureDesc& desc, const PicturePart& part,
                    const tensor::TensorRef& film);
    void trace_layers(const SceneInput& input, const scene::Camera& camera,
                      const PathSettings& settings, const PicturePart& part,
                      const tensor::TensorRef& film);

    std::shared_ptr<ModuleCache> m_modules; ///< of scenes
    std::shared_ptr<ModuleCache>
        m_stage_modules; ///< one a kind of camera, lens, pixel filter and traits
    std::shared_ptr<CompileProgress> m_compiling;
    std::shared_ptr<PathBuffers> m_buffers;
    tensor::TensorRef m_numbers; ///< of pixels, 0 ...
    tensor::TensorRef m_layers;  ///< of the paths under way
    bool m_is_compiled = false;
};

} // namespace weft::render
