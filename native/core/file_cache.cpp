// SPDX-License-Identifier: Apache-2.0
#include "core/file_cache.hpp"

#include "core/archive.hpp"
#include "core/file.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>

namespace weft::core {

namespace fs = std::filesystem;

namespace {

constexpr std::uint32_t kMagic = 0x31434657; // "WFC1"
constexpr std::string_view kExtension = ".weft";
constexpr auto kTouchInterval = std::chrono::hours(1);
constexpr auto kStaleTemporary = std::chrono::hours(1);

struct Entry {
    fs::path path;
    fs::file_time_type time;
    std::uint64_t size = 0;
};

/// The stored form: magic, key, checksum of the payload, payload.
std::vector<std::byte> wrap(const Hash128& key, std::span<const std::byte> payload) {
    ArchiveWriter writer;
    writer(kMagic, key, hash_bytes(payload));
    writer.put_bytes(payload);
    return writer.take();
}

std::optional<std::vector<std::byte>> unwrap(const Hash128& key, std::span<const std::byte> bytes) {
    constexpr std::size_t kHeader = sizeof kMagic + 2 * sizeof(Hash128);
    if (bytes.size() < kHeader) {
        return std::nullopt;
    }
    ArchiveReader reader(bytes);
    std::uint32_t magic = 0;
    Hash128 stored_key;
    Hash128 checksum;
    reader(magic, stored_key, checksum);
    const std::span<const std::byte> payload = bytes.subspan(kHeader);
    if (magic != kMagic || stored_key != key || checksum != hash_bytes(payload)) {
        return std::nullopt;
    }
    return std::vector<std::byte>(payload.begin(), payload.end());
}

/// Keeps the modification time as the time of last use, coarsely: one write an hour, not one a hit.
void touch(const fs::path& path) noexcept {
    std::error_code error;
    const auto now = fs::file_time_type::clock::now();
    const auto time = fs::last_write_time(path, error);
    if (!error && now - time > kTouchInterval) {
        fs::last_write_time(path, now, error);
    }
}

/// Entries under `directory`; temporary files of crashed writers are removed on the way.
std::vector<Entry> list_entries(const fs::path& directory) {
    std::vector<Entry> entries;
    std::error_code error;
    const auto now = fs::file_time_type::clock::now();
    for (fs::recursive_directory_iterator it(directory, error), end; !error && it != end;
         it.increment(error)) {
        std::error_code ignored; // another process may remove the file at any moment
        if (!it->is_regular_file(ignored)) {
            continue;
        }
        const auto time = it->last_write_time(ignored);
        const std::uint64_t size = it->file_size(ignored);
        if (it->path().extension() == kExtension) {
            entries.push_back({it->path(), time, ignored ? 0 : size});
        } else if (is_temporary_file(it->path()) && now - time > kStaleTemporary) {
            fs::remove(it->path(), ignored);
        }
    }
    return entries;
}

} // namespace

FileCache::FileCache(Desc desc) : m_desc(std::move(desc)) {}

fs::path FileCache::entry_path(std::string_view kind, const Hash128& key) const {
    const std::string name = key.to_string();
    return m_desc.directory / std::string(kind) / name.substr(0, 2) /
           (name + std::string(kExtension));
}

std::optional<std::vector<std::byte>> FileCache::try_load(std::string_view kind,
                                                          const Hash128& key) {
    if (!is_enabled()) {
        return std::nullopt;
    }
    const fs::path path = entry_path(kind, key);
    const auto bytes = try_read_file(path, std::numeric_limits<std::uint64_t>::max());
    if (!bytes) {
        return std::nullopt;
    }
    auto payload = unwrap(key, *bytes);
    if (!m_desc.is_read_only) {
        if (payload) {
            touch(path);
        } else {
            remove(kind, key);
        }
    }
    return payload;
}

void FileCache::store(std::string_view kind, const Hash128& key, std::span<const std::byte> bytes) {
    if (!is_enabled() || m_desc.is_read_only) {
        return;
    }
    const std::uint64_t stride = std::max<std::uint64_t>(1, m_desc.size_limit / 16);
    // The counter starts at 0, so the first store of a process trims what earlier processes left.
    std::uint64_t left = m_bytes_until_trim.load();
    const std::uint64_t size = bytes.size();
    const bool is_trim_due = left < size;
    m_bytes_until_trim.store(is_trim_due ? stride : left - size);
    if (try_write_file(entry_path(kind, key), wrap(key, bytes)) && is_trim_due) {
        trim();
    }
}

void FileCache::remove(std::string_view kind, const Hash128& key) noexcept {
    std::error_code ignored;
    if (!m_desc.is_read_only) {
        fs::remove(entry_path(kind, key), ignored);
    }
}

void FileCache::clear() noexcept {
    std::error_code ignored;
    if (is_enabled() && !m_desc.is_read_only) {
        for (const Entry& entry : list_entries(m_desc.directory)) {
            fs::remove(entry.path, ignored);
        }
    }
}

void FileCache::trim() noexcept {
    if (!is_enabled() || m_desc.is_read_only) {
        return;
    }
    std::vector<Entry> entries = list_entries(m_desc.directory);
    std::uint64_t total = 0;
    for (const Entry& entry : entries) {
        total += entry.size;
    }
    if (total <= m_desc.size_limit) {
        return;
    }
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.time < b.time; });
    for (const Entry& entry : entries) {
        if (total <= m_desc.size_limit / 4 * 3) {
            return;
        }
        std::error_code ignored;
        fs::remove(entry.path, ignored);
        total -= entry.size;
    }
}

} // namespace weft::core
