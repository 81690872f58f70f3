// SPDX-License-Identifier: Apache-2.0
// Where the build under test keeps what a test needs.
#pragma once

#include <filesystem>

namespace weft::test {

/// Weft's own Slang modules, shaders/ of the source tree.
std::filesystem::path shader_directory();

/// tests/ of the source tree, for data beside a test.
std::filesystem::path test_directory();

/// The folder of the Slang libraries that this build was configured with.
std::filesystem::path slang_directory();

/// The helper executable weft-compiler of this build. It may not exist if that target was not built.
std::filesystem::path helper_executable();

} // namespace weft::test
