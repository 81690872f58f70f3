// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dag/graph.hpp"

#include <span>
#include <vector>

namespace weft::dag {

/// Texels of four components, row by row; the first row is where v is 0. Looked up linearly, repeated in both directions.
struct Image {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::vector<float> texels;
};

/// Values of a function for many inputs at once: the reference for everything that it is lowered to.
struct Values {
    std::vector<std::vector<float>>
        reals; ///< one entry an input or result, each of `count` elements
    std::vector<std::vector<Word>> integers;
    std::vector<Image> images{}; ///< one a texture of the function
};

/// @param count elements of each input
/// @throws core::ArgumentError if an input is missing or has another size, or an image, or the function looks a noise up, which only nodes have.
[[nodiscard]] Values interpret(const Function& function, const Values& inputs, std::size_t count);

} // namespace weft::dag
