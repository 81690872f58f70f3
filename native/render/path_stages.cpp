// SPDX-License-Identifier: Apache-2.0
#include "render/path_stages.hpp"

#include <utility>

namespace weft::render {

namespace {

/// Groups of the sorted paths after those of programs.
enum Group : std::int64_t { kEscaped, kHidden, kScattered, kGroups = 4 };

std::int64_t length_of(const GroupOffsets& ends, std::int64_t group) {
    const auto at = static_cast<std::size_t>(group);
    return ends.at(at + 1) - ends.at(at);
}

std::int64_t begin_of(const GroupOffsets& ends, std::int64_t group) {
    return ends.at(static_cast<std::size_t>(group));
}

std::uint32_t narrow(std::int64_t count) {
    return static_cast<std::uint32_t>(count);
}

} // namespace

void PathStages::set_scene(SceneOnDevice scene) {
    m_scene = std::move(scene);
    m_programs = KernelArgument::number(program_count());
}

std::int64_t PathStages::segments(const PathSettings& settings) const noexcept {
    if (traits().is_uncounted()) {
        return kNever;
    }
    const std::int64_t passes = traits().has_transparency ? settings.transparent_bounces : 0;
    return settings.bounces + 1 + passes;
}

bool PathStages::has_ended(const GroupOffsets& ends) const noexcept {
    return ends[static_cast<std::size_t>(program_count()) + kScattered + 1] == 0;
}

void PathStages::trace_segment(const KernelArgument& view, PathBuffers& buffers, std::int64_t count,
                               std::int64_t bounce) {
    if (bounce > 0) {
        if (traits().has_textured_emission) {
            color_lights(view, buffers, count);
        }
        if (traits().has_transparency) {
            attenuate_shadow_rays(view, buffers, count);
        }
        m_scene.tracer->trace_any(buffers.light_rays(narrow(count)));
    }
    m_scene.tracer->trace_closest(buffers.path_rays(narrow(count)));
}

void PathStages::cross_media(const KernelArgument& view, PathBuffers& buffers, std::int64_t count,
                             const KernelArgument& step) {
    if (traits().has_media) {
        m_launcher.launch(*m_scene.modules->shared(), "cross", count,
                          {&view, &buffers.view(), &step});
    }
}

void PathStages::classify(const KernelArgument& view, PathBuffers& buffers, std::int64_t count) {
    m_launcher.launch(*m_scene.modules->shared(), "classify", count,
                      {&view, &buffers.view(), &m_programs}, buffers.keys_of(count));
}

GroupOffsets PathStages::sort_segment(const KernelArgument& view, PathBuffers& buffers,
                                      std::int64_t count) {
    classify(view, buffers, count);
    return sort_keys(buffers, count, program_count() + kGroups);
}

GroupOffsets PathStages::sort_keys(PathBuffers& buffers, std::int64_t count,
                                   std::int64_t key_count) {
    return m_sorter.sort(buffers.keys(), buffers.queue(), narrow(count), narrow(key_count));
}

std::vector<StageCall> PathStages::sort_calls(const PathBuffers& buffers) {
    return m_sorter.calls(buffers.keys(), buffers.queue());
}

GroupOffsets PathStages::trace_and_sort(const KernelArgument& view, PathBuffers& buffers,
                                        std::int64_t count, std::int64_t bounce,
                                        const KernelArgument* step) {
    trace_segment(view, buffers, count, bounce);
    if (step != nullptr) {
        cross_media(view, buffers, count, *step);
    }
    return sort_segment(view, buffers, count);
}

GroupOffsets PathStages::trace_to_visible(const KernelArgument& view, PathBuffers& buffers,
                                          std::int64_t count, const KernelArgument& step) {
    GroupOffsets ends = trace_and_sort(view, buffers, count, 0, nullptr);
    while (length_of(ends, program_count() + kHidden) > 0) {
        skip_hidden(view, buffers, ends, step);
        ends = trace_and_sort(view, buffers, count, 0, nullptr);
    }
    return ends;
}

void PathStages::end_sorted(std::string_view kernel, std::int64_t group, const KernelArgument& view,
                            PathBuffers& buffers, const GroupOffsets& ends,
                            const KernelArgument& step) {
    const std::int64_t own = program_count() + group;
    if (const std::int64_t length = length_of(ends, own); length > 0) {
        m_launcher.launch(*sorting()->shared(), kernel, length,
                          {&view, &buffers.view(begin_of(ends, own)), &step});
    }
}

void PathStages::escape(const KernelArgument& view, PathBuffers& buffers, const GroupOffsets& ends,
                        const KernelArgument& step) {
    end_sorted("escape", kEscaped, view, buffers, ends, step);
}

void PathStages::skip_hidden(const KernelArgument& view, PathBuffers& buffers,
                             const GroupOffsets& ends, const KernelArgument& step) {
    end_sorted("skip", kHidden, view, buffers, ends, step);
}

void PathStages::scatter(const KernelArgument& view, PathBuffers& buffers, const GroupOffsets& ends,
                         const KernelArgument& step, const KernelArgument* records) {
    if (traits().has_media) {
        end_sorted("scatter", kScattered, view, buffers, ends, step);
    }
    if (traits().has_walks) {
        finish_walks(view, buffers, ends, step, records);
    }
}

void PathStages::shade_segment(const KernelArgument& view, PathBuffers& buffers, std::int64_t count,
                               const KernelArgument& step, const GroupOffsets* ends) {
    const std::int64_t programs = program_count();
    for (std::int64_t key = 0; key <= programs; key++) {
        const std::int64_t length = ends == nullptr ? count : length_of(*ends, key);
        if (length == 0) {
            continue;
        }
        const KernelArgument& paths = buffers.view(ends == nullptr ? 0 : begin_of(*ends, key), key);
        if (key == programs) {
            m_launcher.launch(*m_scene.modules->shared(), "escape", length, {&view, &paths, &step});
        } else {
            m_launcher.launch(*m_scene.modules->program(static_cast<std::size_t>(key)),
                              "programStep", length, {&view, &paths, &step});
        }
    }
}

std::vector<std::int64_t>
PathStages::programs_with(bool (*has)(const scene::MaterialProgram&)) const {
    std::vector<std::int64_t> found;
    for (std::int64_t number = 0; number < program_count(); number++) {
        if (has(*m_scene.modules->programs()[static_cast<std::size_t>(number)])) {
            found.push_back(number);
        }
    }
    return found;
}

} // namespace weft::render
