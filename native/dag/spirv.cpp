// SPDX-License-Identifier: Apache-2.0
#include "dag/spirv.hpp"

#include "core/text.hpp"
#include "dag/inline.hpp"
#include "dag/opcodes.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_set>

namespace weft::dag {

using core::text;

namespace {

constexpr std::size_t kMaxLeaves = 4096;
constexpr int kMaxNesting = 16; // of types

// Of the set NonSemantic.Shader.DebugInfo.100.
constexpr std::uint32_t kDebugSource = 35;
constexpr std::uint32_t kDebugLine = 103;

using Words = std::span<const std::uint32_t>;

[[noreturn]] void fail(const std::string& what) {
    throw SpirvError(text("spirv: ", what));
}

/// Text of a literal string; it may end anywhere in the words.
std::string literal(Words words) {
    std::string result;
    for (const std::uint32_t word : words) {
        for (int byte = 0; byte < 4; byte++) {
            const char letter = static_cast<char>(word >> (8 * byte) & 0xff);
            if (letter == '\0') {
                return result;
            }
            result += letter;
        }
    }
    return result;
}

/// Which words of an instruction in a function say its type and its result.
struct Form {
    bool has_type = true;
    bool has_result = true;
};

constexpr auto kWithoutResult = std::to_array<std::uint16_t>(
    {spv::nop, spv::line, spv::no_line, spv::store, spv::loop_merge, spv::selection_merge,
     spv::branch, spv::branch_conditional, spv::switch_, spv::kill, spv::return_, spv::return_value,
     spv::unreachable, spv::terminate_invocation, spv::function_end});

Form form_of(std::uint16_t opcode) {
    const bool has_result = std::ranges::find(kWithoutResult, opcode) == kWithoutResult.end();
    return {has_result && opcode != spv::label, has_result};
}

bool is_terminator(std::uint16_t opcode) {
    return (opcode >= spv::branch && opcode <= spv::unreachable) ||
           opcode == spv::terminate_invocation;
}

class Reader {
public:
    explicit Reader(Words words) : m_words(words) { m_module.files.emplace_back(); }

    SpirvModule read() {
        std::size_t at = spv::kHeaderWords;
        while (at < m_words.size()) {
            const std::uint32_t head = m_words[at];
            const std::size_t length = head >> 16;
            if (length == 0 || length > m_words.size() - at) {
                fail(text("the instruction at word ", at, " has a length of ", length));
            }
            take(static_cast<std::uint16_t>(head & 0xffff), m_words.subspan(at + 1, length - 1));
            at += length;
        }
        if (m_block.has_value() || m_is_in_function || m_functions.empty()) {
            fail("no function, or one without an end");
        }
        inline_calls(m_module, m_functions, m_entry);
        return std::move(m_module);
    }

private:
    static std::uint32_t word(Words words, std::size_t index) {
        if (index >= words.size()) {
            fail("an instruction is too short");
        }
        return words[index];
    }

    void take(std::uint16_t opcode, Words words) {
        if (m_is_in_function) {
            take_in_function(opcode, words);
            return;
        }
        switch (opcode) {
        case spv::name: m_module.names[word(words, 0)] = literal(words.subspan(1)); break;
        case spv::member_name: name_member(words); break;
        case spv::string: m_strings[word(words, 0)] = literal(words.subspan(1)); break;
        case spv::ext_inst: take_source(words); break;
        case spv::ext_inst_import:
            m_module.imports[word(words, 0)] = literal(words.subspan(1));
            break;
        case spv::variable:
            m_module.variables[word(words, 1)] = {word(words, 0), word(words, 2)};
            break;
        case spv::entry_point: m_entry = word(words, 1); break;
        case spv::function:
            m_is_in_function = true;
            m_function = word(words, 1);
            m_functions[m_function] = {};
            break;
        default:
            if (!take_type(opcode, words)) {
                take_constant(opcode, words);
            }
        }
    }

    void name_member(Words words) {
        constexpr std::uint32_t kMaxMembers = 4096;
        const std::uint32_t index = word(words, 1);
        std::vector<std::string>& names = m_module.member_names[word(words, 0)];
        if (index >= kMaxMembers) {
            fail("a structure has more than 4096 members");
        }
        names.resize(std::max<std::size_t>(names.size(), index + 1));
        names[index] = literal(words.subspan(2));
    }

