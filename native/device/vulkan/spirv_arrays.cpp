// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/spirv_arrays.hpp"

#include "device/vulkan/spirv_blocks.hpp"

#include <algorithm>
#include <map>

namespace weft::device::vulkan {
namespace {

constexpr std::uint32_t kFunctionStorage = 7;
constexpr std::uint32_t kDontUnroll = 2; // of a loop's control
constexpr std::uint32_t kULessThan = 176;
constexpr std::uint32_t kCopyMemorySized = 64;
constexpr std::uint64_t kNumbersARound = 16; ///< rounds are few: software Vulkan counts them
constexpr std::uint32_t kLoadAndStore = 2;   ///< places of a value that is only copied
constexpr std::uint64_t kMaxNumbers = std::uint64_t{1} << 32;

/// What is written: one constant to all elements alike, or what a pointer points to.
struct Source {
    std::uint32_t constant = 0; ///< 0: a pointer
    std::uint32_t pointer = 0;
};

/// Types and constants of a module.
class Declarations {
public:
    explicit Declarations(const SpirvModule& module) {
        for (const SpirvInstruction& declared : module.declarations) {
            if (declared.operation >= spirv::kTypeVoid && declared.operation < spirv::kConstant) {
                m_types[declared.operands[0]] = declared;
            } else if (declared.operands.size() > 1) {
                m_constants[declared.operands[1]] = declared;
            }
        }
    }

    const SpirvInstruction* type(std::uint32_t id) const { return find(m_types, id); }

    /// The type that a pointer of a function's storage points to; 0 for other types.
    std::uint32_t pointee(std::uint32_t pointer_type) const {
        const SpirvInstruction* found = type(pointer_type);
        const bool is_own = found != nullptr && found->operation == spirv::kTypePointer &&
                            found->operands[1] == kFunctionStorage;
        return is_own ? found->operands[2] : 0;
    }

    /// Numbers that a value of the type holds; what cannot be counted is one.
    std::uint64_t numbers(std::uint32_t id) const {
        const SpirvInstruction* found = type(id);
        if (found == nullptr) {
            return 1;
        }
        const std::vector<std::uint32_t>& operands = found->operands;
        std::uint64_t count = 1;
        if (found->operation == spirv::kTypeArray) {
            count = elements(id) * numbers(operands[1]);
        } else if (found->operation == spirv::kTypeStruct) {
            count = 0;
            for (std::size_t i = 1; i < operands.size(); ++i) {
                count += numbers(operands[i]);
            }
        } else if (found->operation == spirv::kTypeVector ||
                   found->operation == spirv::kTypeMatrix) {
            count = operands[2] * numbers(operands[1]);
        }
        return std::min(count, kMaxNumbers);
    }

    /// Of an array type; 1 if the length is no plain constant.
    std::uint64_t elements(std::uint32_t array_type) const {
        const SpirvInstruction* length = find(m_constants, type(array_type)->operands[2]);
        return length != nullptr && length->operation == spirv::kConstant ? length->operands[2] : 1;
    }

    bool has_large_arrays() const {
        return std::any_of(m_types.begin(), m_types.end(), [&](const auto& entry) {
            return entry.second.operation == spirv::kTypeArray &&
                   numbers(entry.first) > kMaxDirectNumbers;
        });
    }

    /// What element or member `at` of a constant is; nullopt if it is no composite, or elements of an array differ.
    std::optional<std::uint32_t> part(SpirvModule& module, std::uint32_t constant,
                                      std::uint32_t of_type, std::uint32_t part_type,
                                      std::size_t at) {
        const SpirvInstruction* found = find(m_constants, constant);
        if (found != nullptr && found->operation == spirv::kConstantNull) {
            return null(module, part_type);
        }
        if (found == nullptr || found->operation != spirv::kConstantComposite) {
            return std::nullopt;
        }
        const auto first = found->operands.begin() + 2;
        const bool is_array = type(of_type)->operation == spirv::kTypeArray;
        const bool is_alike = std::all_of(first, found->operands.end(),
                                          [&](std::uint32_t each) { return each == *first; });
        return is_array && !is_alike ? std::nullopt
                                     : std::optional(first[static_cast<std::ptrdiff_t>(at)]);
    }

private:
    using Map = std::map<std::uint32_t, SpirvInstruction>;

    static const SpirvInstruction* find(const Map& all, std::uint32_t id) {
        const auto found = all.find(id);
        return found == all.end() ? nullptr : &found->second;
    }

