// SPDX-License-Identifier: Apache-2.0
#include "engine/installation.hpp"

#include "core/code_location.hpp"
#include "core/error.hpp"
#include "core/file.hpp"
#include "core/process.hpp"
#include "core/text.hpp"

#include <cstdlib>

namespace weft::engine {

namespace fs = std::filesystem;

namespace {

fs::path helper_path(const fs::path& root) {
#if defined(_WIN32)
    return root / "bin" / "weft-compiler.exe";
#else
    return root / "bin" / "weft-compiler";
#endif
}

/// Installers that unpack wheels by themselves, as Blender's, lose the permission to run.
void permit_execution(const fs::path& program) {
    std::error_code error;
    const fs::perms present = fs::status(program, error).permissions();
    if (!error && (present & fs::perms::owner_exec) == fs::perms::none) {
        // A failure shows when the program is started, with its name.
        fs::permissions(program, fs::perms::owner_exec, fs::perm_options::add, error);
    }
}

} // namespace

fs::path installed_root() {
    const fs::path library = core::file_of_code(reinterpret_cast<const void*>(&installed_root));
    return library.empty() ? fs::path()
                           : (library.parent_path() / WEFT_FILES_FROM_LIBRARY).lexically_normal();
}

compile::CompilerDesc describe_compiler(const fs::path& root, const fs::path& cache) {
    compile::CompilerDesc compiler;
    compiler.slang_directory = root / "lib";
    compiler.helper_executable = helper_path(root);
    permit_execution(compiler.helper_executable);
    compiler.shader_directory = root / "shaders";
    compiler.cache_directory = cache.empty() ? cache : cache / "slang";
    return compiler;
}

void require_installation(const compile::CompilerDesc& compiler, const char* function) {
    for (const fs::path& part :
         {compiler.helper_executable, compiler.slang_directory, compiler.shader_directory}) {
        std::error_code ignored;
        if (!fs::exists(part, ignored)) {
            throw core::ArgumentError(
                core::text(function, ": expected the engine's files beside its library, but '",
                           core::utf8_path(part),
                           "' is missing; install Weft's component 'engine' anew, or set "
                           "EngineDesc::root to the folder that holds bin, lib and shaders"),
                core::ArgumentError::Kind::not_found);
        }
    }
}

fs::path cache_directory() {
    const char* set = std::getenv("WEFT_CACHE_DIR"); // NOLINT(concurrency-mt-unsafe)
    const bool is_disabled = set != nullptr && *set == '\0';
    return is_disabled ? fs::path() : core::default_cache_directory();
}

} // namespace weft::engine
