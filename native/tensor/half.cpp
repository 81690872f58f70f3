// SPDX-License-Identifier: Apache-2.0
#include "tensor/half.hpp"

#include <bit>
#include <cmath>

namespace weft::tensor {

namespace {

constexpr std::uint16_t kSign = 0x8000;
constexpr std::uint16_t kInfinity = 0x7c00;
constexpr std::uint16_t kQuietNan = 0x7e00;
constexpr std::uint16_t kMantissa = 0x03ff;
constexpr int kMantissaBits = 10;
constexpr int kSmallestExponent = -14; ///< of a normal number
constexpr double kOverflow =
    65520.0; ///< halfway between the largest half and the next power of two

} // namespace

std::uint16_t half_from_double(double value) noexcept {
    const std::uint16_t sign = std::signbit(value) ? kSign : std::uint16_t{0};
    const double magnitude = std::fabs(value);
    if (std::isnan(value)) {
        return static_cast<std::uint16_t>(sign | kQuietNan);
    }
    if (magnitude >= kOverflow) {
        return static_cast<std::uint16_t>(sign | kInfinity);
    }
    int exponent = kSmallestExponent;
    if (magnitude >= std::ldexp(1.0, kSmallestExponent)) {
        exponent = std::ilogb(magnitude);
    }
    // In units of the last place the value is below 2048 and scaling is exact, so one rounding happens.
    // A carry out of the mantissa runs into the exponent field, which is what the encoding wants.
    const double units = std::nearbyint(std::ldexp(magnitude, kMantissaBits - exponent));
    const int base = (exponent - kSmallestExponent) << kMantissaBits;
    return static_cast<std::uint16_t>(sign |
                                      static_cast<std::uint16_t>(base + static_cast<int>(units)));
}

float float_from_half(std::uint16_t bits) noexcept {
    const bool is_negative = (bits & kSign) != 0;
    const int exponent = (bits & kInfinity) >> kMantissaBits;
    const int mantissa = bits & kMantissa;
    float magnitude = 0.0F;
    if (exponent == kInfinity >> kMantissaBits) {
        constexpr std::uint32_t kFloatInfinity = 0x7f800000U;
        magnitude =
            std::bit_cast<float>(kFloatInfinity | static_cast<std::uint32_t>(mantissa) << 13U);
    } else if (exponent == 0) {
        magnitude = std::ldexp(static_cast<float>(mantissa), kSmallestExponent - kMantissaBits);
    } else {
        const int significand = mantissa | (1 << kMantissaBits);
        magnitude = std::ldexp(static_cast<float>(significand),
                               exponent - 1 + kSmallestExponent - kMantissaBits);
    }
    return is_negative ? -magnitude : magnitude;
}

} // namespace weft::tensor
