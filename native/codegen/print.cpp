// SPDX-License-Identifier: Apache-2.0
#include "codegen/print.hpp"

#include "codegen/leaves.hpp"
#include "codegen/names.hpp"
#include "codegen/print_atomic.hpp"
#include "codegen/print_cache.hpp"
#include "codegen/print_gradient.hpp"
#include "codegen/print_group.hpp"
#include "codegen/print_value.hpp"
#include "core/text.hpp"

namespace weft::codegen {

using core::text;

namespace {

class KernelPrinter {
public:
    explicit KernelPrinter(const Kernel& kernel)
        : m_kernel(kernel), m_values(kernel, m_out), m_gradients(kernel, m_values, m_out) {}

    std::string print() {
        for (const std::string& name : m_kernel.imports) {
            m_out.line("import \"" + name + "\";");
        }
        if (!m_kernel.prelude.empty()) {
            m_out.line(m_kernel.prelude);
        }
        print_tensor_options();
        for (const std::string& line : atomic_extensions(m_kernel)) {
            m_out.line(line);
        }
        print_arguments();
        print_storage();
        print_group_memory(m_kernel, m_out);
        print_caches(m_kernel, m_out);
        m_gradients.print_declarations();
        print_entry();
        return m_out.take();
    }

    void print_team_options() {
        if (m_kernel.has_team && !m_kernel.is_raw_dispatch && m_kernel.subgroup_size != 0) {
            m_out.line(text(
                "export static const int weft_cooperative_lanes = ", m_kernel.subgroup_size, ";"));
            export_if(m_kernel.has_matrix_units, "weft_has_matrix_units");
            export_if(m_kernel.derivative == Derivative::backward, "weft_remembers");
            export_if(!m_kernel.collector.empty(), "weft_collects_in_group");
        }
    }

private:
    /// Module weft computes tensor offsets in 64 bits, and writes through tensors, unless the kernel says otherwise.
    void print_tensor_options() {
        bool has_tensor = false;
        bool has_gradients = false;
        for_each_operand(m_kernel, [&](const Operand& operand) {
            const bool is_tensor = operand.kind == OperandKind::tensor;
            has_tensor = has_tensor || is_tensor;
            has_gradients = has_gradients || (is_tensor && operand.type->tensor.is_differentiable);
        });
        if (has_tensor && !m_kernel.is_index64) {
            m_out.line("export static const bool weft_wide_offsets = false;");
        }
        if (has_gradients && m_kernel.derivative == Derivative::backward) {
            m_out.line("export static const bool weft_writes_primal = false;");
        }
        print_team_options();
        // A dispatched kernel may add up gradients by itself.
        if (m_kernel.derivative == Derivative::backward || m_kernel.is_raw_dispatch) {
            print_device_options();
        }
    }

    void export_if(bool is_so, const char* name) {
        if (is_so) {
            m_out.line(text("export static const bool ", name, " = true;"));
        }
    }

    /// How the device adds to memory that several threads share.
    void print_device_options() {
        if (!m_kernel.adds_float) {
            m_out.line("export static const bool weft_adds_float = false;");
        }
        if (m_kernel.adds_double) {
            m_out.line("export static const bool weft_adds_double = true;");
        }
        if (m_kernel.sums != SumPass::at_once) {
            m_out.line(text(
                "export static const int weft_sum_pass = ", static_cast<int>(m_kernel.sums), ";"));
            export_if(m_kernel.sums == SumPass::fixed && m_kernel.has_subgroup_sums,
                      "weft_adds_integers_by_subgroup");
        } else if (m_kernel.has_subgroup_sums) { // which lanes meet may differ from run to run
            m_out.line("export static const bool weft_adds_by_subgroup = true;");
        }
    }

    void print_arguments() {
        m_out.open("struct weft_Arguments");
        for (const ArgumentField& field : m_kernel.arguments) {
            m_out.line(field.type + " " + field.name + ";");
        }
        m_out.close();
    }

    void print_storage() {
        if (!m_kernel.storage.empty()) {
            m_out.line("import weft_storage;");
        }
        for_each_operand(m_kernel, [&](const Operand& operand) {
            if (operand.memory.binding >= 0) {
                const std::string type = operand.memory.is_wide
                                             ? text("uint", access_words(m_kernel, operand.memory))
                                             : "uint";
                m_out.line(text("[[vk::binding(", operand.memory.binding,
                                ", 0)]] weft_StorageBuffer<", type, "> ", operand.name,
                                "_storage;"));
            }
        });
    }

