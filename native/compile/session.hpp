// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/source_files.hpp"

#include <memory>

namespace weft::compile {

/// A module as text: everything needed to compile it again without looking at the disk.
struct ModuleSource {
    ModuleDesc desc;
    std::string import_name;
    std::vector<Dependency> files; ///< as LoadedModule::dependencies
    core::Hash128 hash;
};

/// The part of a loaded module that a compile request needs.
[[nodiscard]] ModuleSource source_of(const LoadedModule& module);

/// The name by which kernels import the module: differs for modules of the same name in different
/// folders, with other defines, or with edited text.
[[nodiscard]] std::string make_import_name(const ModuleDesc& desc, std::string_view source);

/// One Slang session with the modules that were loaded into it. Slang never reloads a module: other
/// content needs another session. Not thread-safe.
class Session {
public:
    struct Desc {
        const SlangFunctions* slang = nullptr;
        slang::IGlobalSession* global = nullptr;
        std::filesystem::path shader_directory;
        Target target = Target::spirv;
        Definitions defines;
        std::vector<std::string> search_paths; ///< of the user; Weft's own come after them
        std::optional<std::vector<Dependency>> snapshot; ///< see SourceFiles::Desc
        OwnModules* binaries = nullptr; ///< see SourceFiles::Desc; must outlive the session
        bool repairs = true;            ///< see with_implicit_import
        bool has_lines = false;         ///< see KernelRequest
    };
    explicit Session(Desc desc);

    /// Loads `source` as module `name`; `path` is what diagnostics call it and where its imports are
    /// looked for first. Warnings are appended to `warnings`.
    /// @throws CompileError "<what>: ..." with Slang's diagnostics, ArgumentError for an unusable import.
    slang::IModule* load(const std::string& name, const std::string& path,
                         const std::string& source, std::string_view what,
                         std::vector<core::Diagnostic>& warnings);

    /// For lookups by name. Owned by the session.
    slang::ProgramLayout* layout_of(slang::IModule* module);

    const SlangFunctions& functions() const noexcept { return *m_desc.slang; }
    slang::ISession* get() const noexcept { return m_session.get(); }
    SourceFiles& files() noexcept { return *m_files; }
    Target target() const noexcept { return m_desc.target; }

private:
    void create_session();

    Desc m_desc;
    std::unique_ptr<SourceFiles> m_files;
    SlangRef<slang::ISession> m_session; // released before the files that it reads
};

/// A CompileError from `output` if it holds errors or `failed` is set; its warnings otherwise.
[[nodiscard]] std::vector<core::Diagnostic> check_diagnostics(slang::IBlob* output, bool failed,
                                                              std::string_view what);

} // namespace weft::compile
