// SPDX-License-Identifier: Apache-2.0
#include "codegen/print_gradient.hpp"

#include "codegen/leaves.hpp"
#include "codegen/names.hpp"
#include "codegen/print_atomic.hpp"
#include "core/text.hpp"

#include <algorithm>

namespace weft::codegen {

using core::text;
using reflect::Direction;
using reflect::ScalarKind;

namespace {

/// Of the register that a thread adds to: half keeps too few bits for a sum.
ScalarKind sum_kind(ScalarKind kind) {
    return kind == ScalarKind::float64 ? ScalarKind::float64 : ScalarKind::float32;
}

std::string sums_name(ScalarKind kind) {
    return kind == ScalarKind::float64 ? "weft_double_sums" : "weft_sums";
}

std::string sum_name(const Operand& gradient, std::size_t scalar) {
    return text(gradient.name, "_sum", scalar);
}

std::int64_t table_floats(const Kernel& kernel, const Operand& gradient) {
    return kernel.tables[static_cast<std::size_t>(gradient.memory.table)];
}

std::string short_name(const std::string& callee) {
    return callee.substr(callee.rfind('.') + 1);
}

/// The function that stands for a constructor where a derivative is taken: a type has none.
constexpr const char* kConstruct = "weft_construct";

/// What fwd_diff and bwd_diff take.
std::string derived_callee(const Kernel& kernel) {
    return kernel.is_constructor ? kConstruct : kernel.callee;
}

/// The gradient that is the whole of the operand's, null if it comes field by field or not at all.
const Operand* whole_gradient(const Operand& operand) {
    return operand.fields.empty() && operand.gradient_in.size() == 1 ? &operand.gradient_in.front()
                                                                     : nullptr;
}

} // namespace

std::string differential_name(const reflect::Type& type) {
    if (type.kind == reflect::TypeKind::array) {
        return text("Array<", differential_name(*type.element), ", ", type.count, ">");
    }
    return type.kind == reflect::TypeKind::structure ? type.differential : type.full_name;
}

void GradientPrinter::load(const Operand& operand) {
    m_values.load(operand);
    auto load_gradients = [&](auto&& self, const Operand& part) -> void {
        if (part.kind == OperandKind::tensor) {
            return; // its gradients are parts of it
        }
        for (const Operand& field : part.fields) {
            self(self, field);
        }
        for (const Operand& gradient : part.gradient_in) {
            m_values.load(gradient);
        }
        for (const Operand& gradient : part.gradient_out) {
            if (gradient.accumulation == Accumulation::plain) {
                m_values.load(gradient);
            }
        }
    };
    load_gradients(load_gradients, operand);
}

/// Gradients of an output as one variable of the differential type.
std::string GradientPrinter::given_gradient(const Operand& operand) {
    const std::string name = operand.name + "_given";
    const std::string type = differential_name(*operand.type);
    // Braces would ask for a constructor without parameters where the structure has others.
    const bool is_structure = operand.type->kind == reflect::TypeKind::structure;
    const std::string zero = is_structure ? type + ".dzero()" : "{}";
    if (const Operand* const whole = whole_gradient(operand)) {
        m_out.line(text(type, " ", name, " = ", whole->name, ";"));
    } else {
        m_out.line(text(type, " ", name, " = ", zero, ";"));
        fill_given(operand, name);
    }
    m_values.clear_repeated(name, zero);
    return name;
}

/// Declares the gradients that given_gradient() reads.
void GradientPrinter::load_given(const Operand& operand) {
    for (const Operand& field : operand.fields) {
        load_given(field);
    }
    for (const Operand& gradient : operand.gradient_in) {
        m_values.load(gradient);
    }
}

void GradientPrinter::fill_given(const Operand& operand, const std::string& target) {
    for (std::size_t i = 0; i < operand.fields.size(); ++i) {
        fill_given(operand.fields[i], target + part_path(operand, i));
    }
    for (const Operand& gradient : operand.gradient_in) {
        m_out.line(text(target, " = ", gradient.name, ";"));
    }
}

/// What stands for the operand in the argument list of bwd_diff; "" if nothing does.
std::string GradientPrinter::argument_of(const Operand& operand) {
    if (!operand.is_differentiated) {
        return operand.direction == Direction::out ? "" : operand.name;
    }
    if (operand.direction == Direction::out) {
        return given_gradient(operand);
    }
    const std::string pair = operand.name + "_pair";
    const std::string given =
        operand.direction == Direction::inout ? ", " + given_gradient(operand) : "";
    m_out.line(text("DifferentialPair<", operand.type->full_name, "> ", pair, " = diffPair(",
                    operand.name, given, ");"));
    return pair;
}

void GradientPrinter::print_primal(const std::vector<std::string>& names) {
    std::vector<std::string> arguments;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const Operand& operand = m_kernel.operands[i];
        if (operand.direction == Direction::in) {
            arguments.push_back(operand.name);
            continue;
        }
        m_out.line(text(operand.type->full_name, " ", operand.name, "_copy = ", operand.name, ";"));
        arguments.push_back(operand.name + "_copy");
    }
    std::string callee = m_kernel.callee;
    if (m_kernel.has_this) {
        callee = text(arguments.front(), ".", short_name(callee));
        arguments.erase(arguments.begin());
    }
    keep_result(text(callee, "(", core::join(arguments, ", "), ")"));
}

