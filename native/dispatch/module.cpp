// SPDX-License-Identifier: Apache-2.0
#include "dispatch/module.hpp"

#include "codegen/print.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "dispatch/function.hpp"
#include "dispatch/gradient_checker.hpp"
#include "dispatch/kernel_error.hpp"
#include "dispatch/kernel_features.hpp"
#include "dispatch/module_names.hpp"
#include "dispatch/unbound_resources.hpp"
#include "dispatch/watcher.hpp"

#include <algorithm>

namespace weft::dispatch {

using core::text;

namespace {

std::string function_key(const std::string& name, const CallOptions& options) {
    return name + "\n" + options.key();
}

} // namespace

std::shared_ptr<Module> Module::create(Context context, compile::ModuleDesc desc,
                                       ModuleOptions options) {
    if (context.device->is_closed()) {
        throw core::DeviceError(text("load_module: device '", context.device->info().name,
                                     "' is closed; create a new one with create_device()"));
    }
    std::shared_ptr<Module> module(
        new Module(std::move(context), std::move(desc), std::move(options)));
    module->load();
    if (module->m_options.hot_reload && module->m_context.watcher) {
        module->m_context.watcher->watch(module);
    }
    return module;
}

Module::Module(Context context, compile::ModuleDesc desc, ModuleOptions options)
    : m_context(std::move(context)), m_desc(std::move(desc)), m_options(std::move(options)) {}

Module::~Module() = default;

void Module::load() {
    const auto start = std::filesystem::file_time_type::clock::now();
    auto loaded = m_context.compiler->load_module(m_desc);
    require_free_names(*loaded);
    const std::lock_guard lock(m_mutex);
    m_load_time = start;
    m_diagnostics = loaded->warnings;
    if (m_loaded && m_loaded->hash == loaded->hash) {
        return; // touched, not changed: compiled kernels stay valid
    }
    m_loaded = std::move(loaded);
    m_kernels
        .clear(); // of the source before: nothing asks for them any more, plans keep what they still use
    m_generation.fetch_add(1, std::memory_order_release);
}

std::filesystem::file_time_type Module::load_time() const {
    const std::lock_guard lock(m_mutex);
    return m_load_time;
}

void Module::reload() {
    m_is_stale.store(false, std::memory_order_relaxed);
    try {
        load();
    } catch (const core::CompileError& error) {
        const std::lock_guard lock(m_mutex);
        m_diagnostics = error.diagnostics();
        throw;
    }
    if (m_context.watcher && m_options.hot_reload) {
        m_context.watcher->watch(shared_from_this()); // its imports may have changed
    }
}

void Module::reload_quietly() {
    try {
        reload();
    } catch (const core::Error& error) {
        if (m_context.logger) {
            m_context.logger->log(
                core::LogLevel::warning,
                text("reload of '", m_desc.name,
                     "' failed, the last good code stays in use: ", error.what()));
        }
    }
}

compile::LoadedModuleRef Module::loaded() const {
    const std::lock_guard lock(m_mutex);
    return m_loaded;
}

std::vector<core::Diagnostic> Module::diagnostics() const {
    const std::lock_guard lock(m_mutex);
    return m_diagnostics;
}

std::vector<reflect::Function> Module::find_overloads(const std::string& name) const {
    const auto module = loaded();
    std::vector<reflect::Function> found;
    const bool is_qualified = name.find('.') != std::string::npos;
    const auto add = [&](const reflect::Function& function) {
        const std::string own =
            function.owner.empty() ? function.name : function.owner + "." + function.name;
        const std::string& full = function.full_name;
        const bool may_have_full_name = is_qualified && !function.is_constructor;
        if (own == name || (may_have_full_name && full.substr(0, full.find('<')) == name)) {
            found.push_back(function);
        }
    };
    for (const reflect::Function& function : module->reflection.functions) {
        add(function);
    }
    for (const reflect::Structure& structure : module->reflection.structs) {
        for (const reflect::Function& method : structure.methods) {
            add(method);
        }
    }
    return found.empty() ? m_context.compiler->find_functions(*module, name) : found;
}

reflect::TypeRef Module::find_type(const std::string& name) const {
    const auto module = loaded();
    for (const reflect::Structure& structure : module->reflection.structs) {
        if (structure.generics.empty() && structure.type->full_name == name) {
            return structure.type;
        }
    }
    return m_context.compiler->find_type(*module, name);
}

void Module::require_uniform(const std::string& name) const {
    const auto module = loaded();
    std::vector<std::string> names;
    for (const reflect::GlobalParameter& global : module->reflection.globals) {
        names.push_back(global.name);
    }
    const bool is_known =
        std::find(names.begin(), names.end(), name) != names.end() ||
        is_named_in_imports(*module, name) || is_constant_block(*module, name) ||
        std::any_of(m_options.links.begin(), m_options.links.end(),
                    [&](const auto& link) { return is_named_in(*link->loaded(), name); });
    if (!is_known) {
        throw core::ArgumentError(text("set: module '", m_desc.name, "' declares no uniform '",
                                       name, "'", core::suggestion(name, names)),
                                  core::ArgumentError::Kind::attribute);
    }
}

reflect::LinkConstant Module::require_constant(const std::string& name) const {
    const auto module = loaded();
    std::vector<std::string> names;
    for (const reflect::LinkConstant& constant : module->reflection.constants) {
        if (constant.name == name) {
            return constant;
        }
        names.push_back(constant.name);
    }
    throw core::ArgumentError(text("constants: module '", m_desc.name,
                                   "' declares no 'extern static const ... ", name, "'",
                                   core::suggestion(name, names)),
                              core::ArgumentError::Kind::attribute);
}

bool Module::wants_gradient_check() const {
    return has_gradient_check() &&
           (needs_gradient_check(*loaded()) ||
            std::ranges::any_of(m_options.links, [](const std::shared_ptr<Module>& link) {
                return needs_gradient_check(*link->loaded());
            }));
}

std::vector<std::string> Module::names() const {
    const auto module = loaded();
    std::vector<std::string> names;
    for (const reflect::Function& function : module->reflection.functions) {
        names.push_back(function.name);
    }
    for (const reflect::Structure& structure : module->reflection.structs) {
        names.push_back(structure.type->name);
    }
    return names;
}

std::shared_ptr<Function> Module::known_function(const std::string& name,
                                                 const CallOptions& options) const {
    const std::lock_guard lock(m_mutex);
    const auto found = m_functions.find(function_key(name, options));
    return found != m_functions.end() ? found->second : nullptr;
}

std::shared_ptr<Function> Module::function(const std::string& name, const CallOptions& options) {
    if (auto known = known_function(name, options)) {
        return known;
    }
    reload_if_stale();
    auto function = std::make_shared<Function>(*this, name, options);
    if (function->overloads().empty()) {
        throw core::ArgumentError(text("module '", m_desc.name, "' has no function '", name, "'",
                                       core::suggestion(name, names())),
                                  core::ArgumentError::Kind::attribute);
    }
    const std::lock_guard lock(m_mutex);
    return m_functions.emplace(function_key(name, options), std::move(function)).first->second;
}

CompiledKernelRef Module::provide_kernel(const std::string& source, const codegen::Kernel& kernel) {
    const compile::LoadedModuleRef module = loaded();
    const core::Hash128 key = core::Hasher().add(module->hash).add(source).finish();
    std::unique_lock lock(m_mutex);
    const auto is_free = [&] { return !m_compiling.contains(key); };
    while (!m_compiled.wait_for(lock, core::kPollInterval, is_free)) {
        if (m_context.poll) {
            lock.unlock();
            m_context.poll();
            lock.lock();
        }
    }
    if (const auto found = m_kernels.find(key); found != m_kernels.end()) {
        return found->second;
    }
    m_compiling.insert(key);
    lock.unlock();
    CompiledKernelRef compiled;
    try {
        compiled = compile_kernel(module, source, kernel);
    } catch (...) {
        lock.lock();
        m_compiling.erase(key);
        m_compiled.notify_all();
        throw;
    }
    lock.lock();
    m_compiling.erase(key);
    m_compiled.notify_all();
    if (m_loaded != module) {
        return compiled; // of a source that was replaced meanwhile
    }
    return m_kernels.emplace(key, std::move(compiled)).first->second;
}

compile::KernelCode Module::compile_code(const compile::LoadedModuleRef& module,
                                         const std::string& source,
                                         const codegen::Kernel& kernel) const {
    compile::KernelRequest request;
    request.module = module;
    for (const auto& link : m_options.links) {
        request.linked.push_back(link->loaded());
    }
    request.source = source;
    request.entry_point = codegen::kEntryPoint;
    request.target = m_context.device->target();
    try {
        return m_context.compiler->compile_kernel(request);
    } catch (const core::CompileError& error) {
        require_no_resources(*module, error, kernel.callee);
        throw_kernel_error(error, kernel, source, hidden_names(*module, source));
    }
}

CompiledKernelRef Module::compile_kernel(const compile::LoadedModuleRef& module,
                                         const std::string& source,
                                         const codegen::Kernel& kernel) const {
    compile::KernelCode code = compile_code(module, source, kernel);
    require_bindable(code, kernel.callee);
    const device::DeviceInfo& info = m_context.device->info();
    if (info.target == compile::Target::spirv) {
        require_features(code.code, info, kernel.callee);
    }
    auto compiled = std::make_shared<CompiledKernel>();
    compiled->source = source;
    compiled->globals = code.globals;
    compiled->global_bytes = code.global_bytes;
    compiled->kernel = create_kernel(std::move(code), kernel, module->desc.fast_math);
    return compiled;
}

std::shared_ptr<device::Kernel> Module::create_kernel(compile::KernelCode code,
                                                      const codegen::Kernel& kernel,
                                                      bool fast_math) const {
    device::KernelDesc desc;
    desc.entry_point = codegen::kEntryPoint;
    desc.group_size = kernel.group_size;
    desc.argument_bytes = kernel.argument_bytes;
    desc.arguments_by_address = kernel.arguments_by_address;
    desc.storage_bindings = static_cast<std::uint32_t>(kernel.storage.size());
    desc.globals = {.size_bytes = code.global_bytes,
                    .vulkan_set = code.global_set,
                    .vulkan_binding = code.global_binding,
                    .cuda_symbol = "SLANG_globalParams"};
    desc.label = kernel.callee;
    desc.fast_math = fast_math;
    desc.shared_bytes = static_cast<std::uint32_t>(kernel.collected_bytes);
    // The driver compiles for seconds and cannot be told to stop.
    return core::compute_abandonable<std::shared_ptr<device::Kernel>>(
        m_context.poll, [desc = std::move(desc), bytes = std::move(code.code),
                         device = m_context.device]() mutable {
            desc.code = bytes;
            return device->create_kernel(desc);
        });
}

} // namespace weft::dispatch
