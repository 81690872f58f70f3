// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace weft::core {

/// SHA-256 (FIPS 180-4) of bytes: 64 lower-case hexadecimal digits. For names that must be the same everywhere and for
/// good; caches take hash.hpp, which is faster.
[[nodiscard]] std::string sha256(std::string_view bytes);

} // namespace weft::core
