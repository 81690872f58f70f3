// SPDX-License-Identifier: Apache-2.0
// What the compiler process does: the requests of Compiler without caches on disk. Start reading at
// CompileService; session.hpp is one Slang session, reader.hpp turns its reflection into reflect/.
#pragma once

#include "compile/session.hpp"
#include "core/file_cache.hpp"

#include <list>
#include <memory>

namespace weft::compile {

struct ServiceDesc {
    std::filesystem::path slang_directory;
    std::filesystem::path shader_directory;
    std::filesystem::path cache_directory; ///< keeps Weft's modules in compiled form; empty: none
};

/// What loading a module yields; the hash of the module is the client's business.
struct LoadResult {
    reflect::Module reflection;
    std::string import_name;
    std::vector<Dependency> dependencies;
    std::vector<std::string> absent_files; ///< paths whose appearance would change the module
    std::vector<core::Diagnostic> warnings;
    bool repairs = true; ///< see ModuleDesc
};

struct CompileRequest {
    std::vector<ModuleSource> modules; ///< the module of the kernel, then the linked ones
    std::string source;
    std::string entry_point;
    Target target = Target::spirv;
    bool has_lines = false; ///< see KernelRequest
};

/// Slang in this process. Not thread-safe. Errors are those of Compiler.
class CompileService {
public:
    /// @throws DeviceError{unavailable} if the Slang library is absent, incomplete or too old.
    explicit CompileService(ServiceDesc desc);
    ~CompileService();

    [[nodiscard]] LoadResult load_module(const ModuleDesc& desc);
    [[nodiscard]] std::vector<reflect::Function> find_functions(const ModuleSource& module,
                                                                const std::string& name);
    [[nodiscard]] reflect::TypeRef find_type(const ModuleSource& module, const std::string& name);
    [[nodiscard]] KernelCode compile_kernel(const CompileRequest& request);

    /// Writes the IR of the modules that most programs use into a folder, for shipped_directory().
    /// @throws CompileError if one does not compile, DeviceError if the folder cannot be written.
    void write_shipped(const std::filesystem::path& directory);

private:
    struct LiveSession;

    /// Parses what every module needs, unless that was done before.
    void provide_weft();
    Session::Desc describe_session(Target target);
    /// Loads a module into a session of its own; sets warnings and repairs of `result`.
    std::unique_ptr<LiveSession> load(const ModuleDesc& desc, const std::string& source,
                                      LoadResult& result);
    /// load(), without repairs where it does not compile with them.
    std::unique_ptr<LiveSession> load_repaired(const ModuleDesc& desc, const std::string& source,
                                               LoadResult& result);
    std::unique_ptr<Session> create_session(const std::vector<ModuleSource>& modules,
                                            bool has_lines);
    /// A session that is not kept.
    std::unique_ptr<LiveSession> open_anew(const std::vector<ModuleSource>& modules,
                                           bool has_lines);
    LiveSession& open(const std::vector<ModuleSource>& modules);
    LiveSession& keep(const std::vector<ModuleSource>& modules, std::unique_ptr<LiveSession> live);

    ServiceDesc m_desc;
    SlangLibrary m_library;
    SlangRef<slang::IGlobalSession> m_global;
    core::FileCache m_cache;
    core::Hash128 m_environment; ///< of hash_environment()
    core::Hash128 m_contents;    ///< of hash_contents()
    OwnModules m_own_modules;
    std::list<std::unique_ptr<LiveSession>> m_sessions; ///< most recently used first
};

/// Identifies one installation of the compiler without loading it: its file name, size and time, Weft's version,
/// the folder of its shaders and their content.
[[nodiscard]] core::Hash128 hash_environment(const std::filesystem::path& slang_directory,
                                             const std::filesystem::path& shader_directory);

/// Of everything that decides what this compiler makes of a source, wherever it is installed: Weft's version and
/// the contents of the Slang libraries and of Weft's shaders. Reading the libraries takes 30 ms: what came of it
/// is kept in `cache` under their paths, sizes and times.
[[nodiscard]] core::Hash128 hash_compiler(core::FileCache& cache,
                                          const std::filesystem::path& slang_directory,
                                          const std::filesystem::path& shader_directory);

/// Of what IR depends on wherever it is installed: Weft's version, that of the compiler, and the shaders.
/// @param compiler: its build tag.
[[nodiscard]] core::Hash128 hash_contents(std::string_view compiler,
                                          const std::filesystem::path& shader_directory);

/// Of everything that decides what kernels of the module compile to.
[[nodiscard]] core::Hash128 hash_module(core::Hash128 environment, const ModuleDesc& desc,
                                        const std::vector<Dependency>& dependencies);

} // namespace weft::compile