    void print_entry() {
        const auto& size = m_kernel.group_size;
        m_out.line("[shader(\"compute\")]");
        m_out.line(text("[numthreads(", size[0], ", ", size[1], ", ", size[2], ")]"));
        const char* pointer = m_kernel.arguments_by_address ? "*" : "";
        m_out.open(text(
            "void ", kEntryPoint,
            "(uint3 weft_thread : SV_DispatchThreadID, uint3 weft_group : SV_GroupID, uint3 "
            "weft_local "
            ": SV_GroupThreadID, uint weft_lane_in_group : SV_GroupIndex, uniform weft_Arguments",
            pointer, " weft_arguments)"));
        if (m_kernel.is_raw_dispatch) {
            print_raw_body();
        } else if (m_kernel.is_tiled) {
            print_tiled_body(group_body([&] { print_call(); }));
        } else {
            print_linear_body();
        }
        m_out.close();
    }

    void print_raw_body() {
        if (m_kernel.is_bounded) {
            m_out.line(text("if (any(weft_thread >= uint3(uint(",
                            m_values.argument(dimension_field(0)), "), uint(",
                            m_values.argument(dimension_field(1)), "), uint(",
                            m_values.argument(dimension_field(2)), ")))) return;"));
        }
        print_call();
    }

    std::string group_expression() const {
        const std::string type = m_values.index_type();
        if (m_kernel.group_count[1] == 1) {
            return type + "(weft_group.x)";
        }
        return text("(", type, "(weft_group.y) * uint(", m_values.argument("weft_columns"),
                    ") + weft_group.x)");
    }

    void print_linear_body() {
        const std::string type = m_values.index_type();
        const std::string count = text(type, "(", m_values.argument("weft_count"), ")");
        const std::string thread =
            text("(", group_expression(), " * ", m_kernel.group_size[0], "u + weft_lane_in_group)");
        if (!m_kernel.stages.empty()) {
            print_staged_body(type, count);
            return;
        }
        if (m_kernel.reduction.dimension >= 0) {
            print_reduction_body(group_body([&] { print_element(); }), m_gradients);
            return;
        }
        if (m_kernel.is_persistent) {
            print_persistent_body(type, count);
            return;
        }
        if (m_kernel.steps > 1) {
            print_cache_begin(m_kernel, m_values, m_out);
            print_stepping_body(type, count);
            print_cache_end(m_kernel, m_out);
            return;
        }
        if (m_kernel.repeats_last) {
            print_repeating_element(type, count, thread);
        } else if (m_kernel.width == 1) {
            m_out.line(text("const ", type, " weft_index = ", thread, ";"));
            m_out.line("if (weft_index >= " + count + ") return;");
            print_coordinates();
            print_element();
        } else {
            print_wide_body(type, count, thread);
        }
    }

    /// The last element for threads past it: all lanes of a group stay.
    void print_repeating_element(const std::string& type, const std::string& count,
                                 const std::string& place) {
        m_out.line(text("const bool weft_is_real = ", place, " < ", count, ";"));
        m_out.line(text("const ", type, " weft_index = min(", place, ", ", count, " - 1);"));
        print_coordinates();
        print_element();
    }

    /// Consecutive elements a thread: 16-byte loads, one loop over the lanes, 16-byte stores.
    void print_wide_body(const std::string& type, const std::string& count,
                         const std::string& thread) {
        const std::int32_t width = m_kernel.width;
        if (m_kernel.is_peeled) {
            print_peeled_first(type, count, thread);
        } else {
            m_out.line(text("const ", type, " weft_first = ", thread, " * ", width, "u;"));
            m_out.line("if (weft_first >= " + count + ") return;");
        }
        m_gradients.declare_sums();
        print_wide_elements(type, count);
        m_gradients.add_sums();
    }

    /// The first thread begins before the first element: numbers below zero wrap, and are no elements either.
    void print_peeled_first(const std::string& type, const std::string& count,
                            const std::string& thread) {
        const std::int64_t width = m_kernel.width;
        for_each_wide([&](const Operand& operand) {
            if (operand.memory.is_peel) {
                const std::int64_t access = access_words(m_kernel, operand.memory) * 4;
                const std::int64_t bytes =
                    register_bytes(operand.memory) * registers_per_value(operand.memory);
                m_out.line(text("const uint weft_before = (uint(uint64_t(",
                                m_values.memory_expression(operand), ")) & ", access - 1, ") / ",
                                bytes, ";"));
            }
        });
        m_out.line(text("const ", type, " weft_end = ", count, ";"));
        m_out.line(
            text("const ", type, " weft_first = ", thread, " * ", width, "u - weft_before;"));
        m_out.line(text("if (weft_first >= weft_end && weft_first + ", width - 1,
                        " >= weft_end) return;"));
        m_out.line(text(
            "const bool weft_is_whole = weft_first < weft_end && weft_end - weft_first >= ", width,
            ";"));
    }

