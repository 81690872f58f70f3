// SPDX-License-Identifier: Apache-2.0
// Memory that moves other than scalar by scalar: vector accesses, and group-shared memory.
#include "codegen/leaves.hpp"
#include "codegen/print_value.hpp"
#include "core/text.hpp"

namespace weft::codegen {

using core::text;

std::int64_t access_words(const Kernel& kernel, const Memory& memory) {
    return words_per_value(memory) * kernel.width % 4 == 0 ? 4 : 2;
}

std::string table_name(std::int32_t table) {
    return text("weft_Table", table);
}

std::string stage_name(std::int32_t stage) {
    return text("weft_stage", stage);
}

std::string ValuePrinter::access_expression(const Operand& operand, std::int64_t index) const {
    const std::int64_t access = access_words(m_kernel, operand.memory);
    const std::string at = text(operand.name, "_at * ", *word_count(*operand.memory.leaf));
    if (operand.memory.binding >= 0) {
        return text(memory_expression(operand), "[uint(", at, ") / ", access, " + ", index, "]");
    }
    return text("(uint", access, "*)(", memory_expression(operand), " + ", at, ") + ", index);
}

std::string ValuePrinter::load_expression(const Operand& operand, std::int64_t index) const {
    const std::string access = access_expression(operand, index);
    return operand.memory.binding >= 0
               ? access
               : text("loadAligned<", access_words(m_kernel, operand.memory) * 4, ">(", access,
                      ")");
}

std::string ValuePrinter::store_statement(const Operand& operand, std::int64_t index,
                                          const std::string& value) const {
    const std::string access = access_expression(operand, index);
    return operand.memory.binding >= 0
               ? text(access, " = ", value, ";")
               : text("storeAligned<", access_words(m_kernel, operand.memory) * 4, ">(", access,
                      ", ", value, ");");
}

std::string ValuePrinter::word_expression(const Operand& operand, std::int64_t word) const {
    if (operand.memory.binding >= 0) {
        const std::int64_t access = access_words(m_kernel, operand.memory);
        return text(access_expression(operand, word / access), "[", word % access, "]");
    }
    return text(memory_expression(operand), "[", operand.name, "_at * ",
                *word_count(*operand.memory.leaf), " + ", word, "]");
}

void ValuePrinter::prefetch(const Operand& operand) {
    const std::int64_t words = words_per_value(operand.memory);
    const std::int64_t all_words = words * m_kernel.width;
    const std::int64_t access = access_words(m_kernel, operand.memory);
    m_out.line(text("uint ", operand.name, "_words[", all_words, "] = {};"));
    if (!operand.reads) {
        return;
    }
    declare_offset(operand);
    if (m_kernel.has_tail) {
        m_out.open(text("if (weft_filled == ", m_kernel.width, ")"));
    }
    for (std::int64_t i = 0; i < all_words / access; ++i) {
        const std::string vector = text(operand.name, "_vector", i);
        m_out.line(
            text("const uint", access, " ", vector, " = ", load_expression(operand, i), ";"));
        for (std::int64_t lane = 0; lane < access; ++lane) {
            m_out.line(
                text(operand.name, "_words[", i * access + lane, "] = ", vector, "[", lane, "];"));
        }
    }
    if (!m_kernel.has_tail) {
        return;
    }
    m_out.close();
    m_out.open("else");
    // Spelled out: a loop over the tail would index the registers dynamically and spill them.
    for (std::int64_t word = 0; word < all_words; ++word) {
        m_out.line(text("if (", word / words, " < weft_filled) ", operand.name, "_words[", word,
                        "] = ", word_expression(operand, word), ";"));
    }
    m_out.close();
}

void ValuePrinter::write_back(const Operand& operand) {
    if (!operand.writes) {
        return;
    }
    const std::int64_t words = words_per_value(operand.memory);
    const std::int64_t all_words = words * m_kernel.width;
    const std::int64_t access = access_words(m_kernel, operand.memory);
    if (!operand.reads) {
        declare_offset(operand);
    }
    if (m_kernel.has_tail) {
        m_out.open(text("if (weft_filled == ", m_kernel.width, ")"));
    }
    for (std::int64_t i = 0; i < all_words / access; ++i) {
        std::string lanes;
        for (std::int64_t lane = 0; lane < access; ++lane) {
            lanes += text(lane == 0 ? "" : ", ", operand.name, "_words[", i * access + lane, "]");
        }
        m_out.line(store_statement(operand, i, text("uint", access, "(", lanes, ")")));
    }
    if (!m_kernel.has_tail) {
        return;
    }
    m_out.close();
    m_out.open("else");
    for (std::int64_t word = 0; word < all_words; ++word) {
        m_out.line(text("if (", word / words, " < weft_filled) ", word_expression(operand, word),
                        " = ", operand.name, "_words[", word, "];"));
    }
    m_out.close();
}

void ValuePrinter::fill_stage(const Operand& operand) {
    const std::int64_t words = words_per_value(operand.memory);
    const std::string memory =
        text(memory_expression(operand), "[weft_block * ", words, " + weft_word]");
    // Into registers first: the loads are then in flight together, whatever the compiler knows about aliases.
    m_out.line(text("uint ", operand.name, "_words[", words, "] = {};"));
    for (const bool is_load : {true, false}) {
        m_out.line("[ForceUnroll]");
        m_out.open(text("for (uint weft_step = 0; weft_step < ", words, "; ++weft_step)"));
        m_out.line(text("const uint weft_word = weft_step * ", m_kernel.group_size[0],
                        " + weft_lane_in_group;"));
        m_out.line(is_load ? text("if (weft_word < weft_filled * ", words, ") ", operand.name,
                                  "_words[weft_step] = ", memory, ";")
                           : text(stage_name(operand.memory.stage), "[weft_word] = ", operand.name,
                                  "_words[weft_step];"));
        m_out.close();
    }
}

void ValuePrinter::empty_stage(const Operand& operand) {
    const std::int64_t words = words_per_value(operand.memory);
    m_out.line("[ForceUnroll]");
    m_out.open(text("for (uint weft_step = 0; weft_step < ", words, "; ++weft_step)"));
    m_out.line(text("const uint weft_word = weft_step * ", m_kernel.group_size[0],
                    " + weft_lane_in_group;"));
    m_out.line(text("if (weft_word < weft_filled * ", words, ") ", memory_expression(operand),
                    "[weft_block * ", words, " + weft_word] = ", stage_name(operand.memory.stage),
                    "[weft_word];"));
    m_out.close();
}

void ValuePrinter::open_effect() {
    if (m_kernel.repeats_last) {
        m_out.open("if (weft_is_real)");
    }
}

void ValuePrinter::close_effect() {
    if (m_kernel.repeats_last) {
        m_out.close();
    }
}

void ValuePrinter::clear_repeated(const std::string& name, const std::string& zero) {
    if (m_kernel.repeats_last) {
        m_out.line(text("if (!weft_is_real) ", name, " = ", zero, ";"));
    }
}

} // namespace weft::codegen