    std::uint32_t null(SpirvModule& module, std::uint32_t of_type) {
        std::uint32_t& id = m_nulls[of_type];
        if (id == 0) {
            id = module.new_id();
            const SpirvInstruction declared{spirv::kConstantNull, {of_type, id}};
            module.declare(declared);
            m_constants[id] = declared;
        }
        return id;
    }

    Map m_types;
    Map m_constants;
    std::map<std::uint32_t, std::uint32_t> m_nulls;
};

/// Rewrites one function.
class ArrayLoops {
public:
    ArrayLoops(Declarations& declarations, SpirvModule& module,
               std::span<const SpirvInstruction> code)
        : m_declarations(declarations), m_module(module), m_function(code) {
        for (const Block& block : m_function.blocks) {
            for (const SpirvInstruction& one : block.code) {
                note(one);
            }
        }
    }

    /// Appends the function. @return whether it changed.
    bool run(std::vector<SpirvInstruction>& out) {
        const std::vector<Block> blocks = std::move(m_function.blocks);
        m_function.blocks.clear();
        for (const Block& block : blocks) {
            rewrite(block);
        }
        if (!m_last.empty()) {
            move_edges();
        }
        m_function.append_to(out);
        return !m_last.empty();
    }

private:
    struct Place {
        std::uint32_t type = 0;     ///< of what it points to
        std::uint32_t variable = 0; ///< of the function; 0 for parts of other storage
    };

    void note(const SpirvInstruction& one) {
        if (one.operation == spirv::kLoopMerge) {
            m_continues.insert(one.operands[1]);
        }
        if (one.operation == spirv::kVariable) {
            m_places[one.operands[1]] = {m_declarations.pointee(one.operands[0]), one.operands[1]};
        } else if (one.operation == spirv::kAccessChain ||
                   one.operation == spirv::kInBoundsAccessChain) {
            const auto base = m_places.find(one.operands[2]);
            const std::uint32_t type = m_declarations.pointee(one.operands[0]);
            if (base != m_places.end() || type == 0) {
                m_places[one.operands[1]] = {type,
                                             base == m_places.end() ? 0 : base->second.variable};
            }
        }
        for (std::size_t i = 0; i < one.operands.size(); ++i) {
            m_uses[one.operands[i]] += is_value(one, i) ? 1U : 0U;
        }
    }

    /// What is changed has neither the head of a loop nor its last block in it, whose places are fixed.
    bool may_split(const Block& block) const {
        return loop_merge(block) == nullptr && !m_continues.contains(block.label);
    }

    void rewrite(const Block& block) {
        m_function.blocks.push_back({block.label, {}});
        std::map<std::size_t, Source> sources;    // by the number of the store
        std::unordered_set<std::uint32_t> copied; // values that are used no more
        for (std::size_t at = 0; may_split(block) && at < block.code.size(); ++at) {
            if (const std::optional<Source> source = find_source(block, at)) {
                sources[at] = *source;
                copied.insert(block.code[at].operands[1]);
            }
        }
        for (std::size_t at = 0; at < block.code.size(); ++at) {
            const SpirvInstruction& one = block.code[at];
            const auto source = sources.find(at);
            if (source != sources.end()) {
                write(one.operands[0], m_places.at(one.operands[0]).type, source->second);
                m_last[block.label] = m_function.blocks.back().label;
            } else if (one.operation != spirv::kLoad || !copied.contains(one.operands[1])) {
                emit(one);
            }
        }
    }

    /// What a store of a large array writes, if a loop can do it.
    std::optional<Source> find_source(const Block& block, std::size_t at) {
        const SpirvInstruction& store = block.code[at];
        if (store.operation != spirv::kStore || store.operands.size() != 2) {
            return std::nullopt;
        }
        const auto target = m_places.find(store.operands[0]);
        if (target == m_places.end() || target->second.type == 0 ||
            m_declarations.numbers(target->second.type) <= kMaxDirectNumbers) {
            return std::nullopt;
        }
        if (can_fill(store.operands[1], target->second.type)) {
            return Source{.constant = store.operands[1]};
        }
        const std::uint32_t from = copied(block, at, target->second.variable);
        return from == 0 ? std::nullopt : std::optional(Source{.pointer = from});
    }

    /// Whether all elements of each large array in a constant are alike.
    bool can_fill(std::uint32_t constant, std::uint32_t type) {
        if (m_declarations.numbers(type) <= kNumbersARound) {
            return true;
        }
        const SpirvInstruction& declared = *m_declarations.type(type);
        const bool is_array = declared.operation == spirv::kTypeArray;
        if (!is_array && declared.operation != spirv::kTypeStruct) {
            return false;
        }
        for (std::size_t i = 1; i < (is_array ? 2 : declared.operands.size()); ++i) {
            const auto part =
                m_declarations.part(m_module, constant, type, declared.operands[i], i - 1);
            if (!part || !can_fill(*part, declared.operands[i])) {
                return false;
            }
        }
        return true;
    }

