// SPDX-License-Identifier: Apache-2.0
// Vectors, structures and arrays, in values and in variables.
#include "core/text.hpp"
#include "dag/instructions.hpp"
#include "dag/opcodes.hpp"

#include <algorithm>

namespace weft::dag {

using core::text;

namespace {

[[noreturn]] void fail(const char* what) {
    throw SpirvError(text("spirv: ", what));
}

Leaves cut(const Leaves& leaves, std::size_t first, std::size_t count) {
    if (first + count > leaves.size()) {
        fail("a part is beyond the end of its value");
    }
    const auto begin = leaves.begin() + static_cast<std::ptrdiff_t>(first);
    return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

void paste(Leaves& leaves, std::size_t first, const Leaves& part) {
    if (first + part.size() > leaves.size()) {
        fail("a part is beyond the end of its value");
    }
    std::copy(part.begin(), part.end(), leaves.begin() + static_cast<std::ptrdiff_t>(first));
}

} // namespace

Leaves Instructions::read_part(const Leaves& whole, Id type, std::span<const NodeId> places) {
    if (places.empty()) {
        return whole;
    }
    if (const std::optional<Word> index = graph().value_of(places[0])) {
        const SpirvModule::Part part = m_module.part(type, *index);
        return read_part(cut(whole, part.offset, m_module.leaf_count(part.type)), part.type,
                         places.subspan(1));
    }
    // The element is chosen among all; beyond the end counts the last one.
    const SpirvType& array = m_module.type(type);
    Leaves chosen;
    for (std::uint32_t index = array.count; index-- > 0;) {
        const SpirvModule::Part part = m_module.part(type, index);
        Leaves own = read_part(cut(whole, part.offset, m_module.leaf_count(part.type)), part.type,
                               places.subspan(1));
        if (chosen.empty()) {
            chosen = std::move(own);
            continue;
        }
        const NodeId is_it = make(Op::i_equal, {places[0], graph().constant_integer(index)});
        chosen = select(is_it, own, chosen);
    }
    return chosen;
}

Leaves Instructions::write_part(Leaves whole, Id type, std::span<const NodeId> places,
                                const Leaves& value) {
    if (places.empty()) {
        if (value.size() != whole.size()) {
            fail("a value is stored as one of another type");
        }
        return value;
    }
    const std::optional<Word> known = graph().value_of(places[0]);
    const std::uint32_t first = known.value_or(0);
    const std::uint32_t end = known.has_value() ? first + 1 : m_module.type(type).count;
    for (std::uint32_t index = first; index < end; index++) {
        const SpirvModule::Part part = m_module.part(type, index);
        const Leaves before = cut(whole, part.offset, m_module.leaf_count(part.type));
        Leaves after = write_part(before, part.type, places.subspan(1), value);
        if (!known.has_value()) {
            const NodeId is_it = make(Op::i_equal, {places[0], graph().constant_integer(index)});
            after = select(is_it, after, before);
        }
        paste(whole, part.offset, after);
    }
    return whole;
}

bool Instructions::run_composite(const Instruction& i) {
    switch (i.opcode) {
    case spv::composite_construct: {
        Leaves leaves;
        for (const Id part : i.operands) {
            const Leaves own = value(part);
            leaves.insert(leaves.end(), own.begin(), own.end());
        }
        set(i.result, std::move(leaves));
        return true;
    }
    case spv::composite_extract: extract(i); return true;
    case spv::composite_insert: insert(i); return true;
    case spv::vector_shuffle: shuffle(i); return true;
    case spv::vector_extract_dynamic: extract_dynamic(i); return true;
    case spv::vector_insert_dynamic: insert_dynamic(i); return true;
    case spv::copy_object: set(i.result, value(operand(i, 0))); return true;
    case spv::select: {
        const Leaves condition = value(operand(i, 0));
        const Leaves yes = value(operand(i, 1));
        const Leaves no = value(operand(i, 2));
        if (condition.size() == 1) {
            set(i.result, select(condition[0], yes, no));
            return true;
        }
        if (condition.size() != yes.size() || yes.size() != no.size()) {
            fail("a choice between vectors of different sizes");
        }
        Leaves leaves(yes.size());
        for (std::size_t k = 0; k < yes.size(); k++) {
            leaves[k] = graph().select(condition[k], yes[k], no[k]);
        }
        set(i.result, std::move(leaves));
        return true;
    }
    default: return false;
    }
}

void Instructions::extract(const Instruction& i) {
    const Id whole = operand(i, 0);
    Leaves leaves = value(whole);
    Id type = type_of_value(whole);
    for (std::size_t k = 1; k < i.operands.size(); k++) {
        const SpirvModule::Part part = m_module.part(type, i.operands[k]);
        leaves = cut(leaves, part.offset, m_module.leaf_count(part.type));
        type = part.type;
    }
    set(i.result, std::move(leaves));
}

void Instructions::insert(const Instruction& i) {
    const Leaves part = value(operand(i, 0));
    Leaves whole = value(operand(i, 1));
    Id type = i.type;
    std::size_t offset = 0;
    for (std::size_t k = 2; k < i.operands.size(); k++) {
        const SpirvModule::Part inner = m_module.part(type, i.operands[k]);
        offset += inner.offset;
        type = inner.type;
    }
    paste(whole, offset, part);
    set(i.result, std::move(whole));
}

void Instructions::shuffle(const Instruction& i) {
    constexpr std::uint32_t kAnything = 0xffffffff;
    Leaves both = value(operand(i, 0));
    const Leaves second = value(operand(i, 1));
    both.insert(both.end(), second.begin(), second.end());
    Leaves leaves;
    for (std::size_t k = 2; k < i.operands.size(); k++) {
        const std::uint32_t index = i.operands[k] == kAnything ? 0 : i.operands[k];
        if (index >= both.size()) {
            fail("a shuffle picks a component that there is not");
        }
        leaves.push_back(both[index]);
    }
    set(i.result, std::move(leaves));
}

void Instructions::extract_dynamic(const Instruction& i) {
    const std::array<NodeId, 1> place{scalar(operand(i, 1))};
    set(i.result, read_part(value(operand(i, 0)), type_of_value(operand(i, 0)), place));
}

void Instructions::insert_dynamic(const Instruction& i) {
    const std::array<NodeId, 1> place{scalar(operand(i, 2))};
    set(i.result, write_part(value(operand(i, 0)), i.type, place, value(operand(i, 1))));
}

/// Where a texture is looked up; with SampleGrad, which has room for nine numbers, these three by three.
Leaves Instructions::place_of(const Instruction& i) {
    constexpr std::uint32_t kHasGradients = 4;
    Leaves place = value(operand(i, 1));
    if (i.operands.size() < 5 || i.operands[2] != kHasGradients) {
        return place;
    }
    return {graph().join(place), graph().join(value(i.operands[3])),
            graph().join(value(i.operands[4]))};
}

void Instructions::read_named(const Instruction& i, std::string_view kind) {
    constexpr std::uint32_t kComponents = 4;
    const Leaves place = value(operand(i, 1));
    NamedInput input;
    // Slang numbers names that it declares again: "position_0".
    input.kind = kind.substr(0, kind.find('_'));
    for (std::size_t k = 0; k < 2 && k < place.size(); k++) {
        const std::optional<Word> half = graph().value_of(place[k]);
        if (!half.has_value()) {
            throw core::ArgumentError(core::text("lower: the name that ", input.kind,
                                                 "() is given is chosen; write a literal"));
        }
        input.key |= static_cast<Word>(real_of(*half)) << (16 * k);
    }
    std::vector<NamedInput>& named = m_function.named;
    const auto known = std::find(named.begin(), named.end(), input);
    const auto number = static_cast<std::uint32_t>(known - named.begin());
    if (known == named.end()) {
        named.push_back(std::move(input));
    }
    Leaves leaves;
    for (std::uint32_t component = 0; component < kComponents; component++) {
        leaves.push_back(
            graph().input(Scalar::real, m_function.first_named + kComponents * number + component));
    }
    set(i.result, std::move(leaves));
}

bool Instructions::run_texture(const Instruction& i) {
    constexpr std::uint32_t kComponents = 4;
    switch (i.opcode) {
    case spv::sampled_image: m_images[i.result] = m_images[operand(i, 0)]; return true;
    case spv::image_sample_implicit_lod:
    case spv::image_sample_explicit_lod: break;
    default: return false;
    }
    const auto name = m_module.names.find(m_images[operand(i, 0)]);
    const std::string texture = name == m_module.names.end() ? "" : name->second;
    if (texture.starts_with(kNamedInput)) {
        read_named(i, std::string_view(texture).substr(kNamedInput.size()));
        return true;
    }
    std::vector<std::string>& textures = m_function.textures;
    const auto known = std::find(textures.begin(), textures.end(), texture);
    const auto number = static_cast<std::uint32_t>(known - textures.begin());
    if (known == textures.end()) {
        textures.push_back(texture);
    }
    const Leaves place = place_of(i);
    Leaves leaves;
    for (std::uint32_t component = 0; component < kComponents; component++) {
        leaves.push_back(graph().lookup(number, component, place));
    }
    set(i.result, std::move(leaves));
    return true;
}

} // namespace weft::dag
