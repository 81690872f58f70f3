// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/kernel.hpp"
#include "device/device.hpp"
#include "device/pool.hpp"

#include <memory>

namespace weft::device::cuda {

class CudaDevice;

/// The graph of a sequence: kernels in a chain, each behind the copies that it needs. Arguments are baked in; those
/// that a kernel reads from memory lie in one allocation that the graph owns.
struct Graph {
    CUgraphExec handle = nullptr;
    Allocation constants;       ///< empty if no kernel reads its arguments or globals from memory
    std::uint64_t last_use = 0; ///< submission of the last run; guarded by the device's lock
};

/// Bytes of `constants` that the sequence needs: arguments by address and globals, each aligned.
[[nodiscard]] std::uint64_t constant_bytes(std::span<const Dispatch> dispatches);
/// Writes them as `constant_bytes` counted them.
void write_constants(std::span<const Dispatch> dispatches, std::byte* target);

/// Builds the graph; `constants` is the device address of the bytes that write_constants() wrote. Needs the context
/// current. The dispatches have been checked; those without groups are left out.
[[nodiscard]] CUgraphExec build_graph(const Context& context, std::span<const Dispatch> dispatches,
                                      CUdeviceptr constants);

class CudaReplay final : public Replay {
public:
    CudaReplay(std::shared_ptr<CudaDevice> device, std::list<Graph>::iterator graph)
        : m_device(std::move(device)), m_graph(graph) {}
    ~CudaReplay() override;

    void submit() override;

private:
    std::shared_ptr<CudaDevice> m_device;
    std::list<Graph>::iterator m_graph;
};

} // namespace weft::device::cuda