    /// The pointer whose load a store stores and nothing else uses, if what it points to is the same still; or 0.
    std::uint32_t copied(const Block& block, std::size_t store, std::uint32_t target) const {
        const std::uint32_t value = block.code[store].operands[1];
        for (std::size_t at = store; at-- > 0;) {
            const SpirvInstruction& one = block.code[at];
            if (one.operation == spirv::kLoad && one.operands[1] == value) {
                const auto from = m_places.find(one.operands[2]);
                const bool is_own = from != m_places.end() && from->second.type != 0;
                return is_own && one.operands.size() == 3 && m_uses.at(value) == kLoadAndStore &&
                               from->second.variable != target &&
                               !is_written(block, at, store, from->second.variable)
                           ? one.operands[2]
                           : 0;
            }
        }
        return 0;
    }

    bool is_written(const Block& block, std::size_t from, std::size_t to,
                    std::uint32_t variable) const {
        return std::any_of(
            block.code.begin() + static_cast<std::ptrdiff_t>(from),
            block.code.begin() + static_cast<std::ptrdiff_t>(to), [&](const SpirvInstruction& one) {
                if (one.operation == spirv::kStore) {
                    const auto place = m_places.find(one.operands[0]);
                    return place == m_places.end() || place->second.variable == variable;
                }
                return one.operation == spirv::kFunctionCall ||
                       one.operation == spirv::kCopyMemory || one.operation == kCopyMemorySized;
            });
    }

    void emit(SpirvInstruction instruction) {
        m_function.blocks.back().code.push_back(std::move(instruction));
    }

    std::uint32_t emit_value(std::uint32_t operation, std::uint32_t type,
                             std::initializer_list<std::uint32_t> operands) {
        SpirvInstruction made{operation, {type, m_module.new_id()}};
        made.operands.insert(made.operands.end(), operands);
        const std::uint32_t id = made.operands[1];
        emit(std::move(made));
        return id;
    }

    std::uint32_t uint_type() { return m_module.type(spirv::kTypeInt, {32, 0}); }
    std::uint32_t number(std::uint64_t value) { return m_module.constant(uint_type(), value); }

    /// Writes what the source holds of the type to where a pointer points.
    void write(std::uint32_t target, std::uint32_t type, const Source& source) {
        const SpirvInstruction& declared = *m_declarations.type(type);
        const bool is_array = declared.operation == spirv::kTypeArray;
        const bool is_struct = declared.operation == spirv::kTypeStruct;
        if (m_declarations.numbers(type) <= kNumbersARound || !(is_array || is_struct)) {
            const std::uint32_t value = source.constant != 0
                                            ? source.constant
                                            : emit_value(spirv::kLoad, type, {source.pointer});
            emit({spirv::kStore, {target, value}});
        } else if (is_array) {
            write_elements(target, type, source);
        } else {
            for (std::size_t i = 1; i < declared.operands.size(); ++i) {
                write_part(target, type, source, i - 1, number(i - 1));
            }
        }
    }

    /// @param at number of the part. @param index value of that number, where it is not known as well.
    void write_part(std::uint32_t target, std::uint32_t type, const Source& source, std::size_t at,
                    std::uint32_t index) {
        const SpirvInstruction& declared = *m_declarations.type(type);
        const bool is_array = declared.operation == spirv::kTypeArray;
        const std::uint32_t part = declared.operands[is_array ? 1 : at + 1];
        const std::uint32_t pointer = m_module.type(spirv::kTypePointer, {kFunctionStorage, part});
        Source own;
        if (source.constant != 0) {
            own.constant = *m_declarations.part(m_module, source.constant, type, part, at);
        } else {
            own.pointer = emit_value(spirv::kAccessChain, pointer, {source.pointer, index});
        }
        write(emit_value(spirv::kAccessChain, pointer, {target, index}), part, own);
    }

    void write_elements(std::uint32_t target, std::uint32_t type, const Source& source) {
        const std::uint64_t count = m_declarations.elements(type);
        const std::uint64_t each = m_declarations.numbers(m_declarations.type(type)->operands[1]);
        const std::uint64_t together = std::max<std::uint64_t>(kNumbersARound / each, 1);
        const std::uint64_t rounds = count / together;
        if (rounds > 1) {
            loop(rounds, [&](std::uint32_t round) {
                std::uint32_t first = round;
                if (together > 1) {
                    first = emit_value(spirv::kIMul, uint_type(), {round, number(together)});
                }
                for (std::uint64_t i = 0; i < together; ++i) {
                    write_part(target, type, source, 0,
                               i == 0 ? first
                                      : emit_value(spirv::kIAdd, uint_type(), {first, number(i)}));
                }
            });
        }
        for (std::uint64_t i = rounds > 1 ? rounds * together : 0; i < count; ++i) {
            write_part(target, type, source, 0, number(i));
        }
    }

