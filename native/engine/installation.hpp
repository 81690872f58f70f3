// SPDX-License-Identifier: Apache-2.0
// Where the files that belong to the engine lie: the Slang libraries in lib/, weft-compiler in bin/, Weft's modules in
// shaders/ (compiled in advance: shader_ir/). The Python package and an installed libweft have the same folders.
#pragma once

#include "compile/compiler.hpp"

#include <filesystem>

namespace weft::engine {

/// Of the shared library that this function is in: a folder beside it (its place is one of the library's build
/// settings), wherever both were moved to. Empty if the system does not say where the library is.
[[nodiscard]] std::filesystem::path installed_root();

/// A description of the compiler whose files lie in `root`; limits are the defaults. Restores the permission to run
/// weft-compiler, which some installers lose. @param cache the folder of all of Weft's caches; empty: none.
[[nodiscard]] compile::CompilerDesc describe_compiler(const std::filesystem::path& root,
                                                      const std::filesystem::path& cache);

/// @throws ArgumentError naming `function` and the first file of `root` that is missing.
void require_installation(const compile::CompilerDesc& compiler, const char* function);

/// Where compiled code is kept: $WEFT_CACHE_DIR, else the user's cache folder; empty (no cache) if WEFT_CACHE_DIR="".
[[nodiscard]] std::filesystem::path cache_directory();

} // namespace weft::engine
