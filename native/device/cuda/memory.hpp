// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/command_queue.hpp"
#include "device/pool.hpp"

#include <optional>

namespace weft::device::cuda {

/// Blocks for a pool: device memory, or host memory that is pinned and mapped into the device.
class BlockSource final : public MemorySource {
public:
    BlockSource(const Context& context, CommandQueue& queue, MemoryKind kind) noexcept
        : m_context(context), m_queue(queue), m_kind(kind) {}

    std::optional<MemoryBlock> allocate_block(std::uint64_t size_bytes) override;
    void release_block(const MemoryBlock& block) noexcept override;
    std::uint64_t completed() const noexcept override { return m_queue.completed(); }
    void drain() override;
    Budget budget() const noexcept override;

private:
    const Context& m_context;
    CommandQueue& m_queue;
    MemoryKind m_kind;
};

/// Pinned host memory, mapped into the device. Needs the context current. @return nullopt if there is none left.
[[nodiscard]] std::optional<MemoryBlock> try_allocate_host(const Driver& driver,
                                                           std::uint64_t size_bytes);

} // namespace weft::device::cuda
