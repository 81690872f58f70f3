// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/command_queue.hpp"
#include "device/pool.hpp"

#include <string_view>

namespace weft::device::cuda {

/// A range of a pool's block. It can go at any time: later work runs later in the one stream, so the device's pool
/// hands the range out again at once, and the readback pool waits until the device has finished with it.
class CudaBuffer final : public Buffer {
public:
    /// Takes the allocation over. Pool, context and queue belong to the device, which the buffer keeps alive.
    CudaBuffer(std::shared_ptr<Device> device, MemoryPool& pool, const Context& context,
               const CommandQueue& queue, const Allocation& allocation);
    /// An empty buffer: size 0, address 0.
    explicit CudaBuffer(std::shared_ptr<Device> device) : Buffer(std::move(device)) {}
    /// Memory of somebody else; see Device::wrap_external and lend.
    CudaBuffer(std::shared_ptr<Device> device, std::uint64_t address, std::uint64_t size_bytes,
               std::shared_ptr<void> keep_alive, bool is_lent);
    ~CudaBuffer() override;

    std::string_view label() const noexcept;

private:
    MemoryPool* m_pool = nullptr;
    const Context* m_context = nullptr;
    const CommandQueue* m_queue = nullptr;
    Allocation m_allocation;
    std::shared_ptr<void> m_keep_alive;
};

} // namespace weft::device::cuda
