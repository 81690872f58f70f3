// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/buffer.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace weft::device {

/// Memory of the process that a device copies from and to by itself, found by address. Thread-safe.
class PinnedRanges {
public:
    /// Smaller transfers are as fast through staging, and uploads need not wait for the device.
    static constexpr std::uint64_t kSmallestBytes = std::uint64_t{256} << 10U;

    /// A part of a range.
    struct Place {
        std::shared_ptr<Buffer> buffer; ///< over the whole range; null: nothing was found
        std::uint64_t offset = 0;       ///< bytes from its start
    };

    /// @param range must not overlap another. @param buffer of the device, over the range; its owner keeps it.
    void add(std::span<std::byte> range, const std::shared_ptr<Buffer>& buffer);
    /// Forgets the range that begins there. @return whether there was one.
    bool remove(const std::byte* begin) noexcept;
    /// Forgets all. @return where they begin.
    [[nodiscard]] std::vector<std::byte*> remove_all();
    /// The range that all of `bytes` lies in, if they are enough for it to be of use.
    [[nodiscard]] Place find(std::span<const std::byte> bytes) const;

private:
    struct Range {
        std::uint64_t size_bytes;
        std::weak_ptr<Buffer> buffer;
    };

    mutable std::mutex m_mutex;
    std::map<std::uintptr_t, Range> m_ranges; ///< by their first byte
};

} // namespace weft::device