/// Stores a value of the result's type where the result goes.
void GradientPrinter::keep_result(const std::string& value) {
    const Operand& result = m_kernel.result;
    if (result.kind == OperandKind::composite) {
        m_values.load(result); // declares what the fields are stored from
        m_out.line(text(result.name, " = ", value, ";"));
    } else {
        m_out.line(text(result.type->full_name, " ", result.name, " = ", value, ";"));
    }
    m_values.store(result);
}

void GradientPrinter::print_call() {
    if (m_kernel.derivative == Derivative::forward) {
        print_forward_call();
    } else {
        print_backward_call();
    }
}

/// What stands for the operand in the argument list of fwd_diff.
std::string GradientPrinter::tangent_argument(const Operand& operand) {
    if (!operand.is_differentiated) {
        return operand.name;
    }
    const std::string pair = operand.name + "_pair";
    const std::string value =
        operand.direction == Direction::out
            ? ""
            : text(" = diffPair(", operand.name, ", ", given_gradient(operand), ")");
    m_out.line(text("DifferentialPair<", operand.type->full_name, "> ", pair, value, ";"));
    return pair;
}

void GradientPrinter::store_tangents(const Operand& operand, const std::string& value) {
    for (std::size_t i = 0; i < operand.fields.size(); ++i) {
        if (operand.fields[i].is_differentiated) {
            store_tangents(operand.fields[i], value + part_path(operand, i));
        }
    }
    for (const Operand& gradient : operand.gradient_out) {
        m_out.line(text(gradient.type->full_name, " ", gradient.name, " = ", value, ";"));
        m_values.store(gradient);
    }
}

void GradientPrinter::print_forward_call() {
    std::vector<std::string> arguments;
    for (const Operand& operand : m_kernel.operands) {
        load(operand);
        arguments.push_back(tangent_argument(operand));
    }
    const std::string call =
        text("fwd_diff(", derived_callee(m_kernel), ")(", core::join(arguments, ", "), ");");
    const Operand& result = m_kernel.result;
    if (!m_kernel.has_result) {
        m_out.line(call);
    } else {
        m_out.line(
            text("DifferentialPair<", result.type->full_name, "> weft_result_pair = ", call));
        keep_result("weft_result_pair.p");
        store_tangents(result, "weft_result_pair.d");
    }
    for (const Operand& operand : m_kernel.operands) {
        if (operand.direction == Direction::in) {
            continue;
        }
        if (operand.is_differentiated) {
            m_out.line(text(operand.name, " = ", operand.name, "_pair.p;"));
            store_tangents(operand, operand.name + "_pair.d");
        }
        m_values.store(operand);
    }
}

