// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lower/call.hpp"

#include <string>
#include <vector>

namespace weft::lower {

/// Leaves of a value that one socket of a node holds.
struct SocketLeaves {
    std::string name; ///< of the parameter, with the path of what it holds of it; "Result"
    std::vector<Leaf>
        leaves; ///< one, two or three components of a vector of reals, or 16 of a matrix
};

inline constexpr std::size_t kMatrixLeaves = 16;

/// @param has_matrices matrices of 4 by 4 are one socket, else one an element
[[nodiscard]] std::vector<SocketLeaves> sockets_of(const Value& value, bool has_matrices = false);

} // namespace weft::lower
