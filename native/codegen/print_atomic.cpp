// SPDX-License-Identifier: Apache-2.0
#include "codegen/print_atomic.hpp"

#include "core/text.hpp"

#include <set>

namespace weft::codegen {

using core::text;
using reflect::Type;
using reflect::TypeKind;

namespace {

/// A type as Slang takes it in front of a dot: "float[3].f" is no expression.
std::string spell(const Type& type) {
    return type.kind == TypeKind::array
               ? text("Array<", spell(*type.element), ", ", type.count, ">")
               : type.full_name;
}

class ExtensionPrinter {
public:
    /// Inner structures first.
    void add(const Type& type) {
        if (type.kind == TypeKind::array) {
            add(*type.element);
        }
        if (type.kind != TypeKind::structure || !m_known.insert(type.full_name).second) {
            return;
        }
        std::string additions;
        for (const reflect::Field& field : type.fields) {
            add(*field.type);
            additions += text(" ", spell(*field.type), ".atomicAdd(&weft_target.", field.name,
                              ", weft_value.", field.name, ");");
        }
        lines.push_back(text("extension ", type.full_name, " : IAtomicAddable { static void ",
                             "atomicAdd(", type.full_name, "* weft_target, ", type.full_name,
                             " weft_value) {", additions, " } }"));
    }

    std::vector<std::string> lines;

private:
    std::set<std::string> m_known;
};

} // namespace

std::vector<std::string> atomic_extensions(const Kernel& kernel) {
    ExtensionPrinter printer;
    for_each_memory_operand(kernel, [&](const Operand& operand) {
        const bool is_sum =
            operand.kind == OperandKind::tensor && operand.accumulation != Accumulation::none;
        if (is_sum) {
            printer.add(*operand.memory.leaf);
        }
    });
    return std::move(printer.lines);
}

void print_shared_addition(const std::string& sum, const std::string& value, SourceWriter& out) {
    // Hardly any device adds floats in shared memory by one instruction.
    out.line(text("uint found = ", sum, ";"));
    out.line("uint expected;");
    out.open("do");
    out.line("expected = found;");
    out.line(text("InterlockedCompareExchange(", sum, ", expected, asuint(asfloat(expected) + ",
                  value, "), found);"));
    out.close();
    out.line("while (found != expected);");
}

} // namespace weft::codegen