    bool take_type(std::uint16_t opcode, Words words) {
        SpirvType type;
        switch (opcode) {
        case spv::type_void:
        case spv::type_function: break;
        case spv::type_bool: type.kind = TypeKind::boolean; break;
        case spv::type_int:
            type = {TypeKind::integer, word(words, 1), word(words, 2) != 0, 0, 0, {}};
            break;
        case spv::type_float: type = {TypeKind::real, word(words, 1), true, 0, 0, {}}; break;
        case spv::type_vector:
            type = {TypeKind::vector, 0, false, word(words, 1), word(words, 2), {}};
            break;
        case spv::type_matrix:
            type = {TypeKind::matrix, 0, false, word(words, 1), word(words, 2), {}};
            break;
        case spv::type_image:
        case spv::type_sampled_image: type.kind = TypeKind::image; break;
        case spv::type_sampler: type.kind = TypeKind::sampler; break;
        case spv::type_array: {
            const auto length = m_module.constants.find(word(words, 2));
            if (length == m_module.constants.end()) {
                fail("the length of an array is no constant");
            }
            type = {TypeKind::array, 0, false, word(words, 1), length->second.bits, {}};
            break;
        }
        case spv::type_runtime_array:
            type = {TypeKind::runtime_array, 0, false, word(words, 1), 0, {}};
            break;
        case spv::type_struct:
            type.kind = TypeKind::structure;
            word(words, 0);
            type.members.assign(words.begin() + 1, words.end());
            break;
        case spv::type_pointer: type = {TypeKind::pointer, 0, false, word(words, 2), 0, {}}; break;
        default: return false;
        }
        m_module.types[word(words, 0)] = std::move(type);
        return true;
    }

    void take_constant(std::uint16_t opcode, Words words) {
        SpirvConstant constant;
        switch (opcode) {
        case spv::constant_true: constant.bits = 1; break;
        case spv::constant_false: break;
        case spv::constant: constant.bits = word(words, 2); break;
        case spv::constant_composite:
            word(words, 1);
            constant.parts.assign(words.begin() + 2, words.end());
            break;
        case spv::constant_null:
        case spv::undef: constant.is_null = true; break;
        default: return; // capabilities, decorations, debug information
        }
        constant.type = word(words, 0);
        m_module.constants[word(words, 1)] = std::move(constant);
    }

    void take_in_function(std::uint16_t opcode, Words words) {
        if (opcode == spv::function_end) {
            if (m_block.has_value()) {
                fail("a block without an end");
            }
            m_is_in_function = false;
            return;
        }
        const Form form = form_of(opcode);
        Instruction made;
        made.opcode = opcode;
        std::size_t first = 0;
        if (form.has_type) {
            made.type = word(words, first++);
        }
        if (form.has_result) {
            made.result = word(words, first++);
        }
        made.operands.assign(words.begin() + static_cast<std::ptrdiff_t>(first), words.end());
        put(std::move(made), words);
    }

    void put(Instruction made, Words words) {
        if (made.opcode == spv::label) {
            begin_block(made.result);
            return;
        }
        if (take_line(made)) {
            return;
        }
        made.position = m_position;
        if (made.opcode == spv::function_parameter) {
            m_functions[m_function].parameters.push_back(made.result);
            return;
        }
        if (made.opcode == spv::undef) {
            take_constant(made.opcode, words);
            return;
        }
        if (!m_block.has_value()) {
            fail("an instruction outside of blocks");
        }
        Block& block = *m_block;
        if (made.opcode == spv::phi) {
            block.phis.push_back(std::move(made));
        } else if (made.opcode == spv::loop_merge) {
            block.merge = word(words, 0);
            block.continue_target = word(words, 1);
        } else if (made.opcode == spv::selection_merge) {
            block.merge = word(words, 0);
        } else if (is_terminator(made.opcode)) {
            block.terminator = std::move(made);
            m_functions[m_function].blocks.push_back(std::move(block));
            m_block.reset();
        } else {
            block.body.push_back(std::move(made));
        }
    }

    /// Debug information: a source, by the string that is its path.
    void take_source(Words words) {
        if (is_debug(word(words, 2)) && word(words, 3) == kDebugSource) {
            m_sources[word(words, 1)] = word(words, 4);
        }
    }

    [[nodiscard]] bool is_debug(Id set) const {
        const auto found = m_module.imports.find(set);
        return found != m_module.imports.end() && found->second.starts_with("NonSemantic.") &&
               found->second != kPrints;
    }

    /// Instructions that only say where the others come from.
    bool take_line(const Instruction& made) {
        const std::vector<std::uint32_t>& words = made.operands;
        switch (made.opcode) {
        case spv::nop: return true;
        case spv::no_line: m_position = {}; return true;
        case spv::line: m_position = {file_number(word(words, 0)), word(words, 1)}; return true;
        case spv::ext_inst: break;
        default: return false;
        }
        if (words.empty() || !is_debug(words[0])) {
            return false;
        }
        if (word(words, 1) == kDebugLine) {
            const auto line = m_module.constants.find(word(words, 3));
            const auto source = m_sources.find(word(words, 2));
            if (line != m_module.constants.end() && source != m_sources.end()) {
                m_position = {file_number(source->second), line->second.bits};
            }
        }
        return true;
    }

