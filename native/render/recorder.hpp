// SPDX-License-Identifier: Apache-2.0
// Paths of a camera that are kept, and shaded again for other parameters without tracing. Start reading at record(), then
// replay(); what a record holds stands in shaders/weft/render/record.slang.
#pragma once

#include "core/api.hpp"
#include "render/media_recorder.hpp"
#include "render/path_records.hpp"
#include "render/recorded_programs.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace weft::render {

/// What a recorder is made for.
struct RecorderDesc {
    std::shared_ptr<SceneTables> tables;    ///< of the scene that the film renders
    std::shared_ptr<SceneTables> lit{};     ///< it under the lights of the paths; null: its own
    std::vector<std::uint32_t> materials{}; ///< numbers of those whose parameters change
    DirectionsRef directions{};             ///< of forward mode; null: none
    bool with_texels =
        false; ///< add_gradients() will be called, whether or not there are directions
};

/// What paths are recorded.
struct DrawDesc {
    const scene::Camera& camera;
    const PathSettings& settings;                 ///< exposure and clamps of light have no effect
    std::span<const std::uint32_t> pixels;        ///< numbers y * width + x, at least one
    std::span<const std::uint32_t> start_media{}; ///< what the camera is in; empty: nothing
    core::InterruptPoll
        check{}; ///< called for each segment, and every 50 ms of compiling; throws to end the draw
};

/// Parameters for which records are evaluated.
struct ReplayDesc {
    tensor::TensorRef values;   ///< all parameters of the scene, float32
    tensor::TensorRef texels{}; ///< of all textures; null: those of the scene
    bool with_tangents = false; ///< derivatives along the directions, too
};

/// A step back from pixels to parameters.
struct GradientDesc {
    tensor::TensorRef values; ///< as in ReplayDesc
    /// Derivative of a loss by the mean of each pixel's samples: three floats a pixel for each period of samples.
    tensor::TensorRef pixel_gradients;
    tensor::TensorRef gradients;         ///< of the parameters; added to
    tensor::TensorRef texels{};          ///< as in ReplayDesc
    tensor::TensorRef texel_gradients{}; ///< of the texels, added to; null: textures do not change
};

/// Records the paths of one camera after the other, and replays those of the last draw. Uses the memory of paths of its
/// film, which serves other recorders as well: what is kept lies in memory of its own. One thread at a time, with its film.
class WEFT_API Recorder {
public:
    /// @param film of the scene; its kernels are those of all lights.
    /// @throws ArgumentError if a material cannot be fitted, see recorded_programs() and fitted_media(), or media together
    ///         with textures; CompileError, DeviceError.
    Recorder(std::shared_ptr<FilmTracer> film, RecorderDesc desc);

    /// What traces the paths: the film that was given, or its copy that knows media.
    [[nodiscard]] const std::shared_ptr<FilmTracer>& film() const noexcept { return m_film; }
    [[nodiscard]] const RecorderDesc& desc() const noexcept { return m_desc; }
    [[nodiscard]] bool has_media() const noexcept { return m_media != nullptr; }
    /// SceneView of the paths, with the scene's own parameters.
    [[nodiscard]] const KernelArgument& scene() const noexcept { return m_scene; }
    [[nodiscard]] PathRecords& records() noexcept { return m_records; }
    [[nodiscard]] const PathRecords& records() const noexcept { return m_records; }
    /// Bytes of the records of so many surfaces, at most: the segments in media before them included.
    [[nodiscard]] std::uint64_t record_bytes(std::int64_t surfaces) const noexcept;
    [[nodiscard]] std::int64_t pixels() const noexcept { return m_pixels; } ///< of the last draw
    [[nodiscard]] std::int64_t paths() const noexcept { return m_paths; }   ///< of the last draw

    /// Draws `settings.samples` paths a pixel, and forgets the ones before. Kernels are compiled at the first draw.
    /// @throws what `check` throws, then nothing may use the draw; ArgumentError for settings that cannot be, a pixel that
    ///         there is not, or if the film renders another scene by now; CompileError, DeviceError.
    void record(const DrawDesc& desc);
    /// Evaluates all records for parameters. Does not wait. @throws ArgumentError if nothing was drawn.
    void replay(const ReplayDesc& desc);
    /// Adds to the gradients of parameters and texels. replay() for the same values comes first. Does not wait.
    /// @throws ArgumentError if nothing was drawn, or media are fitted.
    void add_gradients(const GradientDesc& desc);
    /// Stores the mean of samples [first, first + count) of each pixel, then its derivative along each direction if replay()
    /// had tangents. Does not wait.
    /// @param film float32, contiguous; takes 3 * pixels * (1 + directions) floats. @param directions 0, or all of them.
    /// @throws ArgumentError if the draw does not have these samples, or the film has less room.
    void resolve(std::int64_t first, std::int64_t count, const tensor::TensorRef& film,
                 std::int64_t directions = 0);
    /// resolve() to the host: (1 + directions) x pixels x 3. Waits.
    [[nodiscard]] std::vector<float> resolve_to_host(std::int64_t first, std::int64_t count,
                                                     bool with_tangents);
    /// Fraction of each pixel's samples whose first surface was recorded. Waits.
    [[nodiscard]] std::vector<float> direct_fraction() const;

    /// Gives back the memory of the last draw; the next one takes it again.
    void forget() noexcept;
    /// Lets go of the paths of the last draw; records stay until the next one, but only replay() may use them.
    void forget_paths() noexcept { m_buffers.reset(); }

private:
    void start(const DrawDesc& desc);
    void compile(const core::InterruptPoll& check);
    void add_program_calls(std::vector<StageCall>& calls);
    void add_stage_calls(std::vector<StageCall>& calls);
    void add_film_calls(std::vector<StageCall>& calls);
    [[nodiscard]] bool record_segment(std::int64_t bounce);
    void cross_media(std::int64_t bounce);
    void settle_lights(std::int64_t bounce);
    void shade(const GroupOffsets& ends, std::int64_t bounce);
    [[nodiscard]] bool is_recorded(std::size_t program) const noexcept;
    [[nodiscard]] KernelArgument scene_with(const tensor::TensorRef& values,
                                            const tensor::TensorRef& texels) const;
    void require_draw(const char* function, bool with_paths) const;

    std::shared_ptr<FilmTracer> m_given;           ///< film
    std::shared_ptr<const SceneModules> m_modules; ///< of `m_given` when it was
    std::shared_ptr<FilmTracer> m_film;            ///< what traces the paths
    RecorderDesc m_desc;
    KernelLauncher m_launcher;
    KernelArgument m_scene;  ///< the scene under the lights of the paths
    KernelArgument m_traced; ///< the scene under its own lights, by which rays are traced
    std::unique_ptr<MediaRecorder> m_media;
    std::vector<std::size_t> m_programs; ///< that leave records
    StageModuleRef m_shared;
    PathRecords m_records;
    std::shared_ptr<PathBuffers> m_buffers; ///< of the last draw
    KernelArgument m_step;
    std::int64_t m_pixels = 0;
    std::int64_t m_paths = 0;
    bool m_is_compiled = false;
};

} // namespace weft::render
