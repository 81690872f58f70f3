// SPDX-License-Identifier: Apache-2.0
#include "lower/inputs.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>

namespace weft::lower {

using core::text;

namespace {

struct Entry {
    std::string_view kind;
    std::size_t components = 1;
    bool has_name = false;
    // Of each tree a node and its output; empty: it has none.
    std::string_view shader, shader_output;
    std::string_view geometry, geometry_output;
    std::string_view osl; ///< an expression, or the name of an attribute
};

constexpr std::string_view kTime = "GeometryNodeInputSceneTime";

// clang-format off
constexpr std::array<Entry, 7> kEntries{{
    {"position", 3, false, "ShaderNodeNewGeometry", "Position", "GeometryNodeInputPosition", "Position", "P"},
    {"normal", 3, false, "ShaderNodeNewGeometry", "Normal", "GeometryNodeInputNormal", "Normal", "N"},
    {"uv", 2, true, "ShaderNodeUVMap", "UV", "GeometryNodeInputNamedAttribute", "Attribute", ""},
    {"attribute", 1, true, "ShaderNodeAttribute", "Fac", "GeometryNodeInputNamedAttribute", "Attribute", ""},
    {"attributeVector", 3, true, "ShaderNodeAttribute", "Vector", "GeometryNodeInputNamedAttribute", "Attribute", ""},
    {"sceneTime", 1, false, kTime, "Seconds", kTime, "Seconds", ""},
    {"objectRandom", 1, false, "ShaderNodeObjectInfo", "Random", "", "", "object:random"},
}};
// clang-format on

const Entry& entry_of(const dag::NamedInput& input) {
    const auto found = std::find_if(kEntries.begin(), kEntries.end(),
                                    [&](const Entry& own) { return own.kind == input.kind; });
    if (found == kEntries.end()) {
        throw core::ArgumentError(text("lower: '", input.kind, "' is no input of weft.inputs"));
    }
    return *found;
}

std::string literal_of(const dag::NamedInput& input, const Literals& literals) {
    const auto found = literals.find(input.key);
    if (found == literals.end()) {
        throw core::ArgumentError(
            text("lower: the name that ", input.kind,
                 "() is given is put together; write it as one literal, as in ", input.kind,
                 "(\"name\")"));
    }
    return found->second;
}

[[noreturn]] void refuse(const dag::NamedInput& input, std::string_view where) {
    throw core::ArgumentError(
        text("lower: ", where, " no ", input.kind, "(); take it as a parameter"));
}

InputNode geometry_node(const dag::NamedInput& input, const std::string& name) {
    const Entry& entry = entry_of(input);
    if (entry.geometry.empty()) {
        refuse(input, "a geometry tree has");
    }
    InputNode made{{std::string(entry.geometry), {}, {}}, std::string(entry.geometry_output)};
    if (entry.has_name) {
        if (name.empty()) {
            refuse(input, "a geometry tree has no active UV map: name it, or it has");
        }
        made.node.properties = {{"data_type", entry.components == 1 ? "FLOAT" : "FLOAT_VECTOR"}};
        made.node.inputs = {{"Name", name}};
    }
    return made;
}

} // namespace

void collect_literals(std::string_view source, Literals& literals) {
    for (std::size_t at = source.find('"'); at != std::string_view::npos;
         at = source.find('"', at + 1)) {
        const std::size_t begin = at + 1;
        at = source.find('"', begin);
        if (at == std::string_view::npos) {
            return;
        }
        // Slang::getStableHashCode32
        dag::Word hash = 0;
        for (const char letter : source.substr(begin, at - begin)) {
            hash = static_cast<dag::Word>(letter) + (hash << 6) + (hash << 16) - hash;
        }
        literals.emplace(hash, source.substr(begin, at - begin));
    }
}

std::string name_of(const dag::NamedInput& input, const Literals& literals) {
    const bool has_name = entry_of(input).has_name;
    return has_name ? text(input.kind, "(\"", literal_of(input, literals), "\")")
                    : input.kind + "()";
}

std::size_t components_of(const dag::NamedInput& input) {
    return entry_of(input).components;
}

InputNode input_node(const dag::NamedInput& input, const Literals& literals, TreeKind kind,
                     BlenderVersion version) {
    const Entry& entry = entry_of(input);
    const std::string name = entry.has_name ? literal_of(input, literals) : "";
    if (kind == TreeKind::compositor) {
        if (entry.kind != "sceneTime") {
            refuse(input, "a tree of the compositor has");
        }
        return {{"CompositorNodeSceneTime", {}, {}}, "Seconds"};
    }
    if (kind == TreeKind::geometry) {
        return geometry_node(input, name);
    }
    if (entry.shader == kTime && version < BlenderVersion{5, 2}) {
        refuse(input, "before Blender 5.2 a shader tree has");
    }
    InputNode made{{std::string(entry.shader), {}, {}}, std::string(entry.shader_output)};
    if (entry.has_name) {
        made.node.properties = {{entry.kind == "uv" ? "uv_map" : "attribute_name", name}};
    }
    return made;
}

std::string osl_input(const dag::NamedInput& input, const Literals& literals,
                      const std::string& variable) {
    const Entry& entry = entry_of(input);
    if (entry.kind == "sceneTime") {
        refuse(input, "OSL has");
    }
    if (entry.osl.size() == 1) {
        return text("point ", variable, " = point(", entry.osl, ");");
    }
    std::string name = entry.has_name ? literal_of(input, literals) : std::string(entry.osl);
    if (name.empty()) {
        name = "geom:uv";
    }
    const bool is_vector = entry.components > 1;
    return text(is_vector ? "point " : "float ", variable, is_vector ? " = point(0.0);" : " = 0.0;",
                " getattribute(\"", name, "\", ", variable, ");");
}

} // namespace weft::lower
