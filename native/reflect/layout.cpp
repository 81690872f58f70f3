// SPDX-License-Identifier: Apache-2.0
#include "reflect/layout.hpp"

#include <algorithm>

namespace weft::reflect {

namespace {

constexpr std::size_t round_up(std::size_t value, std::size_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

/// Alignment of CUDA's built-in vectors: their size if that is a power of two, at most 16, else that
/// of the scalar. Slang's prelude defines half3 and half4 as pairs of __half2, aligned to 4.
std::size_t cuda_vector_alignment(ScalarKind kind, std::size_t scalar, std::int32_t length) {
    if (length == 1) {
        return scalar;
    }
    if (kind == ScalarKind::float16) {
        return 4;
    }
    return length == 3 ? scalar
                       : std::min<std::size_t>(scalar * static_cast<std::size_t>(length), 16);
}

} // namespace

Layout scalar_layout(ScalarKind kind, LayoutRules rules) {
    constexpr std::size_t kSpirvBoolSize = 4;
    const bool is_wide_bool = kind == ScalarKind::bool_ && rules == LayoutRules::spirv;
    const std::size_t size = is_wide_bool ? kSpirvBoolSize : size_bytes(kind);
    return {.size = size, .alignment = std::max<std::size_t>(size, 1), .stride = size};
}

Layout vector_layout(ScalarKind kind, std::int32_t length, LayoutRules rules) {
    const Layout scalar = scalar_layout(kind, rules);
    const std::size_t alignment = rules == LayoutRules::cuda
                                      ? cuda_vector_alignment(kind, scalar.size, length)
                                      : scalar.alignment;
    const std::size_t size = round_up(scalar.size * static_cast<std::size_t>(length), alignment);
    return {.size = size, .alignment = alignment, .stride = size};
}

Layout matrix_layout(ScalarKind kind, std::int32_t rows, std::int32_t columns, LayoutRules rules) {
    return array_layout(vector_layout(kind, columns, rules), rows);
}

Layout array_layout(const Layout& element, std::int64_t count) {
    const auto copies = static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
    if (copies == 0) {
        return {.size = 0, .alignment = element.alignment, .stride = 0};
    }
    // Like Slang's natural layout, the last element brings no padding along.
    const std::size_t size = element.stride * (copies - 1) + element.size;
    return {
        .size = size, .alignment = element.alignment, .stride = round_up(size, element.alignment)};
}

Layout pointer_layout() {
    return {.size = 8, .alignment = 8, .stride = 8};
}

Layout place_fields(std::vector<Field>& fields, LayoutRules rules) {
    std::size_t end = 0;
    std::size_t alignment = 1;
    for (Field& field : fields) {
        const Layout& layout = field.type->layout;
        field.offset = round_up(end, layout.alignment);
        end = field.offset + layout.size;
        alignment = std::max(alignment, layout.alignment);
    }
    const std::size_t stride = round_up(end, alignment);
    return {.size = rules == LayoutRules::spirv ? end : stride,
            .alignment = alignment,
            .stride = stride};
}

} // namespace weft::reflect
