// SPDX-License-Identifier: Apache-2.0
// Facts about this process and the user's folders.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace weft::core {

/// Identifies this process; differs in a child after fork().
[[nodiscard]] std::uint64_t process_id() noexcept;

/// The environment variable, nullopt if unset or empty.
[[nodiscard]] std::optional<std::string> environment_variable(const char* name);

/// The folder for Weft's caches: $WEFT_CACHE_DIR, else the user's cache folder + "weft"
/// ($XDG_CACHE_HOME or ~/.cache, ~/Library/Caches on macOS, %LOCALAPPDATA% on Windows).
/// Empty if the user has no home. Not created.
[[nodiscard]] std::filesystem::path default_cache_directory();

} // namespace weft::core