    /// The elements of a thread from number weft_first on.
    void print_wide_elements(const std::string& type, const std::string& count) {
        const std::int32_t width = m_kernel.width;
        if (m_kernel.has_tail && !m_kernel.is_peeled) {
            m_out.line(text("const uint weft_filled = uint(min(", type, "(", width, "), ", count,
                            " - weft_first));"));
        }
        m_out.line(text("const ", type, " weft_index = weft_first;"));
        print_coordinates();
        if (m_kernel.needs_coordinates) {
            m_out.line(text("const ", type, " weft_first_column = weft_c",
                            m_kernel.dimensions.size() - 1, ";"));
        }
        for_each_wide([&](const Operand& operand) { m_values.prefetch(operand); });
        // Registers cannot be indexed by a loop counter: some drivers leave the loop as it is and spill them.
        m_out.line("[ForceUnroll]");
        m_out.open(text("for (uint weft_lane = 0; weft_lane < ", width, "; ++weft_lane)"));
        if (m_kernel.has_tail) {
            m_out.open(text("if (", m_values.lane_condition("weft_lane"), ")"));
        }
        m_out.line(text("const ", type, " weft_index = weft_first + weft_lane;"));
        print_lane_coordinate(type);
        print_call();
        if (m_kernel.has_tail) {
            m_out.close();
        }
        m_out.close();
        for_each_wide([&](const Operand& operand) { m_values.write_back(operand); });
    }

    /// The elements of a thread never straddle two rows, so that only the innermost coordinate moves.
    void print_lane_coordinate(const std::string& type) {
        if (m_kernel.needs_coordinates) {
            m_out.line(text("const ", type, " weft_c", m_kernel.dimensions.size() - 1,
                            " = weft_first_column + weft_lane;"));
        }
    }

    /// Several elements a thread, one group apart: neighbours stay side by side, and the function is compiled once.
    void print_stepping_body(const std::string& type, const std::string& count) {
        const std::uint32_t group = m_kernel.group_size[0];
        const std::int64_t block = std::int64_t{group} * m_kernel.steps;
        m_out.line(text("const ", type, " weft_block = ", group_expression(), " * ", block, "u;"));
        m_out.line("[loop]");
        m_out.open(
            text("for (uint weft_step = 0; weft_step < ", block, "; weft_step += ", group, ")"));
        m_out.line(
            text("const ", type, " weft_index = weft_block + weft_step + weft_lane_in_group;"));
        m_out.line(text("if (weft_index >= ", count, ") ",
                        m_kernel.caches.empty() ? "return;" : "break;"));
        print_coordinates();
        print_element();
        m_out.close();
    }

    /// Few groups take all elements, a group's worth at a time, and add up what belongs to one element.
    /// Groups of a GPU advance side by side; a CPU runs one after the other and prefers them apart.
    void print_persistent_body(const std::string& type, const std::string& count) {
        const bool is_apart = m_kernel.prefers_storage_bindings;
        const std::int64_t turn = std::int64_t{m_kernel.group_size[0]} * m_kernel.width;
        const std::string span = text(type, "(", m_values.argument("weft_span"), ")");
        const std::string lane = text("weft_lane_in_group * ", m_kernel.width, "u");
        const std::string variable = m_kernel.width > 1 ? "weft_first" : "weft_index";
        if (is_apart) {
            m_out.line(
                text("const ", type, " weft_begin = ", group_expression(), " * ", span, ";"));
            m_out.line(
                text("const ", type, " weft_end = min(", count, ", weft_begin + ", span, ");"));
        } else {
            m_out.line(
                text("const ", type, " weft_begin = ", group_expression(), " * ", turn, "u;"));
            m_out.line(text("const ", type, " weft_end = ", count, ";"));
        }
        m_gradients.declare_sums();
        m_out.line("[loop]");
        const std::string block = m_kernel.repeats_last ? "weft_block" : variable;
        m_out.open(text("for (", type, " ", block, " = weft_begin",
                        m_kernel.repeats_last ? "" : " + " + lane, "; ", block, " < weft_end; ",
                        block, " += ", is_apart ? text(turn, "u") : span, ")"));
        if (m_kernel.repeats_last) {
            print_repeating_element(type, "weft_end", "weft_block + " + lane);
        } else if (m_kernel.width > 1) {
            print_wide_elements(type, count);
        } else {
            print_coordinates();
            print_element();
        }
        m_out.close();
        m_gradients.add_sums();
    }

