// SPDX-License-Identifier: Apache-2.0
// What media a place is in, as shaders/weft/render/medium.slang keeps it of paths.
#pragma once

#include "core/api.hpp"

#include <array>
#include <span>

namespace weft::scene {

/// Whether more triangles are left than entered on a straight way from a place to far away. Its direction is fixed, and
/// parallel to no edge that people draw. What is on a surface may count as inside or outside.
/// @param corners world space, metres, 9 a triangle; a front is counter-clockwise.
/// @param is_mirrored the transform mirrors the mesh: what was its front stays it.
/// @throws ArgumentError if there are not 9 numbers a triangle.
[[nodiscard]] WEFT_API bool is_inside(std::span<const double> corners,
                                      const std::array<double, 3>& place, bool is_mirrored = false);

} // namespace weft::scene
