// SPDX-License-Identifier: Apache-2.0
#include "lower/output_types.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace weft::lower {

namespace {

struct OutputType {
    std::string_view node;
    std::string_view socket; ///< "": any
    std::string_view type;
};

constexpr std::array kOutputs{
    OutputType{"ShaderNodeMath", "", "FLOAT"},
    OutputType{"ShaderNodeMix", "Result_Float", "FLOAT"},
    OutputType{"ShaderNodeClamp", "", "FLOAT"},
    OutputType{"ShaderNodeSeparateXYZ", "", "FLOAT"},
    OutputType{"ShaderNodeCombineXYZ", "", "VECTOR"},
    OutputType{"ShaderNodeTexWhiteNoise", "Value", "FLOAT"},
    OutputType{"ShaderNodeTexWhiteNoise", "Color", "RGBA"},
    OutputType{"ShaderNodeTexNoise", "Fac", "FLOAT"},
    OutputType{"ShaderNodeTexNoise", "Color", "RGBA"},
    OutputType{"ShaderNodeTexVoronoi", "Distance", "FLOAT"},
    OutputType{"ShaderNodeTexVoronoi", "W", "FLOAT"},
    OutputType{"ShaderNodeTexVoronoi", "Position", "VECTOR"},
    OutputType{"ShaderNodeTexVoronoi", "Color", "RGBA"},
    OutputType{"GeometryNodeImageTexture", "Color", "RGBA"},
    OutputType{"GeometryNodeImageTexture", "Alpha", "FLOAT"},
    OutputType{"FunctionNodeSeparateMatrix", "", "FLOAT"},
    OutputType{"FunctionNodeCombineMatrix", "", "MATRIX"},
    OutputType{"NodeCombineBundle", "", "BUNDLE"},
    OutputType{"NodeJoinBundle", "", "BUNDLE"},
    OutputType{"FunctionNodeIntegerMath", "", "INT"},
    OutputType{"FunctionNodeBitMath", "", "INT"},
    OutputType{"FunctionNodeFloatToInt", "", "INT"},
    OutputType{"FunctionNodeCompare", "", "BOOLEAN"},
    OutputType{"FunctionNodeBooleanMath", "", "BOOLEAN"},
    OutputType{"GeometryNodeInputPosition", "", "VECTOR"},
    OutputType{"GeometryNodeInputNormal", "", "VECTOR"},
    OutputType{"GeometryNodeInputSceneTime", "", "FLOAT"},
};

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kSockets{{
    {"NodeSocketFloat", "FLOAT"},
    {"NodeSocketInt", "INT"},
    {"NodeSocketBool", "BOOLEAN"},
    {"NodeSocketVector", "VECTOR"},
    {"NodeSocketColor", "RGBA"},
    {"NodeSocketMatrix", "MATRIX"},
    {"NodeSocketBundle", "BUNDLE"},
}};

std::string_view property(const TreeNode& node, std::string_view name) noexcept {
    const auto found = std::find_if(node.properties.begin(), node.properties.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    return found == node.properties.end() ? std::string_view() : found->second;
}

/// @param socket a number
std::string_view input_type(const Tree& tree, std::string_view socket) {
    std::size_t number = 0;
    for (const char digit : socket) {
        number = 10 * number + static_cast<std::size_t>(digit - '0');
    }
    return number < tree.inputs.size() ? data_type(tree.inputs[number].type) : "";
}

} // namespace

std::string_view data_type(std::string_view socket) noexcept {
    const auto* found = std::find_if(kSockets.begin(), kSockets.end(),
                                     [&](const auto& entry) { return entry.first == socket; });
    return found == kSockets.end() ? "" : found->second;
}

std::string_view output_type(const Tree& tree, const Link& link) {
    const TreeNode& node = tree.nodes[link.node];
    if (link.node == 0) {
        return input_type(tree, link.socket);
    }
    if (node.type == "NodeSeparateBundle") {
        return node.types[std::stoul(link.socket.substr(std::string_view("Item_").size()))];
    }
    if (node.type == "GeometryNodeSwitch") {
        return property(node, "input_type");
    }
    if (node.type == "GeometryNodeInputNamedAttribute") {
        return property(node, "data_type") == "FLOAT" ? "FLOAT" : "VECTOR";
    }
    const auto* found =
        std::find_if(kOutputs.begin(), kOutputs.end(), [&](const OutputType& entry) {
            return entry.node == node.type && (entry.socket.empty() || entry.socket == link.socket);
        });
    return found == kOutputs.end() ? "" : found->type;
}

std::string_view source_type(const Tree& tree, const Source& source) {
    if (const auto* link = std::get_if<Link>(&source)) {
        return output_type(tree, *link);
    }
    if (std::holds_alternative<double>(source)) {
        return "FLOAT";
    }
    if (std::holds_alternative<std::int64_t>(source)) {
        return "INT";
    }
    return std::holds_alternative<bool>(source) ? "BOOLEAN" : "";
}

} // namespace weft::lower
