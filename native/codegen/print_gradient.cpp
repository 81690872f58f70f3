// SPDX-License-Identifier: Apache-2.0
#include "codegen/print_gradient.hpp"

#include "codegen/leaves.hpp"
#include "core/text.hpp"

namespace weft::codegen {

using core::text;
using reflect::Direction;

namespace {

constexpr const char* kSums = "weft_sums";

std::string short_name(const std::string& callee) {
    return callee.substr(callee.rfind('.') + 1);
}

} // namespace

std::string differential_name(const reflect::Type& type) {
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
    m_out.line(text(differential_name(*operand.type), " ", name, " = {};"));
    fill_given(operand, name);
    return name;
}

void GradientPrinter::fill_given(const Operand& operand, const std::string& target) {
    for (std::size_t i = 0; i < operand.fields.size(); ++i) {
        fill_given(operand.fields[i], text(target, ".", operand.field_names[i]));
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
    m_out.line(text(m_kernel.result.type->full_name, " ", m_kernel.result.name, " = ", callee, "(",
                    core::join(arguments, ", "), ");"));
    m_values.store(m_kernel.result);
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
            store_tangents(operand.fields[i], text(value, ".", operand.field_names[i]));
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
        text("fwd_diff(", m_kernel.callee, ")(", core::join(arguments, ", "), ");");
    const Operand& result = m_kernel.result;
    if (!m_kernel.has_result) {
        m_out.line(call);
    } else {
        m_out.line(
            text("DifferentialPair<", result.type->full_name, "> weft_result_pair = ", call));
        m_out.line(text(result.type->full_name, " ", result.name, " = weft_result_pair.p;"));
        m_values.store(result);
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
        for (const Operand& gradient : m_kernel.result.gradient_in) {
            m_values.load(gradient);
        }
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
    m_out.line(text("bwd_diff(", m_kernel.callee, ")(", core::join(arguments, ", "), ");"));
    for (const Operand& operand : m_kernel.operands) {
        if (operand.is_differentiated && operand.direction != Direction::out) {
            accumulate(operand, operand.name + "_pair.d");
        }
    }
}

void GradientPrinter::accumulate(const Operand& operand, const std::string& value) {
    for (std::size_t i = 0; i < operand.fields.size(); ++i) {
        if (operand.fields[i].is_differentiated) {
            accumulate(operand.fields[i], text(value, ".", operand.field_names[i]));
        }
    }
    for (const Operand& gradient : operand.gradient_out) {
        add(gradient, value);
    }
}

void GradientPrinter::add(const Operand& gradient, const std::string& value) {
    const auto leaves = scalar_leaves(*gradient.type);
    if (gradient.accumulation == Accumulation::atomic) {
        m_values.declare_offset(gradient);
    }
    for (std::size_t i = 0; i < leaves->size(); ++i) {
        const std::string& path = (*leaves)[i].path;
        if (gradient.accumulation == Accumulation::atomic) {
            add_atomically(gradient, i, value + path);
        } else {
            const char* suffix = gradient.accumulation == Accumulation::group ? "_sum" : "";
            m_out.line(text(gradient.name, suffix, path, " += ", value, path, ";"));
        }
    }
    if (gradient.accumulation == Accumulation::plain) {
        m_values.store(gradient);
    }
}

void GradientPrinter::add_atomically(const Operand& gradient, std::size_t scalar,
                                     const std::string& value) {
    const auto leaves = scalar_leaves(*gradient.type);
    m_out.line(text("(*(Atomic<", slang_name((*leaves)[scalar].kind), ">*)(",
                    m_values.scalar_address(gradient, static_cast<std::int64_t>(scalar)),
                    ")).reduceAdd(", value, ");"));
}

template <typename Visit>
void GradientPrinter::for_each_sum(Visit&& visit) const {
    for_each_operand(m_kernel, [&](const Operand& operand) {
        if (operand.accumulation == Accumulation::group) {
            visit(operand);
        }
    });
}

void GradientPrinter::print_shared_memory() {
    m_out.line(text("groupshared float ", kSums, "[", m_kernel.group_size[0], "];"));
}

void GradientPrinter::declare_sums() {
    for_each_sum([&](const Operand& gradient) {
        m_out.line(text(gradient.type->full_name, " ", gradient.name, "_sum = {};"));
    });
}

void GradientPrinter::add_sums() {
    for_each_sum([&](const Operand& gradient) {
        m_values.declare_offset(gradient);
        const auto leaves = scalar_leaves(*gradient.type);
        for (std::size_t i = 0; i < leaves->size(); ++i) {
            m_out.line(text(kSums, "[weft_lane_in_group] = ", gradient.name, "_sum",
                            (*leaves)[i].path, ";"));
            m_out.line("GroupMemoryBarrierWithGroupSync();");
            m_out.open(text("for (uint weft_half = ", m_kernel.group_size[0] / 2,
                            "; weft_half > 0; weft_half /= 2)"));
            m_out.line(text("if (weft_lane_in_group < weft_half) ", kSums,
                            "[weft_lane_in_group] += ", kSums,
                            "[weft_lane_in_group + weft_half];"));
            m_out.line("GroupMemoryBarrierWithGroupSync();");
            m_out.close();
            m_out.open("if (weft_lane_in_group == 0)");
            add_atomically(gradient, i, text(kSums, "[0]"));
            m_out.close();
            m_out.line("GroupMemoryBarrierWithGroupSync();");
        }
    });
}

} // namespace weft::codegen
