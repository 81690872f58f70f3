// SPDX-License-Identifier: Apache-2.0
#include "codegen/passes/stage.hpp"

#include "codegen/leaves.hpp"
#include "codegen/print_value.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace weft::codegen {

namespace {

constexpr std::int64_t kSharedWords = kSharedBytes / 4;
// Groups that take all elements in turns are few, and wait for each other's memory at barriers: two elements a thread where
// the device has room for eight groups of them on a multiprocessor.
constexpr std::int64_t kWordsOfPersistent = 6144;
// Below, a launch takes longer than the memory.
constexpr std::int64_t kMinElements = std::int64_t{1} << 16;
// What the sums of a group's threads take: a double each.
constexpr std::int64_t kSumWords = 512;

// One element a thread leaves a multiprocessor too few bytes on their way. So many are worth it while there are groups
// enough to fill the largest GPUs (132 multiprocessors, 8 groups each) twice.
constexpr std::int64_t kMaxTurns = 4;
constexpr std::int64_t kMinGroups = 2112;

bool gains_from_staging(const Memory& memory) {
    if (!memory.is_words || !memory.is_linear) {
        return false;
    }
    const std::int64_t words = words_per_value(memory);
    return words == 3 || words > 4;
}

class Stages {
public:
    explicit Stages(Kernel& kernel)
        : m_kernel(kernel), m_used(kernel.is_persistent ? kSumWords : 0),
          m_words(kernel.is_persistent ? std::clamp(std::int64_t{kernel.shared_bytes} / 4,
                                                    kSharedWords, kWordsOfPersistent)
                                       : kSharedWords) {}

    /// Elements a thread that there is room for.
    std::int64_t room() const {
        const std::int64_t reserved = m_kernel.is_persistent ? kSumWords : 0;
        const std::int64_t used = m_used - reserved;
        return used == 0 ? 1 : (m_words - reserved) / used;
    }

    /// An array of its own, as long as there is room.
    std::optional<std::int32_t> add(std::int64_t words) {
        const std::int64_t size = words * m_kernel.group_size[0];
        if (m_used + size > m_words) {
            return std::nullopt;
        }
        m_used += size;
        m_kernel.stages.push_back(words);
        m_is_written.push_back(false);
        return static_cast<std::int32_t>(m_kernel.stages.size()) - 1;
    }

    /// For results: an array that was read, since each thread writes only where it alone has read before.
    std::optional<std::int32_t> reuse(std::int64_t words) {
        for (std::size_t i = 0; i < m_kernel.stages.size(); ++i) {
            if (m_kernel.stages[i] == words && !m_is_written[i]) {
                m_is_written[i] = true;
                return static_cast<std::int32_t>(i);
            }
        }
        const auto added = add(words);
        if (added) {
            m_is_written.back() = true;
        }
        return added;
    }

private:
    Kernel& m_kernel;
    std::vector<bool> m_is_written;
    std::int64_t m_used;
    std::int64_t m_words; ///< that there are
};

/// A reduction jumps from element to element, and tables leave no room.
bool has_other_order(const Kernel& kernel) {
    return kernel.reduction.dimension >= 0 || !kernel.tables.empty() || !kernel.collector.empty() ||
           kernel.repeats_last;
}

bool can_stage(const Kernel& kernel) {
    return !kernel.is_raw_dispatch && !kernel.has_team && !kernel.is_tiled &&
           !kernel.prefers_storage_bindings && kernel.width == 1 &&
           call_count(kernel) >= kMinElements;
}

} // namespace

void stage_structures(Kernel& kernel) {
    if (has_other_order(kernel) || !can_stage(kernel)) {
        return;
    }
    Stages stages(kernel);
    for (const bool writes : {false, true}) {
        for_each_memory_operand(kernel, [&](Operand& operand) {
            Memory& memory = operand.memory;
            if (operand.writes != writes || adds_atomically(operand) ||
                !gains_from_staging(memory)) {
                return;
            }
            const std::int64_t words = words_per_value(memory);
            const auto stage = operand.reads ? stages.add(words) : stages.reuse(words);
            memory.stage = stage.value_or(-1);
            memory.is_wide = memory.is_wide && !stage;
        });
    }
    const std::int64_t blocks = call_count(kernel) / kernel.group_size[0] / kMinGroups;
    kernel.turns = uses_thread_index(kernel) ? 1
                                             : static_cast<std::int32_t>(std::clamp<std::int64_t>(
                                                   blocks, 1, std::min(kMaxTurns, stages.room())));
}

} // namespace weft::codegen
