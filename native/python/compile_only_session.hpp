// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python/session.hpp"

namespace weft::python {

/// A device that compiles for such ones and runs nothing (device/compile_only.hpp).
/// @param kind: "software", "vulkan" or "cuda". @param cache_directory: UTF-8; what is compiled goes there, images for
/// CUDA to its folder "device". Call under the interpreter lock. @throws ArgumentError for another kind.
[[nodiscard]] std::shared_ptr<Session>
create_compile_only_session(const std::string& kind, const std::string& cache_directory);

} // namespace weft::python
