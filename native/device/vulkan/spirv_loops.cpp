// SPDX-License-Identifier: Apache-2.0
// A thread that leaves a loop of its own accord takes an edge to the loop's merge block; one that the driver throws out
// arrives there without. So each edge brings the number of the loop's run along (a phi), and the merge block compares.
// The driver's compiler must not see through that: an edge that is never taken, but by a condition which it cannot
// know, brings another number. That edge also makes every value that leaves the loop a phi, which the driver keeps for
// each thread. Start reading at LoopGuard::guard.
#include "device/vulkan/spirv_loops.hpp"

#include "device/vulkan/spirv_blocks.hpp"
#include "device/vulkan/spirv_report.hpp"

#include <algorithm>

namespace weft::device::vulkan {
namespace {

using Ids = std::vector<std::uint32_t>;

constexpr std::uint32_t kBitwiseOr = 197;
constexpr std::uint32_t kBitwiseXor = 198;
constexpr std::uint32_t kFirstOrder = 172; // OpUGreaterThan
constexpr std::uint32_t kLastOrder = 179;  // OpSLessThanEqual
// The driver unrolls short loops, and then they are none. An edge more would keep it from that, so they get none, and the
// word to unroll them in any case.
constexpr std::uint64_t kFewRounds = 32;
constexpr std::uint64_t kFewInstructions = 600; ///< of all rounds; the driver's own limit is 832
constexpr std::uint32_t kUnroll = 1;            // of a loop's control

/// Guards the loops of one function.
class LoopGuard {
public:
    LoopGuard(Shared& shared, std::span<const SpirvInstruction> code, bool is_entry)
        : m_shared(shared), m_is_entry(is_entry), m_function(code), m_blocks(m_function.blocks) {
        index_blocks();
    }

    /// Appends the guarded function. @return whether it has a loop.
    bool run(std::vector<SpirvInstruction>& out) {
        Ids headers;
        for (const Block& block : m_blocks) {
            if (loop_merge(block) != nullptr) {
                headers.push_back(block.label);
            }
        }
        if (!headers.empty()) {
            add_condition();
        }
        for (std::size_t i = headers.size(); i-- > 0;) { // inner loops come after their outer ones
            guard(headers[i], is_inner(headers, headers[i]));
        }
        m_function.append_to(out);
        return !headers.empty();
    }

private:
    struct Loop {
        std::uint32_t header = 0, merge = 0;
        std::unordered_set<std::uint32_t> body; ///< labels, the header's too
        Ids exits;                              ///< labels of blocks that branch to the merge block
        std::uint32_t run = 0; ///< value: number of the run, the same in all rounds
    };

    void index_blocks() {
        m_index.clear();
        for (std::size_t i = 0; i < m_blocks.size(); ++i) {
            m_index[m_blocks[i].label] = i;
        }
    }

    Block& block(std::uint32_t label) { return m_blocks[m_index.at(label)]; }

    /// Labels that the block's last instruction may branch to.
    Ids targets_of(const Block& from) const {
        const SpirvInstruction& last = from.code.back();
        if (last.operation == spirv::kBranch) {
            return {last.operands[0]};
        }
        if (last.operation == spirv::kBranchConditional) {
            return {last.operands[1], last.operands[2]};
        }
        if (last.operation != spirv::kSwitch) {
            return {};
        }
        const Ids narrow = targets_of_switch(last, 2);
        const bool is_narrow = std::all_of(narrow.begin(), narrow.end(), [&](std::uint32_t label) {
            return m_index.contains(label);
        });
        return is_narrow ? narrow : targets_of_switch(last, 3);
    }

    /// @param step: words of a case, whose literal has one or two.
    static Ids targets_of_switch(const SpirvInstruction& last, std::size_t step) {
        Ids targets{last.operands[1]};
        for (std::size_t i = step; i < last.operands.size() - 1; i += step) {
            targets.push_back(last.operands[i + 1]);
        }
        return targets;
    }

    SpirvInstruction make(std::uint32_t operation, std::uint32_t type, Ids operands) {
        operands.insert(operands.begin(), {type, m_shared.module.new_id()});
        return {operation, std::move(operands)};
    }

    /// A condition that never holds: a dispatch has groups.
    void add_condition() {
        const std::uint32_t vector =
            m_shared.module.type(spirv::kTypeVector, {m_shared.uint_type, 3});
        std::vector<SpirvInstruction> code;
        code.push_back(make(spirv::kLoad, vector, {m_shared.group_count}));
        code.push_back(
            make(spirv::kCompositeExtract, m_shared.uint_type, {code[0].operands[1], 0}));
        code.push_back(
            make(spirv::kIEqual, m_shared.bool_type, {code[1].operands[1], m_shared.zero}));
        m_never = code[2].operands[1];
        Block& first = m_blocks.front();
        const auto at = std::find_if(first.code.begin(), first.code.end(), [](const auto& one) {
            return one.operation != spirv::kVariable && one.operation != 8;
        });
        first.code.insert(at, code.begin(), code.end());
    }

