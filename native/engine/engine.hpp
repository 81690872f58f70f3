// SPDX-License-Identifier: Apache-2.0
// Slang functions over arrays, from C++. Start here: an Engine is a device with a compiler, a Module a Slang source, a
// Function is called. Errors are the classes of core/error.hpp.
#pragma once

#include "core/api.hpp"
#include "core/error.hpp"
#include "core/interrupt_poll.hpp"
#include "device/device.hpp"
#include "engine/array.hpp"
#include "engine/module.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::engine {

struct EngineDesc {
    device::DeviceDesc device{};              ///< its cache_directory and poll come from below
    std::vector<std::string> include_paths{}; ///< UTF-8: folders in which imports are looked for
    std::vector<std::pair<std::string, std::string>> defines{}; ///< of the preprocessor
    /// Compiled code; empty: none is kept; not set: $WEFT_CACHE_DIR, else weft/ in the user's folder of caches
    std::optional<std::filesystem::path> cache_directory{};
    std::chrono::milliseconds compile_time_limit{120'000};       ///< of one compile, above 0
    std::uint64_t compile_memory_limit = std::uint64_t{4} << 30; ///< bytes, at least 1 GiB
    bool hot_reload = false; ///< a thread watches the files of modules; calls use what was saved
    /// Called every 50 ms by functions that wait; throws core::Interrupted to end the wait
    core::InterruptPoll poll{};
    /// Gets warnings, each once: results that round, reloads that failed. On the thread that called; empty: nobody does
    std::function<void(std::string_view)> message{};
    /// The folder with bin, lib and shaders; empty: where they were installed, seen from the shared library `weft`
    std::filesystem::path root{};
};

/// A device and the Slang compiler, which is a process of its own: no source can end the program. Thread-safe. Modules,
/// functions and tensors keep what they need of it. After fork() a child has to make an engine of its own.
class Engine {
public:
    /// Starts the compiler, if the cache is cold, and opens the device.
    /// @throws DeviceError{unavailable} that says which driver is missing; ArgumentError for an adapter or a limit out
    ///         of range, and for an installation without its files.
    [[nodiscard]] WEFT_API static std::shared_ptr<Engine> create(EngineDesc desc = {});

    WEFT_API explicit Engine(std::shared_ptr<const Runtime> runtime) noexcept;
    WEFT_API ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// For tensors, memory statistics, limit and trim(), close().
    [[nodiscard]] WEFT_API const std::shared_ptr<device::Device>& device() const noexcept;

    /// @throws CompileError with Slang's diagnostics; ArgumentError{not_found} if there is no such file.
    [[nodiscard]] WEFT_API Module load_file(const std::filesystem::path& path) const;
    /// A module of a text. @param name of the module, also in diagnostics. @throws CompileError.
    [[nodiscard]] WEFT_API Module load_source(const std::string& name,
                                              const std::string& source) const;

    /// array() on this device.
    template <Number T>
    [[nodiscard]] tensor::TensorRef array(std::span<const T> values,
                                          std::vector<std::int64_t> shape) const {
        return engine::array(device(), values, std::move(shape));
    }
    /// zeros() on this device.
    [[nodiscard]] tensor::TensorRef zeros(const reflect::TypeRef& dtype,
                                          std::vector<std::int64_t> shape) const {
        return engine::zeros(device(), dtype, std::move(shape));
    }

    /// Blocks until the device has done all that was launched. @throws DeviceError if it was lost.
    WEFT_API void wait() const;

    /// What modules and renderers share with the engine; for the engine's own parts.
    [[nodiscard]] const std::shared_ptr<const Runtime>& runtime() const noexcept {
        return m_runtime;
    }

private:
    std::shared_ptr<const Runtime> m_runtime;
};

} // namespace weft::engine
