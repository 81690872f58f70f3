// SPDX-License-Identifier: Apache-2.0
// Adds nodes to a tree, one or a few for each operation of a DAG. floats.cpp has the trees that hold floats alone,
// geometry.cpp those with integers and booleans.
#pragma once

#include "dag/graph.hpp"
#include "lower/fusion.hpp"
#include "lower/nodes.hpp"

#include <array>
#include <initializer_list>
#include <span>
#include <string_view>

namespace weft::lower {

class Emitter {
public:
    Emitter(Tree& tree, const dag::Graph& graph) : m_tree(tree), m_graph(graph) {}
    virtual ~Emitter() = default;
    Emitter(const Emitter&) = delete;
    Emitter& operator=(const Emitter&) = delete;

    /// What a constant is in this tree.
    [[nodiscard]] virtual Source constant(const dag::Node& own) = 0;
    /// The value of an operation, of the values of its arguments.
    [[nodiscard]] Source emit(dag::NodeId id, std::span<const Source> arguments);
    /// One node for several operations.
    [[nodiscard]] Source emit_fused(Fused kind, const std::array<Source, 4>& arguments);
    /// What a socket of the group holds, as a value of the DAG.
    [[nodiscard]] virtual Source from_socket(const Leaf& leaf, Source source) = 0;
    [[nodiscard]] virtual std::string_view socket_type(const Leaf& leaf) const = 0;
    /// Whether a parameter is an enumeration whose case is chosen in a menu: trees of materials and of the compositor have none
    /// before Blender 5.2.
    [[nodiscard]] bool is_menu(const Leaf& leaf) const noexcept;

    /// The number of a new node.
    std::uint32_t add(TreeNode node);
    /// The outputs of a new node.
    [[nodiscard]] Source node(std::string_view type,
                              std::vector<std::pair<std::string, std::string>> properties,
                              std::vector<Input> inputs, std::string_view output);

protected:
    /// Operations that are not one node in this tree. @return false: it cannot be computed.
    virtual bool emit_other(dag::NodeId id, std::span<const Source> arguments, Source& result) = 0;

    [[nodiscard]] Source math(std::string_view operation, std::initializer_list<Source> arguments);
    /// The value of the case that a menu shows.
    /// @param type "INT", "FLOAT"
    [[nodiscard]] Source case_of(const Leaf& leaf, Source menu, std::string_view type);
    [[nodiscard]] const dag::Graph& graph() const noexcept { return m_graph; }
    [[nodiscard]] TreeKind kind() const noexcept { return m_tree.kind; }
    [[nodiscard]] BlenderVersion version() const noexcept { return m_tree.version; }

private:
    [[nodiscard]] Source rounded_to_even(const Source& value);
    [[nodiscard]] Source rounded_to_half(const Source& value);
    [[nodiscard]] bool emit_real(const dag::Node& own, std::span<const Source> a, Source& result);

    Tree& m_tree;
    const dag::Graph& m_graph;
};

/// Trees of shaders and the compositor.
class FloatEmitter final : public Emitter {
public:
    using Emitter::Emitter;
    [[nodiscard]] Source constant(const dag::Node& own) override;
    [[nodiscard]] Source from_socket(const Leaf& leaf, Source source) override;
    [[nodiscard]] std::string_view socket_type(const Leaf& leaf) const override;

protected:
    bool emit_other(dag::NodeId id, std::span<const Source> arguments, Source& result) override;

private:
    [[nodiscard]] bool emit_logic(const dag::Node& own, std::span<const Source> a, Source& result);
    [[nodiscard]] bool emit_integer(const dag::Node& own, std::span<const Source> a,
                                    Source& result);
    [[nodiscard]] Source chosen(std::span<const Source> a);
    [[nodiscard]] bool emit_mask(const dag::Node& own, std::span<const Source> a, Source& result);
    [[nodiscard]] bool emit_bits(const dag::Node& own, std::span<const Source> a, Source& result);
    void require_small(dag::NodeId id) const;
};

class GeometryEmitter final : public Emitter {
public:
    using Emitter::Emitter;
    [[nodiscard]] Source constant(const dag::Node& own) override;
    [[nodiscard]] Source from_socket(const Leaf& leaf, Source source) override;
    [[nodiscard]] std::string_view socket_type(const Leaf& leaf) const override;

protected:
    bool emit_other(dag::NodeId id, std::span<const Source> arguments, Source& result) override;

private:
    [[nodiscard]] Source integer(std::string_view operation, Source a, Source b);
    [[nodiscard]] Source bits(std::string_view operation, std::string_view second, Source a,
                              Source b);
    [[nodiscard]] Source compared(std::string_view operation, std::string_view data, Source a,
                                  Source b);
    [[nodiscard]] Source boolean(std::string_view operation, Source a, Source b);
    [[nodiscard]] Source negated(Source a);
    [[nodiscard]] Source chosen(std::string_view type, Source condition, Source yes, Source no);
    [[nodiscard]] Source positive_less(dag::Op op, Source a, Source b);
    [[nodiscard]] Source unsigned_less(dag::Op op, Source a, Source b);
    [[nodiscard]] Source unsigned_divided(dag::Op op, const Source& a, const Source& b);
    [[nodiscard]] Source unsigned_bound(bool is_min, bool are_positive, std::span<const Source> a);
    [[nodiscard]] Source unsigned_quotient(const dag::Node& own, std::span<const Source> a);
    [[nodiscard]] Source divided_by_power(bool is_quotient, const Source& a, std::int64_t power);
    [[nodiscard]] Source places_of(const dag::Range& by, bool is_left, const Source& places);
    [[nodiscard]] bool emit_unsigned(const dag::Node& own, std::span<const Source> a,
                                     Source& result);
    [[nodiscard]] bool emit_shift(const dag::Node& own, std::span<const Source> a, Source& result);
    [[nodiscard]] bool emit_conversion(const dag::Node& own, std::span<const Source> a,
                                       Source& result);
};

} // namespace weft::lower