    Loop find_loop(std::uint32_t header) {
        Loop loop;
        loop.header = header;
        loop.merge = loop_merge(block(header))->operands[0];
        Ids open{header};
        while (!open.empty()) {
            const std::uint32_t label = open.back();
            open.pop_back();
            if (!loop.body.insert(label).second) {
                continue;
            }
            bool leaves = false;
            for (const std::uint32_t target : targets_of(block(label))) {
                leaves = leaves || target == loop.merge;
                if (target != loop.merge) {
                    open.push_back(target);
                }
            }
            if (leaves) {
                loop.exits.push_back(label);
            }
        }
        std::sort(loop.exits.begin(), loop.exits.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return m_index.at(a) < m_index.at(b); });
        return loop;
    }

    bool is_inner(const Ids& headers, std::uint32_t header) {
        return !m_is_entry || std::any_of(headers.begin(), headers.end(), [&](std::uint32_t other) {
            return other != header && find_loop(other).body.contains(header);
        });
    }

    void guard(std::uint32_t header, bool is_inner) {
        Loop loop = find_loop(header);
        if (loop.exits.empty()) {
            return; // it ends with its function
        }
        if (try_unroll(loop)) {
            return;
        }
        loop.run = is_inner ? number_run(loop) : m_shared.one;
        if (can_add_edge(loop)) {
            compare(loop, add_edge(loop));
        } else if (loop.exits.size() > 1) {
            compare(loop, tell_exits_apart(loop));
        }
    }

    /// Tells the driver to unroll a short loop. @return whether it will.
    bool try_unroll(const Loop& loop) {
        SpirvInstruction& merge = block(loop.header).code.end()[-2];
        const std::uint64_t rounds = rounds_of(loop);
        if (rounds == 0 || rounds > kFewRounds || (merge.operands[2] & ~kUnroll) != 0) {
            return false;
        }
        std::uint64_t instructions = 0;
        for (const std::uint32_t label : loop.body) {
            instructions += block(label).code.size();
            const auto inner = m_unrolled.find(label);
            instructions += inner == m_unrolled.end() ? 0 : inner->second;
        }
        if (instructions * rounds > kFewInstructions) {
            return false;
        }
        merge.operands[2] |= kUnroll;
        m_unrolled[loop.header] = instructions * rounds;
        return true;
    }

    /// Numbers the runs of a loop, so that what an earlier run left behind is no answer.
    std::uint32_t number_run(const Loop& loop) {
        SpirvInstruction phi = make(spirv::kPhi, m_shared.uint_type, {});
        const std::uint32_t run = phi.operands[1];
        for (Block& from : m_blocks) {
            const Ids targets = targets_of(from);
            if (std::find(targets.begin(), targets.end(), loop.header) == targets.end()) {
                continue;
            }
            std::uint32_t number = run;
            if (!loop.body.contains(from.label)) {
                std::vector<SpirvInstruction> code;
                code.push_back(make(spirv::kLoad, m_shared.uint_type, {m_shared.runs}));
                code.push_back(
                    make(spirv::kIAdd, m_shared.uint_type, {code[0].operands[1], m_shared.one}));
                number = code[1].operands[1];
                code.push_back({spirv::kStore, {m_shared.runs, number}});
                from.code.insert(end_of_work(from), code.begin(), code.end());
            }
            phi.operands.insert(phi.operands.end(), {number, from.label});
        }
        Block& head = block(loop.header);
        head.code.insert(head.code.begin(), std::move(phi));
        return run;
    }

    const SpirvInstruction* find_definition(std::uint32_t id, const Block& in) const {
        const auto found =
            std::find_if(in.code.begin(), in.code.end(), [&](const SpirvInstruction& one) {
                return one.operands.size() > 1 && one.operands[1] == id &&
                       m_shared.types.contains(one.operands[0]);
            });
        return found == in.code.end() ? nullptr : &*found;
    }

    /// True if the only exit is in the header, or in the block behind it.
    bool tests_first(const Loop& loop) {
        const SpirvInstruction& last = block(loop.header).code.back();
        return loop.exits[0] == loop.header ||
               (last.operation == spirv::kBranch && last.operands[0] == loop.exits[0]);
    }

    static bool is_order(const SpirvInstruction* comparison) {
        return comparison != nullptr && comparison->operation >= kFirstOrder &&
               comparison->operation <= kLastOrder;
    }

