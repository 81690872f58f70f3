// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace weft::core {

/// The shared library or program that holds the function at `code`, its links resolved; empty if the system does not
/// say.
[[nodiscard]] std::filesystem::path file_of_code(const void* code);

} // namespace weft::core
