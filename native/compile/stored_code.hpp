// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/compiler.hpp"
#include "core/file_cache.hpp"

namespace weft::compile {

/// The kind of the cache entries that hold what CUDA sources begin with.
inline constexpr std::string_view kPreludeEntry = "prelude";

/// The form in which caches keep code. CUDA sources begin with some 300 KB that are the same for all of them: those go
/// into `cache` once, and the code has their hash in their place. SPIR-V stays as it is.
[[nodiscard]] KernelCode to_stored(core::FileCache& cache, KernelCode code);
/// The code again, in place. False if `cache` has not what it begins with, or that is of another code.
[[nodiscard]] bool from_stored(core::FileCache& cache, KernelCode& code);

} // namespace weft::compile
