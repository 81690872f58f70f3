// SPDX-License-Identifier: Apache-2.0
#include "codegen/print_group.hpp"

#include "codegen/names.hpp"
#include "core/text.hpp"

namespace weft::codegen {

using core::text;

namespace {

// One more than the edge: a column of the tile then lies in as many banks as a row.
constexpr std::int64_t kTilePitch = kTileEdge + 1;

template <typename Visit>
void for_each_if(const Kernel& kernel, bool (*has)(const Memory&), Visit&& visit) {
    for_each_operand(kernel, [&](const Operand& operand) {
        if (has(operand.memory)) {
            visit(operand);
        }
    });
}

bool is_staged(const Memory& memory) {
    return memory.stage >= 0;
}
bool has_tile(const Memory& memory) {
    return memory.tile >= 0;
}
bool is_ahead(const Memory& memory) {
    return memory.is_ahead;
}

/// The words that the threads of a group move one after the other, all of them side by side.
class StagePrinter {
public:
    StagePrinter(const GroupBody& body, const Operand& operand)
        : m_body(body), m_name(operand.name), m_words(words_per_value(operand.memory)),
          m_memory(text(body.values.memory_expression(operand), "[weft_block * ", m_words,
                        " + weft_word]")),
          m_stage(stage_name(operand.memory.stage) + "[weft_word]") {}

    /// Into registers first: the loads of all operands are then in flight together.
    void load() {
        m_body.out.line(text("uint ", m_name, "_words[", m_words * m_body.kernel.turns, "] = {};"));
        print_steps(text("if (weft_word < weft_filled * ", m_words, ") ", m_name,
                         "_words[weft_step] = ", m_memory, ";"));
    }

    void fill() { print_steps(text(m_stage, " = ", m_name, "_words[weft_step];")); }

    void empty() {
        print_steps(
            text("if (weft_word < weft_filled * ", m_words, ") ", m_memory, " = ", m_stage, ";"));
    }

private:
    void print_steps(const std::string& statement) {
        m_body.out.line("[ForceUnroll]");
        m_body.out.open(text("for (uint weft_step = 0; weft_step < ", m_words * m_body.kernel.turns,
                             "; ++weft_step)"));
        m_body.out.line(text("const uint weft_word = weft_step * ", m_body.kernel.group_size[0],
                             " + weft_lane_in_group;"));
        m_body.out.line(statement);
        m_body.out.close();
    }

    const GroupBody& m_body;
    std::string m_name;
    std::int64_t m_words;
    std::string m_memory;
    std::string m_stage;
};

class TilePrinter {
public:
    explicit TilePrinter(const GroupBody& body)
        : m_body(body), m_out(body.out), m_inner(body.kernel.dimensions.size() - 1),
          m_other(static_cast<std::size_t>(body.kernel.tile_dimension)),
          m_steps(kTileEdge * kTileEdge / body.kernel.group_size[0]) {}

    void print() {
        print_place();
        for_each_if(m_body.kernel, has_tile, [&](const Operand& operand) { load(operand, true); });
        for_each_if(m_body.kernel, is_ahead, [&](const Operand& operand) { load(operand, false); });
        for_each_if(m_body.kernel, has_tile, [&](const Operand& operand) {
            if (operand.reads) {
                fill(operand);
            }
        });
        m_out.line("GroupMemoryBarrierWithGroupSync();");
        open_steps();
        m_out.line(text("const uint weft_place = weft_lane_in_group % ", kTileEdge, " * ",
                        kTilePitch, " + weft_lane_in_group / ", kTileEdge, " + weft_lane * ",
                        rows_a_step(), ";"));
        open_element(false);
        m_body.call();
        close_element();
        m_out.line("GroupMemoryBarrierWithGroupSync();");
        for_each_if(m_body.kernel, has_tile, [&](const Operand& operand) {
            if (operand.writes) {
                empty(operand);
            }
        });
        for_each_if(m_body.kernel, is_ahead, [&](const Operand& operand) {
            if (operand.writes) {
                move(operand, false, false);
            }
        });
    }

private:
    std::string extent(std::size_t dimension) const {
        return text("uint(", m_body.values.argument(dimension_field(dimension)), ")");
    }

    std::int64_t rows_a_step() const { return kTileEdge / m_steps; }

    /// The tile's first element, and the coordinates that are the same for all of it.
    void print_place() {
        m_out.line(text("uint weft_rest = ", m_body.group, ";"));
        const auto take = [&](const std::string& name, std::size_t dimension, bool is_tile) {
            const std::string count = is_tile ? text("((", extent(dimension), " + ", kTileEdge - 1,
                                                     ") / ", kTileEdge, ")")
                                              : extent(dimension);
            m_out.line(text("const uint ", name, " = weft_rest % ", count,
                            is_tile ? text(" * ", kTileEdge) : "", ";"));
            m_out.line(text("weft_rest /= ", count, ";"));
        };
        take("weft_tile_x", m_inner, true);
        take("weft_tile_y", m_other, true);
        for (std::size_t i = m_inner; i-- > 0;) {
            if (i != m_other) {
                take(text("weft_c", i), i, false);
            }
        }
        // The last row of groups may reach past the count: weft_rest is then not zero.
        m_out.line("if (weft_rest != 0) return;");
    }

