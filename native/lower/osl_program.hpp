// SPDX-License-Identifier: Apache-2.0
// A shader between SPIR-V and text: statements with the control flow of OSL around values of a graph (dag/), which are
// expressions of parameters and of variables. read_program() in osl_flow.cpp makes it, settle() in osl_structure.cpp gives it
// OSL's jumps, print_program() in osl_text.cpp writes it.
//
// An expression may be computed again wherever its value is used: SSA sees to it that no variable in it has changed since.
#pragma once

#include "dag/graph.hpp"
#include "dag/spirv.hpp"
#include "lower/call.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::lower::osl {

using dag::NodeId;

/// Inputs of the graph with this number or a higher one are variables of the shader, not parameters.
inline constexpr std::uint32_t kFirstVariable = 1U << 20;

enum class StatementKind : std::uint8_t {
    define, ///< the place at which `values` are computed
    assign, ///< `targets` become `values`, all at once
    load,   ///< `targets[0]` becomes element `values[0]` of array `number`
    store,  ///< element `values[0]` of array `number` becomes `values[1]`
    result, ///< result `number` of its type becomes `values[0]`
    choice, ///< the first of `bodies` whose condition in `values` holds, else the last, which has none
    construct, ///< body 0; `label` is where it ends
    loop, ///< rounds of body 0 and body 1; `label` is where it ends, see `continue_label`, `header`
    exit, ///< on to the end of the construct or loop, the continuing part or the header that is called `label`

    // What exits become.
    forever, ///< while (1) with body 0
    break_,
    continue_,
    return_
};

/// Where exits lead that end the shader; no block is called so.
inline constexpr dag::Id kEnd = 0;

struct Statement;
using Statements = std::vector<Statement>;

struct Statement {
    StatementKind kind = StatementKind::define;
    std::uint32_t number = 0;
    dag::Id label = 0;
    dag::Id continue_label = 0;
    dag::Id header = 0;
    std::vector<NodeId> targets{};
    std::vector<NodeId> values{};
    std::vector<Statements> bodies{};
};

struct Array {
    dag::Scalar type = dag::Scalar::real;
    std::size_t count = 0;
};

struct Program {
    dag::Function function; ///< its graph; the results are statements here
    std::uint32_t variables = 0;
    std::vector<Array> arrays;
    Statements body;

    [[nodiscard]] dag::Graph& graph() noexcept { return function.graph; }
    [[nodiscard]] const dag::Graph& graph() const noexcept { return function.graph; }
    [[nodiscard]] NodeId new_variable(dag::Scalar type) {
        return graph().input(type, kFirstVariable + variables++);
    }
    [[nodiscard]] bool is_variable(NodeId id) const noexcept {
        return graph()[id].op == dag::Op::input && graph()[id].payload >= kFirstVariable;
    }
};

/// @throws core::ArgumentError, beginning with "lower: ", for what OSL cannot do; dag::SpirvError.
[[nodiscard]] Program read_program(const dag::SpirvModule& module);

/// Turns constructs, loops and exits into endless loops with break and continue.
void settle(Program& program);

/// @throws core::ArgumentError, beginning with "lower: ", for operations that OSL has not.
[[nodiscard]] std::string print_program(const Program& program, const Call& call,
                                        const std::string& name);

} // namespace weft::lower::osl
