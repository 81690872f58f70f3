// SPDX-License-Identifier: Apache-2.0
// Stages of the paths of one scene on the device, from one surface to the next. Start reading at trace_segment(); light
// rays are in light_stages.cpp, paths below surfaces in walk_stages.cpp. What kernels do stands in shaders/weft/render.
#pragma once

#include "render/key_sorter.hpp"
#include "render/path_arguments.hpp"
#include "render/path_buffers.hpp"
#include "render/stage_modules.hpp"
#include "render/tracer.hpp"

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::render {

/// What stages know of a scene.
struct SceneOnDevice {
    std::shared_ptr<Tracer> tracer; ///< of its triangles
    std::shared_ptr<SceneModules>
        modules; ///< its kernels; their traits are those of the scene under all its lights
};

/// Where the groups of sorted paths begin: those of each program, then those that escaped, that met what is hidden from
/// them, that media scatter, that have ended; and their end.
using GroupOffsets = std::vector<std::int64_t>;

/// Launches what happens to a batch of paths, in the order of a device's queue. Views of the scene (SceneView of
/// scene_view.slang) are given to each call, as lights and values may change between them; they are read during the call
/// only. One thread at a time. Every call throws what launches throw: CompileError, DeviceError, ArgumentError.
class PathStages {
public:
    explicit PathStages(const dispatch::Context& context)
        : m_launcher(context), m_sorter(context) {}

    /// Later calls are about this scene.
    void set_scene(SceneOnDevice scene);
    [[nodiscard]] const SceneOnDevice& scene() const noexcept { return m_scene; }
    [[nodiscard]] const scene::SceneTraits& traits() const noexcept {
        return m_scene.modules->traits();
    }
    [[nodiscard]] std::int64_t program_count() const noexcept {
        return std::ssize(m_scene.modules->programs());
    }

    /// Segments of the longest path; kNever: has_ended() says when it is enough.
    [[nodiscard]] std::int64_t segments(const PathSettings& settings) const noexcept;
    /// Whether no sorted path is under way.
    [[nodiscard]] bool has_ended(const GroupOffsets& ends) const noexcept;

    /// Traces one segment of `count` paths, and the light rays of the one before.
    void trace_segment(const KernelArgument& view, PathBuffers& buffers, std::int64_t count,
                       std::int64_t bounce);
    /// Takes the paths through media, which may scatter them; nothing where there are none.
    void cross_media(const KernelArgument& view, PathBuffers& buffers, std::int64_t count,
                     const KernelArgument& step);
    /// Sorts paths that were traced by what they hit. Waits for the device.
    [[nodiscard]] GroupOffsets sort_segment(const KernelArgument& view, PathBuffers& buffers,
                                            std::int64_t count);
    /// Sorts paths by the keys that a kernel gave them, which are below `key_count`. Waits for the device.
    [[nodiscard]] GroupOffsets sort_keys(PathBuffers& buffers, std::int64_t count,
                                         std::int64_t key_count);
    /// All three. @param step null: media are left out.
    [[nodiscard]] GroupOffsets trace_and_sort(const KernelArgument& view, PathBuffers& buffers,
                                              std::int64_t count, std::int64_t bounce,
                                              const KernelArgument* step);
    /// The first segment, traced until no path meets what is hidden from it.
    [[nodiscard]] GroupOffsets trace_to_visible(const KernelArgument& view, PathBuffers& buffers,
                                                std::int64_t count, const KernelArgument& step);

    /// Ends the sorted paths that left the scene.
    void escape(const KernelArgument& view, PathBuffers& buffers, const GroupOffsets& ends,
                const KernelArgument& step);
    /// Sends the sorted paths on that met what is hidden from them.
    void skip_hidden(const KernelArgument& view, PathBuffers& buffers, const GroupOffsets& ends,
                     const KernelArgument& step);
    /// Takes the sorted paths on that media scatter, above surfaces or below them.
    /// @param records where the steps of walks go that began at recorded surfaces; null: none did.
    void scatter(const KernelArgument& view, PathBuffers& buffers, const GroupOffsets& ends,
                 const KernelArgument& step, const KernelArgument* records);
    /// Takes `count` paths over what they have hit. @param ends of the queue; null: paths are not sorted.
    void shade_segment(const KernelArgument& view, PathBuffers& buffers, std::int64_t count,
                       const KernelArgument& step, const GroupOffsets* ends);
    /// classify alone, for paths that are not sorted.
    void classify(const KernelArgument& view, PathBuffers& buffers, std::int64_t count);

    /// Calls of the kernels that sort paths, to be compiled.
    [[nodiscard]] std::vector<StageCall> sort_calls(const PathBuffers& buffers);
    /// Calls of all kernels of light rays, to be compiled.
    [[nodiscard]] std::vector<StageCall> light_calls(const KernelArgument& view,
                                                     const PathBuffers& buffers) const;
    /// Calls of all kernels of paths below surfaces. @param records as in scatter()
    [[nodiscard]] std::vector<StageCall>
    walk_calls(const KernelArgument& view, PathBuffers& buffers, const StageModuleRef& shared,
               const KernelArgument& step, const KernelArgument* records) const;

protected:
    [[nodiscard]] KernelLauncher& launcher() noexcept { return m_launcher; }
    [[nodiscard]] const KernelLauncher& launcher() const noexcept { return m_launcher; }
    [[nodiscard]] bool sorts_paths() const noexcept { return traits().sorts_paths; }
    [[nodiscard]] std::shared_ptr<SceneModules> sorting() const {
        return m_scene.modules->sorting(m_scene.modules);
    }

private:
    struct LightStage {
        std::string_view classify; ///< kernel that finds the keys
        std::string_view program;  ///< kernel of a program that follows
        bool skips_hidden = false;
    };

    void end_sorted(std::string_view kernel, std::int64_t group, const KernelArgument& view,
                    PathBuffers& buffers, const GroupOffsets& ends, const KernelArgument& step);
    void color_lights(const KernelArgument& view, PathBuffers& buffers, std::int64_t count);
    void attenuate_shadow_rays(const KernelArgument& view, PathBuffers& buffers,
                               std::int64_t count);
    void pass_lights(const KernelArgument& view, PathBuffers& buffers, std::int64_t count);
    [[nodiscard]] bool sort_and_launch(const LightStage& stage, std::span<const std::int64_t> keys,
                                       const KernelArgument& view, PathBuffers& buffers,
                                       std::int64_t count);
    void finish_walks(const KernelArgument& view, PathBuffers& buffers, const GroupOffsets& ends,
                      const KernelArgument& step, const KernelArgument* records);
    [[nodiscard]] std::vector<std::int64_t>
    programs_with(bool (*has)(const scene::MaterialProgram&)) const;

    KernelLauncher m_launcher;
    KeySorter m_sorter;
    SceneOnDevice m_scene;
    KernelArgument m_programs; ///< their number
};

/// Boundaries between media that a light ray may pass besides surfaces that let light pass.
inline constexpr std::int64_t kMaxBoundaries = 64;

} // namespace weft::render
