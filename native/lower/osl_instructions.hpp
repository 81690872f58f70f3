// SPDX-License-Identifier: Apache-2.0
// What instructions do in a shader: values are expressions, variables and arrays of the function are the shader's.
#pragma once

#include "dag/instructions.hpp"
#include "lower/osl_program.hpp"

#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace weft::lower::osl {

class ProgramInstructions final : public dag::Instructions {
public:
    ProgramInstructions(const dag::SpirvModule& module, Program& program);

    /// What is known of arrays holds within a block.
    void begin_block() { m_known.clear(); }
    /// Appends what the instruction does to `out`.
    void append(const dag::Instruction& instruction, Statements& out);
    /// The variables that hold a phi's value; from now on they are it.
    const dag::Leaves& variables_of(const dag::Instruction& phi);

protected:
    void declare(dag::Id variable, dag::Id type, dag::Leaves initial) override;
    [[nodiscard]] dag::Leaves read_variable(const Pointer& pointer, dag::Id type,
                                            dag::Id result) override;
    void write_variable(const Pointer& pointer, dag::Id type, const dag::Leaves& leaves) override;
    void write_result(dag::Scalar type, std::uint32_t number, NodeId value,
                      NodeId predicate) override;

private:
    /// Where a part of a variable begins among its leaves.
    struct Place {
        NodeId offset = 0;
        dag::Id type = 0;
    };

    [[nodiscard]] Place place_of(const Pointer& pointer, dag::Id type);
    [[nodiscard]] std::vector<NodeId> new_variables(dag::Id type);
    /// What has been stored in an element, if that is known.
    [[nodiscard]] std::optional<NodeId> known(std::uint32_t array, NodeId index,
                                              dag::Scalar type) const;
    /// The array of a variable's leaves of a type; booleans are integers in arrays.
    [[nodiscard]] std::uint32_t array_of(dag::Id variable, dag::Scalar type);
    [[nodiscard]] NodeId add(NodeId a, NodeId b) { return make(dag::Op::i_add, {a, b}); }
    void store(dag::Id variable, NodeId index, NodeId value);

    const dag::SpirvModule& m_module;
    Program& m_program;
    Statements* m_out = nullptr;
    NodeId m_true;
    std::unordered_map<dag::Id, dag::Leaves> m_variables; ///< of phis and loads, by result
    struct Arrays {
        std::size_t count = 0;
        std::optional<std::uint32_t> reals, integers;
    };
    std::unordered_map<dag::Id, Arrays> m_arrays;
    std::map<std::pair<std::uint32_t, dag::Word>, NodeId>
        m_known; ///< elements that have been stored, by array and index
};

} // namespace weft::lower::osl
