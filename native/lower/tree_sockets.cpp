// SPDX-License-Identifier: Apache-2.0
#include "lower/tree_sockets.hpp"

#include "core/text.hpp"
#include "lower/sockets.hpp"

#include <utility>

namespace weft::lower {

using core::text;

namespace {

std::string type_of(const SocketLeaves& socket, const Hints& hints, const SocketKinds& kinds) {
    switch (socket.leaves.size()) {
    case 1: return std::string(kinds.scalar(socket.leaves[0]));
    case kMatrixLeaves: return "NodeSocketMatrix";
    case 3: return hints.is_color ? "NodeSocketColor" : "NodeSocketVector";
    default: return "NodeSocketVector";
    }
}

} // namespace

std::vector<TreeSocket> tree_sockets(const Value& value, const SocketKinds& kinds) {
    std::vector<TreeSocket> sockets;
    for (SocketLeaves& own : sockets_of(value, kinds.has_matrices)) {
        TreeSocket socket;
        socket.type = type_of(own, value.hints, kinds);
        socket.name = std::move(own.name);
        socket.leaves = std::move(own.leaves);
        socket.hints = value.hints;
        if (socket.leaves.size() == 1 && socket.leaves[0].enumeration != nullptr) {
            socket.cases = socket.leaves[0].enumeration->enumerators;
        }
        sockets.push_back(std::move(socket));
    }
    return sockets;
}

std::string matrix_socket(std::size_t number) {
    constexpr std::size_t kColumns = 4;
    return text("Column ", number % kColumns + 1, " Row ", number / kColumns + 1);
}

} // namespace weft::lower