void GradientPrinter::print_backward_call() {
    std::vector<std::string> names;
    for (const Operand& operand : m_kernel.operands) {
        load(operand);
        names.push_back(operand.name);
    }
    if (m_kernel.has_result) {
        load_given(m_kernel.result);
        print_primal(names);
    }
    std::vector<std::string> arguments;
    for (const Operand& operand : m_kernel.operands) {
        if (std::string argument = argument_of(operand); !argument.empty()) {
            arguments.push_back(std::move(argument));
        }
    }
    if (m_kernel.has_result) {
        arguments.push_back(given_gradient(m_kernel.result));
    }
    m_out.line(
        text("bwd_diff(", derived_callee(m_kernel), ")(", core::join(arguments, ", "), ");"));
    m_values.open_effect();
    for (const Operand& operand : m_kernel.operands) {
        if (operand.is_differentiated && operand.direction != Direction::out) {
            accumulate(operand, operand.name + "_pair.d");
        }
    }
    m_values.close_effect();
}

void GradientPrinter::accumulate(const Operand& operand, const std::string& value) {
    for (std::size_t i = 0; i < operand.fields.size(); ++i) {
        if (operand.fields[i].is_differentiated) {
            accumulate(operand.fields[i], value + part_path(operand, i));
        }
    }
    for (const Operand& gradient : operand.gradient_out) {
        if (gradient.accumulation ==
            Accumulation::none) { // of an inout parameter with one gradient
            m_out.line(text(gradient.type->full_name, " ", gradient.name, " = ", value, ";"));
            m_values.store(gradient);
        } else {
            add(gradient, value);
        }
    }
}

void GradientPrinter::add(const Operand& gradient, const std::string& value) {
    const auto leaves = scalar_leaves(*gradient.type);
    const bool is_sum = gradient.accumulation == Accumulation::group;
    const bool is_atomic = adds_atomically(gradient) && !is_sum;
    if (is_atomic) {
        m_values.declare_offset(gradient);
    }
    for (std::size_t i = 0; i < leaves->size(); ++i) {
        const std::string& path = (*leaves)[i].path;
        if (is_sum) {
            m_out.line(text(sum_name(gradient, i), " += ", value, path, ";"));
        } else if (is_atomic) {
            add_atomically(gradient, i, value + path);
        } else {
            m_out.line(text(gradient.name, path, " += ", value, path, ";"));
        }
    }
    if (gradient.accumulation == Accumulation::plain) {
        m_values.store(gradient);
    }
}

void GradientPrinter::add_atomically(const Operand& gradient, std::size_t scalar,
                                     const std::string& value) {
    const auto leaves = scalar_leaves(*gradient.type);
    const ScalarKind kind = (*leaves)[scalar].kind;
    const std::string address =
        text("(", slang_name(kind), "*)(",
             m_values.scalar_address(gradient, static_cast<std::int64_t>(scalar)), ")");
    if (gradient.accumulation == Accumulation::subgroup) {
        m_out.line(text("weft_subgroup_add(", address, ", ", gradient.name, "_at, ", value, ");"));
    } else if (gradient.accumulation == Accumulation::group && gradient.memory.is_uniform &&
               m_kernel.prefers_storage_bindings && kind != ScalarKind::float64) {
        m_out.line(text("weft_subgroup_add(", address, ", ", value, ");"));
    } else {
        m_out.line(text("weft_atomic_add(", address, ", ", value, ");"));
    }
}

template <typename Visit>
void GradientPrinter::for_each_gradient(Accumulation accumulation, Visit&& visit) const {
    for_each_operand(m_kernel, [&](const Operand& operand) {
        if (operand.accumulation == accumulation) {
            visit(operand);
        }
    });
}

