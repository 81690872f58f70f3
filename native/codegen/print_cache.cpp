// SPDX-License-Identifier: Apache-2.0
#include "codegen/print_cache.hpp"

#include "codegen/leaves.hpp"
#include "codegen/names.hpp"
#include "codegen/print_atomic.hpp"
#include "core/text.hpp"

namespace weft::codegen {

using core::text;

namespace {

// Rows of a tensor may lie a multiple of all lines apart, and three neighbours of them are common.
constexpr std::int32_t kProbesOfRows = 3;

template <typename Visit>
void for_each_cached(const Kernel& kernel, Visit&& visit) {
    for_each_operand(kernel, [&](const Operand& operand) {
        if (operand.memory.cache >= 0) {
            visit(operand, kernel.caches[static_cast<std::size_t>(operand.memory.cache)]);
        }
    });
}

std::string scalar_name(const Operand& gradient) {
    return std::string(slang_name(scalar_leaves(*gradient.memory.leaf)->front().kind));
}

/// The slot of a line, or no slot: the number of slots.
void print_find(const std::string& name, std::int32_t lines, std::int32_t probes,
                SourceWriter& out) {
    out.open("static uint find(uint line)");
    for (std::int32_t probe = 0; probe < probes; ++probe) {
        const std::string slot = text("slot", probe);
        out.line(
            text("const uint ", slot, " = (line + ", probe * (lines / probes), ") % ", lines, ";"));
        out.line(text("uint taken", probe, " = ", name, "_lines[", slot, "];"));
        out.open(text("if (taken", probe, " == 0)"));
        out.line(text("InterlockedCompareExchange(", name, "_lines[", slot, "], 0, line, taken",
                      probe, ");"));
        out.line(text("if (taken", probe, " == 0) return ", slot, ";"));
        out.close();
        out.line(text("if (taken", probe, " == line) return ", slot, ";"));
    }
    out.line(text("return ", lines, ";"));
    out.close();
}

void print_add(const std::string& name, std::int32_t lines, SourceWriter& out) {
    out.open("static void addOne(int at, float value)");
    out.line(text("const uint slot = find(uint(at) / ", kCacheLine, " + 1);"));
    out.open(text("if (slot == ", lines, ")"));
    out.line("weft_atomic_add(target + at, value);");
    out.line("return;");
    out.close();
    out.line(text("const uint sum = slot * ", kCacheLine, " + uint(at) % ", kCacheLine, ";"));
    print_shared_addition(text(name, "_sums[sum]"), "value", out);
    out.close();
    out.open("static void add(int at, float value)");
    out.line("const uint lanes = weft_subgroup_enter();");
    out.line("if (weft_subgroup_meets(lanes, at, value)) addOne(at, value);");
    out.line("weft_subgroup_leave(lanes);");
    out.close();
}

} // namespace

std::string cache_name(std::int32_t cache) {
    return text("weft_cache", cache);
}

void print_caches(const Kernel& kernel, SourceWriter& out) {
    for_each_cached(kernel, [&](const Operand& gradient, std::int32_t lines) {
        const std::string name = cache_name(gradient.memory.cache);
        out.line(text("groupshared uint ", name, "_lines[", lines, "];"));
        out.line(text("groupshared uint ", name, "_sums[", lines * kCacheLine, "];"));
        out.open(text("struct ", name, " : IGroupSums"));
        out.line(text("static ", scalar_name(gradient), "* target = nullptr;"));
        print_find(name, lines, gradient.tensor_strides.size() > 1 ? kProbesOfRows : 1, out);
        print_add(name, lines, out);
        out.close();
    });
}

void print_cache_begin(const Kernel& kernel, const ValuePrinter& values, SourceWriter& out) {
    for_each_cached(kernel, [&](const Operand& gradient, std::int32_t lines) {
        const std::string name = cache_name(gradient.memory.cache);
        out.line(text(name, ".target = (", scalar_name(gradient), "*)",
                      values.memory_expression(gradient), ";"));
        out.open(text("for (uint weft_entry = weft_lane_in_group; weft_entry < ",
                      lines * kCacheLine, "; weft_entry += ", kernel.group_size[0], ")"));
        out.line(text(name, "_sums[weft_entry] = 0;"));
        out.line(text("if (weft_entry < ", lines, ") ", name, "_lines[weft_entry] = 0;"));
        out.close();
    });
    if (!kernel.caches.empty()) {
        out.line("GroupMemoryBarrierWithGroupSync();");
    }
}

void print_cache_end(const Kernel& kernel, SourceWriter& out) {
    if (!kernel.caches.empty()) {
        out.line("GroupMemoryBarrierWithGroupSync();");
    }
    for_each_cached(kernel, [&](const Operand& gradient, std::int32_t lines) {
        const std::string name = cache_name(gradient.memory.cache);
        out.open(text("for (uint weft_entry = weft_lane_in_group; weft_entry < ",
                      lines * kCacheLine, "; weft_entry += ", kernel.group_size[0], ")"));
        out.line(text("const uint weft_line = ", name, "_lines[weft_entry / ", kCacheLine, "];"));
        out.line(text("const float weft_sum = asfloat(", name, "_sums[weft_entry]);"));
        // Entries that nobody added to include those past the end of the gradient.
        out.line(text("if (weft_line != 0 && weft_sum != 0) weft_atomic_add(", name,
                      ".target + (int(weft_line - 1) * ", kCacheLine, " + int(weft_entry % ",
                      kCacheLine, ")), weft_sum);"));
        out.close();
    });
}

} // namespace weft::codegen