    template <typename Body>
    void loop(std::uint64_t rounds, Body&& body) {
        const std::uint32_t before = m_function.blocks.back().label;
        const std::uint32_t header = m_module.new_id(), test = m_module.new_id(),
                            inside = m_module.new_id(), next = m_module.new_id(),
                            after = m_module.new_id(), step = m_module.new_id();
        emit({spirv::kBranch, {header}});
        begin(header);
        m_headers.insert(header);
        const std::uint32_t round =
            emit_value(spirv::kPhi, uint_type(), {number(0), before, step, next});
        emit({spirv::kLoopMerge, {after, next, kDontUnroll}});
        emit({spirv::kBranch, {test}});
        begin(test);
        const std::uint32_t goes_on =
            emit_value(kULessThan, m_module.type(spirv::kTypeBool, {}), {round, number(rounds)});
        emit({spirv::kBranchConditional, {goes_on, inside, after}});
        begin(inside);
        body(round);
        emit({spirv::kBranch, {next}});
        begin(next);
        emit({spirv::kIAdd, {uint_type(), step, round, number(1)}});
        emit({spirv::kBranch, {header}});
        begin(after);
    }

    void begin(std::uint32_t label) { m_function.blocks.push_back({label, {}}); }

    /// Phis name the block that an edge comes from: of a block that was split, the last part.
    void move_edges() {
        for (Block& block : m_function.blocks) {
            for (SpirvInstruction& one : block.code) {
                if (one.operation != spirv::kPhi || m_headers.contains(block.label)) {
                    continue;
                }
                for (std::size_t i = 3; i < one.operands.size(); i += 2) {
                    const auto moved = m_last.find(one.operands[i]);
                    one.operands[i] = moved == m_last.end() ? one.operands[i] : moved->second;
                }
            }
        }
    }

    Declarations& m_declarations;
    SpirvModule& m_module;
    FunctionBlocks m_function;
    std::unordered_set<std::uint32_t> m_continues;           ///< labels of loops' last blocks
    std::unordered_set<std::uint32_t> m_headers;             ///< of the loops that are added
    std::unordered_map<std::uint32_t, Place> m_places;       ///< by pointer
    std::unordered_map<std::uint32_t, std::uint32_t> m_uses; ///< by value
    std::unordered_map<std::uint32_t, std::uint32_t> m_last; ///< by label: that of its last part
};

/// Drivers expand constants that nothing uses, too.
void remove_unused_composites(SpirvModule& module) {
    std::unordered_map<std::uint32_t, std::size_t> uses;
    const auto count = [&](const std::vector<SpirvInstruction>& all) {
        for (const SpirvInstruction& one : all) {
            for (const std::uint32_t operand : one.operands) {
                ++uses[operand];
            }
        }
    };
    count(module.declarations);
    count(module.code);
    // Constants come before those that they are parts of.
    for (std::size_t at = module.declarations.size(); at-- > 0;) {
        const SpirvInstruction declared = module.declarations[at];
        if (declared.operation != spirv::kConstantComposite || uses[declared.operands[1]] > 1) {
            continue;
        }
        for (const std::uint32_t operand : declared.operands) {
            --uses[operand];
        }
        module.declarations.erase(module.declarations.begin() + static_cast<std::ptrdiff_t>(at));
    }
}

} // namespace

void loop_over_arrays(SpirvModule& module) {
    Declarations declarations(module);
    if (!declarations.has_large_arrays()) {
        return;
    }
    bool has_changed = false;
    rewrite_functions(module, [&](std::span<const SpirvInstruction> function, auto& out) {
        has_changed = ArrayLoops(declarations, module, function).run(out) || has_changed;
    });
    if (has_changed) {
        remove_unused_composites(module);
    }
}

std::uint64_t array_numbers(const SpirvModule& module) {
    const Declarations declarations(module);
    std::uint64_t most = 0, numbers = 0;
    for (const SpirvInstruction& one : module.code) {
        if (one.operation == spirv::kFunction) {
            numbers = 0;
        } else if (one.operation == spirv::kVariable) {
            numbers += declarations.numbers(declarations.pointee(one.operands[0]));
            most = std::max(most, numbers);
        }
    }
    return most;
}

} // namespace weft::device::vulkan
