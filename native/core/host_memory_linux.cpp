// SPDX-License-Identifier: Apache-2.0
#include "core/host_memory.hpp"

#if defined(__linux__)

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace weft::core {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

/// The number at the start of a file; nullopt for "max", or if there is no such file.
std::optional<std::uint64_t> read_number(const fs::path& path) {
    std::ifstream file(path);
    std::string word;
    std::uint64_t number = 0;
    if (!(file >> word) ||
        std::from_chars(word.data(), word.data() + word.size(), number).ec != std::errc()) {
        return std::nullopt;
    }
    return number;
}

/// The number behind `key` in lines of "key number".
std::optional<std::uint64_t> read_entry(const fs::path& path, std::string_view key) {
    std::ifstream file(path);
    std::string word;
    std::uint64_t number = 0;
    while (file >> word) {
        if (word == key && file >> number) {
            return number;
        }
        file.clear();
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return std::nullopt;
}

std::optional<std::uint64_t> read_meminfo(const fs::path& root, std::string_view key) {
    const auto kibibytes = read_entry(root / "proc/meminfo", key);
    return kibibytes ? std::optional(*kibibytes << 10U) : std::nullopt;
}

/// Names of one version of control groups.
struct GroupFiles {
    const char* limit;
    const char* used;
    const char* reclaimable; ///< entry of memory.stat: the cache of files, which gives way
};
constexpr GroupFiles kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes",
                               "total_inactive_file"};
constexpr GroupFiles kVersion2{"memory.max", "memory.current", "inactive_file"};

void apply_limit(HostMemory& memory, const fs::path& group, const GroupFiles& names) {
    const auto limit = read_number(group / names.limit);
    const auto used = read_number(group / names.used);
    if (!limit || !used || *limit >= memory.total) {
        return;
    }
    const std::uint64_t cached = read_entry(group / "memory.stat", names.reclaimable).value_or(0);
    const std::uint64_t kept = *used - std::min(*used, cached);
    memory.total = *limit;
    memory.available = std::min(memory.available, *limit - std::min(*limit, kept));
}

/// The group itself and all above it. In a container the path is often one of the host's: then only the root,
/// where the container's own group is mounted, is there.
void apply_limits(HostMemory& memory, const fs::path& mount, const std::string& group,
                  const GroupFiles& names) {
    fs::path path = fs::path(group).relative_path().lexically_normal();
    for (;; path = path.parent_path()) {
        apply_limit(memory, path.empty() ? mount : mount / path, names);
        if (path.empty()) {
            return;
        }
    }
}

/// Lines of /proc/self/cgroup: "0::/path" for version 2, "5:memory:/path" for version 1.
void apply_groups(HostMemory& memory, const fs::path& root) {
    std::ifstream file(root / "proc/self/cgroup");
    std::string line;
    const fs::path mount = root / "sys/fs/cgroup";
    while (std::getline(file, line)) {
        const auto first = line.find(':');
        const auto second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) {
            continue;
        }
        const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
        const std::string path = line.substr(second + 1);
        if (controllers == ",,") {
            apply_limits(memory, mount, path, kVersion2);
        } else if (controllers.find(",memory,") != std::string::npos) {
            apply_limits(memory, mount / "memory", path, kVersion1);
        }
    }
}

/// RLIMIT_AS counts what is mapped, touched or not.
void apply_address_limit(HostMemory& memory, const fs::path& root) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return;
    }
    const auto pages = read_number(root / "proc/self/statm");
    const std::uint64_t mapped =
        pages.value_or(0) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const std::uint64_t allowed = limit.rlim_cur;
    memory.total = std::min(memory.total, allowed);
    memory.available = std::min(memory.available, allowed - std::min(allowed, mapped));
}

} // namespace

std::optional<HostMemory> host_memory_below(const fs::path& root) {
    const auto total = read_meminfo(root, "MemTotal:");
    const auto available = read_meminfo(root, "MemAvailable:");
    if (!total || !available) {
        return std::nullopt;
    }
    HostMemory memory{.total = *total, .available = *available};
    apply_groups(memory, root);
    apply_address_limit(memory, root);
    return memory;
}

std::optional<HostMemory> host_memory() {
    return host_memory_below("/");
}

std::uint64_t resident_bytes(std::span<const std::byte> range) noexcept {
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<std::uintptr_t>(range.data()) / page * page;
    const auto end = reinterpret_cast<std::uintptr_t>(range.data()) + range.size();
    std::array<unsigned char, 4096> pages{};
    std::uint64_t found = 0;
    for (std::uintptr_t at = begin; at < end; at += pages.size() * page) {
        const std::uint64_t size = std::min<std::uint64_t>(end - at, pages.size() * page);
        const std::uint64_t count = (size + page - 1) / page;
        if (::mincore(reinterpret_cast<void*>(at), size, pages.data()) != 0) { // NOLINT
            return 0; // not all of it is mapped
        }
        found += static_cast<std::uint64_t>(
            std::count_if(pages.begin(), pages.begin() + static_cast<std::ptrdiff_t>(count),
                          [](unsigned char flags) { return (flags & 1U) != 0; }));
    }
    return found * page;
}

namespace {

#if !defined(MADV_POPULATE_WRITE)
constexpr int MADV_POPULATE_WRITE = 23; // of Linux 5.14, which headers may be older than
#endif

void advise(std::span<std::byte> range, int advice) noexcept {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto begin = (reinterpret_cast<std::uintptr_t>(range.data()) + page - 1) / page * page;
    const auto end = (reinterpret_cast<std::uintptr_t>(range.data()) + range.size()) / page * page;
    if (begin < end) {
        // A hint: where the system refuses it, pages come as they are touched.
        static_cast<void>(::madvise(reinterpret_cast<void*>(begin), end - begin, advice)); // NOLINT
    }
}

} // namespace

void populate(std::span<std::byte> range) noexcept {
    advise(range, MADV_POPULATE_WRITE);
}

void prefer_large_pages(std::span<std::byte> range) noexcept {
    advise(range, MADV_HUGEPAGE);
}

} // namespace weft::core

#endif
