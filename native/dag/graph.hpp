// SPDX-License-Identifier: Apache-2.0
// A function as a DAG of scalar operations without control flow. Equal nodes are one node, and what is constant is folded
// when it is made, by arithmetic that is exact in floats alone. Start reading at build.hpp.
#pragma once

#include "dag/operation.hpp"
#include "dag/refusal.hpp"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace weft::dag {

using NodeId = std::uint32_t;

struct Node {
    Op op = Op::constant;
    Scalar type = Scalar::real;
    std::uint8_t count = 0; ///< of arguments
    std::array<NodeId, 3> arguments{};
    Word payload = 0; ///< word of a constant; see Op::input and Op::lookup

    [[nodiscard]] bool operator==(const Node&) const = default;
};

/// All values of an integer, read with its sign, lie in [low, high].
struct Range {
    std::int64_t low = INT32_MIN;
    std::int64_t high = INT32_MAX;

    [[nodiscard]] bool operator==(const Range&) const = default;
};

/// Arguments come before the nodes that use them.
class Graph {
public:
    [[nodiscard]] NodeId constant(float value);
    [[nodiscard]] NodeId constant_integer(Word value);
    [[nodiscard]] NodeId constant_boolean(bool value);
    [[nodiscard]] NodeId constant_word(Scalar type, Word word);
    [[nodiscard]] NodeId input(Scalar type, std::uint32_t number);
    [[nodiscard]] NodeId lookup(std::uint32_t texture, std::uint32_t component,
                                std::span<const NodeId> coordinates);
    /// @param values up to three
    [[nodiscard]] NodeId join(std::span<const NodeId> values);
    /// What a lookup is given, joined arguments one by one.
    [[nodiscard]] std::vector<NodeId> coordinates_of(const Node& lookup) const;
    /// A node of the operation, or one that has the same value for all inputs.
    /// @throws core::ArgumentError if the graph has a million nodes.
    [[nodiscard]] NodeId make(Op op, std::initializer_list<NodeId> arguments);
    [[nodiscard]] NodeId select(NodeId condition, NodeId yes, NodeId no);

    [[nodiscard]] const Node& operator[](NodeId id) const noexcept { return m_nodes[id]; }
    [[nodiscard]] std::size_t size() const noexcept { return m_nodes.size(); }
    /// Word of a constant.
    [[nodiscard]] std::optional<Word> value_of(NodeId id) const noexcept;
    [[nodiscard]] bool is_true(NodeId id) const noexcept;
    [[nodiscard]] bool is_false(NodeId id) const noexcept;
    /// Where the expression stands that first made a node.
    [[nodiscard]] SourcePosition origin(NodeId id) const noexcept { return m_positions[id]; }
    [[nodiscard]] SourcePosition position() const noexcept { return m_position; }
    /// Of the nodes that are made from now on.
    void set_position(SourcePosition position) noexcept { m_position = position; }
    /// The integer inputs that a node depends on: bit number min(number of the input, 63).
    [[nodiscard]] std::uint64_t integers_of(NodeId id) const noexcept { return m_integers[id]; }
    /// Whether no other integer input has the bit of this one.
    [[nodiscard]] static bool has_own_bit(std::uint32_t number) noexcept { return number < 63; }
    /// Of integers.
    [[nodiscard]] Range range_of(NodeId id) const noexcept { return m_ranges[id]; }

private:
    struct Hash {
        std::size_t operator()(const Node& node) const noexcept;
    };

    NodeId add(const Node& node);

    std::vector<Node> m_nodes;
    std::vector<Range> m_ranges;
    std::vector<std::uint64_t> m_integers;
    std::vector<SourcePosition> m_positions;
    SourcePosition m_position;
    std::unordered_map<Node, NodeId, Hash> m_known;
};

/// What a function reads besides its parameters: up to four reals.
struct NamedInput {
    std::string kind; ///< the texture's name behind "weft_input_"
    Word key = 0;     ///< at which it is looked up: the hash of a name

    [[nodiscard]] bool operator==(const NamedInput&) const = default;
};

/// What lookups read: a noise, or an image, which the caller gives.
struct Texture {
    std::string name; ///< the variable's
    Word key = 0;     ///< of images that are called by name: its hash
    bool is_image = false;

    [[nodiscard]] bool operator==(const Texture&) const = default;
};

/// A function: what it reads and what it gives.
struct Function {
    Graph graph;
    std::uint32_t reals = 0; ///< inputs of each type
    std::uint32_t integers = 0;
    std::vector<NodeId> real_results;
    std::vector<NodeId> integer_results;
    std::vector<Texture> textures; ///< by number
    /// Numbers of the integer inputs on which it depends how often a loop runs.
    std::set<std::uint32_t> loop_bounds;
    std::vector<NamedInput> named;  ///< number i has the reals from first_named + 4 i on
    std::vector<std::string> files; ///< that places of the graph name
    std::uint32_t first_named = 1U << 16;

    /// The nodes that results depend on, arguments first; constants and inputs among them.
    [[nodiscard]] std::vector<NodeId> live() const;
};

} // namespace weft::dag