    /// Rounds of `for (i = a; i < b; i += c)`, all constant and without another exit; 0 for other loops.
    std::uint64_t rounds_of(const Loop& loop) {
        if (loop.exits.size() != 1) {
            return 0;
        }
        const Block& test = block(loop.exits[0]);
        const Block& head = block(loop.header);
        if (!tests_first(loop) || test.code.back().operation != spirv::kBranchConditional) {
            return 0;
        }
        const SpirvInstruction* compare = find_definition(test.code.back().operands[0], test);
        if (!is_order(compare) || !m_shared.constants.contains(compare->operands[3])) {
            return 0;
        }
        const SpirvInstruction* counter = find_definition(compare->operands[2], head);
        return counter != nullptr && counter->operation == spirv::kPhi &&
                       counter->operands.size() == 6
                   ? count_up(loop, *counter, m_shared.constants.at(compare->operands[3]))
                   : 0;
    }

    /// What a sum adds to the counter, 0 if it is not known.
    std::int32_t step_of(const SpirvInstruction& sum, const SpirvInstruction& counter) {
        const bool is_step = sum.operation == spirv::kIAdd &&
                             sum.operands[2] == counter.operands[1] &&
                             m_shared.constants.contains(sum.operands[3]);
        return is_step ? static_cast<std::int32_t>(m_shared.constants.at(sum.operands[3])) : 0;
    }

    std::uint64_t count_up(const Loop& loop, const SpirvInstruction& counter, std::uint32_t limit) {
        const bool first_is_inside = loop.body.contains(counter.operands[3]);
        const std::uint32_t start = counter.operands[first_is_inside ? 4 : 2];
        const std::uint32_t next = counter.operands[first_is_inside ? 2 : 4];
        if (!m_shared.constants.contains(start)) {
            return 0;
        }
        const auto distance = static_cast<std::int64_t>(static_cast<std::int32_t>(limit)) -
                              static_cast<std::int32_t>(m_shared.constants.at(start));
        for (const std::uint32_t label : loop.body) {
            const SpirvInstruction* sum = find_definition(next, block(label));
            if (sum != nullptr) {
                const std::int32_t step = step_of(*sum, counter);
                return step == 0 || distance / step < 0
                           ? 0
                           : static_cast<std::uint64_t>(distance / step) + 1;
            }
        }
        return 0;
    }

    /// Whether the header can branch to the merge block: it has one way on, and what leaves the loop can be a phi.
    bool can_add_edge(const Loop& loop) {
        if (block(loop.header).code.back().operation != spirv::kBranch) {
            return false;
        }
        const auto leaving = find_leaving(loop);
        return std::none_of(leaving.begin(), leaving.end(), [&](const auto& value) {
            const auto pointer = m_shared.pointers.find(value.second);
            return pointer != m_shared.pointers.end() && pointer->second;
        });
    }

    /// True for an operand that is a value; what comes to a phi from the loop is used in it.
    bool is_use_outside(const Loop& loop, const SpirvInstruction& user, std::size_t at) {
        if (at == 1) {
            return !m_shared.types.contains(user.operands[0]) && is_value(user, at);
        }
        const bool is_way = user.operation == spirv::kPhi && at >= 2;
        const bool is_label = is_way && at % 2 == 1;
        const bool is_edge = is_way && at % 2 == 0 && loop.body.contains(user.operands[at + 1]);
        return !is_edge && !is_label && is_value(user, at);
    }

    template <typename Visit>
    void visit_uses_outside(const Loop& loop, Visit&& visit) {
        for (Block& outside : m_blocks) {
            if (loop.body.contains(outside.label)) {
                continue;
            }
            for (SpirvInstruction& user : outside.code) {
                visit_uses(loop, user, visit);
            }
        }
    }

    template <typename Visit>
    void visit_uses(const Loop& loop, SpirvInstruction& user, Visit& visit) {
        for (std::size_t i = 0; i < user.operands.size(); ++i) {
            if (is_use_outside(loop, user, i)) {
                visit(user.operands[i]);
            }
        }
    }

    /// Values (and their types) that are made in the loop and used after it, but for the header's phis.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> find_leaving(const Loop& loop) {
        std::unordered_map<std::uint32_t, std::uint32_t> made;
        for (const std::uint32_t label : loop.body) {
            for (const SpirvInstruction& one : block(label).code) {
                const bool has_result =
                    one.operands.size() > 1 && m_shared.types.contains(one.operands[0]);
                if (has_result && (label != loop.header || one.operation != spirv::kPhi)) {
                    made.emplace(one.operands[1], one.operands[0]);
                }
            }
        }
        std::vector<std::pair<std::uint32_t, std::uint32_t>> leaving;
        visit_uses_outside(loop, [&](std::uint32_t id) {
            const auto found = made.find(id);
            if (found != made.end()) {
                leaving.emplace_back(*found);
                made.erase(found);
            }
        });
        return leaving;
    }

