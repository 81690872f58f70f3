// SPDX-License-Identifier: Apache-2.0
// The device's side of a replay: making, running and destroying graphs.
#include "device/cuda/device.hpp"

#include <vector>

namespace weft::device::cuda {

std::unique_ptr<Replay> CudaDevice::create_replay(std::span<const Dispatch> dispatches) {
    m_context->require_usable("submit");
    const std::lock_guard lock(m_mutex);
    require_open("submit");
    for (const Dispatch& dispatch : dispatches) {
        check_dispatch(dispatch, own(*dispatch.kernel));
    }
    if (m_is_debug) {
        return nullptr; // one by one, so that an error names its kernel
    }
    m_graphs.push_back(create_graph(dispatches));
    return std::make_unique<CudaReplay>(std::static_pointer_cast<CudaDevice>(shared_from_this()),
                                        std::prev(m_graphs.end()));
}

Graph CudaDevice::create_graph(std::span<const Dispatch> dispatches) {
    const CurrentContext current(*m_context);
    Graph graph;
    std::vector<std::byte> constants(constant_bytes(dispatches));
    if (!constants.empty()) {
        write_constants(dispatches, constants.data());
        graph.constants = m_device_pool->allocate(constants.size(), "command list");
    }
    try {
        if (!constants.empty()) {
            queue_upload(graph.constants.address(), constants, "submit");
        }
        graph.handle =
            build_graph(*m_context, dispatches, constants.empty() ? 0 : graph.constants.address());
    } catch (...) {
        m_device_pool->free(graph.constants, m_queue->submitted());
        throw;
    }
    return graph;
}

void CudaDevice::launch_graph(Graph& graph) {
    m_context->require_usable("submit");
    const std::lock_guard lock(m_mutex);
    require_open("submit");
    const CurrentContext current(*m_context);
    const Driver& driver = m_context->driver();
    check(driver, driver.cuGraphLaunch(graph.handle, m_queue->stream()), "cuGraphLaunch", "submit");
    graph.last_use = m_queue->note_submission();
}

void CudaDevice::release_graph(std::list<Graph>::iterator graph) noexcept {
    if (!m_context->is_usable()) {
        return;
    }
    const std::lock_guard lock(m_mutex);
    if (is_closed()) {
        return;
    }
    try {
        const CurrentContext current(*m_context);
        m_queue->wait_for(graph->last_use, {}, "submit");
        m_context->driver().cuGraphExecDestroy(graph->handle);
    } catch (const std::exception&) {
        // Ignored: a lost context; nothing can be released in it any more.
    }
    m_device_pool->free(graph->constants, m_queue->submitted());
    m_graphs.erase(graph);
}

} // namespace weft::device::cuda
