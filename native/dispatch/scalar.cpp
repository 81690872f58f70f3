// SPDX-License-Identifier: Apache-2.0
#include "dispatch/launch.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <bit>
#include <cstring>
#include <limits>

namespace weft::dispatch {

using core::text;
using reflect::ScalarKind;

namespace {

struct Range {
    std::int64_t low = 0;
    std::uint64_t high = 0;
};

template <typename T>
constexpr Range range_of() {
    return {static_cast<std::int64_t>(std::numeric_limits<T>::min()),
            static_cast<std::uint64_t>(std::numeric_limits<T>::max())};
}

Range integer_range(ScalarKind kind) {
    switch (kind) {
    case ScalarKind::int8: return range_of<std::int8_t>();
    case ScalarKind::int16: return range_of<std::int16_t>();
    case ScalarKind::int32: return range_of<std::int32_t>();
    case ScalarKind::uint8: return range_of<std::uint8_t>();
    case ScalarKind::uint16: return range_of<std::uint16_t>();
    case ScalarKind::uint32: return range_of<std::uint32_t>();
    case ScalarKind::uint64: return range_of<std::uint64_t>();
    default: return range_of<std::int64_t>();
    }
}

template <typename T>
void put(std::byte* out, T value) {
    std::memcpy(out, &value, sizeof(T));
}

/// A number as either exact integer or double.
struct Number {
    bool is_integer = false;
    std::int64_t integer = 0; ///< bits of a uint64 if is_unsigned
    double real = 0.0;
    bool is_unsigned = false;

    double as_double() const noexcept {
        if (!is_integer) {
            return real;
        }
        return is_unsigned ? static_cast<double>(static_cast<std::uint64_t>(integer))
                           : static_cast<double>(integer);
    }
};

void write_integer(const Number& number, const ScalarDestination& to) {
    const Range range = integer_range(to.kind);
    const auto bits = static_cast<std::uint64_t>(number.integer);
    const bool is_negative = !number.is_unsigned && number.integer < 0;
    if (is_negative ? number.integer < range.low : bits > range.high) {
        throw core::ArgumentError(
            text(to.function, ": parameter '", to.parameter, "' is ", slang_name(to.kind),
                 ", which holds ", range.low, " to ", range.high, ", got ",
                 is_negative ? text(number.integer) : text(bits), "; use a wider type"));
    }
    if (reflect::size_bytes(to.kind) == 8) {
        put(to.out, bits);
    } else {
        put(to.out, static_cast<std::uint32_t>(bits));
    }
}

void write_float(double value, ScalarKind kind, std::byte* out) {
    if (kind == ScalarKind::float64) {
        put(out, value);
    } else {
        put(out, static_cast<float>(value));
    }
}

Number number_of(const ArgumentList& arguments, const Node& node, std::uint32_t component) {
    const bool is_unsigned = node.scalar == ScalarKind::uint64;
    switch (node.kind) {
    case NodeKind::boolean: return {.is_integer = true, .integer = node.boolean ? 1 : 0};
    case NodeKind::integer:
        return {.is_integer = true, .integer = node.integer, .is_unsigned = is_unsigned};
    case NodeKind::real: return {.real = node.real};
    default: break;
    }
    const std::uint64_t word = arguments.data(node)[component];
    if (node.scalar == ScalarKind::float64) {
        return {.real = std::bit_cast<double>(word)};
    }
    return {.is_integer = true,
            .integer = std::bit_cast<std::int64_t>(word),
            .is_unsigned = is_unsigned};
}

void write_number(const Number& number, const ScalarDestination& to) {
    if (reflect::is_float(to.kind)) {
        write_float(number.as_double(), to.kind, to.out);
    } else if (to.kind == ScalarKind::bool_) {
        if (number.integer != 0 && number.integer != 1) {
            throw core::ArgumentError(text(to.function, ": parameter '", to.parameter,
                                           "' is bool, which holds 0 and 1, got ", number.integer,
                                           "; compare the number with 0 first"));
        }
        put(to.out, static_cast<std::uint32_t>(number.integer));
    } else if (number.is_integer) {
        write_integer(number, to);
    } else {
        write_integer({.is_integer = true, .integer = static_cast<std::int64_t>(number.real)}, to);
    }
}

/// One element of a numpy array; the array converts itself, then small kinds are widened.
void write_host_element(const HostArray& array, std::uint32_t component,
                        const ScalarDestination& to, HostScalars& read) {
    const ScalarKind wide = reflect::is_float(to.kind) ? ScalarKind::float64 : to.kind;
    const std::size_t size = reflect::size_bytes(wide);
    if (read.array != &array || read.kind != wide) {
        std::int64_t count = 1;
        for (const std::int64_t extent : array.shape) {
            count *= extent;
        }
        read.bytes.resize(static_cast<std::size_t>(count) * size);
        array.read_as(wide, read.bytes,
                      core::text(to.function, ": parameter '", to.parameter, "'"));
        read.array = &array;
        read.kind = wide;
    }
    const std::byte* element = read.bytes.data() + component * size;
    if (wide == ScalarKind::float64) {
        double value = 0.0;
        std::memcpy(&value, element, sizeof(value));
        write_float(value, to.kind, to.out);
        return;
    }
    std::uint64_t value = 0;
    std::memcpy(&value, element, size);
    if (reflect::is_signed(to.kind) && size < 8) {
        const auto shift = 64U - 8U * static_cast<unsigned>(size);
        value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value << shift) >> shift);
    }
    std::memcpy(to.out, &value, size == 8 ? 8 : 4);
}

} // namespace

void require_coordinates(std::string_view function, const GridCheck& check, std::int64_t first,
                         std::int64_t last) {
    const Range range = integer_range(check.scalar);
    const auto fits = [&](std::int64_t value) {
        return value < 0 ? value >= range.low : static_cast<std::uint64_t>(value) <= range.high;
    };
    if (!fits(first) || !fits(last)) {
        throw core::ArgumentError(
            text(function, ": parameter '", check.name, "' takes coordinates as ",
                 slang_name(check.scalar), ", which holds ", range.low, " to ", range.high,
                 ", got ", first, " to ", last,
                 "; declare it int64_t, or call the function for a part of the grid at a time"));
    }
}

void write_scalar(const ArgumentList& arguments, const Node& node, std::uint32_t component,
                  const ScalarDestination& to, HostScalars* read) {
    HostScalars own;
    if (node.kind == NodeKind::host_array) {
        write_host_element(*node.host, component, to, read != nullptr ? *read : own);
    } else {
        write_number(number_of(arguments, node, component), to);
    }
}

} // namespace weft::dispatch
