// SPDX-License-Identifier: Apache-2.0
// How much memory of the machine this process can still have.
#pragma once

#include "core/api.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

namespace weft::core {

struct HostMemory {
    std::uint64_t total = 0; ///< bytes of RAM that this process may use at most
    std::uint64_t available =
        0; ///< bytes that it can touch now without swapping, or being killed for it
};

/// The machine's memory (Linux: MemAvailable), cut to the limits of the control groups that the process is in and
/// to its limit of address space. Swap does not count. Costs some 50 microseconds.
/// nullopt if the system does not tell.
[[nodiscard]] std::optional<HostMemory> host_memory();

/// As host_memory(), read below `root` instead of "/" (Linux only); for tests.
[[nodiscard]] std::optional<HostMemory> host_memory_below(const std::filesystem::path& root);

/// Bytes of `range` that were touched already, and so are no longer part of HostMemory::available; counted in
/// whole pages. 0 if the system does not tell.
[[nodiscard]] std::uint64_t resident_bytes(std::span<const std::byte> range) noexcept;

/// Lets the system provide the whole pages of `range` now, in one call, instead of one by one as they are touched; what
/// was written stays. Does nothing where the system has no such call (Linux before 5.14, others).
WEFT_API void populate(std::span<std::byte> range) noexcept;

/// Asks for large pages, for memory that was not touched yet. A hint: systems without them do nothing.
WEFT_API void prefer_large_pages(std::span<std::byte> range) noexcept;

} // namespace weft::core
