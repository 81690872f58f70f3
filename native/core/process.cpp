// SPDX-License-Identifier: Apache-2.0
#include "core/process.hpp"

#include <cstdlib>

#if defined(_WIN32)
#include <process.h>
#else
#include <unistd.h>
#endif

namespace weft::core {

namespace {

std::filesystem::path user_cache_directory() {
#if defined(_WIN32)
    return environment_variable("LOCALAPPDATA").value_or("");
#elif defined(__APPLE__)
    const auto home = environment_variable("HOME");
    return home ? std::filesystem::path(*home) / "Library" / "Caches" : std::filesystem::path();
#else
    if (const auto folder = environment_variable("XDG_CACHE_HOME")) {
        return *folder;
    }
    const auto home = environment_variable("HOME");
    return home ? std::filesystem::path(*home) / ".cache" : std::filesystem::path();
#endif
}

} // namespace

std::uint64_t process_id() noexcept {
#if defined(_WIN32)
    return static_cast<std::uint64_t>(_getpid());
#else
    return static_cast<std::uint64_t>(getpid());
#endif
}

std::optional<std::string> environment_variable(const char* name) {
    const char* const value =
        std::getenv(name); // NOLINT(concurrency-mt-unsafe): nothing here sets variables
    if (value == nullptr || *value == '\0') {
        return std::nullopt;
    }
    return std::string(value);
}

std::filesystem::path default_cache_directory() {
    if (const auto folder = environment_variable("WEFT_CACHE_DIR")) {
        return *folder;
    }
    const std::filesystem::path parent = user_cache_directory();
    return parent.empty() ? parent : parent / "weft";
}

} // namespace weft::core
