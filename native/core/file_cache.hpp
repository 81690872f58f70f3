// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hash.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace weft::core {

/// Blobs on disk, keyed by (kind, Hash128). Several threads and processes may share one folder: an
/// entry is written to a temporary file and renamed. A damaged entry is a miss and is removed.
/// A folder that cannot be written or read means misses, never errors.
class FileCache {
public:
    struct Desc {
        std::filesystem::path directory; ///< created on the first store; empty: no cache
        std::uint64_t size_limit = std::uint64_t{1}
                                   << 30; ///< bytes; beyond it the oldest entries go
        bool is_read_only = false;        ///< nothing in the folder changes: shipped, not made here
    };

    explicit FileCache(Desc desc);

    bool is_enabled() const noexcept { return !m_desc.directory.empty(); }
    const std::filesystem::path& directory() const noexcept { return m_desc.directory; }

    /// The stored bytes, nullopt if absent or damaged. `kind` is a short word of letters ("kernel").
    [[nodiscard]] std::optional<std::vector<std::byte>> try_load(std::string_view kind,
                                                                 const Hash128& key);
    void store(std::string_view kind, const Hash128& key, std::span<const std::byte> bytes);
    void remove(std::string_view kind, const Hash128& key) noexcept;
    /// Removes every entry, temporary files of others included.
    void clear() noexcept;
    /// Removes the entries that were used longest ago until the folder is under 3/4 of the limit, if it
    /// is over the limit. store() does so now and then.
    void trim() noexcept;

    /// Where the entry lives, whether it exists or not.
    [[nodiscard]] std::filesystem::path entry_path(std::string_view kind, const Hash128& key) const;

private:
    Desc m_desc;
    std::atomic<std::uint64_t> m_bytes_until_trim{0};
};

} // namespace weft::core
