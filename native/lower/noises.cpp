// SPDX-License-Identifier: Apache-2.0
#include "lower/noises.hpp"

namespace weft::lower {

namespace {

constexpr std::array<NoiseNode::Out, 4> kPosition{
    {{"Position", "X"}, {"Position", "Y"}, {"Position", "Z"}, {"W", ""}}};

std::array<NoiseNode::Out, 4> value_and_color(std::string_view value) {
    return {{{value, ""}, {"Color", "X"}, {"Color", "Y"}, {"Color", "Z"}}};
}

/// Where the noise is: "W" of one number, "Vector" of two or three, both of four.
std::vector<NoiseNode::In> place_of(std::size_t dimensions) {
    if (dimensions == 1) {
        return {{"W", 0, 1}};
    }
    if (dimensions == 4) {
        return {{"Vector", 0, 3}, {"W", 3, 1}};
    }
    return {{"Vector", 0, dimensions}};
}

NoiseNode white_noise(std::size_t dimensions) {
    return {"ShaderNodeTexWhiteNoise", {}, place_of(dimensions), value_and_color("Value"), false};
}

NoiseNode perlin_noise(std::size_t dimensions) {
    NoiseNode node{"ShaderNodeTexNoise",
                   {{"noise_type", "FBM"}, {"normalize", "true"}},
                   place_of(dimensions),
                   value_and_color("Fac")};
    constexpr std::array<std::string_view, 4> kShape{"Detail", "Roughness", "Lacunarity",
                                                     "Distortion"};
    for (std::size_t k = 0; k < kShape.size(); k++) {
        node.inputs.push_back({kShape[k], 4 + k, 1});
    }
    return node;
}

/// @param kind "first", "second", "edge"; "firstplace", "secondplace": where the point is
NoiseNode voronoi(std::string_view kind, std::size_t dimensions) {
    const std::string_view feature =
        kind == "edge" ? "DISTANCE_TO_EDGE" : (kind.starts_with("first") ? "F1" : "F2");
    NoiseNode node{"ShaderNodeTexVoronoi",
                   {{"feature", std::string(feature)}},
                   place_of(dimensions),
                   value_and_color("Distance")};
    if (kind != "edge") {
        node.properties.emplace_back("distance", "EUCLIDEAN");
    }
    if (kind.ends_with("place")) {
        node.outputs = kPosition;
        node.outputs[0] = dimensions == 1 ? NoiseNode::Out{"W", ""} : node.outputs[0];
    }
    node.inputs.push_back({"Randomness", 4, 1});
    return node;
}

} // namespace

std::optional<NoiseNode> noise_node(std::string_view texture) {
    constexpr std::string_view kBegin = "weft_noise_";
    if (!texture.starts_with(kBegin)) {
        return std::nullopt;
    }
    // Slang numbers names that it declares again: "weft_noise_white3_0".
    const std::string_view name =
        texture.substr(kBegin.size(), texture.find('_', kBegin.size()) - kBegin.size());
    const std::string_view kind = name.substr(0, name.size() - 1);
    const auto dimensions = static_cast<std::size_t>(name.empty() ? 0 : name.back() - '0');
    NoiseNode node;
    if (kind == "white") {
        node = white_noise(dimensions);
    } else if (kind == "perlin") {
        node = perlin_noise(dimensions);
    } else {
        node = voronoi(kind, dimensions);
    }
    node.properties.emplace_back(kind == "white" || kind == "perlin" ? "noise_dimensions"
                                                                     : "voronoi_dimensions",
                                 std::to_string(dimensions) + "D");
    return node;
}

} // namespace weft::lower