    GroupBody group_body(std::function<void()> call) {
        return {m_kernel, m_values, m_out, group_expression(), std::move(call)};
    }

    /// The group moves staged operands together; few groups take all blocks where they add to one element.
    void print_staged_body(const std::string& type, const std::string& count) {
        const std::int64_t block = std::int64_t{m_kernel.group_size[0]} * m_kernel.turns;
        const GroupBody body = group_body([&] {
            print_coordinates();
            print_element();
        });
        const std::string first = text(group_expression(), " * ", block, "u");
        if (!m_kernel.is_persistent) {
            m_out.line(text("const ", type, " weft_block = ", first, ";"));
            m_out.line("if (weft_block >= " + count + ") return;");
            print_cache_begin(m_kernel, m_values, m_out);
            print_staged_block(body, count);
            print_cache_end(m_kernel, m_out);
            return;
        }
        m_gradients.declare_sums();
        m_out.line("[loop]");
        m_out.open(text("for (", type, " weft_block = ", first, "; weft_block < ", count,
                        "; weft_block += ", type, "(", m_values.argument("weft_span"), "))"));
        print_staged_block(body, count);
        m_out.line("GroupMemoryBarrierWithGroupSync();");
        m_out.close();
        m_gradients.add_sums();
    }

    /// One call with its 16-byte accesses around it.
    void print_element() {
        for_each_wide([&](const Operand& operand) { m_values.prefetch(operand); });
        print_call();
        m_values.open_effect();
        for_each_wide([&](const Operand& operand) { m_values.write_back(operand); });
        m_values.close_effect();
    }

    template <typename Visit>
    void for_each_wide(Visit&& visit) {
        for_each_operand(m_kernel, [&](const Operand& operand) {
            if (operand.memory.is_wide) {
                visit(operand);
            }
        });
    }

    void print_coordinates() {
        if (!m_kernel.needs_coordinates) {
            return;
        }
        const std::string type = m_values.index_type();
        m_out.line(text(type, " weft_rest = weft_index;"));
        for (std::size_t i = m_kernel.dimensions.size(); i-- > 0;) {
            if (i == 0) {
                m_out.line(text("const ", type, " weft_c0 = weft_rest;"));
                continue;
            }
            const std::string extent = text(type, "(", m_values.argument(dimension_field(i)), ")");
            m_out.line(text("const ", type, " weft_c", i, " = weft_rest % ", extent, ";"));
            m_out.line(text("weft_rest /= ", extent, ";"));
        }
    }

    void print_call() {
        if (m_kernel.derivative != Derivative::none) {
            m_gradients.print_call();
            return;
        }
        std::vector<std::string> names;
        for (const Operand& operand : m_kernel.operands) {
            m_values.load(operand);
            names.push_back(operand.name);
        }
        std::string callee = m_kernel.callee;
        if (m_kernel.has_this) {
            callee = names.front() + "." + callee;
            names.erase(names.begin());
        }
        const std::string call = callee + "(" + core::join(names, ", ") + ");";
        if (m_kernel.has_result && m_kernel.result.kind == OperandKind::composite) {
            m_values.load(m_kernel.result); // declares what the fields are stored from
            m_out.line(text(m_kernel.result.name, " = ", call));
        } else if (m_kernel.has_result) {
            m_out.line(
                text(m_kernel.result.type->full_name, " ", m_kernel.result.name, " = ", call));
        } else {
            m_out.line(call);
        }
        for (const Operand& operand : m_kernel.operands) {
            m_values.store(operand);
        }
        if (m_kernel.has_result) {
            m_values.store(m_kernel.result);
        }
    }

    const Kernel& m_kernel;
    SourceWriter m_out;
    ValuePrinter m_values;
    GradientPrinter m_gradients;
};

} // namespace

std::string print(const Kernel& kernel) {
    return KernelPrinter(kernel).print();
}

} // namespace weft::codegen
