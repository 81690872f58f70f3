// SPDX-License-Identifier: Apache-2.0
#include "core/host_memory.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#if defined(__linux__)

#include <cstring>
#include <fstream>
#include <string>
#include <sys/mman.h>

using weft::core::host_memory;
using weft::core::host_memory_below;
using weft::core::resident_bytes;
using weft::test::TemporaryFolder;

namespace {

constexpr std::uint64_t kKiB = 1024;

void write(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
}

/// A machine of 16 GiB, of which 8 are free.
void write_machine(const std::filesystem::path& root, const std::string& groups) {
    write(root / "proc/meminfo", "MemTotal:       16777216 kB\nMemFree:  100 kB\n"
                                 "MemAvailable:    8388608 kB\nSwapFree:  99999999 kB\n");
    write(root / "proc/self/cgroup", groups);
}

} // namespace

TEST_CASE("host memory is what the machine has left, without swap") {
    const TemporaryFolder folder;
    write_machine(folder.path(), "0::/\n");

    const auto memory = host_memory_below(folder.path());

    REQUIRE(memory);
    CHECK(memory->total == 16777216 * kKiB);
    CHECK(memory->available == 8388608 * kKiB);
}

TEST_CASE("limits of control groups count, their own and those above") {
    const TemporaryFolder folder;
    write_machine(folder.path(), "0::/outer/inner\n");
    const auto group = folder.path() / "sys/fs/cgroup";
    const auto fill = [&](const char* name, const char* limit, const char* used) {
        write(group / name / "memory.max", limit);
        write(group / name / "memory.current", used);
        write(group / name / "memory.stat", "anon 1\ninactive_file 1048576\nactive_file 5\n");
    };

    SECTION("of the group itself; the cache of files gives way") {
        fill("outer", "max\n", "3000000\n");
        fill("outer/inner", "1073741824\n", "3145728\n");
        const auto memory = host_memory_below(folder.path());
        REQUIRE(memory);
        CHECK(memory->total == 1073741824);
        CHECK(memory->available == 1073741824 - 2097152);
    }
    SECTION("of a group above") {
        fill("outer", "2147483648\n", "2147483648\n");
        fill("outer/inner", "max\n", "5\n");
        const auto memory = host_memory_below(folder.path());
        REQUIRE(memory);
        CHECK(memory->total == 2147483648);
        CHECK(memory->available == 1048576);
    }
    SECTION("a limit beyond the machine is none") {
        fill("outer", "99999999999999\n", "5\n");
        CHECK(host_memory_below(folder.path())->total == 16777216 * kKiB);
    }
}

TEST_CASE("limits of the first version of control groups count") {
    const TemporaryFolder folder;
    write_machine(folder.path(), "5:cpu,cpuacct:/elsewhere\n4:memory:/box\n0::/\n");
    const auto group = folder.path() / "sys/fs/cgroup/memory";
    const bool is_container =
        GENERATE(false, true); // where the group itself is mounted as the root
    const auto place = is_container ? group : group / "box";
    write(place / "memory.limit_in_bytes", "536870912\n");
    write(place / "memory.usage_in_bytes", "10485760\n");
    write(place / "memory.stat", "cache 1\ntotal_inactive_file 485760\n");

    const auto memory = host_memory_below(folder.path());

    REQUIRE(memory);
    CHECK(memory->total == 536870912);
    CHECK(memory->available == 536870912 - 10000000);
}

TEST_CASE("a machine that does not tell is no machine without memory") {
    const TemporaryFolder folder;

    CHECK_FALSE(host_memory_below(folder.path()));
}

TEST_CASE("this machine tells") {
    const auto memory = host_memory();

    REQUIRE(memory);
    CHECK(memory->total > 0);
    CHECK(memory->available <= memory->total);
}

TEST_CASE("resident bytes are those that were touched") {
    constexpr std::size_t kSize = std::size_t{40} << 20;
    constexpr std::size_t kTouched = std::size_t{9} << 20;
    void* const memory =
        ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    ::madvise(memory, kSize, MADV_NOHUGEPAGE);
    const std::span range(static_cast<const std::byte*>(memory), kSize);

    CHECK(resident_bytes(range) == 0);
    std::memset(memory, 1, kTouched);
    CHECK(resident_bytes(range) == kTouched);
    CHECK(resident_bytes(range.subspan(kTouched)) == 0);
    ::munmap(memory, kSize);
    CHECK(resident_bytes(range) == 0);
}

#endif
