// SPDX-License-Identifier: Apache-2.0
// The functions of shaders/weft/inputs.slang: what a tree or a shader knows of the point that it computes.
#pragma once

#include "dag/graph.hpp"
#include "lower/tree.hpp"

#include <map>
#include <string>
#include <string_view>

namespace weft::lower {

/// What a source defines so that these functions are lookups of textures with names of their own.
inline constexpr std::string_view kHasInputs = "export static const bool weft_has_inputs = true;\n";

/// Adds the strings of a source to `literals`, by the hash that Slang gives them.
void collect_literals(std::string_view source, Literals& literals);

/// The function that reads an input, as it was called: `position()`, `attribute("density")`.
/// @throws core::ArgumentError, beginning with "lower: ", if its name is no literal of a source.
[[nodiscard]] std::string name_of(const dag::NamedInput& input, const Literals& literals);

/// How many components the function gives.
[[nodiscard]] std::size_t components_of(const dag::NamedInput& input);

/// A node and its output that hold an input.
struct InputNode {
    TreeNode node;
    std::string output;
};

/// @throws core::ArgumentError, beginning with "lower: ", if such a tree has no node for it.
[[nodiscard]] InputNode input_node(const dag::NamedInput& input, const Literals& literals,
                                   TreeKind kind, BlenderVersion version);

/// The statement of OSL that makes a variable hold an input, and the variable's type.
/// @throws core::ArgumentError, beginning with "lower: ", if OSL has none.
[[nodiscard]] std::string osl_input(const dag::NamedInput& input, const Literals& literals,
                                    const std::string& variable);

} // namespace weft::lower
