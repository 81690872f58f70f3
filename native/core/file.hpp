// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weft::core {

/// The whole file; nullopt if it is absent, no regular file, unreadable or larger than `limit` bytes.
[[nodiscard]] std::optional<std::vector<std::byte>> try_read_file(const std::filesystem::path& path,
                                                                  std::uint64_t limit);

/// Replaces `path` in one step (temporary file beside it, then rename), creating its folders.
/// False if that failed; nothing is left behind.
[[nodiscard]] bool try_write_file(const std::filesystem::path& path,
                                  std::span<const std::byte> bytes);

/// True for the names that try_write_file gives to its temporary files.
[[nodiscard]] bool is_temporary_file(const std::filesystem::path& path);

/// `path` as UTF-8 text with forward slashes.
[[nodiscard]] std::string utf8_path(const std::filesystem::path& path);
/// The path that UTF-8 text names.
[[nodiscard]] std::filesystem::path path_from_utf8(const std::string& text);

} // namespace weft::core
