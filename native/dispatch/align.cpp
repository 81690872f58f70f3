// SPDX-License-Identifier: Apache-2.0
#include "dispatch/align.hpp"

#include "dispatch/match.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace weft::dispatch {

using codegen::Operand;
using codegen::OperandKind;
using core::text;

namespace {

std::vector<std::int64_t> row_major(const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) {
        strides[i - 1] = strides[i] * shape[i];
    }
    return strides;
}

class Aligner {
public:
    Aligner(BoundCall& call, const BindTarget& target) : m_call(call), m_target(target) {}

    void run(const CallOptions& options) {
        find_rank();
        if (options.is_raw_dispatch) {
            run_raw(options);
            return;
        }
        m_call.kernel.shape.assign(m_rank, 1);
        m_owner.assign(m_rank, "");
        codegen::for_each_operand(m_call.kernel, [&](Operand& operand) { merge_shape(operand); });
        codegen::for_each_operand(m_call.kernel, [&](Operand& operand) { rewrite(operand); });
    }

private:
    /// Threads are the user's own, so every argument goes to each of them whole.
    void run_raw(const CallOptions& options) {
        codegen::for_each_operand(m_call.kernel, [&](Operand& operand) {
            if (!operand.own_shape.empty()) {
                fail(operand, text("dispatch() passes arguments whole, but it would be split over ",
                                   core::shape_text(operand.own_shape),
                                   "; take it as a Tensor parameter in Slang"));
            }
        });
        m_call.kernel.is_raw_dispatch = true;
        m_call.kernel.is_bounded = !m_call.function.is_entry_point;
        m_call.kernel.shape.assign(options.thread_count.begin(), options.thread_count.end());
        const std::array<std::uint32_t, 3> plain{32, 1, 1};
        std::array<std::uint32_t, 3> declared{};
        std::copy(m_call.function.group_size.begin(), m_call.function.group_size.end(),
                  declared.begin());
        m_call.kernel.group_size = options.group_size               ? *options.group_size
                                   : m_call.function.is_entry_point ? declared
                                                                    : plain;
    }

    const Source& source_of(const Operand& operand) const {
        return m_call.sources[static_cast<std::size_t>(operand.source)];
    }

    std::string label(const Operand& operand) const {
        return operand.source < 0 ? operand.name : source_of(operand).name;
    }

    void find_rank() {
        codegen::for_each_operand(m_call.kernel, [&](Operand& operand) {
            m_rank = std::max(m_rank, operand.own_shape.size());
            for (const std::int32_t dimension : operand.mapping) {
                if (dimension < 0) {
                    fail(operand, "its map() entries must be 0 or greater");
                }
                m_rank = std::max(m_rank, static_cast<std::size_t>(dimension) + 1);
            }
        });
        if (m_rank > tensor::kMaxRank) {
            throw core::ArgumentError(text(m_call.function.name, ": the call would have ", m_rank,
                                           " dimensions; at most ", tensor::kMaxRank,
                                           " are possible"));
        }
    }

    /// Call dimension of each own dimension.
    std::vector<std::int32_t> dimensions_of(const Operand& operand) const {
        if (!operand.mapping.empty()) {
            return operand.mapping;
        }
        std::vector<std::int32_t> dimensions(operand.own_shape.size());
        std::iota(dimensions.begin(), dimensions.end(),
                  static_cast<std::int32_t>(m_rank - operand.own_shape.size()));
        return dimensions;
    }

    void require_right_mapping(const Operand& operand) {
        const std::set<std::int32_t> distinct(operand.mapping.begin(), operand.mapping.end());
        if (distinct.size() != operand.mapping.size()) {
            fail(operand,
                 "map() names one call dimension twice; each of its dimensions needs its own");
        }
        if (!operand.mapping.empty() && operand.own_shape.size() != operand.mapping.size()) {
            fail(operand, text("map() names ", operand.mapping.size(),
                               " of its dimensions, but it varies over ", operand.own_shape.size(),
                               ": ", core::shape_text(operand.own_shape)));
        }
    }

