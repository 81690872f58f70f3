// SPDX-License-Identifier: Apache-2.0
// Sources written for SlangTorch. Slang has the types and functions of their kernels for CUDA alone and does not reflect
// its attributes, so it reads them under names of Weft's (shaders/compat/slangtorch.slang).
#pragma once

#include <string>
#include <string_view>

namespace weft::compile {

/// Whether `source` names a type, a function or an attribute of SlangTorch's kernels and does not define TensorView itself.
[[nodiscard]] bool needs_slangtorch(std::string_view source);

/// `source` with [CudaKernel], cudaThreadIdx and the like under names of Weft's. Lines and columns stay.
[[nodiscard]] std::string rename_slangtorch(std::string_view source);

/// The name that an attribute has in a source, by the one that Slang read; `name` itself for others.
[[nodiscard]] std::string_view slangtorch_attribute(std::string_view name);

} // namespace weft::compile
