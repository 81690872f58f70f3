// SPDX-License-Identifier: Apache-2.0
// Reflection as bytes, for the disk cache and the pipe to the compiler process.
#pragma once

#include "core/archive.hpp"
#include "reflect/function.hpp"

namespace weft::reflect {

template <class Archive>
void transfer(Archive& archive, SourceLocation& location) {
    archive(location.file, location.line, location.column);
}

template <class Archive>
void transfer(Archive& archive, Attribute& attribute) {
    archive(attribute.name, attribute.arguments);
}

template <class Archive>
void transfer(Archive& archive, Layout& layout) {
    archive(layout.size, layout.alignment, layout.stride);
}

template <class Archive>
void transfer(Archive& archive, TensorTraits& tensor) {
    archive(tensor.access, tensor.is_interface, tensor.is_differentiable, tensor.is_buffer,
            tensor.is_raw, tensor.rank, tensor.rank_parameter);
}

template <class Archive>
void transfer(Archive& archive, Field& field) {
    archive(field.name, field.type, field.offset, field.attributes, field.documentation,
            field.is_no_diff);
}

template <class Archive>
void transfer(Archive& archive, Enumerator& enumerator) {
    archive(enumerator.name, enumerator.value);
}

template <class Archive>
void transfer(Archive& archive, Type& type) {
    archive(type.kind, type.scalar, type.rows, type.columns, type.count, type.count_parameter,
            type.row_parameter, type.element, type.name, type.full_name, type.generic_arguments,
            type.fields, type.enumerators, type.attributes, type.documentation, type.location,
            type.layout, type.tensor, type.is_differentiable, type.differential);
}

template <class Archive>
void transfer(Archive& archive, Parameter& parameter) {
    archive(parameter.name, parameter.type, parameter.direction, parameter.is_no_diff,
            parameter.has_default, parameter.default_value, parameter.default_text,
            parameter.semantic, parameter.attributes, parameter.documentation, parameter.location);
}

template <class Archive>
void transfer(Archive& archive, GenericParameter& parameter) {
    archive(parameter.name, parameter.is_value, parameter.constraints);
}

template <class Archive>
void transfer(Archive& archive, Function& function) {
    archive(function.name, function.full_name, function.owner, function.this_type,
            function.parameters, function.return_type, function.generics, function.attributes,
            function.documentation, function.location, function.is_differentiable,
            function.reverse_problem, function.forward_problem, function.is_static,
            function.is_mutating, function.is_constructor, function.is_entry_point,
            function.is_public, function.group_size);
}

template <class Archive>
void transfer(Archive& archive, GlobalParameter& parameter) {
    archive(parameter.name, parameter.type);
}

template <class Archive>
void transfer(Archive& archive, LinkConstant& constant) {
    archive(constant.name, constant.type);
}

template <class Archive>
void transfer(Archive& archive, Structure& structure) {
    archive(structure.type, structure.methods, structure.generics);
}

template <class Archive>
void transfer(Archive& archive, Module& module) {
    archive(module.name, module.functions, module.structs, module.globals, module.constants);
}

} // namespace weft::reflect
