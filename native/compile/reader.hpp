// SPDX-License-Identifier: Apache-2.0
// Slang's reflection -> reflect/. TypeReader reads types, FunctionReader signatures, read_module a whole
// module; each has its source file: type_reader.cpp, function_reader.cpp, module_reader.cpp.
#pragma once

#include "compile/decl_index.hpp"

#include <map>
#include <optional>
#include <set>

namespace weft::compile {

/// User attributes, as Slang lists them for a type, variable or function.
class AttributeReader {
public:
    explicit AttributeReader(const SlangFunctions& slang) noexcept : m_slang(slang) {}

    std::vector<reflect::Attribute> read(SlangReflectionType* type) const;
    std::vector<reflect::Attribute> read(SlangReflectionVariable* variable) const;
    std::vector<reflect::Attribute> read(SlangReflectionFunction* function) const;

private:
    bool is_float(SlangReflectionType* type) const;
    reflect::Attribute read_one(SlangReflectionAttribute* attribute) const;

    const SlangFunctions& m_slang;
};

/// Reads types of one session; equal types are one object.
class TypeReader {
public:
    TypeReader(Session& session, slang::ProgramLayout* program, DeclIndex& index);

    /// Never null: what Weft has no notion of becomes TypeKind::other with its full name.
    reflect::TypeRef read(SlangReflectionType* type);
    /// The full name as Slang spells it.
    std::string full_name(SlangReflectionType* type) const;

private:
    reflect::TypeRef read_new(SlangReflectionType* type, const std::string& full_name);
    reflect::Type read_scalar(SlangReflectionType* type) const;
    void read_vector(SlangReflectionType* type, reflect::Type& out) const;
    void read_matrix(SlangReflectionType* type, reflect::Type& out) const;
    void read_array(SlangReflectionType* type, reflect::Type& out);
    void read_pointer(SlangReflectionType* type, reflect::Type& out);
    void read_enumeration(SlangReflectionType* type, reflect::Type& out);
    void read_structure(SlangReflectionType* type, reflect::Type& out);
    static bool try_read_tensor(reflect::Type& out);
    bool try_read_buffer(reflect::Type& out) const;
    bool try_read_lowered(reflect::Type& out);
    void read_fields(SlangReflectionType* type, const StructDecl* decl, reflect::Type& out);
    void read_differential(SlangReflectionType* type, reflect::Type& out);
    /// Type arguments of a generic type that are bound to concrete types.
    std::vector<reflect::TypeRef> type_arguments(SlangReflectionType* type);
    reflect::ScalarKind scalar_of(SlangReflectionType* type) const;

    const SlangFunctions& m_slang;
    SlangReflection* m_program;
    DeclIndex& m_index;
    AttributeReader m_attributes;
    reflect::LayoutRules m_rules;
    SlangReflectionType* m_differentiable; ///< IDifferentiable
    std::map<std::string, reflect::TypeRef> m_types;
    std::set<std::string>
        m_open_structures; ///< being read: guards against structures that point to themselves
    int m_depth = 0;
};

class FunctionReader {
public:
    FunctionReader(Session& session, TypeReader& types);

    /// A declaration of the user's; `owner` is the structure of a method, else null.
    reflect::Function read(const FunctionDecl& decl, reflect::TypeRef owner);
    /// A function found by name: `decl` is its declaration if it is the user's, else null.
    /// `full_name` is the name as it was asked for.
    reflect::Function read(SlangReflectionFunction* function, const FunctionDecl* decl,
                           reflect::TypeRef owner, std::string full_name);

    /// Parameters of a generic declaration in source order.
    /// Undoes make_tensor_parameters_generic() for the reader of `function`.
    void restore_tensor_parameters(SlangReflectionDecl* decl, reflect::Function& function) const;
    std::vector<reflect::GenericParameter> read_generics(SlangReflectionDecl* decl) const;

private:
    reflect::Parameter read_parameter(SlangReflectionVariable* variable, const DeclSource* source);
    void read_default(SlangReflectionVariable* variable, const DeclSource* source,
                      reflect::Parameter& out) const;

    const SlangFunctions& m_slang;
    TypeReader& m_types;
    AttributeReader m_attributes;
    std::map<std::string, std::string, std::less<>> m_reverse_problems;
    std::map<std::string, std::string, std::less<>> m_memory_problems;
    std::map<std::string, std::string, std::less<>> m_forward_problems;
};

/// Everything the module declares itself.
[[nodiscard]] reflect::Module read_module(Session& session, slang::IModule* module,
                                          const std::string& name);

/// The top-level arguments of a generic name: "Tensor<float, 2>" -> {"float", "2"}.
[[nodiscard]] std::vector<std::string> generic_argument_texts(std::string_view full_name);

} // namespace weft::compile