    void merge_shape(Operand& operand) {
        if (!operand.mapping.empty() && operand.kind == OperandKind::uniform) {
            operand.mapping.clear();
        }
        require_right_mapping(operand);
        const auto dimensions = dimensions_of(operand);
        for (std::size_t i = 0; i < dimensions.size(); ++i) {
            const auto at = static_cast<std::size_t>(dimensions[i]);
            const std::int64_t extent = operand.own_shape[i];
            std::int64_t& merged = m_call.kernel.shape[at];
            if (extent < 0 || extent == merged) {
                continue;
            }
            if (merged == 1) {
                merged = extent;
                m_owner[at] = label(operand);
            } else if (extent != 1) {
                fail(operand,
                     text("its shape ", core::shape_text(operand.own_shape), " has ", extent,
                          " along axis ", i, " where '", m_owner[at], "' has ", merged,
                          "; make them equal or 1, or say with map() which dimension is which"));
            }
        }
    }

    void rewrite(Operand& operand) {
        if (operand.is_allocated) {
            shape_output(operand);
            return;
        }
        const auto dimensions = dimensions_of(operand);
        if (operand.kind == OperandKind::grid || operand.kind == OperandKind::call_id) {
            operand.dimensions = dimensions;
            return;
        }
        std::vector<std::int64_t> strides(m_rank, 0);
        for (std::size_t i = 0; i < dimensions.size(); ++i) {
            const auto at = static_cast<std::size_t>(dimensions[i]);
            if (operand.own_shape[i] != 1) {
                strides[at] = operand.memory.call_strides[i];
            }
        }
        const bool is_memory = operand.kind == OperandKind::element ||
                               operand.kind == OperandKind::tensor ||
                               operand.kind == OperandKind::pointer;
        if (is_memory) {
            operand.memory.call_strides = strides;
        }
        check_output(operand);
    }

    /// Row-major memory of exactly the call's shape.
    void shape_output(Operand& operand) {
        Source& source = m_call.sources[static_cast<std::size_t>(operand.source)];
        codegen::Memory& memory = operand.memory;
        source.shape = m_call.kernel.shape;
        memory.leaf = leaf_type(operand.type);
        memory.component_shape = reflect::element_shape(*operand.type);
        memory.component_strides = row_major(memory.component_shape);
        std::int64_t components = 1;
        for (const std::int64_t extent : memory.component_shape) {
            components *= extent;
        }
        memory.call_strides = row_major(m_call.kernel.shape);
        for (std::int64_t& stride : memory.call_strides) {
            stride *= components;
        }
        memory.alignment = 256;
        memory.extent_bytes = static_cast<std::uint64_t>(codegen::call_count(m_call.kernel)) *
                              operand.type->layout.stride;
        memory.may_bind = memory.extent_bytes <= m_target.max_storage_binding;
    }

    /// Two call indices must not write one element.
    void check_output(const Operand& operand) const {
        if (operand.kind != OperandKind::element || !operand.writes ||
            operand.accumulation != codegen::Accumulation::none) {
            return;
        }
        for (std::size_t i = 0; i < m_rank; ++i) {
            if (operand.memory.call_strides[i] == 0 && m_call.kernel.shape[i] > 1) {
                const bool is_spent = m_call.kernel.derivative == codegen::Derivative::backward &&
                                      source_of(operand).part == SourcePart::gradient_out;
                fail(operand,
                     text(is_spent ? "its one gradient is read and replaced" : "it is written",
                          ", so its shape must be the shape of the call, ",
                          core::shape_text(m_call.kernel.shape), ", not ",
                          core::shape_text(operand.own_shape),
                          is_spent ? "; or give it two: with_grads(grad_in=..., grad_out=...)"
                                   : ""));
            }
        }
    }

    [[noreturn]] void fail(const Operand& operand, const std::string& what) const {
        throw core::ArgumentError(
            text(m_call.function.name, ": parameter '", label(operand), "': ", what));
    }

    BoundCall& m_call;
    const BindTarget& m_target;
    std::size_t m_rank = 0;
    std::vector<std::string> m_owner;
};

} // namespace

void align_operands(BoundCall& call, const CallOptions& options, const BindTarget& target) {
    Aligner(call, target).run(options);
}

} // namespace weft::dispatch
