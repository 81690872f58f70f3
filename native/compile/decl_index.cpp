// SPDX-License-Identifier: Apache-2.0
#include "compile/decl_index.hpp"

#include <algorithm>
#include <cctype>

namespace weft::compile {

namespace {

constexpr std::string_view kConstructor = "$init";

std::string qualified(const std::string& scope, const std::string& name) {
    return scope.empty() ? name : scope + "." + name;
}

/// Operators, properties' accessors and what Slang synthesises have no callable name.
bool is_callable_name(std::string_view name) {
    return name == kConstructor ||
           (!name.empty() &&
            (std::isalpha(static_cast<unsigned char>(name[0])) != 0 || name[0] == '_'));
}

/// A file of a module made of several (`__include`) is a named node without a source.
bool is_included_file(const DeclSource& source) {
    return !source.name.empty() && source.name[0] != '$' && source.location.line <= 0;
}

bool same_source(const DeclSource& a, const DeclSource& b) {
    return a.location.line == b.location.line && a.location.column == b.location.column &&
           a.location.file == b.location.file;
}

} // namespace

/// Descends a declaration tree and sorts what it finds into ModuleDecls.
class DeclIndex::Walker {
public:
    Walker(DeclIndex& index, ModuleDecls& out)
        : m_index(index), m_slang(index.m_slang), m_out(out) {}

    void walk_scope(SlangReflectionDecl* parent, const std::string& scope) {
        for (unsigned i = 0; i < m_slang.decl_child_count(parent); ++i) {
            walk_declaration(m_slang.decl_child(parent, i), nullptr, scope);
        }
    }

private:
    void walk_declaration(SlangReflectionDecl* decl, SlangReflectionDecl* generic,
                          const std::string& scope) {
        const DeclSource source = m_index.source_of(generic != nullptr ? generic : decl);
        switch (m_slang.decl_kind(decl)) {
        case SLANG_DECL_KIND_FUNC: add_function(decl, generic, scope, "", m_out.functions); break;
        case SLANG_DECL_KIND_STRUCT: add_struct(decl, generic, scope); break;
        case SLANG_DECL_KIND_ENUM: add_enumeration(decl, source, scope); break;
        case SLANG_DECL_KIND_GENERIC:
            if (auto* const inner = m_slang.generic_inner(m_slang.decl_generic(decl))) {
                walk_declaration(inner, decl, scope);
            }
            break;
        case SLANG_DECL_KIND_NAMESPACE: walk_scope(decl, qualified(scope, source.name)); break;
        case SLANG_DECL_KIND_VARIABLE: add_variable(decl, source); break;
        default:
            if (is_included_file(source)) {
                walk_scope(decl, scope);
            }
        }
    }

    void add_enumeration(SlangReflectionDecl* decl, const DeclSource& source,
                         const std::string& scope) {
        if (source.text != nullptr) {
            m_out.structs.push_back({.decl = decl,
                                     .generic = nullptr,
                                     .full_name = qualified(scope, source.name),
                                     .source = source,
                                     .fields = {},
                                     .methods = {},
                                     .is_enumeration = true});
        }
    }

    void add_variable(SlangReflectionDecl* decl, const DeclSource& source) {
        if (source.text != nullptr && !source.name.starts_with("SLANG_")) {
            m_out.variables.emplace_back(m_slang.decl_variable(decl), source);
        }
    }

    void add_struct(SlangReflectionDecl* decl, SlangReflectionDecl* generic,
                    const std::string& scope) {
        StructDecl result;
        result.source = m_index.source_of(generic != nullptr ? generic : decl);
        if (result.source.text == nullptr || !is_callable_name(result.source.name)) {
            return;
        }
        result.decl = decl;
        result.generic = generic;
        result.full_name = qualified(scope, result.source.name);
        for (unsigned i = 0; i < m_slang.decl_child_count(decl); ++i) {
            SlangReflectionDecl* const child = m_slang.decl_child(decl, i);
            const SlangDeclKind kind = m_slang.decl_kind(child);
            if (kind == SLANG_DECL_KIND_VARIABLE) {
                result.fields.push_back(m_index.source_of(child));
            } else if (kind == SLANG_DECL_KIND_FUNC) {
                add_function(child, nullptr, result.full_name, result.full_name, result.methods);
            } else if (kind == SLANG_DECL_KIND_GENERIC) {
                add_generic_method(child, result);
            } else if (kind == SLANG_DECL_KIND_STRUCT) {
                add_struct(child, nullptr, result.full_name);
            }
        }
        // The constructor that Slang makes from the fields stands where the structure's name stands.
        std::erase_if(result.methods, [&result](const FunctionDecl& method) {
            return method.is_constructor && same_source(method.source, result.source);
        });
        m_out.structs.push_back(std::move(result));
    }

