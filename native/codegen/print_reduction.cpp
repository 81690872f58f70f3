// SPDX-License-Identifier: Apache-2.0
#include "codegen/names.hpp"
#include "codegen/print_group.hpp"
#include "core/text.hpp"

namespace weft::codegen {

using core::text;

namespace {

class ReductionPrinter {
public:
    ReductionPrinter(const GroupBody& body, GradientPrinter& gradients)
        : m_body(body), m_gradients(gradients) {}

    /// Each thread loops along one dimension and adds up what the calls on its way share.
    void print() {
        const std::string type = m_body.values.index_type();
        const ReductionAxis& axis = m_body.kernel.reduction;
        const auto along = static_cast<std::size_t>(axis.dimension);
        const std::string blocks = text(type, "(", m_body.values.argument("weft_blocks"), ")");
        const std::string chunks = text(type, "(", m_body.values.argument("weft_chunks"), ")");
        const std::string extent =
            text(type, "(", m_body.values.argument(dimension_field(along)), ")");
        m_body.out.line(text("const ", type, " weft_job = ", m_body.group, ";"));
        m_body.out.line(text("const uint weft_step = weft_lane_in_group ",
                             axis.is_lane_major ? text("% ", axis.lanes) : text("/ ", axis.columns),
                             ";"));
        m_body.out.line(text("const ", type, " weft_column = weft_job % ", blocks, " * ",
                             axis.columns, " + weft_lane_in_group ",
                             axis.is_lane_major ? text("/ ", axis.lanes) : text("% ", axis.columns),
                             ";"));
        m_body.out.line(text(type, " weft_rest = weft_column;"));
        for (std::size_t i = m_body.kernel.dimensions.size(); i-- > 0;) {
            if (i != along) {
                const std::string size =
                    text(type, "(", m_body.values.argument(dimension_field(i)), ")");
                m_body.out.line(text("const ", type, " weft_c", i, " = weft_rest % ", size, ";"));
                m_body.out.line(text("weft_rest /= ", size, ";"));
            }
        }
        // What is left is not zero past the last column and past the last chunk.
        m_body.out.line(text("const bool weft_is_inside = weft_rest == 0 && weft_job / ", blocks,
                             " < ", chunks, ";"));
        m_gradients.declare_sums();
        print_turns(type,
                    text("weft_is_inside ? weft_job / ", blocks, " * ", axis.lanes,
                         " + weft_step : ", extent),
                    extent, text(chunks, " * ", axis.lanes));
        m_gradients.add_sums();
    }

private:
    /// The turns of the loop, `steps` of them at a time.
    void print_turns(const std::string& type, const std::string& first, const std::string& extent,
                     const std::string& step) {
        const std::string at = text("weft_c", m_body.kernel.reduction.dimension);
        const bool is_alone = m_body.kernel.steps == 1;
        const std::string turn = is_alone ? at : "weft_turn";
        m_body.out.line("[loop]");
        m_body.out.open(text("for (", type, " ", turn, " = ", first, "; ", turn, " < ", extent,
                             "; ", turn, " += ", step,
                             is_alone ? "" : text(" * ", m_body.kernel.steps), ")"));
        if (is_alone) {
            m_body.out.line(
                text("const ", type, " weft_index = ", index_of_coordinates(type), ";"));
            m_body.call();
            m_body.out.close();
            return;
        }
        const auto for_each_step = [&](const std::function<void()>& print) {
            m_body.out.line("[ForceUnroll]");
            m_body.out.open(text("for (uint weft_lane = 0; weft_lane < ", m_body.kernel.steps,
                                 "; ++weft_lane)"));
            m_body.out.line(
                text("const ", type, " ", at, " = weft_turn + weft_lane * (", step, ");"));
            m_body.out.open(text("if (", at, " < ", extent, ")"));
            m_body.out.line(
                text("const ", type, " weft_index = ", index_of_coordinates(type), ";"));
            print();
            m_body.out.close();
            m_body.out.close();
        };
        for_each_ahead([&](const Operand& operand) {
            m_body.values.declare_registers(operand, m_body.kernel.steps);
            if (operand.reads) {
                for_each_step([&] { m_body.values.move_register(operand, true); });
            }
        });
        for_each_step([&] { m_body.call(); });
        for_each_ahead([&](const Operand& operand) {
            if (operand.writes) {
                for_each_step([&] { m_body.values.move_register(operand, false); });
            }
        });
        m_body.out.close();
    }

    std::string index_of_coordinates(const std::string& type) const {
        std::string index = "weft_c0";
        for (std::size_t i = 1; i < m_body.kernel.dimensions.size(); ++i) {
            index = text("(", index, ") * ", type, "(", m_body.values.argument(dimension_field(i)),
                         ") + weft_c", i);
        }
        return index;
    }

    template <typename Visit>
    void for_each_ahead(Visit&& visit) {
        for_each_operand(m_body.kernel, [&](const Operand& operand) {
            if (operand.memory.is_ahead) {
                visit(operand);
            }
        });
    }

    const GroupBody& m_body;
    GradientPrinter& m_gradients;
};

} // namespace

void print_reduction_body(const GroupBody& body, GradientPrinter& gradients) {
    ReductionPrinter(body, gradients).print();
}

} // namespace weft::codegen
