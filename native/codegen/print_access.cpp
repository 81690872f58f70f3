// SPDX-License-Identifier: Apache-2.0
// Memory that moves other than scalar by scalar: vector accesses, and group-shared memory.
#include "codegen/leaves.hpp"
#include "codegen/print_value.hpp"
#include "core/text.hpp"

namespace weft::codegen {

using core::text;

namespace {

/// Registers that one leaf of memory takes: the unit of an operand's offset.
std::int64_t leaf_registers(const Memory& memory) {
    return memory.is_words ? *word_count(*memory.leaf) : 1;
}

std::string words_type(std::size_t words) {
    return words == 1 ? "uint" : text("uint", words);
}

std::vector<std::string> vector_words(const std::string& vector, std::size_t count) {
    std::vector<std::string> words;
    words.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        words.push_back(count == 1 ? vector : text(vector, "[", i, "]"));
    }
    return words;
}

/// Accesses that move the elements of a thread.
std::int64_t accesses(const Kernel& kernel, const Memory& memory) {
    return register_bytes(memory) * registers_per_value(memory) * kernel.width / 4 /
           access_words(kernel, memory);
}

} // namespace

std::int64_t register_bytes(const Memory& memory) {
    const reflect::TypeKind kind = memory.leaf->kind;
    const bool is_scalar =
        kind == reflect::TypeKind::scalar || kind == reflect::TypeKind::enumeration;
    return memory.is_words ? 4
           : is_scalar     ? static_cast<std::int64_t>(reflect::size_bytes(
                             pointer_kind(scalar_leaves(*memory.leaf)->front().kind)))
                           : 0;
}

std::int64_t registers_per_value(const Memory& memory) {
    std::int64_t count = memory.is_words ? *word_count(*memory.leaf) : 1;
    for (const std::int64_t extent : memory.component_shape) {
        count *= extent;
    }
    return count;
}

bool is_own_scalar(const Operand& operand) {
    return operand.kind == OperandKind::element && !operand.memory.is_uniform &&
           !adds_atomically(operand) && register_bytes(operand.memory) != 0 &&
           registers_per_value(operand.memory) == 1;
}

std::string register_type(const Memory& memory) {
    return memory.is_words
               ? "uint"
               : std::string(slang_name(pointer_kind(scalar_leaves(*memory.leaf)->front().kind)));
}

std::int64_t access_words(const Kernel& kernel, const Memory& memory) {
    const std::int64_t bytes = register_bytes(memory) * registers_per_value(memory) * kernel.width;
    return bytes % 16 == 0 ? 4 : bytes % 8 == 0 ? 2 : 1;
}

std::string registers_name(const Operand& operand) {
    return operand.name + (operand.memory.is_words ? "_words" : "_scalars");
}

std::string table_name(std::int32_t table) {
    return text("weft_Table", table);
}

