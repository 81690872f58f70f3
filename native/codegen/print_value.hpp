// SPDX-License-Identifier: Apache-2.0
// How one operand's value gets into a variable and back to memory.
#pragma once

#include "codegen/kernel.hpp"

#include <string>
#include <vector>

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

    /// Before the element loop: moves the thread's elements of a wide operand into registers.
    void prefetch(const Operand& operand);
    /// Declares the registers of an operand that is read ahead, one for each of `steps` elements.
    void declare_registers(const Operand& operand, std::int64_t steps);
    /// Moves the element whose coordinates are declared between memory and register number `weft_lane`.
    void move_register(const Operand& operand, bool is_load);
    /// Declares variable `operand.name` and gives it its value.
    void load(const Operand& operand);
    /// Writes variable `operand.name` back, if the operand writes.
    void store(const Operand& operand);
    /// After the element loop: moves the registers of a wide operand to memory.
    void write_back(const Operand& operand);

    /// Whether the thread has an element number `lane`.
    [[nodiscard]] std::string lane_condition(const std::string& lane) const;
    /// The memory of an operand: the address of element number 0, or its binding.

    /// The memory of an operand: the address of element number 0, or its binding.
    [[nodiscard]] std::string memory_expression(const Operand& operand) const;

    /// Around what threads without an element of their own leave out, see Kernel::repeats_last.
    void open_effect();
    void close_effect();
    /// Gives a variable the value that makes a repeated call add nothing.
    void clear_repeated(const std::string& name, const std::string& zero);

    /// Declares where the value lies; load() and store() of values that are not wide do it themselves.
    void declare_offset(const Operand& operand);
    /// Address of scalar number `index` of the value, after declare_offset().
    [[nodiscard]] std::string scalar_address(const Operand& operand, std::int64_t index) const;

    /// "weft_arguments." or "weft_arguments->" + field.
    [[nodiscard]] std::string argument(const std::string& field) const;
    /// "uint"/"uint64_t" and "int"/"int64_t", as wide as the kernel's indices.
    [[nodiscard]] std::string index_type() const;
    [[nodiscard]] std::string signed_index_type() const;

private:
    [[nodiscard]] std::string offset_expression(const Operand& operand) const;
    [[nodiscard]] std::string component_expression(const Operand& operand, std::int64_t component,
                                                   std::int64_t unit, std::int64_t within) const;
    /// Access number `index` of the thread's elements of a wide operand: words of a binding, or their address.
    [[nodiscard]] std::string access_expression(const Operand& operand, std::int64_t index) const;
    // Plain pointer accesses promise the alignment of a word only, and NVIDIA's Vulkan driver then splits them.
    [[nodiscard]] std::string load_expression(const Operand& operand, std::int64_t index) const;
    [[nodiscard]] std::string store_statement(const Operand& operand, std::int64_t index,
                                              const std::string& value) const;
    /// Scalar number `index` of the thread's elements of a wide operand, in memory.
    [[nodiscard]] std::string scalar_in_memory(const Operand& operand, std::int64_t index) const;
    /// Takes the registers of a wide operand out of a vector of words, or puts them into one.
    void unpack(const Operand& operand, const std::vector<std::string>& words, std::size_t first);
    [[nodiscard]] std::string packed_word(const Operand& operand, std::int64_t word) const;
    void load_vectors(const Operand& operand);
    void load_shifted(const Operand& operand);
    void shift_words(const Operand& operand, std::size_t words, std::size_t access);
    [[nodiscard]] std::string whole_condition(const Operand& operand) const;
    void store_vectors(const Operand& operand);
    /// Scalar number `index` of the value, wherever the kernel keeps it.
    [[nodiscard]] std::string scalar_expression(const Operand& operand, std::int64_t index,
                                                std::int64_t count, std::int64_t unit) const;
    void load_element(const Operand& operand);
    void load_structures(const Operand& operand, bool is_store);
    void load_tensor(const Operand& operand);
    void declare_gradient_strides(const Operand& gradient);
    [[nodiscard]] std::string gradient_part(const Operand& operand, const std::string& part,
                                            const std::string& absent_tail);
    void load_uniform(const Operand& operand);
    void load_coordinates(const Operand& operand);
    void load_random(const Operand& operand);
    void load_composite(const Operand& operand);
    void load_layout(const Operand& operand);
    void store_element(const Operand& operand);

    const Kernel& m_kernel;
    SourceWriter& m_out;
};

/// ".name" of a field of a composite value, "[0]" of an element of one that is an array.
[[nodiscard]] std::string part_path(const Operand& composite, std::size_t index);
/// The kind of a leaf as memory holds it behind a typed pointer.
[[nodiscard]] reflect::ScalarKind pointer_kind(reflect::ScalarKind kind);
/// Name of the array that holds the elements of a thread of a wide operand.
[[nodiscard]] std::string registers_name(const Operand& operand);
/// The number of words that one value in memory consists of. Precondition: memory.is_words.
[[nodiscard]] std::int64_t words_per_value(const Memory& memory);
/// Size of the scalars that vector accesses to the memory are taken apart into: of a word, or of the leaf. 0 for
/// structures that are no words.
[[nodiscard]] std::int64_t register_bytes(const Memory& memory);
/// How many of them one value consists of.
[[nodiscard]] std::int64_t registers_per_value(const Memory& memory);
/// Whether each call has one of them of its own, which a group can keep until its turn: no number that all share, no
/// sum.
[[nodiscard]] bool is_own_scalar(const Operand& operand);
/// Words of one access to a wide operand: 1, 2 or 4.
[[nodiscard]] std::int64_t access_words(const Kernel& kernel, const Memory& memory);
/// Name of the type that adds to a group-shared table of Kernel::tables.
[[nodiscard]] std::string table_name(std::int32_t table);
/// Slang type of a wide operand's registers: memory as its pointer sees it.
[[nodiscard]] std::string register_type(const Memory& memory);

} // namespace weft::codegen
