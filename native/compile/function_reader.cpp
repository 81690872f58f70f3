// SPDX-License-Identifier: Apache-2.0
#include "compile/reader.hpp"

#include "compile/entry_points.hpp"
#include "compile/tensor_generics.hpp"
#include "reflect/type.hpp"

#include <algorithm>

namespace weft::compile {

using reflect::Direction;
using reflect::Function;
using reflect::Parameter;

namespace {

std::string to_string(const char* text) {
    return text != nullptr ? text : "";
}

/// A number as the type of its parameter would take it: `float x = 1` has the default 1.0.
std::optional<reflect::Literal> fit_literal(reflect::Literal literal, const reflect::Type& type) {
    if (type.kind == reflect::TypeKind::scalar && reflect::is_float(type.scalar)) {
        if (const auto* const integer = std::get_if<std::int64_t>(&literal)) {
            return static_cast<double>(*integer);
        }
    }
    return literal;
}

void read_source(const DeclSource& source, Function& out) {
    out.location = source.location;
    if (source.text != nullptr) {
        out.documentation = source.text->function_comment(source.position);
        out.is_public =
            !source.text->declares_module() || source.text->has_modifier(source.position, "public");
    }
}

std::string problem_of(const std::string& function, const auto& problems) {
    const auto found = problems.find(function);
    return found != problems.end() ? found->second : std::string();
}

bool has_result(const Function& function) {
    return function.return_type->kind != reflect::TypeKind::scalar ||
           function.return_type->scalar != reflect::ScalarKind::void_;
}

} // namespace

FunctionReader::FunctionReader(Session& session, TypeReader& types)
    : m_slang(session.functions()), m_types(types), m_attributes(session.functions()),
      m_reverse_problems(session.files().reverse_problems()),
      m_memory_problems(session.files().memory_problems()),
      m_forward_problems(session.files().forward_problems()) {}

Function FunctionReader::read(const FunctionDecl& decl, reflect::TypeRef owner) {
    const std::string name = decl.is_constructor ? owner->name : decl.source.name;
    const std::string full_name = decl.is_constructor  ? decl.scope
                                  : decl.scope.empty() ? name
                                                       : decl.scope + "." + name;
    Function result = read(decl.function, &decl, std::move(owner), full_name);
    if (decl.generic != nullptr) {
        result.generics = read_generics(decl.generic);
        restore_tensor_parameters(decl.generic, result);
    }
    return result;
}

Function FunctionReader::read(SlangReflectionFunction* function, const FunctionDecl* decl,
                              reflect::TypeRef owner, std::string full_name) {
    Function result;
    result.name = to_string(m_slang.function_name(function));
    if (decl != nullptr) {
        result.is_constructor = decl->is_constructor;
        result.name = decl->is_constructor ? owner->name : decl->source.name;
        read_source(decl->source, result);
    }
    result.full_name = std::move(full_name);
    result.owner = owner ? owner->full_name : "";
    result.this_type = std::move(owner);
    for (unsigned i = 0; i < m_slang.function_parameter_count(function); ++i) {
        const bool has_source = decl != nullptr && i < decl->parameters.size();
        result.parameters.push_back(read_parameter(m_slang.function_parameter(function, i),
                                                   has_source ? &decl->parameters[i] : nullptr));
    }
    result.return_type = m_types.read(m_slang.function_result(function));
    result.attributes = m_attributes.read(function);
    take_entry_point_attributes(result);
    result.is_differentiable =
        m_slang.function_modifier(function, SLANG_MODIFIER_DIFFERENTIABLE) != nullptr;
    result.reverse_problem = problem_of(result.name, m_reverse_problems);
    if (result.reverse_problem.empty() && has_result(result)) { // else a backward call runs it once
        result.reverse_problem = problem_of(result.name, m_memory_problems);
    }
    result.forward_problem = problem_of(result.name, m_forward_problems);
    result.is_static = m_slang.function_modifier(function, SLANG_MODIFIER_STATIC) != nullptr;
    result.is_mutating = m_slang.function_modifier(function, SLANG_MODIFIER_MUTATING) != nullptr;
    return result;
}

Parameter FunctionReader::read_parameter(SlangReflectionVariable* variable,
                                         const DeclSource* source) {
    Parameter result;
    result.name = to_string(m_slang.variable_name(variable));
    result.type = m_types.read(m_slang.variable_type(variable));
    // An inout parameter carries the modifier out as well.
    if (m_slang.variable_modifier(variable, SLANG_MODIFIER_INOUT) != nullptr) {
        result.direction = Direction::inout;
    } else if (m_slang.variable_modifier(variable, SLANG_MODIFIER_OUT) != nullptr) {
        result.direction = Direction::out;
    }
    result.is_no_diff = m_slang.variable_modifier(variable, SLANG_MODIFIER_NO_DIFF) != nullptr;
    result.attributes = m_attributes.read(variable);
    if (source != nullptr) {
        result.location = source->location;
        if (source->text != nullptr) {
            result.documentation = source->text->member_comment(source->position, source->name);
            result.semantic = source->text->semantic(source->position, source->name);
        }
    }
    read_default(variable, source, result);
    return result;
}

void FunctionReader::read_default(SlangReflectionVariable* variable, const DeclSource* source,
                                  Parameter& out) const {
    if (!m_slang.variable_has_default(variable)) {
        return;
    }
    out.has_default = true;
    // From the source: Slang's own query rounds doubles to float and knows no bool.
    if (source != nullptr && source->text != nullptr) {
        out.default_text = source->text->default_text(source->position, source->name);
        out.default_value = parse_literal(out.default_text);
    }
    if (out.default_value) {
        out.default_value = fit_literal(*out.default_value, *out.type);
    }
}

void FunctionReader::restore_tensor_parameters(SlangReflectionDecl* decl,
                                               Function& function) const {
    SlangReflectionGeneric* const generic = m_slang.decl_generic(decl);
    for (unsigned i = 0; i < m_slang.generic_type_count(generic); ++i) {
        SlangReflectionVariable* const variable = m_slang.generic_type(generic, i);
        const std::string name = to_string(m_slang.variable_name(variable));
        if (!name.starts_with(kTensorGeneric) ||
            m_slang.generic_constraint_count(generic, variable) == 0) {
            continue;
        }
        const reflect::TypeRef written =
            m_types.read(m_slang.generic_constraint(generic, variable, 0));
        for (Parameter& parameter : function.parameters) {
            if (parameter.type->kind == reflect::TypeKind::generic_parameter &&
                parameter.type->name == name) {
                parameter.type = written;
            }
        }
        std::erase_if(function.generics, [&](const reflect::GenericParameter& parameter) {
            return parameter.name == name;
        });
    }
}

std::vector<reflect::GenericParameter>
FunctionReader::read_generics(SlangReflectionDecl* decl) const {
    SlangReflectionGeneric* const generic = m_slang.decl_generic(decl);
    std::vector<reflect::GenericParameter> found;
    for (unsigned i = 0; i < m_slang.generic_type_count(generic); ++i) {
        SlangReflectionVariable* const type = m_slang.generic_type(generic, i);
        reflect::GenericParameter parameter{
            .name = to_string(m_slang.variable_name(type)), .is_value = false, .constraints = {}};
        for (unsigned k = 0; k < m_slang.generic_constraint_count(generic, type); ++k) {
            parameter.constraints.push_back(
                m_types.full_name(m_slang.generic_constraint(generic, type, k)));
        }
        found.push_back(std::move(parameter));
    }
    for (unsigned i = 0; i < m_slang.generic_value_count(generic); ++i) {
        found.push_back(
            {.name = to_string(m_slang.variable_name(m_slang.generic_value(generic, i))),
             .is_value = true,
             .constraints = {}});
    }
    // Slang lists types before values; the children of the declaration keep the order of the source.
    std::vector<reflect::GenericParameter> ordered;
    for (unsigned i = 0; i < m_slang.decl_child_count(decl); ++i) {
        const std::string name = to_string(m_slang.decl_name(m_slang.decl_child(decl, i)));
        const auto match = std::find_if(found.begin(), found.end(), [&name](const auto& parameter) {
            return parameter.name == name;
        });
        if (match != found.end()) {
            ordered.push_back(*match);
        }
    }
    return ordered.size() == found.size() ? ordered : found;
}

} // namespace weft::compile
