// SPDX-License-Identifier: Apache-2.0
// A tree of Blender's nodes as plain data. Start reading at nodes.hpp, which makes it from a DAG.
#pragma once

#include "lower/call.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace weft::lower {

enum class TreeKind : std::uint8_t { shader, geometry, compositor };

/// A version of Blender; {4, 5} or later.
struct BlenderVersion {
    int major = 4;
    int minor = 5;

    [[nodiscard]] auto operator<=>(const BlenderVersion&) const = default;
};

/// What feeds an input: an output of a node, a number, or a text.
struct Link {
    std::uint32_t node = 0;
    std::string socket; ///< identifier of the output

    [[nodiscard]] bool operator==(const Link&) const = default;
};
using Source = std::variant<Link, double, std::int64_t, bool, std::string>;

struct Input {
    std::string socket; ///< identifier, Blender's own: "Value_001", "A_Float"
    Source source;
};

struct TreeNode {
    std::string type; ///< "ShaderNodeMath"
    std::vector<std::pair<std::string, std::string>>
        properties; ///< enumerations: "operation", "ADD"; flags: "true", "false"; "image": a slot's name
    std::vector<Input> inputs;
    /// Of a Menu Switch, and of what takes bundles apart and together, whose sockets "Item_0", ... they name. A Join Bundle
    /// takes "Defaults" first and then "Bundle", whose items win.
    std::vector<std::string> items{};
    std::vector<std::string> types{}; ///< of items of bundles: "FLOAT", "BUNDLE"
};

/// A socket of the group around the tree.
struct TreeSocket {
    std::string name;         ///< of the parameter, with the path of what it holds of it
    std::string type;         ///< "NodeSocketFloat"
    std::vector<Leaf> leaves; ///< one, or those of a vector, a matrix, a bundle
    Hints hints;
    std::vector<reflect::Enumerator> cases{}; ///< of an enumeration
    std::vector<TreeSocket> items{};          ///< of a bundle, whose leaves are theirs
};

/// Nodes that Blender runs round by round: those between a GeometryNodeRepeatInput, which gives what a round begins with, and the
/// GeometryNodeRepeatOutput, which takes what it ends with. Sockets of both are numbered as the items are: "0", "1", ...
struct Zone {
    std::uint32_t input =
        0; ///< number of the first node; its input "Iterations" is how many rounds there are
    std::uint32_t output = 0;       ///< of the last
    std::vector<std::string> items; ///< types of what rounds hand on: "FLOAT", "INT", "BOOLEAN"
};

struct Tree {
    TreeKind kind = TreeKind::shader;
    BlenderVersion version;
    std::vector<TreeSocket> inputs;
    std::vector<TreeSocket> outputs;
    std::vector<TreeNode>
        nodes; ///< node 0 is the group's input; sources come before what they feed
    std::vector<Source>
        results; ///< one an output: of vectors a link to the node that combines them
    std::vector<ImageSlot> images; ///< that nodes name; geometry trees have sockets instead
    std::vector<Zone> zones;       ///< in the order of their nodes; none lies in another
};

[[nodiscard]] std::string_view tree_type(TreeKind kind) noexcept; ///< "ShaderNodeTree"

/// As JSON: an object with tree, blender, cost, cost_unit (cost.hpp), inputs, outputs, images, nodes, results and zones; links are {"node": n, "socket": "..."}.
[[nodiscard]] std::string print_json(const Tree& tree);

} // namespace weft::lower
