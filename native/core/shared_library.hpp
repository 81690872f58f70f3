// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace weft::core {

/// A dynamic library, unloaded when the object dies. Functions taken from it must not be called after.
class SharedLibrary {
public:
    enum class Scope : std::uint8_t {
        local,    ///< its symbols are found only through this object
        global,   ///< later libraries that name it as a dependency find it already loaded
        isolated, ///< local, and it finds its own symbols and its dependencies' before the process's
    };

    /// @throws DeviceError{unavailable} with the loader's own reason.
    [[nodiscard]] static SharedLibrary load(const std::filesystem::path& path,
                                            Scope scope = Scope::local);
    /// Empty (operator bool is false) if the library cannot be loaded; the reason is in `reason`.
    [[nodiscard]] static SharedLibrary try_load(const std::filesystem::path& path,
                                                std::string* reason = nullptr,
                                                Scope scope = Scope::local);

    SharedLibrary() noexcept = default;
    SharedLibrary(SharedLibrary&& other) noexcept;
    SharedLibrary& operator=(SharedLibrary&& other) noexcept;
    SharedLibrary(const SharedLibrary&) = delete;
    SharedLibrary& operator=(const SharedLibrary&) = delete;
    ~SharedLibrary();

    explicit operator bool() const noexcept { return m_handle != nullptr; }
    /// Address of an exported symbol, nullptr if there is none.
    [[nodiscard]] void* try_symbol(const char* name) const noexcept;
    /// The exported function `name`, cast to its type; nullptr if there is none.
    template <typename Function>
    [[nodiscard]] Function* try_function(const char* name) const noexcept {
        return reinterpret_cast<Function*>(try_symbol(name));
    }
    /// Keeps the library loaded until the process ends (for libraries whose threads or exit handlers
    /// must not lose their code).
    void leak() noexcept { m_handle = nullptr; }

private:
    explicit SharedLibrary(void* handle) noexcept : m_handle(handle) {}
    void* m_handle = nullptr;
};

} // namespace weft::core
