// SPDX-License-Identifier: Apache-2.0
#include "core/code_location.hpp"

#include <string>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace weft::core {

namespace fs = std::filesystem;

namespace {

#if defined(_WIN32)
// Longer paths than MAX_PATH begin with \\?\ and may have this many characters.
constexpr std::size_t kMaxPath = 32768;

fs::path loaded_file(const void* code) {
    HMODULE module = nullptr;
    constexpr DWORD kFlags =
        GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
    std::wstring name(kMaxPath, L'\0');
    if (GetModuleHandleExW(kFlags, static_cast<LPCWSTR>(code), &module) == 0) {
        return {};
    }
    name.resize(GetModuleFileNameW(module, name.data(), static_cast<DWORD>(name.size())));
    return name;
}
#else
fs::path loaded_file(const void* code) {
    Dl_info info{};
    return dladdr(code, &info) != 0 && info.dli_fname != nullptr ? fs::path(info.dli_fname)
                                                                 : fs::path();
}
#endif

} // namespace

fs::path file_of_code(const void* code) {
    const fs::path file = loaded_file(code);
    std::error_code error;
    fs::path real = fs::canonical(file, error);
    return error ? file : real;
}

} // namespace weft::core
