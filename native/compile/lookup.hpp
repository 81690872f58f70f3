// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/reader.hpp"

namespace weft::compile {

/// Finds functions and types of one module by their Slang spelling.
class Lookup {
public:
    Lookup(Session& session, slang::IModule* module);

    /// "f", "ns.f", "f<float,4>", "Foo<int>.method"; all overloads.
    [[nodiscard]] std::vector<reflect::Function> find_functions(const std::string& name);
    /// "float3", "Ptr<float>", "float*", "Foo<int>"; null if there is no such type.
    [[nodiscard]] reflect::TypeRef find_type(const std::string& name);

private:
    SlangReflectionType* try_find_slang_type(const std::string& name);
    const FunctionDecl* match_declaration(SlangReflectionFunction* function,
                                          const std::string& scope, const std::string& name);
    /// Whether one of `known` takes parameters of the same types.
    [[nodiscard]] bool has_same_parameters(SlangReflectionFunction* function,
                                           const std::vector<reflect::Function>& known);

    const SlangFunctions& m_slang;
    SlangReflection* m_program;
    DeclIndex m_index;
    TypeReader m_types;
    FunctionReader m_functions;
};

/// A name that is safe to hand to Slang's lookup, pointers spelled "Ptr<T>"; nullopt for text that is
/// not the name of a type or function. Slang crashes on some such texts.
[[nodiscard]] std::optional<std::string> normalize_name(const std::string& name);

/// Compiles `source` in a session that holds the modules it imports; `linked` provide what those declare
/// `extern`.
[[nodiscard]] KernelCode compile_entry_point(Session& session, const std::string& source,
                                             const std::string& entry_point,
                                             std::span<slang::IModule* const> linked);

} // namespace weft::compile
