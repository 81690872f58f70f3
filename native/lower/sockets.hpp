// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lower/call.hpp"

#include <string>
#include <vector>

namespace weft::lower {

/// Leaves of a value that one socket of a node holds.
struct SocketLeaves {
    std::string name;         ///< of the parameter, with the path of what it holds of it; "Result"
    std::vector<Leaf> leaves; ///< one, or two or three components of a vector of reals
};

[[nodiscard]] std::vector<SocketLeaves> sockets_of(const Value& value);

} // namespace weft::lower