    void add_generic_method(SlangReflectionDecl* generic, StructDecl& owner) {
        SlangReflectionDecl* const inner = m_slang.generic_inner(m_slang.decl_generic(generic));
        if (inner != nullptr && m_slang.decl_kind(inner) == SLANG_DECL_KIND_FUNC) {
            add_function(inner, generic, owner.full_name, owner.full_name, owner.methods);
        }
    }

    void add_function(SlangReflectionDecl* decl, SlangReflectionDecl* generic,
                      const std::string& scope, const std::string& owner,
                      std::vector<FunctionDecl>& out) {
        FunctionDecl result;
        result.source = m_index.source_of(generic != nullptr ? generic : decl);
        result.is_constructor = result.source.name == kConstructor;
        const bool is_users = result.source.location.line > 0 &&
                              result.source.location.file != "core" &&
                              is_callable_name(result.source.name);
        if (!is_users || (result.is_constructor && owner.empty())) {
            return;
        }
        result.function = m_slang.decl_function(decl);
        result.generic = generic;
        result.owner = owner;
        result.scope = scope;
        for (unsigned i = 0; i < m_slang.decl_child_count(decl); ++i) {
            SlangReflectionDecl* const child = m_slang.decl_child(decl, i);
            if (m_slang.decl_kind(child) == SLANG_DECL_KIND_VARIABLE) {
                result.parameters.push_back(m_index.source_of(child));
            }
        }
        out.push_back(std::move(result));
    }

    DeclIndex& m_index;
    const SlangFunctions& m_slang;
    ModuleDecls& m_out;
};

DeclIndex::DeclIndex(Session& session) : m_session(session), m_slang(session.functions()) {}

const SourceText* DeclIndex::text_of(const std::string& file) {
    const auto [entry, is_new] = m_texts.try_emplace(file);
    if (is_new) {
        if (const std::string* const text = m_session.files().try_user_text(file)) {
            entry->second = std::make_unique<SourceText>(*text);
        }
    }
    return entry->second.get();
}

DeclSource DeclIndex::source_of(SlangReflectionDecl* decl) {
    DeclSource source;
    const char* const name = m_slang.decl_name(decl);
    source.name = name != nullptr ? name : "";
    slang::SourceLocation location;
    const SlangResult result = m_session.get()->getDeclSourceLocation(
        reinterpret_cast<slang::DeclReflection*>(decl), &location);
    if (SLANG_FAILED(result) || location.filePath == nullptr || location.line <= 0) {
        return source;
    }
    source.location = {location.filePath, static_cast<std::int32_t>(location.line),
                       static_cast<std::int32_t>(location.column)};
    if (const SourceText* const text = text_of(source.location.file)) {
        const std::string_view word =
            source.name == kConstructor ? std::string_view("__init") : source.name;
        const auto position = text->find_name(source.location.line, source.location.column, word);
        source.text = position ? text : nullptr;
        source.position = position.value_or(0);
    }
    return source;
}

const ModuleDecls& DeclIndex::decls_of(slang::IModule* module) {
    const auto [entry, is_new] = m_modules.try_emplace(module);
    if (is_new) {
        auto* const root = reinterpret_cast<SlangReflectionDecl*>(module->getModuleReflection());
        Walker(*this, entry->second).walk_scope(root, "");
    }
    return entry->second;
}

void DeclIndex::index_all() {
    for (SlangInt i = 0; i < m_session.get()->getLoadedModuleCount(); ++i) {
        slang::IModule* const module = m_session.get()->getLoadedModule(i);
        const char* const path = module->getFilePath();
        if (path != nullptr && text_of(path) != nullptr) {
            (void)decls_of(module);
        }
    }
}

const StructDecl* DeclIndex::find_struct(std::string_view full_name) {
    index_all();
    for (const auto& [module, decls] : m_modules) {
        for (const StructDecl& candidate : decls.structs) {
            if (candidate.full_name == full_name) {
                return &candidate;
            }
        }
    }
    return nullptr;
}

std::vector<const FunctionDecl*> DeclIndex::find_functions(std::string_view scope,
                                                           std::string_view name) {
    index_all();
    std::vector<const FunctionDecl*> result;
    const auto collect = [&](const std::vector<FunctionDecl>& functions) {
        for (const FunctionDecl& candidate : functions) {
            if (candidate.scope == scope && candidate.source.name == name) {
                result.push_back(&candidate);
            }
        }
    };
    for (const auto& [module, decls] : m_modules) {
        collect(decls.functions);
        for (const StructDecl& candidate : decls.structs) {
            collect(candidate.methods);
        }
    }
    return result;
}

} // namespace weft::compile
