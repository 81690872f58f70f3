// SPDX-License-Identifier: Apache-2.0
// The declarations of the user's modules with their places in the source. Slang's type and function
// objects do not know where they were declared; its declaration tree does.
#pragma once

#include "compile/session.hpp"
#include "compile/source_text.hpp"

#include <map>
#include <memory>

namespace weft::compile {

/// A name and where it stands. `text` is null for files that are not the user's.
struct DeclSource {
    std::string name;
    reflect::SourceLocation location;
    const SourceText* text = nullptr;
    SourceText::Position position = 0; ///< valid if text is set
};

struct FunctionDecl {
    SlangReflectionFunction* function = nullptr;
    SlangReflectionDecl* generic = nullptr; ///< the generic declaration around it, or null
    std::string owner;                      ///< "ns.Struct" of a method, else ""
    std::string scope;                      ///< "ns" or owner: the prefix of the full name
    DeclSource source;
    std::vector<DeclSource> parameters;
    bool is_constructor = false;
};

struct StructDecl {
    SlangReflectionDecl* decl = nullptr;
    SlangReflectionDecl* generic = nullptr;
    std::string full_name; ///< "ns.Struct", generic arguments left out
    DeclSource source;
    std::vector<DeclSource> fields;
    std::vector<FunctionDecl> methods;
    bool is_enumeration = false;
};

struct ModuleDecls {
    std::vector<FunctionDecl> functions; ///< free functions, in source order
    std::vector<StructDecl> structs;     ///< and enumerations
    std::vector<std::pair<SlangReflectionVariable*, DeclSource>> variables; ///< module scope
};

/// All user modules of a session.
class DeclIndex {
public:
    explicit DeclIndex(Session& session);

    const ModuleDecls& decls_of(slang::IModule* module);
    /// The declaration of a structure or enumeration by its full name without generic arguments.
    [[nodiscard]] const StructDecl* find_struct(std::string_view full_name);
    /// All declarations of `name` in `scope` (a namespace, a structure, or "" for the module).
    [[nodiscard]] std::vector<const FunctionDecl*> find_functions(std::string_view scope,
                                                                  std::string_view name);

private:
    class Walker;
    void index_all();
    DeclSource source_of(SlangReflectionDecl* decl);
    const SourceText* text_of(const std::string& file);

    Session& m_session;
    const SlangFunctions& m_slang;
    std::map<slang::IModule*, ModuleDecls> m_modules;
    std::map<std::string, std::unique_ptr<SourceText>> m_texts; ///< by path; null: not the user's
};

} // namespace weft::compile
