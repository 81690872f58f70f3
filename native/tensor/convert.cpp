// SPDX-License-Identifier: Apache-2.0
#include "tensor/convert.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "tensor/array_layout.hpp"
#include "tensor/half.hpp"
#include "tensor/strided.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

namespace weft::tensor {

namespace {

using core::ArgumentError;
using core::text;
using reflect::ScalarKind;

struct Bool {
    std::uint8_t bits;
};
struct Half {
    std::uint16_t bits;
};

template <typename T>
inline constexpr bool kIsFloat = std::is_floating_point_v<T> || std::is_same_v<T, Half>;

template <typename T>
struct Tag {
    using type = T;
};

/// Calls visitor(Tag<T>{}) with the C++ type of `kind`.
template <typename Visitor>
void visit(ScalarKind kind, Visitor&& visitor) {
    switch (kind) {
    case ScalarKind::bool_: return visitor(Tag<Bool>{});
    case ScalarKind::int8: return visitor(Tag<std::int8_t>{});
    case ScalarKind::int16: return visitor(Tag<std::int16_t>{});
    case ScalarKind::int32: return visitor(Tag<std::int32_t>{});
    case ScalarKind::int64: return visitor(Tag<std::int64_t>{});
    case ScalarKind::uint8: return visitor(Tag<std::uint8_t>{});
    case ScalarKind::uint16: return visitor(Tag<std::uint16_t>{});
    case ScalarKind::uint32: return visitor(Tag<std::uint32_t>{});
    case ScalarKind::uint64: return visitor(Tag<std::uint64_t>{});
    case ScalarKind::float16: return visitor(Tag<Half>{});
    case ScalarKind::float32: return visitor(Tag<float>{});
    case ScalarKind::float64: return visitor(Tag<double>{});
    case ScalarKind::void_: break;
    }
    throw core::InternalError("convert: void has no values");
}

/// The value as a C++ number: half and bool widened.
template <typename T>
auto widened(T value) noexcept {
    if constexpr (std::is_same_v<T, Half>) {
        return float_from_half(value.bits);
    } else if constexpr (std::is_same_v<T, Bool>) {
        return static_cast<std::uint8_t>(value.bits != 0);
    } else {
        return value;
    }
}

/// Drops the fraction; false if the rest does not fit (NaN included). The limits are exact as doubles.
template <typename To>
bool truncate(double number, To& out) noexcept {
    const double lower = static_cast<double>(std::numeric_limits<To>::min());
    const double upper = std::ldexp(1.0, std::numeric_limits<To>::digits);
    const double whole = std::trunc(number);
    const bool fits = whole >= lower && whole < upper;
    if (fits) {
        out = static_cast<To>(whole);
    }
    return fits;
}

/// Stores `number` as To; false if it does not fit.
template <Conversion kConversion, typename To, typename Number>
bool narrow(Number number, To& out) noexcept {
    if constexpr (std::is_same_v<To, Half>) {
        out.bits = half_from_double(static_cast<double>(number));
        return true;
    } else if constexpr (std::is_same_v<To, Bool>) {
        out.bits = static_cast<std::uint8_t>(number != 0);
        return kConversion == Conversion::requested || number == 0 || number == 1;
    } else if constexpr (std::is_floating_point_v<To>) {
        out = static_cast<To>(number);
        return true;
    } else if constexpr (std::is_floating_point_v<Number>) {
        return truncate(static_cast<double>(number), out);
    } else {
        // NOLINTNEXTLINE(bugprone-signed-char-misuse): int8 is a number here, not a character.
        out = static_cast<To>(number);
        return std::in_range<To>(number);
    }
}

struct Fault {
    std::int64_t index = 0; ///< row-major
    std::string value;
};

struct RowPlace {
    const std::byte* source;
    std::byte* target;
    std::int64_t count;
    std::int64_t source_stride;
    std::int64_t target_stride;
};

/// Index in the row of the first element that does not fit, or nullopt.
template <Conversion kConversion, typename From, typename To>
std::optional<std::int64_t> convert_row(const RowPlace& row) noexcept {
    const std::byte* source = row.source;
    std::byte* target = row.target;
    for (std::int64_t i = 0; i < row.count;
         ++i, source += row.source_stride, target += row.target_stride) {
        From value;
        std::memcpy(&value, source, sizeof(From));
        To result{};
        if (!narrow<kConversion>(widened(value), result)) {
            return i;
        }
        std::memcpy(target, &result, sizeof(To));
    }
    return std::nullopt;
}

template <typename From>
std::string value_text(const std::byte* place) {
    From value;
    std::memcpy(&value, place, sizeof(From));
    return text(+widened(value));
}

template <Conversion kConversion, typename From, typename To>
std::optional<Fault> convert_rows(const HostSource& source, const HostTarget& target) {
    std::optional<Fault> fault;
    std::int64_t done = 0;
    const StridedWalk<2> walk(source.shape, {source.strides, target.strides});
    walk.for_each_row([&](const auto& offsets, std::int64_t count, const auto& strides) {
        const RowPlace row{source.data + offsets[0], target.data + offsets[1], count, strides[0],
                           strides[1]};
        constexpr bool kIsCopy = std::is_same_v<From, To> && !std::is_same_v<From, Bool>;
        if (fault) {
            return;
        }
        if (kIsCopy && strides[0] == std::int64_t{sizeof(From)} && strides[1] == strides[0]) {
            std::memcpy(row.target, row.source, static_cast<std::size_t>(count) * sizeof(From));
        } else if (const auto bad = convert_row<kConversion, From, To>(row)) {
            fault = Fault{done + *bad, value_text<From>(row.source + *bad * row.source_stride)};
        }
        done += count;
    });
    return fault;
}

std::string index_text(std::int64_t flat, std::span<const std::int64_t> shape) {
    std::vector<std::int64_t> index(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        index[axis] = flat % shape[axis];
        flat /= shape[axis];
    }
    return index.empty() ? "its value" : "element " + core::shape_text(index);
}

[[noreturn]] void throw_fault(const Fault& fault, const HostSource& source, ScalarKind to,
                              std::string_view context) {
    throw ArgumentError(text(context, ": ", index_text(fault.index, source.shape), " is ",
                             fault.value, ", outside the range ", range_text(to), " of ",
                             reflect::numpy_name(to), "; clip it or use a wider type"));
}

} // namespace

bool is_convertible(ScalarKind from, ScalarKind to) noexcept {
    return from != ScalarKind::void_ && to != ScalarKind::void_ &&
           (reflect::is_float(to) || !reflect::is_float(from));
}

std::string range_text(ScalarKind kind) {
    std::string result;
    visit(kind, [&](auto tag) {
        using T = typename decltype(tag)::type;
        if constexpr (std::is_integral_v<T>) {
            result = text('[', +std::numeric_limits<T>::min(), ", ", +std::numeric_limits<T>::max(),
                          ']');
        } else {
            result = "[0, 1]";
        }
    });
    return result;
}

std::string float_to_integer_message(std::string_view context, ScalarKind from, ScalarKind to) {
    return text(context, " holds ", reflect::numpy_name(from), " values, ", reflect::numpy_name(to),
                " is expected; round them yourself, for example with numpy.rint(x).astype(numpy.",
                reflect::numpy_name(to), ")");
}

std::vector<std::int64_t> packed_byte_strides(std::span<const std::int64_t> shape,
                                              ScalarKind kind) {
    std::vector<std::int64_t> strides = contiguous_strides(shape);
    for (std::int64_t& stride : strides) {
        stride *= static_cast<std::int64_t>(reflect::size_bytes(kind));
    }
    return strides;
}

void convert(const HostSource& source, const HostTarget& target, std::string_view context,
             Conversion conversion) {
    const bool is_allowed = is_convertible(source.kind, target.kind);
    if (conversion == Conversion::silent && !is_allowed) {
        throw ArgumentError(float_to_integer_message(context, source.kind, target.kind),
                            ArgumentError::Kind::type);
    }
    std::optional<Fault> fault;
    visit(source.kind, [&](auto from) {
        visit(target.kind, [&](auto to) {
            using From = typename decltype(from)::type;
            using To = typename decltype(to)::type;
            if (conversion == Conversion::requested) {
                fault = convert_rows<Conversion::requested, From, To>(source, target);
            } else if constexpr (kIsFloat<To> || !kIsFloat<From>) {
                fault = convert_rows<Conversion::silent, From, To>(source, target);
            }
        });
    });
    if (fault) {
        throw_fault(*fault, source, target.kind, context);
    }
}

void convert(const HostSource& source, ScalarKind kind, std::span<std::byte> out,
             std::string_view context, Conversion conversion) {
    const std::vector<std::int64_t> strides = packed_byte_strides(source.shape, kind);
    convert(source, {.data = out.data(), .kind = kind, .strides = strides}, context, conversion);
}

} // namespace weft::tensor
