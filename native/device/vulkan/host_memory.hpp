// SPDX-License-Identifier: Apache-2.0
// Memory of the process that somebody else owns, used by a software device where it is
// (VK_EXT_external_memory_host).
#pragma once

#include "device/vulkan/memory.hpp"

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace weft::device::vulkan {

/// The pages around a range of host memory.
struct HostPages {
    BlockMemory block;
    std::uint64_t size_bytes = 0;
    std::uint64_t offset = 0;         ///< bytes from the first page to the range
    std::shared_ptr<void> keep_alive; ///< the owner
    std::uint64_t last_use = 0;       ///< once released: value of the last batch that touches them
};

/// The imports of a device. Each lives as long as its buffer and the work that uses it: none is kept for a later
/// call, whose memory may be another's at the same address. Thread-safe; owners are let go of without a lock.
class HostImports {
public:
    using Place = std::list<HostPages>::iterator;

    HostImports(const Context& context, std::function<std::uint64_t()> completed)
        : m_context(context), m_completed(std::move(completed)) {}

    /// Nothing if the driver does not take the range: it cannot import at all, or not these pages.
    /// @param keep_alive is released on any thread once the memory is no longer used.
    [[nodiscard]] std::optional<Place> try_import(std::span<std::byte> range,
                                                  std::shared_ptr<void> keep_alive);
    /// Its buffer is gone. The pages are given back when `last_use` is completed: now, or when somebody imports.
    void release(Place place, std::uint64_t last_use) noexcept;
    /// Gives everything back, used or not. The caller has waited, and lets go of the owners without its locks.
    [[nodiscard]] std::vector<std::shared_ptr<void>> close() noexcept;

private:
    void drop_finished();

    const Context& m_context;
    const std::function<std::uint64_t()> m_completed;
    std::mutex m_mutex;
    std::list<HostPages> m_used;
    std::list<HostPages> m_released;
    bool m_is_closed = false;
};

} // namespace weft::device::vulkan
