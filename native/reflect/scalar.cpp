// SPDX-License-Identifier: Apache-2.0
#include "reflect/type.hpp"

#include <array>

namespace weft::reflect {

namespace {

struct ScalarTraits {
    std::size_t size;
    std::string_view slang;
    std::string_view numpy;
};

/// Indexed by ScalarKind.
constexpr std::array<ScalarTraits, 13> kScalars{{
    {0, "void", "void"},
    {1, "bool", "bool"},
    {1, "int8_t", "int8"},
    {2, "int16_t", "int16"},
    {4, "int", "int32"},
    {8, "int64_t", "int64"},
    {1, "uint8_t", "uint8"},
    {2, "uint16_t", "uint16"},
    {4, "uint", "uint32"},
    {8, "uint64_t", "uint64"},
    {2, "half", "float16"},
    {4, "float", "float32"},
    {8, "double", "float64"},
}};

const ScalarTraits& traits(ScalarKind kind) noexcept {
    return kScalars[static_cast<std::size_t>(kind)];
}

} // namespace

std::size_t size_bytes(ScalarKind kind) noexcept {
    return traits(kind).size;
}

std::string_view slang_name(ScalarKind kind) noexcept {
    return traits(kind).slang;
}

std::string_view numpy_name(ScalarKind kind) noexcept {
    return traits(kind).numpy;
}

bool is_float(ScalarKind kind) noexcept {
    return kind >= ScalarKind::float16 && kind <= ScalarKind::float64;
}

bool is_integer(ScalarKind kind) noexcept {
    return kind >= ScalarKind::int8 && kind <= ScalarKind::uint64;
}

bool is_signed(ScalarKind kind) noexcept {
    return (kind >= ScalarKind::int8 && kind <= ScalarKind::int64) || is_float(kind);
}

} // namespace weft::reflect
