// SPDX-License-Identifier: Apache-2.0
// The body of a kernel that differentiates: one call of bwd_diff or fwd_diff an element, and what becomes of the
// gradients.
#pragma once

#include "codegen/kernel.hpp"
#include "codegen/print_value.hpp"

#include <string>
#include <vector>

namespace weft::codegen {

class GradientPrinter {
public:
    GradientPrinter(const Kernel& kernel, ValuePrinter& values, SourceWriter& out)
        : m_kernel(kernel), m_values(values), m_out(out) {}

    /// Backward: loads values and gradients, calls, adds to the gradients of the inputs and stores the primal result.
    /// Forward: loads values and tangents, calls, stores values and tangents of the outputs.
    void print_call();

    /// At module scope: what print_call(), declare_sums() and add_sums() need.
    void print_declarations();
    /// Before the loop over elements: registers and shared memory for what the group adds up.
    void declare_sums();
    /// After it: adds the sums of the group to memory.
    void add_sums();

private:
    void print_constructor();
    void print_shared_memory();
    void print_backward_call();
    void print_forward_call();
    [[nodiscard]] std::string tangent_argument(const Operand& operand);
    void store_tangents(const Operand& operand, const std::string& value);
    void load(const Operand& operand);
    void print_primal(const std::vector<std::string>& names);
    [[nodiscard]] std::string argument_of(const Operand& operand);
    [[nodiscard]] std::string given_gradient(const Operand& operand);
    void load_given(const Operand& operand);
    void keep_result(const std::string& value);
    void fill_given(const Operand& operand, const std::string& target);
    void accumulate(const Operand& operand, const std::string& value);
    void add(const Operand& gradient, const std::string& value);
    void add_atomically(const Operand& gradient, std::size_t scalar, const std::string& value);
    void print_table(const Operand& gradient);
    void clear_tables();
    void call_collector(const std::string& call);
    void add_tables();
    void add_sum(const Operand& gradient, std::size_t scalar);

    template <typename Visit>
    void for_each_gradient(Accumulation accumulation, Visit&& visit) const;

    const Kernel& m_kernel;
    ValuePrinter& m_values;
    SourceWriter& m_out;
};

/// "Material.Differential", or the type itself where it is its own differential.
[[nodiscard]] std::string differential_name(const reflect::Type& type);

} // namespace weft::codegen
