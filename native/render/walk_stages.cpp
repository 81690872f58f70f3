// SPDX-License-Identifier: Apache-2.0
// Paths below surfaces, from where they go in to where they come out (shaders/weft/render/walk.slang).
#include "render/path_stages.hpp"

#include <utility>

namespace weft::render {

namespace {

/// Numbers of segments that the walks of one segment take; shaders end walks before.
constexpr std::int64_t kMaxSteps = 4096;
constexpr std::int64_t kScattered = 2; // group of the sorted paths, after those of programs

/// Walks that go on become those that are queued.
void exchange_queues(WalkBuffers& walks) {
    std::swap(walks.queue, walks.next);
    walks.view.set_tensor("queue", walks.queue);
    walks.view.set_tensor("next", walks.next);
}

} // namespace

/// Takes the sorted paths that are below surfaces to where they come out, or to their end.
void PathStages::finish_walks(const KernelArgument& view, PathBuffers& buffers,
                              const GroupOffsets& ends, const KernelArgument& step,
                              const KernelArgument* records) {
    const auto own = static_cast<std::size_t>(program_count() + kScattered);
    std::int64_t length = ends.at(own + 1) - ends.at(own);
    if (length == 0) {
        return;
    }
    StageModule& shared = *sorting()->shared();
    Tracer& tracer = *m_scene.tracer;
    WalkBuffers& walks = buffers.walks(tracer);
    const KernelArgument& paths = buffers.view(ends.at(own));
    m_launcher.launch(shared, "queueWalks", length, {&paths, &walks.view});
    walks.view.set_integer("isTraced", 0);
    KernelArgument inner = step;
    const std::int64_t first = kMaxSteps * (step.integer("bounce") + 1);
    for (std::int64_t number = 0; number < kMaxSteps; number++) {
        inner.set_integer("bounce", first + number);
        if (records == nullptr) {
            m_launcher.launch(shared, "stepWalks", length, {&view, &paths, &walks.view, &inner});
        } else {
            m_launcher.launch(shared, "recordWalks", length,
                              {&view, &paths, &walks.view, records, &inner});
        }
        const auto count = static_cast<std::uint32_t>(length);
        length = m_sorter.sort(walks.keys, walks.order, count, 2)[1];
        if (length == 0) {
            return;
        }
        m_launcher.launch(shared, "keepWalks", length, {&walks.view});
        exchange_queues(walks);
        m_launcher.launch(shared, "sendWalks", length, {&paths, &walks.view});
        tracer.trace_closest({.rays = walks.rays,
                              .hits = walks.hits,
                              .capacity = buffers.capacity(),
                              .count = static_cast<std::uint32_t>(length)});
        walks.view.set_integer("isTraced", 1);
    }
}

std::vector<StageCall> PathStages::walk_calls(const KernelArgument& view, PathBuffers& buffers,
                                              const StageModuleRef& shared,
                                              const KernelArgument& step,
                                              const KernelArgument* records) const {
    if (!traits().has_walks) {
        return {};
    }
    const KernelArgument& paths = buffers.view();
    const KernelArgument& walks = buffers.walks(*m_scene.tracer).view;
    std::vector<StageCall> calls{
        {.module = shared, .function = "queueWalks", .arguments = {paths, walks}},
        {.module = shared, .function = "keepWalks", .arguments = {walks}},
        {.module = shared, .function = "sendWalks", .arguments = {paths, walks}},
    };
    if (records == nullptr) {
        calls.push_back(
            {.module = shared, .function = "stepWalks", .arguments = {view, paths, walks, step}});
    } else {
        calls.push_back({.module = shared,
                         .function = "recordWalks",
                         .arguments = {view, paths, walks, *records, step}});
    }
    return calls;
}

} // namespace weft::render
