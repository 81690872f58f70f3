// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reflect/type.hpp"

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace weft::engine {

/// bool, the integers of 8 to 64 bits, float and double.
template <typename T>
concept Number =
    std::is_arithmetic_v<T> && !std::is_const_v<T> && !std::is_same_v<T, long double> &&
    !std::is_same_v<T, wchar_t> && !std::is_same_v<T, char16_t> && !std::is_same_v<T, char32_t>;

/// The scalar of Slang that a number of C++ is.
template <Number T>
[[nodiscard]] constexpr reflect::ScalarKind scalar_kind() noexcept {
    using reflect::ScalarKind;
    if constexpr (std::is_same_v<T, bool>) {
        return ScalarKind::bool_;
    } else if constexpr (std::is_floating_point_v<T>) {
        return sizeof(T) == 4 ? ScalarKind::float32 : ScalarKind::float64;
    } else {
        constexpr bool kIsSigned = std::is_signed_v<T>;
        switch (sizeof(T)) {
        case 1: return kIsSigned ? ScalarKind::int8 : ScalarKind::uint8;
        case 2: return kIsSigned ? ScalarKind::int16 : ScalarKind::uint16;
        case 4: return kIsSigned ? ScalarKind::int32 : ScalarKind::uint32;
        default: return kIsSigned ? ScalarKind::int64 : ScalarKind::uint64;
        }
    }
}

} // namespace weft::engine
