// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/compiler.hpp"
#include "support/temporary_folder.hpp"

#include <string>
#include <string_view>

namespace weft::compile {

/// Compiles in this process, without a cache: for tests of what Slang and its reader do.
[[nodiscard]] std::shared_ptr<Compiler> plain_compiler();
/// The helper process and a cache in `cache`.
[[nodiscard]] CompilerDesc describe_cached_compiler(const std::filesystem::path& cache);

/// Loads `text` as the module "sample".
[[nodiscard]] LoadedModuleRef load_text(Compiler& compiler, std::string_view text,
                                        Target target = Target::spirv);
/// Loads a file.
[[nodiscard]] LoadedModuleRef load_file(Compiler& compiler, const std::filesystem::path& path);

/// The only function called `name`. Fails the test if there is none or more than one.
[[nodiscard]] const reflect::Function& only_function(const reflect::Module& module,
                                                     std::string_view name);
[[nodiscard]] const reflect::Structure& only_struct(const reflect::Module& module,
                                                    std::string_view name);

/// The error that `work` ends with. Fails the test if it ends without a CompileError.
template <typename Work>
core::CompileError compile_error_of(Work&& work) {
    try {
        work();
    } catch (const core::CompileError& error) {
        return error;
    }
    throw std::runtime_error("expected a CompileError, but nothing was thrown");
}

} // namespace weft::compile
