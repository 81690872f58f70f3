// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace weft::device {

/// What a device is, beside Device, that can copy from and to memory of the process by itself. Thread-safe.
class WEFT_API MemoryPinning {
public:
    virtual ~MemoryPinning() = default;
    /// From now on Device::upload() from these pages and Device::download() into them, of 256 KiB and more, take no copy
    /// of the host, and return when the device has done theirs.
    /// @param pages whole pages that stay where they are while the result lives.
    /// @return to be dropped before the pages are freed, on any thread, also after close(); keeps the device alive.
    ///         nullptr: transfers would gain nothing (software), or the driver cannot.
    /// @throws DeviceError{out_of_memory} if the system has no more memory to pin.
    [[nodiscard]] virtual std::shared_ptr<void> pin(std::span<std::byte> pages) = 0;
};

/// Memory of the process that a device copies from and to by itself (MemoryPinning), where it can. It stays where it is and
/// may be read and written until it is destroyed, on any thread, also after the device was closed; then it is ordinary
/// memory. Not part of Device::memory_info().
class WEFT_API PinnedMemory {
public:
    /// Contents are not set. @param size_bytes 0 is allowed.
    /// @throws DeviceError{out_of_memory}: what was asked, what there is; DeviceError if the device is closed.
    [[nodiscard]] static std::shared_ptr<PinnedMemory> create(Device& device,
                                                              std::uint64_t size_bytes);
    PinnedMemory(const PinnedMemory&) = delete;
    PinnedMemory& operator=(const PinnedMemory&) = delete;

    /// As many as were asked for; the first one begins a page.
    std::span<std::byte> bytes() const noexcept { return {m_pages.get(), m_size}; }
    /// False on software devices, which work in this memory anyway, and where the driver cannot; transfers pass staging.
    bool is_pinned() const noexcept { return m_pin != nullptr; }

private:
    struct Free {
        std::size_t alignment;
        void operator()(std::byte* pages) const noexcept;
    };

    PinnedMemory(std::unique_ptr<std::byte, Free> pages, std::size_t size_bytes) noexcept
        : m_pages(std::move(pages)), m_size(size_bytes) {}

    std::unique_ptr<std::byte, Free> m_pages;
    std::size_t m_size;
    std::shared_ptr<void> m_pin; ///< goes before the pages
};

} // namespace weft::device
