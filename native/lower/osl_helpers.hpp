// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace weft::lower::osl {

/// A function that a shader brings along.
struct Helper {
    std::string_view name;
    std::string_view text; ///< its definition; it calls those that stand before it
};

/// Elementary functions within a few ulp: OSL's exp, pow, asin, atan2 and tanh are off by 3e-6 to 4.5e-5.
[[nodiscard]] std::span<const Helper> elementary_functions();

} // namespace weft::lower::osl
