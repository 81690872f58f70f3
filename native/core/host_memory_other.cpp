// SPDX-License-Identifier: Apache-2.0
#include "core/host_memory.hpp"

#if !defined(__linux__)

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#elif defined(__APPLE__)
#include <mach/mach.h>
#include <sys/sysctl.h>
#include <sys/types.h>
#include <unistd.h>
#endif

namespace weft::core {

#if defined(_WIN32)

std::optional<HostMemory> host_memory() {
    MEMORYSTATUSEX status{};
    status.dwLength = sizeof status;
    if (!GlobalMemoryStatusEx(&status)) {
        return std::nullopt;
    }
    return HostMemory{.total = status.ullTotalPhys, .available = status.ullAvailPhys};
}

#elif defined(__APPLE__)

std::optional<HostMemory> host_memory() {
    std::uint64_t total = 0;
    std::size_t size = sizeof total;
    vm_statistics64_data_t pages{};
    mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
    if (::sysctlbyname("hw.memsize", &total, &size, nullptr, 0) != 0 ||
        ::host_statistics64(::mach_host_self(), HOST_VM_INFO64,
                            reinterpret_cast<host_info64_t>(&pages), &count) != KERN_SUCCESS) {
        return std::nullopt;
    }
    const std::uint64_t free_pages =
        std::uint64_t{pages.free_count} + pages.inactive_count + pages.purgeable_count;
    return HostMemory{.total = total,
                      .available = free_pages * static_cast<std::uint64_t>(::getpagesize())};
}

#else

std::optional<HostMemory> host_memory() {
    return std::nullopt;
}

#endif

std::optional<HostMemory> host_memory_below(const std::filesystem::path&) {
    return host_memory();
}

std::uint64_t resident_bytes(std::span<const std::byte>) noexcept {
    return 0;
}

void populate(std::span<std::byte>) noexcept {}

void prefer_large_pages(std::span<std::byte>) noexcept {}

} // namespace weft::core

#endif