void GradientPrinter::print_declarations() {
    if (m_kernel.is_constructor && m_kernel.derivative != Derivative::none) {
        print_constructor();
    }
    if (m_kernel.is_persistent) {
        print_shared_memory();
    }
}

/// The function that calls a constructor.
void GradientPrinter::print_constructor() {
    std::vector<std::string> parameters;
    std::vector<std::string> names;
    for (const Operand& operand : m_kernel.operands) {
        const char* const modifier = operand.is_differentiated ? "" : "no_diff ";
        parameters.push_back(text(modifier, operand.type->full_name, " ", operand.name));
        names.push_back(operand.name);
    }
    m_out.line("[Differentiable]");
    m_out.open(text(m_kernel.result.type->full_name, " ", kConstruct, "(",
                    core::join(parameters, ", "), ")"));
    m_out.line(text("return ", m_kernel.callee, "(", core::join(names, ", "), ");"));
    m_out.close();
}

void GradientPrinter::print_shared_memory() {
    std::vector<ScalarKind> kinds;
    for_each_gradient(Accumulation::group, [&](const Operand& gradient) {
        const auto leaves = scalar_leaves(*gradient.type);
        for (const ScalarLeaf& leaf : *leaves) {
            if (const ScalarKind kind = sum_kind(leaf.kind);
                !m_kernel.prefers_storage_bindings &&
                std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
                kinds.push_back(kind);
                m_out.line(text("groupshared ", slang_name(kind), " ", sums_name(kind), "[",
                                m_kernel.group_size[0], "];"));
            }
        }
    });
    for_each_gradient(Accumulation::table, [&](const Operand& gradient) { print_table(gradient); });
}

void GradientPrinter::print_table(const Operand& gradient) {
    const std::string name = table_name(gradient.memory.table);
    m_out.line(text("groupshared uint ", name, "_sums[", table_floats(m_kernel, gradient), "];"));
    m_out.open(text("struct ", name, " : IGroupSums"));
    // Each thread holds its last sum back: where all meet at one entry, memory would see nothing else.
    m_out.line("static int held = 0;");
    m_out.line("static float sum = 0;");
    m_out.open("static void flush()");
    print_shared_addition(text(name, "_sums[held]"), "sum", m_out);
    m_out.close();
    m_out.open("static void add(int at, float value)");
    m_out.line("const uint lanes = weft_subgroup_enter();");
    m_out.open("if (weft_subgroup_meets(lanes, at, value))");
    m_out.open("if (at != held)");
    m_out.line("if (sum != 0) flush();");
    m_out.line("held = at;");
    m_out.line("sum = 0;");
    m_out.close();
    m_out.line("sum += value;");
    m_out.close();
    m_out.line("weft_subgroup_leave(lanes);");
    m_out.close();
    m_out.close();
}

void GradientPrinter::clear_tables() {
    for_each_gradient(Accumulation::table, [&](const Operand& gradient) {
        m_out.open(text("for (uint weft_entry = weft_lane_in_group; weft_entry < ",
                        table_floats(m_kernel, gradient),
                        "; weft_entry += ", m_kernel.group_size[0], ")"));
        m_out.line(text(table_name(gradient.memory.table), "_sums[weft_entry] = 0;"));
        m_out.close();
    });
    if (!m_kernel.tables.empty()) {
        m_out.line("GroupMemoryBarrierWithGroupSync();");
    }
}

