// SPDX-License-Identifier: Apache-2.0
#include "core/file.hpp"
#include "core/file_cache.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <thread>

using namespace weft::core;
using weft::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

std::size_t count_files(const fs::path& folder) {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        count += entry.is_regular_file() ? 1 : 0;
    }
    return count;
}

} // namespace

TEST_CASE("a stored entry is found by its kind and key only") {
    const TemporaryFolder folder;
    FileCache cache({.directory = folder.path()});
    cache.store("kernel", hash_text("a"), bytes_of("code"));

    CHECK(cache.try_load("kernel", hash_text("a")) == bytes_of("code"));
    CHECK_FALSE(cache.try_load("module", hash_text("a")).has_value());
    CHECK_FALSE(cache.try_load("kernel", hash_text("b")).has_value());
}

TEST_CASE("another cache on the same folder sees the entry") {
    const TemporaryFolder folder;
    FileCache({.directory = folder.path()}).store("kernel", hash_text("a"), {});

    CHECK(FileCache({.directory = folder.path()}).try_load("kernel", hash_text("a")) ==
          std::vector<std::byte>());
}

TEST_CASE("a read-only cache answers, and leaves its folder as it is") {
    const TemporaryFolder folder;
    FileCache writer({.directory = folder.path()});
    writer.store("kernel", hash_text("good"), bytes_of("code"));
    writer.store("kernel", hash_text("bad"), bytes_of("code"));
    const fs::path damaged = writer.entry_path("kernel", hash_text("bad"));
    fs::resize_file(damaged, fs::file_size(damaged) - 1);
    FileCache cache({.directory = folder.path(), .size_limit = 1, .is_read_only = true});

    CHECK(cache.try_load("kernel", hash_text("good")) == bytes_of("code"));
    CHECK_FALSE(cache.try_load("kernel", hash_text("bad")).has_value());
    cache.store("kernel", hash_text("new"), bytes_of("code"));
    cache.remove("kernel", hash_text("good"));
    cache.trim();
    cache.clear();
    CHECK(count_files(folder.path()) == 2);
}

TEST_CASE("a damaged, shortened or foreign entry is a miss and is removed") {
    const TemporaryFolder folder;
    FileCache cache({.directory = folder.path()});
    const Hash128 key = hash_text("a");
    const fs::path path = cache.entry_path("kernel", key);
    cache.store("kernel", key, bytes_of("some code"));
    auto bytes = *try_read_file(path, 1000);
    SECTION("one bit") {
        bytes.back() ^= std::byte{1};
    }
    SECTION("end missing") {
        bytes.pop_back();
    }
    SECTION("almost nothing left") {
        bytes.resize(3);
    }
    SECTION("of another key") {
        bytes = *try_read_file(path, 1000), bytes[4] ^= std::byte{1};
    }
    REQUIRE(try_write_file(path, bytes));

    CHECK_FALSE(cache.try_load("kernel", key).has_value());
    CHECK_FALSE(fs::exists(path));
    cache.store("kernel", key, bytes_of("healed"));
    CHECK(cache.try_load("kernel", key) == bytes_of("healed"));
}

TEST_CASE("over the limit the entries used longest ago are removed") {
    const TemporaryFolder folder;
    FileCache cache({.directory = folder.path(), .size_limit = 10'000});
    const std::vector<std::byte> block(3000);
    for (const std::string name : {"old", "middle", "new"}) {
        cache.store("k", hash_text(name), block);
    }
    const auto now = fs::file_time_type::clock::now();
    fs::last_write_time(cache.entry_path("k", hash_text("old")), now - std::chrono::hours(3));
    fs::last_write_time(cache.entry_path("k", hash_text("middle")), now - std::chrono::hours(2));
    (void)cache.try_load("k", hash_text("old")); // now the youngest

    cache.store("k", hash_text("newest"), block);
    cache.trim();

    CHECK(cache.try_load("k", hash_text("old")).has_value());
    CHECK_FALSE(cache.try_load("k", hash_text("middle")).has_value());
    CHECK(cache.try_load("k", hash_text("newest")).has_value());
}

TEST_CASE("storing keeps the folder near its limit without being asked") {
    const TemporaryFolder folder;
    FileCache cache({.directory = folder.path(), .size_limit = 64'000});
    const std::vector<std::byte> block(1000);
    for (int i = 0; i < 300; ++i) {
        cache.store("k", hash_text(std::to_string(i)), block);
    }

    CHECK(count_files(folder.path()) <= 64 + 64 / 16 + 1);
}

TEST_CASE("clear removes all entries and leaves other files alone") {
    const TemporaryFolder folder;
    const auto other = folder.write("precious.txt", "x");
    FileCache cache({.directory = folder.path()});
    cache.store("k", hash_text("a"), {});

    cache.clear();

    CHECK_FALSE(cache.try_load("k", hash_text("a")).has_value());
    CHECK(fs::exists(other));
}

TEST_CASE("trimming removes temporary files that a crash left, but not fresh ones") {
    const TemporaryFolder folder;
    const auto stale = folder.write("k/00/stale.part", "x");
    const auto fresh = folder.write("k/00/fresh.part", "x");
    fs::last_write_time(stale, fs::file_time_type::clock::now() - std::chrono::hours(2));

    FileCache({.directory = folder.path()}).trim();

    CHECK_FALSE(fs::exists(stale));
    CHECK(fs::exists(fresh));
}

TEST_CASE("a cache without a folder, or with one that cannot be made, misses and never fails") {
    for (const fs::path& directory : {fs::path(), fs::path("/proc/nowhere")}) {
        FileCache cache({.directory = directory});
        cache.store("k", hash_text("a"), bytes_of("x"));
        cache.trim();
        cache.clear();
        CHECK_FALSE(cache.try_load("k", hash_text("a")).has_value());
    }
}

TEST_CASE("threads that write and read one entry see it whole or not at all") {
    const TemporaryFolder folder;
    const Hash128 key = hash_text("contended");
    const std::vector<std::byte> block(100'000, std::byte{42});
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            FileCache cache({.directory = folder.path()});
            for (int i = 0; i < 50; ++i) {
                cache.store("k", key, block);
                const auto loaded = cache.try_load("k", key);
                wrong += loaded == block ? 0 : 1;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }

    CHECK(wrong == 0);
    CHECK(count_files(folder.path()) == 1);
}

TEST_CASE("reading refuses directories, absent files and files over the limit") {
    const TemporaryFolder folder;
    const auto file = folder.write("a.txt", "12345");

    CHECK_FALSE(try_read_file(folder.path(), 100).has_value());
    CHECK_FALSE(try_read_file(folder.path() / "absent", 100).has_value());
    CHECK_FALSE(try_read_file(file, 4).has_value());
    CHECK(try_read_file(file, 5) == bytes_of("12345"));
}
