// SPDX-License-Identifier: Apache-2.0
// The keys `lights` and `world` of a target.
#pragma once

#include "job/job_text.hpp"
#include "job/toml_table.hpp"

#include <filesystem>
#include <optional>

namespace weft::job {

/// Reads `lights`: names, and tables with `kind`, `space` and the fields of a light.
/// @throws ArgumentError with file and line.
void read_lights(TomlTable& table, TargetEntry& target);

/// Reads `world`: false, a file, or a table with `image`. Not set: it is absent.
/// @param folder that the file is relative to. @throws ArgumentError with file and line.
[[nodiscard]] std::optional<WorldEntry> read_world(TomlTable& table,
                                                   const std::filesystem::path& folder);

} // namespace weft::job
