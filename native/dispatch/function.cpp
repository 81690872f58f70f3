// SPDX-License-Identifier: Apache-2.0
#include "dispatch/function.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "dispatch/index_faults.hpp"
#include "dispatch/resolve.hpp"
#include "reflect/differential.hpp"

#include <algorithm>

namespace weft::dispatch {

namespace {

// A call whose shape changes each time must not fill memory with plans.
constexpr std::size_t kMaxPlans = 4096;

std::string prelude_of(const CallOptions& options, const Module& module) {
    std::string prelude = options.prelude;
    for (const auto& [name, literal] : options.constants) {
        const reflect::LinkConstant constant = module.require_constant(name);
        prelude += core::text(prelude.empty() ? "" : "\n", "export static const ",
                              constant.type->full_name, " ", name, " = ", literal, ";");
    }
    return prelude;
}

/// The function itself, not its derivative, sees the gradients of an argument.
bool takes_gradients(const reflect::Function& function) {
    const auto sees = [](const reflect::Type& type) {
        const bool is_concrete = type.kind == reflect::TypeKind::tensor &&
                                 type.tensor.is_differentiable && !type.tensor.is_interface;
        return is_concrete || reflect::pair_value_type(type) != nullptr;
    };
    return sees(*function.return_type) ||
           std::any_of(function.parameters.begin(), function.parameters.end(),
                       [&](const reflect::Parameter& parameter) { return sees(*parameter.type); });
}

} // namespace

std::size_t Function::KeyHash::operator()(const Key& key) const noexcept {
    std::uint64_t hash = 0x9E3779B97F4A7C15ULL ^ key.size();
    for (const std::uint64_t word : key) {
        hash = (hash ^ word) * 0xFF51AFD7ED558CCDULL;
        hash ^= hash >> 32U;
    }
    return static_cast<std::size_t>(hash);
}

Function::Function(Module& module, std::string name, CallOptions options)
    : m_module(&module), m_name(std::move(name)), m_options(std::move(options)) {
    m_generation = module.generation();
    load_overloads();
}

void Function::load_overloads() {
    m_overloads = m_module->find_overloads(m_name);
    m_reads_gradients = m_options.derivative != codegen::Derivative::none ||
                        std::any_of(m_overloads.begin(), m_overloads.end(), takes_gradients);
}

std::unique_lock<std::mutex> Function::lock() {
    return core::lock_with_poll(m_mutex, m_module->context().poll);
}

void Function::refresh() {
    m_module->reload_if_stale();
    const std::uint64_t generation = m_module->generation();
    if (generation == m_generation) {
        return;
    }
    m_generation = generation;
    m_plans.clear();
    m_last_plan.reset();
    load_overloads();
}

std::vector<reflect::Function> Function::overloads() {
    const auto locked = lock();
    refresh();
    return m_overloads;
}

bool Function::has_parameter(std::string_view name) {
    const auto locked = lock();
    refresh();
    return std::ranges::any_of(m_overloads, [&](const reflect::Function& overload) {
        return std::ranges::any_of(overload.parameters, [&](const reflect::Parameter& parameter) {
            return parameter.name == name;
        });
    });
}

std::shared_ptr<const LaunchPlan> Function::find_plan(const ArgumentList& arguments) {
    const std::unique_lock locked(m_mutex, std::try_to_lock);
    if (!locked || m_module->is_stale() || m_module->generation() != m_generation) {
        return nullptr;
    }
    return look_up(arguments);
}

std::shared_ptr<const LaunchPlan> Function::look_up(const ArgumentList& arguments) {
    m_key.clear();
    arguments.append_key(m_key, m_reads_gradients);
    if (m_last_plan && m_key == m_last_key) {
        return m_last_plan;
    }
    const auto found = m_plans.find(m_key);
    if (found == m_plans.end()) {
        return nullptr;
    }
    m_last_key = m_key;
    m_last_plan = found->second;
    return m_last_plan;
}

std::shared_ptr<const LaunchPlan> Function::make_plan(const ArgumentList& arguments) {
    const auto locked = lock();
    refresh();
    if (auto found = look_up(arguments)) {
        return found; // of another thread, or of before a reload that changed nothing
    }
    if (m_overloads.empty()) {
        throw core::ArgumentError(
            core::text(m_name, ": the module no longer has this function after a reload; "
                               "restore it or take another one"));
    }
    const device::Device& device = *m_module->context().device;
    const compile::LoadedModuleRef loaded = m_module->loaded();
    auto call = resolve_call(
        m_name, m_overloads, arguments, m_options, bind_target(device),
        {.specialize = [&](const std::string& name) { return m_module->find_overloads(name); },
         .find_type = [&](const std::string& name) { return m_module->find_type(name); }});
    codegen::Kernel& kernel = call->kernel;
    kernel.imports.insert(kernel.imports.begin(), loaded->import_name);
    kernel.prelude = prelude_of(m_options, *m_module);
    const auto& index_faults = m_module->context().index_faults;
    const bool checks_indices = index_faults && index_faults->watch(kernel);
    const bool calls_method = kernel.has_this && kernel.derivative == codegen::Derivative::none;
    kernel.callee = calls_method ? call->function.name : call->function.full_name;
    kernel.is_constructor = call->function.is_constructor;
    adapt_to_device(kernel, device);
    auto plan = build_plan(*call, arguments, m_options,
                           [&](const std::string& source, const codegen::Kernel& lowered) {
                               return m_module->provide_kernel(source, lowered);
                           });
    plan->index_faults = checks_indices ? index_faults : nullptr;
    if (m_options.derivative == codegen::Derivative::backward) {
        plan->wants_check = m_module->wants_gradient_check();
    }
    if (m_plans.size() >= kMaxPlans) {
        m_plans.clear();
    }
    Key key;
    arguments.append_key(key, m_reads_gradients);
    m_plans.emplace(std::move(key), plan);
    return plan;
}

} // namespace weft::dispatch
