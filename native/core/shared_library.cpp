// SPDX-License-Identifier: Apache-2.0
#include "core/shared_library.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <utility>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace weft::core {

namespace {

#if defined(_WIN32)
void* open_library(const std::filesystem::path& path, SharedLibrary::Scope) {
    return static_cast<void*>(LoadLibraryW(path.c_str()));
}

std::string open_error() {
    return text("Windows error ", GetLastError());
}

void close_library(void* handle) noexcept {
    FreeLibrary(static_cast<HMODULE>(handle));
}

void* find_symbol(void* handle, const char* name) noexcept {
    return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(handle), name));
}
#else
// macOS looks up names so anyway; sanitizers refuse the flag.
#if defined(RTLD_DEEPBIND) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr int kIsolated = RTLD_LOCAL | RTLD_DEEPBIND;
#else
constexpr int kIsolated = RTLD_LOCAL;
#endif

int flags_of(SharedLibrary::Scope scope) noexcept {
    switch (scope) {
    case SharedLibrary::Scope::global: return RTLD_GLOBAL;
    case SharedLibrary::Scope::isolated: return kIsolated;
    default: return RTLD_LOCAL;
    }
}

void* open_library(const std::filesystem::path& path, SharedLibrary::Scope scope) {
    return dlopen(path.c_str(), RTLD_NOW | flags_of(scope));
}

std::string open_error() {
    const char* const reason = dlerror();
    return reason != nullptr ? reason : "unknown reason";
}

void close_library(void* handle) noexcept {
    dlclose(handle);
}

void* find_symbol(void* handle, const char* name) noexcept {
    return dlsym(handle, name);
}
#endif

} // namespace

SharedLibrary SharedLibrary::load(const std::filesystem::path& path, Scope scope) {
    std::string reason;
    SharedLibrary library = try_load(path, &reason, scope);
    if (!library) {
        throw DeviceError(text("cannot load the library '", path.string(), "': ", reason),
                          DeviceError::Kind::unavailable);
    }
    return library;
}

SharedLibrary SharedLibrary::try_load(const std::filesystem::path& path, std::string* reason,
                                      Scope scope) {
    void* const handle = open_library(path, scope);
    if (handle == nullptr && reason != nullptr) {
        *reason = open_error();
    }
    return SharedLibrary(handle);
}

SharedLibrary::SharedLibrary(SharedLibrary&& other) noexcept
    : m_handle(std::exchange(other.m_handle, nullptr)) {}

SharedLibrary& SharedLibrary::operator=(SharedLibrary&& other) noexcept {
    std::swap(m_handle, other.m_handle);
    return *this;
}

SharedLibrary::~SharedLibrary() {
    if (m_handle != nullptr) {
        close_library(m_handle);
    }
}

void* SharedLibrary::try_symbol(const char* name) const noexcept {
    return m_handle != nullptr ? find_symbol(m_handle, name) : nullptr;
}

} // namespace weft::core