void GradientPrinter::add_tables() {
    for_each_gradient(Accumulation::table, [&](const Operand& gradient) {
        const std::string name = table_name(gradient.memory.table);
        m_out.line(text("if (", name, ".sum != 0) ", name, ".flush();"));
    });
    if (!m_kernel.tables.empty()) {
        m_out.line("GroupMemoryBarrierWithGroupSync();");
    }
    for_each_gradient(Accumulation::table, [&](const Operand& gradient) {
        m_out.open(text("for (uint weft_entry = weft_lane_in_group; weft_entry < ",
                        table_floats(m_kernel, gradient),
                        "; weft_entry += ", m_kernel.group_size[0], ")"));
        m_out.line(text("const float weft_sum = asfloat(", table_name(gradient.memory.table),
                        "_sums[weft_entry]);"));
        // Entries that nobody added to include those past the end of the gradient.
        m_out.line(text("if (weft_sum != 0) weft_atomic_add((",
                        slang_name(scalar_leaves(*gradient.memory.leaf)->front().kind), "*)",
                        m_values.argument(address_field(gradient)), " + weft_entry, weft_sum);"));
        m_out.close();
    });
}

void GradientPrinter::declare_sums() {
    for_each_gradient(Accumulation::group, [&](const Operand& gradient) {
        const auto leaves = scalar_leaves(*gradient.type);
        for (std::size_t i = 0; i < leaves->size(); ++i) {
            m_out.line(
                text(slang_name(sum_kind((*leaves)[i].kind)), " ", sum_name(gradient, i), " = 0;"));
        }
    });
    clear_tables();
    call_collector("beginGroup(weft_lane_in_group)");
}

void GradientPrinter::call_collector(const std::string& call) {
    for_each_operand(m_kernel, [&](const Operand& operand) {
        if (operand.can_collect && operand.name == m_kernel.collector) {
            m_out.open("");
            m_values.load(operand);
            m_out.line(text(operand.name, ".", call, ";"));
            m_out.close();
        }
    });
}

void GradientPrinter::add_sums() {
    for_each_gradient(Accumulation::group, [&](const Operand& gradient) {
        m_values.declare_offset(gradient);
        const auto leaves = scalar_leaves(*gradient.type);
        for (std::size_t i = 0; i < leaves->size(); ++i) {
            add_sum(gradient, i);
        }
    });
    add_tables();
    call_collector("endGroup(weft_lane_in_group, weft_group.x)");
}

/// A tree over the threads that share the element, and one atomic addition by the first of them.
void GradientPrinter::add_sum(const Operand& gradient, std::size_t scalar) {
    const auto leaves = scalar_leaves(*gradient.type);
    const std::string sums = sums_name(sum_kind((*leaves)[scalar].kind));
    const ReductionAxis& axis = m_kernel.reduction;
    const bool is_whole = gradient.memory.is_uniform || axis.dimension < 0;
    const auto lanes = is_whole ? m_kernel.group_size[0] : static_cast<std::uint32_t>(axis.lanes);
    const std::string lane = is_whole ? "weft_lane_in_group" : "weft_step";
    const std::int32_t apart = is_whole || axis.is_lane_major ? 1 : axis.columns;
    const std::string inside = is_whole ? "" : " && weft_is_inside";
    if (lanes == 1 || m_kernel.prefers_storage_bindings) {
        // A barrier makes a CPU keep the registers of all threads of the group in memory.
        m_out.open(is_whole ? "" : "if (weft_is_inside)");
        add_atomically(gradient, scalar, sum_name(gradient, scalar));
        m_out.close();
        return;
    }
    m_out.line(text(sums, "[weft_lane_in_group] = ", sum_name(gradient, scalar), ";"));
    m_out.line("GroupMemoryBarrierWithGroupSync();");
    m_out.open(text("for (uint weft_half = ", lanes / 2, "; weft_half > 0; weft_half /= 2)"));
    m_out.line(text("if (", lane, " < weft_half) ", sums, "[weft_lane_in_group] += ", sums,
                    "[weft_lane_in_group + weft_half * ", apart, "];"));
    m_out.line("GroupMemoryBarrierWithGroupSync();");
    m_out.close();
    m_out.open(text("if (", lane, " == 0", inside, ")"));
    add_atomically(gradient, scalar, text(sums, "[weft_lane_in_group]"));
    m_out.close();
    m_out.line("GroupMemoryBarrierWithGroupSync();");
}

} // namespace weft::codegen
