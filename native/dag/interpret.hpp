// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dag/graph.hpp"

#include <span>
#include <vector>

namespace weft::dag {

/// Values of a function for many inputs at once: the reference for everything that it is lowered to.
struct Values {
    std::vector<std::vector<float>>
        reals; ///< one entry an input or result, each of `count` elements
    std::vector<std::vector<Word>> integers;
};

/// @param count elements of each input
/// @throws core::ArgumentError if an input is missing or has another size, or the function looks textures up.
[[nodiscard]] Values interpret(const Function& function, const Values& inputs, std::size_t count);

} // namespace weft::dag
