// SPDX-License-Identifier: Apache-2.0
#include "python/session.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/interrupt.hpp"
#include "core/process.hpp"
#include "core/text.hpp"
#include "device/compile_only.hpp"
#include "device/fork_guard.hpp"
#include "engine/device_name.hpp"
#include "engine/installation.hpp"
#include "python/bind_error.hpp"
#include "python/compile_only_session.hpp"
#include "python/interpreter_lock.hpp"
#include "python/interrupt.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <locale>
#include <optional>
#include <pybind11/pybind11.h>
#include <sstream>

namespace weft::python {

namespace {

/// "cuda", "vulkan:1" in WEFT_DEVICE decide where the caller leaves the choice open.
void apply_environment(device::DeviceDesc& desc) {
    const auto wanted = core::environment_variable("WEFT_DEVICE");
    if (desc.type != device::DeviceType::automatic || !wanted) {
        return;
    }
    const auto name = engine::parse_device_name(*wanted);
    if (!name) {
        throw core::ArgumentError(
            core::text("create_device: WEFT_DEVICE must be 'vulkan' or 'cuda', with ':1' for "
                       "adapter 1, got '",
                       *wanted, "'; correct or unset it"));
    }
    desc.type = name->type;
    if (!desc.adapter) {
        desc.adapter = name->adapter;
    }
}

/// Where pip puts NVRTC and the CUDA headers: beside the packages that Python finds.
std::vector<std::string> cuda_library_directories() {
    std::vector<std::string> folders;
    for (const pybind11::handle entry : pybind11::module_::import("sys").attr("path")) {
        if (!pybind11::isinstance<pybind11::str>(entry)) {
            continue;
        }
        const std::filesystem::path packages = core::path_from_utf8(entry.cast<std::string>());
        for (const char* const folder :
             {"nvidia/cu13/lib", "nvidia/cu13/bin", "nvidia/cuda_nvrtc/lib",
              "nvidia/cuda_nvrtc/bin", "nvidia/cuda_runtime/lib"}) {
            std::error_code error;
            if (std::filesystem::is_directory(packages / folder, error)) {
                folders.push_back(core::utf8_path(packages / folder));
            }
        }
    }
    return folders;
}

/// The number in an environment variable; nullopt if that is not set.
template <typename T>
std::optional<T> environment_number(const char* variable) {
    const auto value = core::environment_variable(variable);
    if (!value || value->empty()) {
        return std::nullopt;
    }
    std::istringstream stream(*value);
    stream.imbue(std::locale::classic());
    T number{};
    if (value->front() == '-' || !(stream >> number) || !stream.eof()) {
        throw core::ArgumentError(core::text("create_device: ", variable,
                                             " must be a positive number, got '", *value,
                                             "'; correct or unset it"));
    }
    return number;
}

bool environment_flag(const char* variable, bool otherwise = false) {
    const auto value = core::environment_variable(variable);
    if (value && !value->empty() && *value != "0" && *value != "1") {
        throw core::ArgumentError(core::text("create_device: ", variable, " must be 0 or 1, got '",
                                             *value, "'; correct or unset it"));
    }
    return value && !value->empty() ? *value == "1" : otherwise;
}

/// Less would not let Slang start, or time every request out.
constexpr std::uint64_t kMinMemory = std::uint64_t{1} << 30;
constexpr double kMaxSeconds = 1e6;
/// Less does not hold one block of small buffers beside a large one.
constexpr std::uint64_t kMinDeviceMemory = std::uint64_t{64} << 20;
/// Less does not hold the kernels of one scene.
constexpr std::uint64_t kMinCache = std::uint64_t{16} << 20;

void set_limits(const SessionDesc& desc, compile::CompilerDesc& compiler) {
    const auto seconds = desc.compile_time_limit
                             ? desc.compile_time_limit
                             : environment_number<double>("WEFT_COMPILE_TIME_LIMIT");
    if (seconds) {
        const bool is_in_range = *seconds > 0 && *seconds <= kMaxSeconds; // false for NaN
        if (!is_in_range) {
            throw core::ArgumentError(core::text("create_device: compile_time_limit must be a "
                                                 "number of seconds above 0 and at most ",
                                                 kMaxSeconds, ", got ", *seconds,
                                                 "; the default is 120"));
        }
        compiler.time_limit =
            std::chrono::milliseconds(std::max<std::int64_t>(std::llround(*seconds * 1000), 1));
    }
    const auto bytes = desc.compile_memory_limit
                           ? desc.compile_memory_limit
                           : environment_number<std::uint64_t>("WEFT_COMPILE_MEMORY_LIMIT");
    if (bytes) {
        if (*bytes < kMinMemory) {
            throw core::ArgumentError(
                core::text("create_device: compile_memory_limit must be at least ", kMinMemory,
                           " bytes, which the Slang compiler itself needs, got ", *bytes,
                           "; the default is 4294967296"));
        }
        compiler.memory_limit = *bytes;
    }
    if (desc.cache_size_limit) {
        if (*desc.cache_size_limit < kMinCache) {
            throw core::ArgumentError(
                core::text("create_device: cache_size_limit must be at least ", kMinCache,
                           " bytes, got ", *desc.cache_size_limit,
                           "; the default is 1073741824, and cache_directory='' turns caches off"));
        }
        compiler.cache_size_limit = *desc.cache_size_limit;
    }
}

std::uint64_t device_memory_limit(const SessionDesc& desc) {
    const auto bytes = desc.memory_limit ? desc.memory_limit
                                         : environment_number<std::uint64_t>("WEFT_MEMORY_LIMIT");
    if (bytes) {
        require_memory_limit(*bytes, "create_device: memory_limit");
    }
    return bytes.value_or(0);
}

/// The engine's own functions, whose modules are loaded at their first use.
void add_helpers(Session& session) {
    session.copier = std::make_shared<dispatch::Copier>(session_context(session));
    session.index_faults =
        session.check_indices ? std::make_shared<dispatch::IndexFaults>(*session.device) : nullptr;
    session.gradient_checker =
        device::share_until_fork(std::make_unique<dispatch::GradientChecker>());
    session.reducer = std::make_shared<dispatch::Reducer>(session_context(session), session.copier);
}

/// What a device keeps of its session: all but itself.
struct SessionRecord {
    std::weak_ptr<Session> session;
    Session settings;
    LiveDevice is_alive{};
};

/// A fork concerns all devices of the process, and nothing that Python passes to its hooks leads to them.
std::vector<std::weak_ptr<device::Device>>& known_devices() {
    static std::vector<std::weak_ptr<device::Device>> devices;
    return devices;
}

} // namespace

void require_memory_limit(std::uint64_t bytes, std::string_view name) {
    if (bytes < kMinDeviceMemory) {
        throw core::ArgumentError(core::text(name, " must be at least ", kMinDeviceMemory,
                                             " bytes, got ", bytes,
                                             "; the default is no limit but the device's own"));
    }
}

std::filesystem::path package_directory() {
    const auto file = pybind11::module_::import("weft").attr("__file__").cast<std::string>();
    return core::path_from_utf8(file).parent_path();
}

namespace {

compile::CompilerDesc describe_compiler(const std::filesystem::path& cache) {
    compile::CompilerDesc compiler = engine::describe_compiler(package_directory(), cache);
    compiler.poll = interrupt_poll();
    return compiler;
}

device::CompileFor kind_named(const std::string& name) {
    if (name == "software") {
        return device::CompileFor::software;
    }
    if (name == "vulkan") {
        return device::CompileFor::vulkan;
    }
    if (name == "cuda") {
        return device::CompileFor::cuda;
    }
    throw core::ArgumentError(core::text("_create_compile_only: expected the kind software, vulkan "
                                         "or cuda, got '",
                                         name, "'; pass one of them"));
}

/// @param kind: of devices that it compiles for, instead of having one.
std::shared_ptr<Session> open_session(SessionDesc desc,
                                      std::optional<device::CompileFor> kind = {}) {
    const std::filesystem::path cache = desc.cache_directory
                                            ? core::path_from_utf8(*desc.cache_directory)
                                            : engine::cache_directory();
    auto session = std::make_shared<Session>();
    session->logger = std::make_shared<core::Logger>(core::Logger::standard_error());
    session->watcher = device::share_until_fork(std::make_unique<dispatch::Watcher>());
    session->include_paths = std::move(desc.include_paths);
    session->defines = std::move(desc.defines);
    session->check_nan = desc.check_nan ? *desc.check_nan : environment_flag("WEFT_CHECK_NAN");
    session->deterministic =
        desc.deterministic ? *desc.deterministic : environment_flag("WEFT_DETERMINISTIC");
    session->check_gradients = desc.check_gradients
                                   ? *desc.check_gradients
                                   : environment_flag("WEFT_CHECK_GRADIENTS", true);
    session->check_indices = desc.check_indices.value_or(desc.device.debug);
    compile::CompilerDesc compiler = describe_compiler(cache);
    set_limits(desc, compiler);
    desc.device.memory_limit = device_memory_limit(desc);
    desc.device.cache_directory = cache.empty() ? std::string() : core::utf8_path(cache / "device");
    desc.device.library_directories = cuda_library_directories();
    desc.device.poll = interrupt_poll();
    {
        const Unlocked unlocked;
        // Loading a driver takes seconds on some systems, and cannot be told to stop.
        core::run_abandonable(
            interrupt_poll(), [session, compiler, device = std::move(desc.device), kind] {
                session->compiler = device::share_until_fork(compile::Compiler::create(compiler));
                std::shared_ptr<SessionRecord> record(
                    new SessionRecord{.session = session, .settings = *session});
                session->device = kind ? device::create_compile_only(*kind, device)
                                       : device::Device::create(device);
                session->device->attach(std::move(record));
                add_helpers(*session);
            });
    }
    std::erase_if(known_devices(), [](const auto& known) { return known.expired(); });
    known_devices().push_back(session->device);
    return session;
}

} // namespace

std::shared_ptr<Session> create_session(SessionDesc desc) {
    apply_environment(desc.device);
    return open_session(std::move(desc));
}

std::shared_ptr<Session> create_compile_only_session(const std::string& kind,
                                                     const std::string& cache_directory) {
    SessionDesc desc;
    desc.check_gradients = false;
    desc.cache_directory = cache_directory;
    return open_session(std::move(desc), kind_named(kind));
}

std::shared_ptr<compile::Compiler> create_compiler() {
    compile::CompilerDesc desc = describe_compiler(engine::cache_directory());
    set_limits({}, desc);
    return device::share_until_fork(compile::Compiler::create(desc));
}

std::vector<std::shared_ptr<device::Device>> open_devices() {
    std::vector<std::shared_ptr<device::Device>> open;
    for (const std::weak_ptr<device::Device>& known : known_devices()) {
        if (auto device = known.lock(); device && !device->is_closed()) {
            open.push_back(std::move(device));
        }
    }
    return open;
}

std::shared_ptr<Session> session_of(device::Device& device) {
    auto& record = *std::static_pointer_cast<SessionRecord>(device.attachment());
    std::shared_ptr<Session> session = record.session.lock();
    if (!session) {
        session = std::make_shared<Session>(record.settings);
        session->device = device.shared_from_this();
        add_helpers(*session);
        record.session = session;
    }
    return session;
}

void end_checks_with_interpreter(Session& session) {
    if (session.ends_checks) {
        return;
    }
    session.ends_checks = true;
    const std::weak_ptr<dispatch::GradientChecker> known = session.gradient_checker;
    const pybind11::cpp_function end([known] {
        const auto checker = known.lock();
        if (!checker) {
            return;
        }
        {
            const Unlocked unlocked;
            checker->stop();
        }
        while (const auto message = checker->take_unheard()) {
            if (PyErr_WarnEx(gradient_warning().ptr(), message->c_str(), 1) != 0) {
                throw pybind11::error_already_set();
            }
        }
    });
    pybind11::module_::import("atexit").attr("register")(end);
}

dispatch::Context session_context(const Session& session) {
    return {.device = session.device,
            .compiler = session.compiler,
            .watcher = session.watcher,
            .logger = session.logger,
            .poll = interrupt_poll(),
            .index_faults = session.index_faults};
}

} // namespace weft::python
