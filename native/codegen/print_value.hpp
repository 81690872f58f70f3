// SPDX-License-Identifier: Apache-2.0
// How one operand's value gets into a variable and back to memory.
#pragma once

#include "codegen/kernel.hpp"

#include <string>

namespace weft::codegen {

/// Collects indented lines.
class SourceWriter {
public:
    void line(const std::string& text);
    void open(const std::string& text); ///< line + " {", indents
    void close();
    [[nodiscard]] std::string take() { return std::move(m_text); }

private:
    std::string m_text;
    int m_depth = 0;
};

class ValuePrinter {
public:
    ValuePrinter(const Kernel& kernel, SourceWriter& out) : m_kernel(kernel), m_out(out) {}

    /// Before the element loop: moves the four elements of a wide operand into registers.
    void prefetch(const Operand& operand);
    /// Declares variable `operand.name` and gives it its value.
    void load(const Operand& operand);
    /// Writes variable `operand.name` back, if the operand writes.
    void store(const Operand& operand);
    /// After the element loop: moves the registers of a wide operand to memory.
    void write_back(const Operand& operand);

    /// "weft_arguments." or "weft_arguments->" + field.
    [[nodiscard]] std::string argument(const std::string& field) const;
    /// "uint"/"uint64_t" and "int"/"int64_t", as wide as the kernel's indices.
    [[nodiscard]] std::string index_type() const;
    [[nodiscard]] std::string signed_index_type() const;

private:
    [[nodiscard]] std::string offset_expression(const Operand& operand) const;
    [[nodiscard]] std::string component_expression(const Operand& operand, std::int64_t component,
                                                   std::int64_t unit, std::int64_t within) const;
    [[nodiscard]] std::string memory_expression(const Operand& operand) const;
    void declare_offset(const Operand& operand);
    void load_element(const Operand& operand);
    void load_structures(const Operand& operand, bool is_store);
    void load_tensor(const Operand& operand);
    void load_uniform(const Operand& operand);
    void load_coordinates(const Operand& operand);
    void load_random(const Operand& operand);
    void load_composite(const Operand& operand);
    void store_element(const Operand& operand);

    const Kernel& m_kernel;
    SourceWriter& m_out;
};

/// The number of values of `kind` that one element of the operand's memory holds, in words or leaves.
[[nodiscard]] std::int64_t words_per_value(const Operand& operand);

} // namespace weft::codegen
