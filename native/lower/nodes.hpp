// SPDX-License-Identifier: Apache-2.0
// A function as a tree of Blender's nodes.
#pragma once

#include "dag/graph.hpp"
#include "lower/tree.hpp"

namespace weft::lower {

struct NodeOptions {
    TreeKind kind = TreeKind::shader;
    BlenderVersion version;
};

/// Each operation becomes a node, or a few. Trees of shaders and of the compositor hold floats alone: an integer must be
/// proven to lie within 2^24 there, a boolean is 0 or 1, and a choice is a Mix node.
///
/// Blender's nodes give 0 for x / 0, for square roots and logarithms of what is not positive, and for powers that are not
/// real, where Slang gives infinity or NaN.
///
/// @param call the sockets; @param function what dag::build() made of its source
/// @throws core::ArgumentError, beginning with "lower: ", for what such a tree cannot compute: bit casts, images in the
///         compositor, integers beyond 2^24 outside of geometry trees, more values at once than Cycles' stack holds (240).
[[nodiscard]] Tree make_tree(const Call& call, const dag::Function& function,
                             const NodeOptions& options = {});

/// The sockets of a shader tree around the function, without nodes: what a shader in OSL has, too.
[[nodiscard]] Tree make_sockets(const Call& call);

} // namespace weft::lower
