// SPDX-License-Identifier: Apache-2.0
#include "engine/engine.hpp"

#include "core/byte_order_mark.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "device/fork_guard.hpp"
#include "dispatch/watcher.hpp"
#include "engine/installation.hpp"
#include "engine/runtime.hpp"

namespace weft::engine {

namespace fs = std::filesystem;

namespace {

/// Less would not let Slang start.
constexpr std::uint64_t kMinMemory = std::uint64_t{1} << 30;

compile::CompilerDesc compiler_desc(const EngineDesc& desc, const fs::path& cache) {
    if (desc.compile_time_limit.count() <= 0 || desc.compile_memory_limit < kMinMemory) {
        throw core::ArgumentError(
            core::text("Engine::create: compile_time_limit must be above 0 and "
                       "compile_memory_limit at least ",
                       kMinMemory, " bytes, got ", desc.compile_time_limit.count(), " ms and ",
                       desc.compile_memory_limit, " bytes; leave them as they are made"));
    }
    compile::CompilerDesc compiler = describe_compiler(desc.root, cache);
    require_installation(compiler, "Engine::create");
    compiler.time_limit = desc.compile_time_limit;
    compiler.memory_limit = desc.compile_memory_limit;
    compiler.poll = desc.poll;
    return compiler;
}

std::vector<std::string> absolute_folders(const std::vector<std::string>& folders) {
    std::vector<std::string> absolute; // the compiler's process has a working folder of its own
    for (const std::string& folder : folders) {
        absolute.push_back(
            core::utf8_path(fs::absolute(core::path_from_utf8(folder)).lexically_normal()));
    }
    return absolute;
}

std::shared_ptr<core::Logger> logger_for(const Runtime::Message& message) {
    if (!message) {
        return nullptr;
    }
    return std::make_shared<core::Logger>(
        [message](core::LogLevel, std::string_view text) { message(text); });
}

Module load(const std::shared_ptr<const Runtime>& runtime, compile::ModuleDesc desc) {
    const Runtime::Settings& settings = runtime->settings();
    desc.include_paths = settings.include_paths;
    desc.defines = settings.defines;
    desc.target = runtime->context().device->target();
    return {runtime, dispatch::Module::create(runtime->context(), std::move(desc),
                                              {.links = {}, .hot_reload = settings.hot_reload})};
}

} // namespace

std::shared_ptr<Engine> Engine::create(EngineDesc desc) {
    if (desc.root.empty()) {
        desc.root = installed_root();
    }
    const fs::path cache = desc.cache_directory ? *desc.cache_directory : cache_directory();
    dispatch::Context context;
    context.compiler =
        device::share_until_fork(compile::Compiler::create(compiler_desc(desc, cache)));
    desc.device.cache_directory = cache.empty() ? std::string() : core::utf8_path(cache / "device");
    desc.device.poll = desc.poll;
    context.device = device::Device::create(desc.device);
    if (desc.hot_reload) {
        context.watcher = device::share_until_fork(std::make_unique<dispatch::Watcher>());
    }
    context.logger = logger_for(desc.message);
    context.poll = desc.poll;
    return std::make_shared<Engine>(std::make_shared<const Runtime>(
        std::move(context),
        Runtime::Settings{.include_paths = absolute_folders(desc.include_paths),
                          .defines = std::move(desc.defines),
                          .hot_reload = desc.hot_reload,
                          .root = desc.root},
        std::move(desc.message)));
}

Engine::Engine(std::shared_ptr<const Runtime> runtime) noexcept : m_runtime(std::move(runtime)) {}

Engine::~Engine() = default;

const std::shared_ptr<device::Device>& Engine::device() const noexcept {
    return m_runtime->context().device;
}

Module Engine::load_file(const fs::path& path) const {
    std::error_code error;
    const fs::path file = fs::absolute(path, error).lexically_normal();
    if (error || !fs::is_regular_file(file, error)) {
        throw core::ArgumentError(core::text("Engine::load_file: there is no file '",
                                             core::utf8_path(path),
                                             "'; pass the path of a .slang file"),
                                  core::ArgumentError::Kind::not_found);
    }
    compile::ModuleDesc desc;
    desc.name = core::utf8_path(file.stem());
    desc.path = core::utf8_path(file);
    return load(m_runtime, std::move(desc));
}

Module Engine::load_source(const std::string& name, const std::string& source) const {
    compile::ModuleDesc desc;
    desc.name = name;
    desc.text = source;
    core::remove_byte_order_mark(desc.text);
    return load(m_runtime, std::move(desc));
}

void Engine::wait() const {
    m_runtime->context().device->wait(m_runtime->context().poll);
}

} // namespace weft::engine
