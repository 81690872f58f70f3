// SPDX-License-Identifier: Apache-2.0
// What happens to light rays besides being traced (shaders/weft/render/passing.slang).
#include "render/path_stages.hpp"

#include <algorithm>

namespace weft::render {

namespace {

bool is_transparent(const scene::MaterialProgram& program) {
    return !program.transparency.empty();
}

bool is_emissive(const scene::MaterialProgram& program) {
    return program.is_emissive;
}

bool is_boundary(const scene::MaterialProgram& program) {
    return program.is_boundary;
}

} // namespace

/// Sorts light rays by a kernel's keys, and launches the kernels of some. @return whether there was something to do
bool PathStages::sort_and_launch(const LightStage& stage, std::span<const std::int64_t> keys,
                                 const KernelArgument& view, PathBuffers& buffers,
                                 std::int64_t count) {
    const std::int64_t programs = program_count();
    StageModule& shared = *m_scene.modules->shared();
    m_launcher.launch(shared, stage.classify, count, {&view, &buffers.view(), &m_programs},
                      buffers.keys_of(count));
    const GroupOffsets ends = sort_keys(buffers, count, programs + 2);
    bool has_found = false;
    for (const std::int64_t key : keys) {
        const auto at = static_cast<std::size_t>(key);
        if (ends[at + 1] == ends[at]) {
            continue;
        }
        has_found = true;
        const std::int64_t length = sorts_paths() ? ends[at + 1] - ends[at] : count;
        m_launcher.launch(*m_scene.modules->program(at), stage.program, length,
                          {&view, &buffers.view(sorts_paths() ? ends[at] : 0, key)});
    }
    const auto last = static_cast<std::size_t>(programs);
    const std::int64_t hidden = ends[last + 1] - ends[last];
    if (stage.skips_hidden && hidden > 0 && traits().has_hidden) {
        m_launcher.launch(shared, "skipLight", hidden, {&view, &buffers.view(ends[last])});
        return true;
    }
    return has_found;
}

/// Brings the light rays of `count` paths behind the transparent surfaces that they pass.
void PathStages::attenuate_shadow_rays(const KernelArgument& view, PathBuffers& buffers,
                                       std::int64_t count) {
    pass_lights(view, buffers, count);
    if (traits().has_media) {
        m_launcher.launch(*m_scene.modules->shared(), "finish", count, {&view, &buffers.view()});
    }
}

void PathStages::pass_lights(const KernelArgument& view, PathBuffers& buffers, std::int64_t count) {
    std::vector<std::int64_t> transparent = programs_with(is_transparent);
    std::int64_t most = buffers.transparent_bounces;
    if (!programs_with(is_boundary).empty()) {
        most += kMaxBoundaries;
    }
    const LightStage stage{
        .classify = "classifyLight", .program = "programShadow", .skips_hidden = true};
    for (std::int64_t passed = 0; traits().has_hidden || passed < most; passed++) {
        if (passed >= most) {
            transparent.clear();
        }
        m_scene.tracer->trace_closest(buffers.light_hits(static_cast<std::uint32_t>(count)));
        if (!sort_and_launch(stage, transparent, view, buffers, count)) {
            return;
        }
    }
}

/// Evaluates the light of `count` paths that comes from triangles whose light varies.
void PathStages::color_lights(const KernelArgument& view, PathBuffers& buffers,
                              std::int64_t count) {
    const std::vector<std::int64_t> emissive = programs_with(is_emissive);
    static_cast<void>(sort_and_launch({.classify = "classifyShining", .program = "programColor"},
                                      emissive, view, buffers, count));
}

std::vector<StageCall> PathStages::light_calls(const KernelArgument& view,
                                               const PathBuffers& buffers) const {
    std::vector<StageCall> calls;
    const KernelArgument& paths = buffers.view();
    const StageModuleRef& shared = m_scene.modules->shared();
    const auto add_programs = [&](std::string_view kernel,
                                  bool (*has)(const scene::MaterialProgram&)) {
        for (const std::int64_t number : programs_with(has)) {
            calls.push_back({.module = m_scene.modules->program(static_cast<std::size_t>(number)),
                             .function = kernel,
                             .arguments = {view, paths}});
        }
    };
    const auto add_classify = [&](std::string_view kernel) {
        calls.push_back({.module = shared,
                         .function = kernel,
                         .arguments = {view, paths, m_programs},
                         .result = buffers.keys()});
    };
    if (traits().has_transparency) {
        add_classify("classifyLight");
        if (traits().has_hidden) {
            calls.push_back(
                {.module = shared, .function = "skipLight", .arguments = {view, paths}});
        }
        add_programs("programShadow", is_transparent);
    }
    if (traits().has_media) {
        calls.push_back({.module = shared, .function = "finish", .arguments = {view, paths}});
    }
    if (traits().has_textured_emission) {
        add_classify("classifyShining");
        add_programs("programColor", is_emissive);
    }
    return calls;
}

} // namespace weft::render
