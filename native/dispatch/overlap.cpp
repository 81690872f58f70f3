// SPDX-License-Identifier: Apache-2.0
#include "dispatch/overlap.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <numeric>

namespace weft::dispatch {

using codegen::Accumulation;
using codegen::Derivative;
using codegen::Operand;
using codegen::OperandKind;
using core::text;

namespace {

struct Use {
    const Operand* operand = nullptr;
    bool is_written = false;
    bool is_sum = false;
};

/// What the kernel does with the memory of an operand; nullptr: nothing that could be said to be wrong.
Use use_of(const codegen::Kernel& kernel, const Operand& operand) {
    const bool is_sum = operand.accumulation != Accumulation::none;
    if (operand.kind == OperandKind::element) {
        const bool is_used = operand.reads || operand.writes;
        return {is_used ? &operand : nullptr, operand.writes, is_sum};
    }
    if (operand.kind != OperandKind::tensor) {
        return {};
    }
    if (is_sum) {
        return {&operand, true, true};
    }
    const bool only_writes = operand.type->tensor.access == reflect::Access::write;
    const bool is_gradient = operand.tensor_type.empty();
    if (is_gradient || !only_writes) {
        return {&operand, is_gradient && operand.writes, false};
    }
    const bool is_touched = kernel.derivative != Derivative::backward;
    return {is_touched ? &operand : nullptr, true, false};
}

Footprint footprint_of(const codegen::Kernel& kernel, const codegen::Memory& memory) {
    const reflect::Type& leaf = *memory.leaf;
    Footprint result;
    result.element_bytes = static_cast<std::int64_t>(leaf.kind == reflect::TypeKind::structure
                                                         ? leaf.layout.stride
                                                         : reflect::size_bytes(leaf.scalar));
    const auto add = [&](std::int64_t extent, std::int64_t stride) {
        const std::int64_t bytes = stride * result.element_bytes;
        const std::int64_t offset = (extent - 1) * bytes;
        if (offset == 0) {
            return;
        }
        result.axes.push_back({extent, bytes < 0 ? -bytes : bytes});
        (offset < 0 ? result.low : result.high) += offset;
    };
    for (std::size_t i = 0; i < memory.call_strides.size(); ++i) {
        add(kernel.dimensions[i], memory.call_strides[i]);
    }
    for (std::size_t i = 0; i < memory.component_shape.size(); ++i) {
        add(memory.component_shape[i], memory.component_strides[i]);
    }
    result.high += result.element_bytes;
    return result;
}

/// Every call takes the same element of both, if both begin at one address.
bool are_alike(const codegen::Kernel& kernel, const Operand& a, const Operand& b) {
    if (a.kind != OperandKind::element || b.kind != OperandKind::element ||
        !reflect::same_type(*a.memory.leaf, *b.memory.leaf) ||
        a.memory.component_shape != b.memory.component_shape ||
        a.memory.component_strides != b.memory.component_strides) {
        return false;
    }
    for (std::size_t i = 0; i < kernel.dimensions.size(); ++i) {
        if (kernel.dimensions[i] > 1 && a.memory.call_strides[i] != b.memory.call_strides[i]) {
            return false;
        }
    }
    return true;
}

/// Each call stays with its own element, and what one of the two writes does not undo what the other does.
bool work_in_place(const codegen::Kernel& kernel, const std::vector<Source>& sources, const Use& a,
                   const Use& b) {
    const auto source = [&](const Use& use) -> const Source& {
        return sources[static_cast<std::size_t>(use.operand->source)];
    };
    const auto is_own = [](const Use& use) {
        return !use.is_sum || use.operand->accumulation == Accumulation::plain;
    };
    const bool are_halves = source(a).node == source(b).node; // of one argument: read, and added to
    const bool spoils_sum =
        kernel.derivative == Derivative::backward && ((a.is_written && b.is_written) || are_halves);
    return !spoils_sum && is_own(a) && is_own(b) && are_alike(kernel, *a.operand, *b.operand);
}

/// Parts of one argument that cannot be in each other's way.
bool belong_together(const std::vector<Source>& sources, const Use& a, const Use& b) {
    const Source& one = sources[static_cast<std::size_t>(a.operand->source)];
    const Source& other = sources[static_cast<std::size_t>(b.operand->source)];
    const bool are_gradients = one.part != SourcePart::primal && other.part != SourcePart::primal;
    return one.node == other.node && !(are_gradients && (a.is_sum || b.is_sum));
}

/// Bytes from the first to the last touched along the axes whose stride is less than `limit`.
std::int64_t inner_span(const Footprint& footprint, std::int64_t limit) {
    std::int64_t span = footprint.element_bytes;
    for (const Footprint::Axis& axis : footprint.axes) {
        span += axis.stride < limit ? (axis.extent - 1) * axis.stride : 0;
    }
    return span;
}

/// Of memory that the call is given.
std::vector<Use> uses_of_given(const codegen::Kernel& kernel, const std::vector<Source>& sources) {
    std::vector<Use> uses;
    codegen::for_each_memory_operand(kernel, [&](const Operand& operand) {
        const Use use = use_of(kernel, operand);
        const bool is_given =
            sources[static_cast<std::size_t>(operand.source)].kind == SourceKind::node;
        if (use.operand != nullptr && is_given) {
            uses.push_back(use);
        }
    });
    return uses;
}

} // namespace

std::vector<OverlapCheck> find_overlap_checks(const codegen::Kernel& kernel,
                                              const std::vector<Source>& sources) {
    if (kernel.is_raw_dispatch) {
        return {};
    }
    const std::vector<Use> uses = uses_of_given(kernel, sources);
    std::vector<OverlapCheck> checks;
    for (std::size_t i = 0; i < uses.size(); ++i) {
        for (std::size_t j = i + 1; j < uses.size(); ++j) {
            const Use& written = uses[i].is_written ? uses[i] : uses[j];
            const Use& other = uses[i].is_written ? uses[j] : uses[i];
            const auto at = static_cast<std::uint32_t>(written.operand->source);
            const auto other_at = static_cast<std::uint32_t>(other.operand->source);
            const bool are_sums = written.is_sum && other.is_sum; // they add up in either order
            if (!written.is_written || are_sums || belong_together(sources, written, other)) {
                continue;
            }
            checks.push_back({.written = at,
                              .other = other_at,
                              .is_one_to_one = work_in_place(kernel, sources, written, other),
                              .written_footprint = footprint_of(kernel, written.operand->memory),
                              .other_footprint = footprint_of(kernel, other.operand->memory)});
        }
    }
    return checks;
}

std::vector<std::uint32_t> find_written_sources(const codegen::Kernel& kernel) {
    std::vector<std::uint32_t> sources;
    codegen::for_each_memory_operand(kernel, [&](const Operand& operand) {
        const bool is_whole = operand.kind == OperandKind::tensor && !operand.tensor_type.empty();
        const bool is_written = is_whole ? operand.type->tensor.access != reflect::Access::read &&
                                               kernel.derivative != Derivative::backward
                                         : operand.kind != OperandKind::pointer && operand.writes;
        if (is_written) {
            sources.push_back(static_cast<std::uint32_t>(operand.source));
        }
    });
    return sources;
}

bool can_overlap(const Footprint& a, const Footprint& b, std::int64_t distance) {
    std::vector<std::int64_t> strides;
    for (const Footprint* footprint : {&a, &b}) {
        for (const Footprint::Axis& axis : footprint->axes) {
            strides.push_back(axis.stride);
        }
    }
    // Seen modulo the common divisor of the outer strides, each is one block: columns of one matrix stay apart.
    const std::int64_t between = distance + b.low - a.low;
    for (const std::int64_t limit : strides) {
        std::int64_t period = 0;
        for (const std::int64_t stride : strides) {
            period = stride >= limit ? std::gcd(period, stride) : period;
        }
        const std::int64_t rest = ((between % period) + period) % period;
        if (rest >= inner_span(a, limit) && rest + inner_span(b, limit) <= period) {
            return false;
        }
    }
    return true;
}

void require_no_overlap(const OverlapCheck& check, const std::vector<Source>& sources,
                        const std::string& function, std::int64_t distance) {
    const bool is_in_place = check.is_one_to_one && distance == 0;
    if (is_in_place || !can_overlap(check.written_footprint, check.other_footprint, distance)) {
        return;
    }
    const auto label = [](const Source& source) {
        const char* const part = source.part == SourcePart::gradient_in    ? "the grad_in of '"
                                 : source.part == SourcePart::gradient_out ? "the grad_out of '"
                                                                           : "'";
        return text(part, source.name, "'");
    };
    const std::string written = label(sources[check.written]);
    throw core::ArgumentError(text(function, ": parameters '", sources[check.other].name, "' and '",
                                   sources[check.written].name, "' share memory, and ", written,
                                   " is written while other calls read or write ",
                                   label(sources[check.other]),
                                   "; give one of them memory of its own, or read and write "
                                   "through one inout or IRW parameter"));
}

} // namespace weft::dispatch
