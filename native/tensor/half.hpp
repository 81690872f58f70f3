// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weft::tensor {

/// IEEE 754 binary16 from binary64, rounded to nearest even; too large becomes infinity, NaN stays NaN.
[[nodiscard]] std::uint16_t half_from_double(double value) noexcept;

/// Exact.
[[nodiscard]] float float_from_half(std::uint16_t bits) noexcept;

} // namespace weft::tensor
