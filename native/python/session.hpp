// SPDX-License-Identifier: Apache-2.0
// What the Python class `Device` holds: a device, the compiler, and how modules are found.
#pragma once

#include "compile/compiler.hpp"
#include "core/log.hpp"
#include "device/device.hpp"
#include "dispatch/gradient_checker.hpp"
#include "dispatch/index_faults.hpp"
#include "dispatch/module.hpp"
#include "dispatch/reduce.hpp"
#include "dispatch/watcher.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::python {

struct Session {
    std::shared_ptr<device::Device> device;
    std::shared_ptr<compile::Compiler> compiler;
    std::shared_ptr<dispatch::Watcher> watcher;
    std::shared_ptr<core::Logger> logger;
    std::vector<std::string> include_paths;
    compile::Definitions defines;
    bool check_nan = false;      ///< look at the results of every call
    bool deterministic = false;  ///< of backward calls that do not say it themselves
    bool check_gradients = true; ///< the second defence, see dispatch/gradient_checker.hpp
    bool check_indices = false;  ///< of tensors, see dispatch/index_faults.hpp
    bool ends_checks = false;    ///< the interpreter will stop them at its exit
    std::shared_ptr<dispatch::Copier> copier{};
    std::shared_ptr<dispatch::Reducer> reducer{};
    std::shared_ptr<dispatch::GradientChecker> gradient_checker{};
    std::shared_ptr<dispatch::IndexFaults> index_faults{}; ///< null unless check_indices
};

struct SessionDesc {
    device::DeviceDesc device;
    std::vector<std::string> include_paths;
    compile::Definitions defines;
    std::optional<bool> check_nan{};            ///< WEFT_CHECK_NAN
    std::optional<bool> deterministic{};        ///< WEFT_DETERMINISTIC
    std::optional<bool> check_gradients{};      ///< WEFT_CHECK_GRADIENTS; on
    std::optional<bool> check_indices{};        ///< as device.debug
    std::optional<double> compile_time_limit{}; ///< seconds a request; WEFT_COMPILE_TIME_LIMIT
    std::optional<std::uint64_t> compile_memory_limit{}; ///< bytes; WEFT_COMPILE_MEMORY_LIMIT
    std::optional<std::string> cache_directory{};    ///< UTF-8, "": none; engine::cache_directory()
    std::optional<std::uint64_t> cache_size_limit{}; ///< bytes of compiled code; 1 GiB
    std::optional<std::uint64_t> memory_limit{};     ///< bytes; WEFT_MEMORY_LIMIT; none
};

/// @throws ArgumentError that begins with `name` for too few bytes of device memory.
void require_memory_limit(std::uint64_t bytes, std::string_view name);
/// Creates the device and, beside it, starts the compiler. @throws ArgumentError for a limit that is too small.
[[nodiscard]] std::shared_ptr<Session> create_session(SessionDesc desc);
/// A compiler without a device, for the same caches and with the limits of the environment. Call under the interpreter lock.
[[nodiscard]] std::shared_ptr<compile::Compiler> create_compiler();
/// The session that created `device`; made anew with the same settings if nothing else holds it any more.
/// Call under the interpreter lock.
[[nodiscard]] std::shared_ptr<Session> session_of(device::Device& device);
/// What is open of the devices that create_session() made. Call under the interpreter lock.
[[nodiscard]] std::vector<std::shared_ptr<device::Device>> open_devices();
/// Registers with Python's atexit: the session's checks of gradients are stopped there, and what they found and nobody heard
/// of becomes a warning. Call under the interpreter lock.
void end_checks_with_interpreter(Session& session);
[[nodiscard]] dispatch::Context session_context(const Session& session);
/// The folder of the package: lib/, bin/ and shaders/ lie in it.
[[nodiscard]] std::filesystem::path package_directory();

} // namespace weft::python
