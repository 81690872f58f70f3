// SPDX-License-Identifier: Apache-2.0
// What evaluating a function will cost, estimated from what nodes were measured to take, a kind at a time, on one
// core of a current processor (cost.cpp). Estimates order trees and tell tenfolds; they do not know another processor.
#pragma once

#include "lower/tree.hpp"

#include <string_view>

namespace weft::lower {

/// Of shader trees nanoseconds of a processor's core a shade in Cycles (SVM); of geometry and compositor trees milliseconds a
/// million points or pixels.
[[nodiscard]] double cost_of(const Tree& tree) noexcept;

/// "ns a shade", "ms a million points", "ms a million pixels".
[[nodiscard]] std::string_view cost_unit(TreeKind kind) noexcept;

} // namespace weft::lower
