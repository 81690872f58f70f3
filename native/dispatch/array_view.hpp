// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dispatch/bound_call.hpp"

#include <cstdint>
#include <vector>

namespace weft::dispatch {

/// An array argument in leaves: the scalars (or structures) at the bottom of its element type.
struct ArrayView {
    reflect::TypeRef leaf;
    std::vector<std::int64_t> shape;   ///< dimensions of the array, then of one element
    std::vector<std::int64_t> strides; ///< leaves
    std::size_t element_rank = 0;      ///< how many trailing dimensions belong to one element
    std::uint64_t alignment = 256;
    bool is_host = false; ///< has to be uploaded
};

[[nodiscard]] ArrayView view_of(const ArgumentList& arguments, const Node& node);
/// The scalar or structure at the bottom of vectors, matrices and arrays.
[[nodiscard]] reflect::TypeRef leaf_type(reflect::TypeRef type);
/// Strides of packed rows, the last of one.
[[nodiscard]] std::vector<std::int64_t> row_major(const std::vector<std::int64_t>& shape);
/// True for nodes that view_of accepts.
[[nodiscard]] bool is_array(const Node& node) noexcept;

} // namespace weft::dispatch
