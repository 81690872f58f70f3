// SPDX-License-Identifier: Apache-2.0
#include "codegen/print_callee.hpp"

#include "core/process.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <vector>

namespace weft::codegen {

using core::text;
using reflect::Direction;
using reflect::TypeKind;

namespace {

/// Stands for a constructor: a type has no derivative.
constexpr const char* kConstruct = "weft_construct";
constexpr const char* kKeeping = "weft_keeping";

bool is_float(const reflect::Type& type) {
    return (type.kind == TypeKind::scalar || type.kind == TypeKind::vector) &&
           reflect::leaf(type).scalar == reflect::ScalarKind::float32;
}

/// Tensors have types of their own, and structures may hold some.
bool is_value(const Operand& operand) {
    return operand.kind != OperandKind::tensor && operand.kind != OperandKind::pointer &&
           operand.kind != OperandKind::composite && operand.kind != OperandKind::updated &&
           operand.direction == Direction::in;
}

bool is_constructor_derived(const Kernel& kernel) {
    return kernel.is_constructor && kernel.derivative != Derivative::none;
}

/// A function with the operands as parameters.
void print_wrapper(const Kernel& kernel, const char* name, const std::string& before,
                   const std::string& after, SourceWriter& out) {
    std::vector<std::string> parameters;
    std::vector<std::string> names;
    for (const Operand& operand : kernel.operands) {
        const char* const modifier = operand.is_differentiated ? "" : "no_diff ";
        parameters.push_back(text(modifier, operand.type->full_name, " ", operand.name));
        names.push_back(operand.name);
    }
    out.line("[Differentiable]");
    out.open(
        text(kernel.result.type->full_name, " ", name, "(", core::join(parameters, ", "), ")"));
    out.line(
        text("return ", before, kernel.callee, "(", core::join(names, ", "), ")", after, ";"));
    out.close();
}

/// A number on its way through weft_keep() stays what it is; on the way back its value is at hand.
void print_keep(const Kernel& kernel, SourceWriter& out) {
    const std::string type = kernel.result.type->full_name;
    out.line(text("static ", type, " ", kKeptResult, ";"));
    out.line(text("[Differentiable] [BackwardDerivative(weft_keep_backward)] ", type, " weft_keep(",
                  type, " value) { return value; }"));
    out.open(text("void weft_keep_backward(inout DifferentialPair<", type, "> value, ", type,
                  " given)"));
    out.line(text(kKeptResult, " = value.p;"));
    out.line("value = diffPair(value.p, given);");
    out.close();
}

} // namespace

bool keeps_result(const Kernel& kernel) {
    const bool is_differentiated =
        std::any_of(kernel.operands.begin(), kernel.operands.end(),
                    [](const Operand& operand) { return operand.is_differentiated; });
    return kernel.derivative == Derivative::backward && kernel.has_result && !kernel.has_this &&
           !kernel.is_constructor && !kernel.is_raw_dispatch && !kernel.prefers_storage_bindings &&
           !kernel.has_team && kernel.sums != SumPass::measure && is_differentiated &&
           is_float(*kernel.result.type) &&
           std::all_of(kernel.operands.begin(), kernel.operands.end(), is_value) &&
           core::environment_variable("WEFT_KEEP_RESULT") != "0";
}

std::string derived_callee(const Kernel& kernel) {
    return is_constructor_derived(kernel) ? kConstruct
           : keeps_result(kernel)         ? kKeeping
                                          : kernel.callee;
}

void print_derived_callee(const Kernel& kernel, SourceWriter& out) {
    if (is_constructor_derived(kernel)) {
        print_wrapper(kernel, kConstruct, "", "", out);
    } else if (keeps_result(kernel)) {
        print_keep(kernel, out);
        print_wrapper(kernel, kKeeping, "weft_keep(", ")", out);
    }
}

} // namespace weft::codegen