    std::uint32_t file_number(Id string) {
        const auto [known, is_new] = m_files.try_emplace(string, m_module.files.size());
        if (is_new) {
            m_module.files.push_back(m_strings[string]);
        }
        return known->second;
    }

    void begin_block(Id label) {
        if (m_block.has_value() || !m_labels.insert(label).second) {
            fail("a block begins in another one, or twice");
        }
        m_position = {}; // lines end with their block
        m_block.emplace();
        m_block->label = label;
    }

    Words m_words;
    SpirvModule m_module;
    std::optional<Block> m_block;
    SourcePosition m_position;
    std::unordered_map<Id, std::string> m_strings;
    std::unordered_map<Id, Id> m_sources;          ///< strings that are their paths
    std::unordered_map<Id, std::uint32_t> m_files; ///< numbers, by string
    bool m_is_in_function = false;
    SpirvFunctions m_functions;
    Id m_function = 0; ///< that is being read
    Id m_entry = 0;
    std::unordered_set<Id> m_labels;
};

void require_few_leaves(std::size_t count) {
    if (count > kMaxLeaves) {
        throw core::ArgumentError(text("lower: a value of ", count,
                                       " numbers; at most 4096 are possible, take smaller arrays"));
    }
}

std::size_t count_leaves(const SpirvModule& module, Id id, int depth) {
    const SpirvType& type = module.type(id);
    if (depth > kMaxNesting) {
        fail("types nest too deeply");
    }
    std::size_t count = 0;
    switch (type.kind) {
    case TypeKind::boolean:
    case TypeKind::integer:
    case TypeKind::real: return 1;
    case TypeKind::vector:
    case TypeKind::matrix:
    case TypeKind::array: {
        const std::size_t each = count_leaves(module, type.element, depth + 1);
        count = each * type.count;
        break;
    }
    case TypeKind::structure:
        for (const Id member : type.members) {
            count += count_leaves(module, member, depth + 1);
        }
        break;
    default: fail(text("type ", id, " is no value's"));
    }
    require_few_leaves(count);
    return count;
}

} // namespace

const SpirvType& SpirvModule::type(Id id) const {
    const auto found = types.find(id);
    if (found == types.end()) {
        fail(text("there is no type ", id));
    }
    return found->second;
}

const Block& SpirvModule::block(Id label) const {
    const auto found = block_index.find(label);
    if (found == block_index.end()) {
        fail(text("there is no block ", label));
    }
    return blocks[found->second];
}

std::size_t SpirvModule::leaf_count(Id id) const {
    return count_leaves(*this, id, 0);
}

SpirvModule::Part SpirvModule::part(Id id, std::uint32_t index) const {
    const SpirvType& whole = type(id);
    if (whole.kind == TypeKind::structure) {
        if (index >= whole.members.size()) {
            fail(text("a structure has no member ", index));
        }
        std::size_t offset = 0;
        for (std::uint32_t i = 0; i < index; i++) {
            offset += leaf_count(whole.members[i]);
        }
        return {whole.members[index], offset};
    }
    const bool has_parts = whole.kind == TypeKind::vector || whole.kind == TypeKind::matrix ||
                           whole.kind == TypeKind::array;
    if (!has_parts || index >= whole.count) {
        fail(text("a value of type ", id, " has no part ", index));
    }
    return {whole.element, leaf_count(whole.element) * index};
}

std::vector<Id> targets_of(const Block& block) {
    const std::vector<std::uint32_t>& words = block.terminator.operands;
    std::vector<Id> targets;
    const auto take = [&](std::size_t index) {
        if (index >= words.size()) {
            fail("a branch without a target");
        }
        targets.push_back(words[index]);
    };
    switch (block.terminator.opcode) {
    case spv::branch: take(0); break;
    case spv::branch_conditional:
        take(1);
        take(2);
        break;
    case spv::switch_:
        take(1);
        for (std::size_t i = 3; i < words.size(); i += 2) {
            take(i);
        }
        break;
    default: break;
    }
    return targets;
}

SpirvModule read_spirv(std::span<const std::byte> code) {
    std::vector<std::uint32_t> words(code.size() / sizeof(std::uint32_t));
    if (!words.empty()) {
        std::memcpy(words.data(), code.data(), words.size() * sizeof(std::uint32_t));
    }
    if (words.size() < spv::kHeaderWords || words[0] != spv::kMagic) {
        fail("these are no SPIR-V words");
    }
    return Reader(words).read();
}

} // namespace weft::dag
