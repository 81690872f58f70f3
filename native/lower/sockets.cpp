// SPDX-License-Identifier: Apache-2.0
#include "lower/sockets.hpp"

#include <string_view>

namespace weft::lower {

namespace {

/// True for `a.y`, if the first component is `a.x`.
bool is_component(const Leaf& leaf, const Leaf& first, char letter) {
    return leaf.is_real && leaf.path.size() == first.path.size() &&
           leaf.path.ends_with(std::string{'.', letter}) &&
           leaf.path.compare(0, leaf.path.size() - 1, first.path, 0, first.path.size() - 1) == 0;
}

} // namespace

std::vector<SocketLeaves> sockets_of(const Value& value, bool has_matrices) {
    std::vector<SocketLeaves> sockets;
    for (std::size_t i = 0; i < value.leaves.size();) {
        const Leaf& first = value.leaves[i];
        const auto component = [&](std::size_t k, char letter) {
            return i + k < value.leaves.size() && is_component(value.leaves[i + k], first, letter);
        };
        std::size_t count = 1;
        std::size_t suffix = 0; ///< letters of the path that name a component
        if (has_matrices && first.begins_matrix) {
            count = kMatrixLeaves;
            suffix = std::string_view("[0][0]").size();
        } else if (component(0, 'x') && component(1, 'y')) {
            count = component(2, 'z') ? 3 : 2;
            suffix = std::string_view(".x").size();
        }
        SocketLeaves socket;
        socket.name = (value.name.empty() ? "Result" : value.name) +
                      first.path.substr(0, first.path.size() - suffix);
        for (std::size_t k = 0; k < count; k++) {
            socket.leaves.push_back(value.leaves[i + k]);
        }
        sockets.push_back(std::move(socket));
        i += count;
    }
    return sockets;
}

} // namespace weft::lower
