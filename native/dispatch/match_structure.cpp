// SPDX-License-Identifier: Apache-2.0
// Dicts, dataclasses and structured arrays: values assembled from one operand a field.
#include "dispatch/match.hpp"

#include "core/text.hpp"
#include "reflect/differential.hpp"
#include "reflect/lowered.hpp"
#include "tensor/dtype.hpp"

#include <algorithm>

namespace weft::dispatch {

using codegen::Operand;
using codegen::OperandKind;
using core::text;
using reflect::Type;
using reflect::TypeKind;

namespace {

/// What a dict is matched with: the fields of a structure, or x, y, z, w of a vector.
std::vector<reflect::Field> named_parts(const Type& type) {
    if (type.kind == TypeKind::structure) {
        return type.fields;
    }
    std::vector<reflect::Field> parts;
    for (std::size_t i = 0; type.kind == TypeKind::vector && i < std::size_t(type.columns); ++i) {
        reflect::Field& part = parts.emplace_back();
        part.name = std::string(1, "xyzw"[i]);
        part.type = reflect::scalar_type(type.scalar);
    }
    return parts;
}

bool is_named(const Type& type, std::string_view name) {
    return name.empty() || name == type.full_name || name == type.name ||
           name == tensor::display_name(type);
}

/// What to pass instead of a dict or the like to a parameter that is no structure.
std::string remedy_of_structure(const Type& type, const Node& node) {
    switch (type.kind) {
    case TypeKind::tensor:
    case TypeKind::pointer:
        return "make a tensor of it first: Tensor.from_numpy(device, array, dtype=module.Name)";
    case TypeKind::interface_:
        return node.type_name.empty()
                   ? text("name a structure that implements it: {\"_type\": \"Name\", ...}")
                   : text("there is no structure '", node.type_name,
                          "' for it; a derivative needs a generic parameter, f<T : ", type.name,
                          ">(T x)");
    case TypeKind::scalar:
    case TypeKind::enumeration: return "pass the number itself";
    case TypeKind::matrix:
    case TypeKind::array: return "pass a list or an array";
    default: return "";
    }
}

} // namespace

std::string structure_remedy(const Type& type) {
    if (type.kind != TypeKind::structure) {
        return "";
    }
    if (type.fields.empty()) {
        return type.location.line > 0 ? "pass {}, it has no fields"
                                      : "calls do not pass it; make it inside the function";
    }
    std::vector<std::string> names;
    names.reserve(type.fields.size());
    for (const reflect::Field& field : type.fields) {
        names.push_back(field.name);
    }
    return text("pass a dict, a structured array or a tensor of ", tensor::display_name(type),
                ", with the fields ", core::join(names, ", "));
}

bool Matcher::match_structure(const MatchRequest& request, Operand& operand) {
    const Node& node = m_arguments.nodes[request.node];
    const Type& type = *request.type;
    const std::vector<reflect::Field> fields = named_parts(type);
    const bool is_users = type.kind == TypeKind::structure && type.location.line > 0;
    if (fields.empty() && !is_users) {
        return refuse(request, request.direction == reflect::Direction::in
                                   ? remedy_of_structure(type, node)
                                   : "an output needs a Tensor or a numpy array");
    }
    if (reflect::is_optional(type) || reflect::is_tuple(type)) {
        return refuse(request, "Weft makes none from a dict: take a structure of your own, or the "
                               "parts as parameters");
    }
    if (!is_named(type, node.type_name)) {
        return refuse(request, text("its _type is '", node.type_name, "'"));
    }
    operand.kind = OperandKind::composite;
    const std::string without = type.kind == TypeKind::structure && !type.is_differentiable
                                    ? type.name
                                    : request.without_derivatives;
    for (const reflect::Field& field : fields) {
        std::uint32_t child = request.node + 1;
        const std::uint32_t end = request.node + node.subtree;
        while (child < end && m_arguments.nodes[child].name != field.name) {
            child += m_arguments.nodes[child].subtree;
        }
        if (child >= end) {
            return refuse(request, text("it has no field '", field.name, "'"));
        }
        Operand& value = operand.fields.emplace_back();
        operand.field_names.push_back(field.name);
        if (!match({.type = field.type,
                    .node = child,
                    .direction = request.direction,
                    .name = request.name + "_" + field.name,
                    .label = request.label + "." + field.name,
                    .mapping = request.mapping,
                    .is_differentiated =
                        request.is_differentiated && reflect::is_differentiable(field),
                    .is_constant = request.is_constant || field.is_no_diff,
                    .without_derivatives = without},
                   value)) {
            return false;
        }
    }
    return fields.size() == node.children || refuse_unknown_field(request, fields);
}

bool Matcher::match_structures(const MatchRequest& request, Operand& operand) {
    const Node& node = m_arguments.nodes[request.node];
    const Type& type = *request.type;
    if (type.kind != TypeKind::array) {
        return refuse(request, "pass one structure whose fields are arrays, or "
                               "Tensor.from_numpy(device, array, dtype=module.Name)");
    }
    if (type.count != static_cast<std::int64_t>(node.children)) {
        return refuse(request, text("give it ", type.count, " of them"));
    }
    operand.kind = OperandKind::composite;
    std::uint32_t child = request.node + 1;
    for (std::uint32_t i = 0; i < node.children; ++i) {
        Operand& element = operand.fields.emplace_back();
        operand.field_names.push_back(text(i));
        if (!match({.type = type.element,
                    .node = child,
                    .direction = request.direction,
                    .name = text(request.name, "_", i),
                    .label = text(request.label, "[", i, "]"),
                    .mapping = request.mapping,
                    .is_differentiated = request.is_differentiated,
                    .is_constant = request.is_constant,
                    .without_derivatives = request.without_derivatives},
                   element)) {
            return false;
        }
        child += m_arguments.nodes[child].subtree;
    }
    return true;
}

bool Matcher::refuse_unknown_field(const MatchRequest& request,
                                   const std::vector<reflect::Field>& fields) {
    std::vector<std::string> names;
    names.reserve(fields.size());
    for (const reflect::Field& field : fields) {
        names.push_back(field.name);
    }
    const std::uint32_t end = request.node + m_arguments.nodes[request.node].subtree;
    for (std::uint32_t child = request.node + 1; child < end;
         child += m_arguments.nodes[child].subtree) {
        const std::string given(m_arguments.nodes[child].name);
        if (std::find(names.begin(), names.end(), given) == names.end()) {
            return refuse(request, text(tensor::display_name(*request.type), " has no field '",
                                        given, "', its fields are ", core::join(names, ", ")));
        }
    }
    return refuse(request, text("each field may be given once: ", core::join(names, ", ")));
}

} // namespace weft::dispatch