    /// The value that a merge block gets: `usual` from every exit, `never` from the added edge.
    SpirvInstruction phi_of(const Loop& loop, std::uint32_t type, std::uint32_t usual,
                            std::uint32_t never) {
        SpirvInstruction phi = make(spirv::kPhi, type, {});
        for (const std::uint32_t exit : loop.exits) {
            phi.operands.insert(phi.operands.end(), {usual, exit});
        }
        phi.operands.insert(phi.operands.end(), {never, loop.header});
        return phi;
    }

    std::uint32_t add_edge(const Loop& loop) {
        std::vector<SpirvInstruction> phis;
        phis.push_back(phi_of(loop, m_shared.uint_type, loop.run, m_shared.zero));
        const std::uint32_t brought = phis[0].operands[1];
        std::unordered_map<std::uint32_t, std::uint32_t> kept;
        for (const auto& [id, type] : find_leaving(loop)) {
            phis.push_back(phi_of(loop, type, id, m_shared.nothing(type)));
            kept[id] = phis.back().operands[1];
        }
        visit_uses_outside(loop, [&](std::uint32_t& id) {
            const auto found = kept.find(id);
            id = found == kept.end() ? id : found->second;
        });
        Block& merge = block(loop.merge);
        for (SpirvInstruction& one : merge.code) {
            if (one.operation == spirv::kPhi) {
                one.operands.insert(one.operands.end(),
                                    {m_shared.nothing(one.operands[0]), loop.header});
            }
        }
        merge.code.insert(merge.code.begin(), phis.begin(), phis.end());
        SpirvInstruction& branch = block(loop.header).code.back();
        branch = {spirv::kBranchConditional, {m_never, loop.merge, branch.operands[0]}};
        return brought;
    }

    /// Without an edge: what the exits bring looks different, and is the same.
    std::uint32_t tell_exits_apart(const Loop& loop) {
        SpirvInstruction nothing =
            make(spirv::kSelect, m_shared.uint_type, {m_never, m_shared.one, m_shared.zero});
        SpirvInstruction same =
            make(kBitwiseXor, m_shared.uint_type, {loop.run, nothing.operands[1]});
        SpirvInstruction phi = make(spirv::kPhi, m_shared.uint_type, {});
        for (const std::uint32_t exit : loop.exits) {
            const bool is_first = exit == loop.exits[0];
            phi.operands.insert(phi.operands.end(), {is_first ? loop.run : same.operands[1], exit});
        }
        const std::uint32_t brought = phi.operands[1];
        Block& head = block(loop.header);
        head.code.insert(end_of_phis(head), {std::move(nothing), std::move(same)});
        Block& merge = block(loop.merge);
        merge.code.insert(merge.code.begin(), std::move(phi));
        return brought;
    }

    void compare(const Loop& loop, std::uint32_t brought) {
        std::vector<SpirvInstruction> code;
        code.push_back(make(kBitwiseXor, m_shared.uint_type, {brought, loop.run}));
        code.push_back(make(spirv::kLoad, m_shared.uint_type, {m_shared.cut}));
        code.push_back(
            make(kBitwiseOr, m_shared.uint_type, {code[0].operands[1], code[1].operands[1]}));
        code.push_back({spirv::kStore, {m_shared.cut, code[2].operands[1]}});
        Block& merge = block(loop.merge);
        merge.code.insert(end_of_phis(merge), code.begin(), code.end());
    }

    Shared& m_shared;
    const bool m_is_entry;
    FunctionBlocks m_function;
    std::vector<Block>& m_blocks;
    std::unordered_map<std::uint32_t, std::size_t> m_index;
    std::uint32_t m_never = 0;
    std::unordered_map<std::uint32_t, std::uint64_t> m_unrolled; ///< by header: instructions
};

bool has_loop(const SpirvModule& module) {
    return std::any_of(module.code.begin(), module.code.end(), [](const SpirvInstruction& one) {
        return one.operation == spirv::kLoopMerge;
    });
}

} // namespace

bool guard_loops(SpirvModule& module, const LoopReport& report) {
    if (!has_loop(module)) {
        return false;
    }
    Shared shared(module);
    const std::uint32_t entry = entry_function(module);
    rewrite_functions(module, [&](std::span<const SpirvInstruction> function, auto& out) {
        LoopGuard(shared, function, function.front().operands[1] == entry).run(out);
    });
    add_report(module, shared.cut, report);
    return true;
}

} // namespace weft::device::vulkan