    void open_steps() {
        m_out.line("[ForceUnroll]");
        m_out.open(text("for (uint weft_lane = 0; weft_lane < ", m_steps, "; ++weft_lane)"));
    }

    /// Neighbouring threads lie side by side in the innermost dimension, or in the other one.
    void open_element(bool is_turned) {
        const std::string side = text("weft_lane_in_group % ", kTileEdge);
        const std::string step =
            text("weft_lane_in_group / ", kTileEdge, " + weft_lane * ", rows_a_step());
        m_out.line(
            text("const uint weft_c", m_inner, " = weft_tile_x + ", is_turned ? step : side, ";"));
        m_out.line(
            text("const uint weft_c", m_other, " = weft_tile_y + ", is_turned ? side : step, ";"));
        m_out.open(text("if (weft_c", m_inner, " < ", extent(m_inner), " && weft_c", m_other, " < ",
                        extent(m_other), ")"));
        m_out.line(text("const uint weft_index = ", linear_index(), ";"));
    }

    void close_element() {
        m_out.close();
        m_out.close();
    }

    std::string linear_index() const {
        std::string index = "weft_c0";
        for (std::size_t i = 1; i <= m_inner; ++i) {
            index = text("(", index, ") * ", extent(i), " + weft_c", i);
        }
        return index;
    }

    std::string tile_element(const Operand& operand) const {
        return text(tile_name(operand.memory.tile), "[(weft_lane_in_group / ", kTileEdge,
                    " + weft_lane * ", rows_a_step(), ") * ", kTilePitch,
                    " + weft_lane_in_group % ", kTileEdge, "]");
    }

    std::string memory_element(const Operand& operand) const {
        return text(m_body.values.memory_expression(operand), "[", operand.name, "_at]");
    }

    std::string element_register(const Operand& operand) const {
        return registers_name(operand) + "[weft_lane]";
    }

    /// Between memory and the registers of all steps.
    void move(const Operand& operand, bool is_turned, bool is_load) {
        open_steps();
        open_element(is_turned);
        m_body.values.move_register(operand, is_load);
        close_element();
    }

    void load(const Operand& operand, bool is_turned) {
        m_body.values.declare_registers(operand, m_steps);
        if (operand.reads) {
            move(operand, is_turned, true);
        }
    }

    void fill(const Operand& operand) {
        open_steps();
        m_out.line(text(tile_element(operand), " = ", element_register(operand), ";"));
        m_out.close();
    }

    void empty(const Operand& operand) {
        open_steps();
        open_element(true);
        m_body.values.declare_offset(operand);
        m_out.line(text(memory_element(operand), " = ", tile_element(operand), ";"));
        close_element();
    }

    const GroupBody& m_body;
    SourceWriter& m_out;
    std::size_t m_inner;
    std::size_t m_other;
    std::int64_t m_steps;
};

} // namespace

std::string stage_name(std::int32_t stage) {
    return text("weft_stage", stage);
}

std::string tile_name(std::int32_t tile) {
    return text("weft_tile", tile);
}

void print_group_memory(const Kernel& kernel, SourceWriter& out) {
    for (std::size_t i = 0; i < kernel.stages.size(); ++i) {
        out.line(text("groupshared uint ", stage_name(static_cast<std::int32_t>(i)), "[",
                      kernel.stages[i] * kernel.turns * kernel.group_size[0], "];"));
    }
    for (std::size_t i = 0; i < kernel.tiles.size(); ++i) {
        out.line(text("groupshared ", kernel.tiles[i], " ", tile_name(static_cast<std::int32_t>(i)),
                      "[", kTileEdge * kTilePitch, "];"));
    }
}

void print_staged_block(const GroupBody& body, const std::string& count) {
    const std::string type = body.values.index_type();
    SourceWriter& out = body.out;
    const std::int64_t block = std::int64_t{body.kernel.group_size[0]} * body.kernel.turns;
    out.line(text("const uint weft_filled = uint(min(", type, "(", block, "), ", count,
                  " - weft_block));"));
    const auto for_each_read = [&](void (StagePrinter::*print)()) {
        for_each_if(body.kernel, is_staged, [&](const Operand& operand) {
            if (operand.reads) {
                (StagePrinter(body, operand).*print)();
            }
        });
    };
    for_each_read(&StagePrinter::load);
    for_each_read(&StagePrinter::fill);
    out.line("GroupMemoryBarrierWithGroupSync();");
    if (body.kernel.turns > 1) {
        out.open(text("for (uint weft_place = weft_lane_in_group; weft_place < weft_filled; "
                      "weft_place += ",
                      body.kernel.group_size[0], ")"));
    } else {
        out.line("const uint weft_place = weft_lane_in_group;");
        out.open("if (weft_place < weft_filled)");
    }
    out.line(text("const ", type, " weft_index = weft_block + weft_place;"));
    body.call();
    out.close();
    out.line("GroupMemoryBarrierWithGroupSync();");
    for_each_if(body.kernel, is_staged, [&](const Operand& operand) {
        if (operand.writes) {
            StagePrinter(body, operand).empty();
        }
    });
}

void print_tiled_body(const GroupBody& body) {
    TilePrinter(body).print();
}

} // namespace weft::codegen
