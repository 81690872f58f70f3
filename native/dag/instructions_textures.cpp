// SPDX-License-Identifier: Apache-2.0
// Lookups of textures: noises, images, and what a function reads besides its parameters.
#include "core/text.hpp"
#include "dag/build.hpp"
#include "dag/instructions.hpp"
#include "dag/opcodes.hpp"
#include "dag/refusal.hpp"

#include <algorithm>

namespace weft::dag {

using core::text;

namespace {

constexpr std::uint32_t kTexel = 4; // components

constexpr auto kUnknownToNodes = std::to_array<std::uint16_t>(
    {spv::image_sample_dref_implicit_lod, spv::image_sample_dref_explicit_lod, spv::image_fetch,
     spv::image_gather, spv::image_dref_gather, spv::image_read, spv::image_write,
     spv::image_query_size_lod, spv::image_query_size, spv::image_query_lod,
     spv::image_query_levels});

} // namespace

/// Where a texture is looked up; with SampleGrad, which has room for nine numbers, these three by three.
Leaves Instructions::coordinates_of(const Instruction& i) {
    constexpr std::uint32_t kHasGradients = 4;
    Leaves coordinates = value(operand(i, 1));
    if (i.operands.size() < 5 || i.operands[2] != kHasGradients) {
        return coordinates;
    }
    return {graph().join(coordinates), graph().join(value(i.operands[3])),
            graph().join(value(i.operands[4]))};
}

Word Instructions::key_of(std::span<const NodeId> halves, std::string_view reader) {
    Word key = 0;
    for (std::size_t k = 0; k < 2 && k < halves.size(); k++) {
        const std::optional<Word> half = graph().value_of(halves[k]);
        if (!half.has_value()) {
            throw core::ArgumentError(
                text("lower: the name that ", reader, "() is given is chosen; write a literal"));
        }
        key |= static_cast<Word>(real_of(*half)) << (16 * k);
    }
    return key;
}

void Instructions::read_named(const Instruction& i, std::string_view kind) {
    NamedInput input;
    // Slang numbers names that it declares again: "position_0".
    input.kind = kind.substr(0, kind.find('_'));
    input.key = key_of(value(operand(i, 1)), input.kind);
    std::vector<NamedInput>& named = m_function.named;
    const auto known = std::find(named.begin(), named.end(), input);
    const auto number = static_cast<std::uint32_t>(known - named.begin());
    if (known == named.end()) {
        named.push_back(std::move(input));
    }
    Leaves leaves;
    for (std::uint32_t component = 0; component < kTexel; component++) {
        leaves.push_back(
            graph().input(Scalar::real, m_function.first_named + kTexel * number + component));
    }
    set(i.result, std::move(leaves));
}

void Instructions::set_lookup(const Instruction& i, const Texture& texture,
                              std::span<const NodeId> coordinates) {
    std::vector<Texture>& textures = m_function.textures;
    const auto known = std::find(textures.begin(), textures.end(), texture);
    const auto number = static_cast<std::uint32_t>(known - textures.begin());
    if (known == textures.end()) {
        textures.push_back(texture);
    }
    Leaves leaves;
    for (std::uint32_t component = 0; component < kTexel; component++) {
        leaves.push_back(graph().lookup(number, component, coordinates));
    }
    set(i.result, std::move(leaves));
}

void Instructions::read_image(const Instruction& i, const std::string& name) {
    constexpr std::uint32_t kHasLevel = 2;
    constexpr std::uint32_t kHasGradients = 4;
    const std::uint32_t options = i.operands.size() < 3 ? 0 : i.operands[2];
    Texture image{name, 0, true};
    if (name.starts_with(kNamedImage) && options == kHasGradients) {
        image.name = kNamedImage;
        image.key = key_of(value(operand(i, 3)), "sampleImage");
    } else if (options != 0 &&
               (options != kHasLevel || graph().value_of(scalar(operand(i, 3))) != word_of(0.F))) {
        refuse("the function looks an image up at a level, an offset or with derivatives, which "
               "no node does; write Sample(sampler, uv)");
    }
    const Leaves coordinates = value(operand(i, 1));
    if (coordinates.size() != 2) {
        throw SpirvError("spirv: an image is looked up at a place that has not two numbers");
    }
    set_lookup(i, image, coordinates);
}

bool Instructions::run_texture(const Instruction& i) {
    if (std::ranges::find(kUnknownToNodes, i.opcode) != kUnknownToNodes.end()) {
        refuse("the function reads texels of an image, its size or its levels, which no node "
               "does; write Sample(sampler, uv)");
    }
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
    } else if (texture.starts_with(kImage)) {
        read_image(i, texture);
    } else {
        set_lookup(i, {texture}, coordinates_of(i));
    }
    return true;
}

} // namespace weft::dag
