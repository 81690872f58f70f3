// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace weft::device::cuda {

/// Kernel parameters as one block of bytes, in the form that cuLaunchKernel takes as `extra`. The driver wants as
/// many bytes as the kernel declares, and C++ pads a struct at its end: a shorter block is copied and padded.
/// Refers to `bytes`, and must not move, while it is used.
class LaunchArguments {
public:
    /// A kernel declares less than so many bytes more than it gets.
    static constexpr std::size_t kMaxPadding = 16;
    /// The largest block that is padded.
    static constexpr std::size_t kMaxBytes = 4096;

    /// @param required what the kernel declares: at most kMaxBytes, and less than bytes.size() + kMaxPadding.
    LaunchArguments(std::span<const std::byte> bytes, std::size_t required) noexcept
        : m_size(required) {
        const std::byte* data = bytes.data();
        if (bytes.size() < required) [[unlikely]] {
            std::ranges::copy(bytes, m_padded.begin());
            std::fill(m_padded.begin() + static_cast<std::ptrdiff_t>(bytes.size()),
                      m_padded.begin() + static_cast<std::ptrdiff_t>(required), std::byte{0});
            data = m_padded.data();
        }
        m_extra = {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<std::byte*>(data),
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &m_size, CU_LAUNCH_PARAM_END};
    }
    LaunchArguments(const LaunchArguments&) = delete;
    LaunchArguments& operator=(const LaunchArguments&) = delete;

    /// Null for a kernel without parameters. The driver only reads through it.
    void** extra() const noexcept {
        return m_size > 0 ? const_cast<void**>(m_extra.data()) : nullptr;
    }

private:
    std::size_t m_size;
    std::array<void*, 5> m_extra;
    std::array<std::byte, kMaxBytes> m_padded; // left unset unless it is needed
};

} // namespace weft::device::cuda
