// SPDX-License-Identifier: Apache-2.0
// Numbers of one scalar kind to another, in host memory. Floats round to nearest and integers round to
// floats silently; a float never becomes an integer, and an integer that does not fit is refused.
#pragma once

#include "reflect/type.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weft::tensor {

/// An array in host memory. Elements need not be aligned.
struct HostSource {
    const std::byte* data = nullptr; ///< element 0
    reflect::ScalarKind kind = reflect::ScalarKind::float32;
    std::span<const std::int64_t> shape;
    std::span<const std::int64_t> strides; ///< bytes; may be negative or 0
};

/// An array in host memory that is written to. Elements must not overlap.
struct HostTarget {
    std::byte* data = nullptr;
    reflect::ScalarKind kind = reflect::ScalarKind::float32;
    std::span<const std::int64_t> strides; ///< bytes
};

enum class Conversion : std::uint8_t {
    silent,    ///< for arguments: a float is no integer, and only 0 and 1 are bools
    requested, ///< the user asked for it: floats lose their fraction, all but 0 is true
};

/// True if values of `from` may be stored as `to` silently, as far as that does not depend on the values.
[[nodiscard]] bool is_convertible(reflect::ScalarKind from, reflect::ScalarKind to) noexcept;

/// Stores every element of `source` in `target`, which has the same shape.
/// @param context begins the message: "from_numpy: argument 'array'".
/// @throws ArgumentError{type} for a float array to integers unless requested, ArgumentError{value} for
///         a number that does not fit, with its place; some elements may have been stored then.
void convert(const HostSource& source, const HostTarget& target, std::string_view context,
             Conversion conversion = Conversion::silent);

/// The same into row-major elements without gaps. `out` has element count times size_bytes(kind) bytes.
void convert(const HostSource& source, reflect::ScalarKind kind, std::span<std::byte> out,
             std::string_view context, Conversion conversion = Conversion::silent);

/// Byte strides of a row-major array without gaps.
[[nodiscard]] std::vector<std::int64_t> packed_byte_strides(std::span<const std::int64_t> shape,
                                                            reflect::ScalarKind kind);

/// "[-128, 127]".
[[nodiscard]] std::string range_text(reflect::ScalarKind kind);

/// The message for a float that is given where integers are expected.
[[nodiscard]] std::string float_to_integer_message(std::string_view context,
                                                   reflect::ScalarKind from,
                                                   reflect::ScalarKind to);

} // namespace weft::tensor
