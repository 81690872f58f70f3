// SPDX-License-Identifier: Apache-2.0
#include "compile/diagnostics.hpp"
#include "compile/reader.hpp"
#include "core/text.hpp"

namespace weft::compile {

namespace {

/// Slang throws an object of its own for a type that the target has no layout for.
bool has_layout(Session& session, SlangReflectionVariable* variable) {
    try {
        auto* const type =
            reinterpret_cast<slang::TypeReflection*>(session.functions().variable_type(variable));
        return session.get()->getTypeLayout(type) != nullptr;
    } catch (...) {
        return false;
    }
}

/// The layout of a module's globals. @throws CompileError naming the first global that has none
slang::ProgramLayout* layout_of_globals(Session& session, slang::IModule* module,
                                        DeclIndex& index) {
    try {
        return session.layout_of(module);
    } catch (const core::Error&) {
        throw;
    } catch (...) {
        for (const auto& [variable, source] : index.decls_of(module).variables) {
            if (has_layout(session, variable)) {
                continue;
            }
            const reflect::SourceLocation& at = source.location;
            throw make_compile_error(
                "Slang source cannot be used on this device",
                {{.severity = "error",
                  .file = at.file,
                  .line = at.line,
                  .column = at.column,
                  .message = core::text("'", source.name,
                                        "' is a resource that kernels of this "
                                        "device cannot hold; remove it, or put it and what uses "
                                        "it in a module of its own")}});
        }
        throw;
    }
}

class ModuleReader {
public:
    ModuleReader(Session& session, slang::IModule* module)
        : m_slang(session.functions()), m_module(module), m_index(session),
          m_types(session, layout_of_globals(session, module, m_index), m_index),
          m_functions(session, m_types) {}

    reflect::Module read(const std::string& name) {
        const ModuleDecls& decls = m_index.decls_of(m_module);
        m_result.name = name;
        for (const FunctionDecl& function : decls.functions) {
            m_result.functions.push_back(m_functions.read(function, nullptr));
        }
        for (const StructDecl& structure : decls.structs) {
            read_structure(structure);
        }
        for (const auto& [variable, source] : decls.variables) {
            read_variable(variable, source);
        }
        return std::move(m_result);
    }

private:
    void read_structure(const StructDecl& decl) {
        reflect::Structure structure;
        structure.type = m_types.read(m_slang.decl_type(decl.decl));
        for (const FunctionDecl& method : decl.methods) {
            structure.methods.push_back(m_functions.read(method, structure.type));
        }
        if (decl.generic != nullptr) {
            structure.generics = m_functions.read_generics(decl.generic);
        }
        m_result.structs.push_back(std::move(structure));
    }

    void read_variable(SlangReflectionVariable* variable, const DeclSource& source) {
        const auto has = [&](SlangModifierID modifier) {
            return m_slang.variable_modifier(variable, modifier) != nullptr;
        };
        const reflect::TypeRef type = m_types.read(m_slang.variable_type(variable));
        if (has(SLANG_MODIFIER_EXTERN) && has(SLANG_MODIFIER_STATIC)) {
            m_result.constants.push_back({source.name, type});
        } else if (!has(SLANG_MODIFIER_STATIC) &&
                   !source.text->has_modifier(source.position, "groupshared")) {
            m_result.globals.push_back({source.name, type});
        }
    }

    const SlangFunctions& m_slang;
    slang::IModule* m_module;
    DeclIndex m_index;
    TypeReader m_types;
    FunctionReader m_functions;
    reflect::Module m_result;
};

} // namespace

reflect::Module read_module(Session& session, slang::IModule* module, const std::string& name) {
    return ModuleReader(session, module).read(name);
}

} // namespace weft::compile
