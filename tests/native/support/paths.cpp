// SPDX-License-Identifier: Apache-2.0
#include "support/paths.hpp"

namespace weft::test {

std::filesystem::path shader_directory() {
    return std::filesystem::path(WEFT_TEST_SOURCE_DIR) / "shaders";
}

std::filesystem::path test_directory() {
    return std::filesystem::path(WEFT_TEST_SOURCE_DIR) / "tests";
}

std::filesystem::path slang_directory() {
    return WEFT_TEST_SLANG_DIR;
}

std::filesystem::path helper_executable() {
#ifdef _WIN32
    constexpr const char* kName = "weft-compiler.exe";
#else
    constexpr const char* kName = "weft-compiler";
#endif
    return std::filesystem::path(WEFT_TEST_BINARY_DIR) / "native" / "compile" / kName;
}

} // namespace weft::test