std::string ValuePrinter::access_expression(const Operand& operand, std::int64_t index) const {
    const std::int64_t access = access_words(m_kernel, operand.memory);
    const std::string at = text(operand.name, "_at * ", leaf_registers(operand.memory));
    if (operand.memory.binding >= 0) {
        return text(memory_expression(operand), "[uint(", at, ") / ", access, " + ", index, "]");
    }
    return text("(", words_type(static_cast<std::size_t>(access)), "*)(",
                memory_expression(operand), " + ", at, ") + ", index);
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

std::string ValuePrinter::scalar_in_memory(const Operand& operand, std::int64_t index) const {
    if (operand.memory.binding >= 0) {
        const std::int64_t access = access_words(m_kernel, operand.memory);
        return text(access_expression(operand, index / access), "[", index % access, "]");
    }
    return text(memory_expression(operand), "[", operand.name, "_at * ",
                leaf_registers(operand.memory), " + ", index, "]");
}

void ValuePrinter::unpack(const Operand& operand, const std::vector<std::string>& words,
                          std::size_t first) {
    const Memory& memory = operand.memory;
    const auto bytes = static_cast<std::size_t>(register_bytes(memory));
    const std::string kind = register_type(memory);
    for (std::size_t i = 0; i < words.size() * 4 / bytes; ++i) {
        const std::size_t byte = i * bytes;
        const std::string& from = words[byte / 4];
        std::string value = from;
        if (bytes == 8) {
            value = text("bit_cast<", kind, ">(uint2(", from, ", ", words[byte / 4 + 1], "))");
        } else if (kind == "half") { // not every device that has halves has 16-bit integers
            value = text("bit_cast<half2>(", from, ")[", i % 2, "]");
        } else if (bytes < 4) {
            value = text(kind, "(", from, byte % 4 == 0 ? "" : text(" >> ", byte % 4 * 8), ")");
        } else if (!memory.is_words) {
            value = text("bit_cast<", kind, ">(", from, ")");
        }
        m_out.line(text(registers_name(operand), "[", first + i, "] = ", value, ";"));
    }
}

std::string ValuePrinter::packed_word(const Operand& operand, std::int64_t word) const {
    const Memory& memory = operand.memory;
    const std::int64_t bytes = register_bytes(memory);
    const auto scalar = [&](std::int64_t i) { return text(registers_name(operand), "[", i, "]"); };
    if (memory.is_words) {
        return scalar(word);
    }
    if (bytes == 8) {
        return text("bit_cast<uint2>(", scalar(word / 2), ")[", word % 2, "]");
    }
    const std::int64_t count = 4 / bytes;
    if (register_type(memory) == "half") {
        return text("bit_cast<uint>(half2(", scalar(word * 2), ", ", scalar(word * 2 + 1), "))");
    }
    if (count == 1) {
        return text("bit_cast<uint>(", scalar(word), ")");
    }
    std::string packed;
    for (std::int64_t i = 0; i < count; ++i) {
        // Signed scalars spread their sign over the bits of the others.
        packed +=
            text(i == 0 ? "" : " | ", "(uint(", scalar(word * count + i), ") & ",
                 bytes == 1 ? "0xff" : "0xffff", ")", i == 0 ? "" : text(" << ", i * bytes * 8));
    }
    return packed;
}

void ValuePrinter::load_vectors(const Operand& operand) {
    if (operand.memory.is_shifted) {
        load_shifted(operand);
        return;
    }
    const auto access = static_cast<std::size_t>(access_words(m_kernel, operand.memory));
    const std::size_t per_access =
        access * 4 / static_cast<std::size_t>(register_bytes(operand.memory));
    for (std::int64_t i = 0; i < accesses(m_kernel, operand.memory); ++i) {
        const std::string vector = text(operand.name, "_vector", i);
        m_out.line(text("const ", words_type(access), " ", vector, " = ",
                        load_expression(operand, i), ";"));
        unpack(operand, vector_words(vector, access), static_cast<std::size_t>(i) * per_access);
    }
}

/// The aligned accesses around the elements, of which each holds at least one byte of them: none leaves the memory
/// that they lie in.
void ValuePrinter::load_shifted(const Operand& operand) {
    const Memory& memory = operand.memory;
    const auto access = static_cast<std::size_t>(access_words(m_kernel, memory));
    const auto count = static_cast<std::size_t>(accesses(m_kernel, memory));
    const std::string& name = operand.name;
    const std::string type = words_type(access);
    const std::size_t bytes = access * 4;
    const std::string start =
        text(memory_expression(operand), " + ", name, "_at * ", leaf_registers(memory));
    // Casts to integers and back would hide from the compiler that this is global memory.
    m_out.line(text("const uint ", name, "_skip = uint(uint64_t(", start, ")) & ", bytes - 1, ";"));
    m_out.line(text("uint ", name, "_raw[", (count + 1) * access, "];"));
    for (std::size_t i = 0; i <= count; ++i) {
        const std::string vector = text(name, "_vector", i);
        const std::string at =
            i < count ? text(i) : text("(", name, "_skip + ", count * bytes - 1, ") / ", bytes);
        m_out.line(text("const ", type, " ", vector, " = loadAligned<", bytes, ">((", type, "*)(",
                        start, " - int(", name, "_skip) / ", register_bytes(memory), ") + ", at,
                        ");"));
        const std::vector<std::string> words = vector_words(vector, access);
        for (std::size_t word = 0; word < access; ++word) {
            m_out.line(text(name, "_raw[", i * access + word, "] = ", words[word], ";"));
        }
    }
    shift_words(operand, count * access, access);
    std::vector<std::string> words;
    words.reserve(count * access);
    for (std::size_t i = 0; i < count * access; ++i) {
        words.push_back(text(name, "_raw[", i, "]"));
    }
    unpack(operand, words, 0);
}

void ValuePrinter::shift_words(const Operand& operand, std::size_t words, std::size_t access) {
    const std::string raw = operand.name + "_raw";
    const std::string skip = operand.name + "_skip";
    const auto shift = [&](std::size_t count, const std::string& value) {
        m_out.line("[ForceUnroll]");
        m_out.line(text("for (uint weft_word = 0; weft_word < ", count, "; ++weft_word) ", raw,
                        "[weft_word] = ", value, ";"));
    };
    const bool is_narrow = register_bytes(operand.memory) < 4;
    for (std::size_t step = access / 2; step > 0; step /= 2) {
        shift(words + step - 1 + (is_narrow ? 1 : 0),
              text("(", skip, " & ", step * 4, ") != 0 ? ", raw, "[weft_word + ", step, "] : ", raw,
                   "[weft_word]"));
    }
    if (is_narrow) {
        // A shift by 32 would have no meaning: two that add up to it.
        m_out.line(text("const uint ", operand.name, "_bits = (", skip, " & 3) * 8;"));
        shift(words, text("(", raw, "[weft_word] >> ", operand.name, "_bits) | ((", raw,
                          "[weft_word + 1] << 1) << (31 - ", operand.name, "_bits))"));
    }
}

void ValuePrinter::store_vectors(const Operand& operand) {
    const std::int64_t access = access_words(m_kernel, operand.memory);
    for (std::int64_t i = 0; i < accesses(m_kernel, operand.memory); ++i) {
        std::string words;
        for (std::int64_t word = 0; word < access; ++word) {
            words += (word == 0 ? "" : ", ") + packed_word(operand, i * access + word);
        }
        m_out.line(store_statement(
            operand, i, text(words_type(static_cast<std::size_t>(access)), "(", words, ")")));
    }
}

std::string ValuePrinter::whole_condition(const Operand& operand) const {
    if (!m_kernel.is_peeled) {
        return text("weft_filled == ", m_kernel.width);
    }
    const std::int64_t access = access_words(m_kernel, operand.memory) * 4;
    return operand.memory.is_checked
               ? text("weft_is_whole && (uint(uint64_t(", memory_expression(operand), " + ",
                      operand.name, "_at * ", leaf_registers(operand.memory), ")) & ", access - 1,
                      ") == 0")
               : "weft_is_whole";
}

std::string ValuePrinter::lane_condition(const std::string& lane) const {
    return m_kernel.is_peeled ? text("weft_first + ", lane, " < weft_end")
                              : lane + " < weft_filled";
}

void ValuePrinter::prefetch(const Operand& operand) {
    const std::int64_t per_value = registers_per_value(operand.memory);
    const std::int64_t count = per_value * m_kernel.width;
    m_out.line(
        text(register_type(operand.memory), " ", registers_name(operand), "[", count, "] = {};"));
    if (!operand.reads) {
        return;
    }
    declare_offset(operand);
    if (!m_kernel.has_tail) {
        load_vectors(operand);
        return;
    }
    m_out.open(text("if (", whole_condition(operand), ")"));
    load_vectors(operand);
    m_out.close();
    m_out.open("else");
    // Spelled out: a loop over the tail would index the registers dynamically and spill them.
    for (std::int64_t i = 0; i < count; ++i) {
        m_out.line(text("if (", lane_condition(text(i / per_value)), ") ", registers_name(operand),
                        "[", i, "] = ", scalar_in_memory(operand, i), ";"));
    }
    m_out.close();
}

void ValuePrinter::write_back(const Operand& operand) {
    if (!operand.writes) {
        return;
    }
    const std::int64_t per_value = registers_per_value(operand.memory);
    if (!operand.reads) {
        declare_offset(operand);
    }
    if (!m_kernel.has_tail) {
        store_vectors(operand);
        return;
    }
    m_out.open(text("if (", whole_condition(operand), ")"));
    store_vectors(operand);
    m_out.close();
    m_out.open("else");
    for (std::int64_t i = 0; i < per_value * m_kernel.width; ++i) {
        m_out.line(text("if (", lane_condition(text(i / per_value)), ") ",
                        scalar_in_memory(operand, i), " = ", registers_name(operand), "[", i,
                        "];"));
    }
    m_out.close();
}

void ValuePrinter::declare_registers(const Operand& operand, std::int64_t steps) {
    m_out.line(
        text(register_type(operand.memory), " ", registers_name(operand), "[", steps, "] = {};"));
}

void ValuePrinter::move_register(const Operand& operand, bool is_load) {
    declare_offset(operand);
    const std::string memory = text(memory_expression(operand), "[", operand.name, "_at]");
    const std::string value = text(registers_name(operand), "[weft_lane]");
    m_out.line(is_load ? text(value, " = ", memory, ";") : text(memory, " = ", value, ";"));
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
