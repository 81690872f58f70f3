// SPDX-License-Identifier: Apache-2.0
#include "render/kernel_launcher.hpp"

#include "dispatch/index_faults.hpp"

#include <array>
#include <string>

namespace weft::render {

using dispatch::Node;
using dispatch::NodeKind;

namespace {

/// The coordinates 0 ... lanes - 1, as grid((lanes,)) of Python makes them.
void append_lanes(dispatch::ArgumentList& list, std::int64_t lanes) {
    list.roots.push_back({.node = static_cast<std::uint32_t>(list.nodes.size()),
                          .role = dispatch::Role::positional});
    Node& node = list.nodes.emplace_back();
    node.kind = NodeKind::grid;
    node.rank = 1;
    node.shape_begin = static_cast<std::uint32_t>(list.words.size());
    node.data_begin = node.shape_begin + 1;
    node.data_count = 2;
    node.scalar = reflect::ScalarKind::int64;
    constexpr std::uint64_t kStride = 1;
    constexpr std::uint64_t kOffset = 0;
    list.words.insert(list.words.end(), {static_cast<std::uint64_t>(lanes), kStride, kOffset});
}

void append_result(dispatch::ArgumentList& list, const tensor::TensorRef& result) {
    if (!result) {
        return;
    }
    list.roots.push_back(
        {.node = static_cast<std::uint32_t>(list.nodes.size()), .role = dispatch::Role::result});
    Node& node = list.nodes.emplace_back();
    node.kind = NodeKind::tensor;
    node.name = "_result";
    node.tensor = result.get();
}

/// A call that is compiled, not made: of how many lanes does not matter.
constexpr std::int64_t kLanesOfSample = 256;

/// What a thread needs to make a plan.
struct Compilation {
    std::shared_ptr<dispatch::Module> module;
    std::shared_ptr<dispatch::Function> function;
    StageCall call;
    dispatch::ArgumentList list;
};

} // namespace

const std::shared_ptr<dispatch::Function>& StageModule::function(std::string_view name) {
    std::shared_ptr<dispatch::Function>& found = m_functions[name];
    if (!found) {
        found = m_module->function(std::string(name));
    }
    return found;
}

void KernelLauncher::launch(StageModule& module, std::string_view function, std::int64_t lanes,
                            Arguments arguments, const tensor::TensorRef& result) {
    m_list.clear();
    append_lanes(m_list, lanes);
    run(*module.function(function), arguments, result);
}

void KernelLauncher::call(StageModule& module, std::string_view function, Arguments arguments,
                          const tensor::TensorRef& result) {
    m_list.clear();
    run(*module.function(function), arguments, result);
}

void KernelLauncher::dispatch(StageModule& module, std::string_view function,
                              const std::array<std::int64_t, 3>& threads, Arguments arguments) {
    m_list.clear();
    dispatch::CallOptions options;
    options.is_raw_dispatch = true;
    options.thread_count = threads;
    run(*module.module()->function(std::string(function), options), arguments, nullptr);
}

void KernelLauncher::run(dispatch::Function& callee, Arguments arguments,
                         const tensor::TensorRef& result) {
    for (const KernelArgument* const argument : arguments) {
        argument->append_to(m_list);
    }
    append_result(m_list, result);
    auto plan = callee.find_plan(m_list);
    if (!plan) {
        plan = callee.make_plan(m_list);
    }
    m_state.launch(*plan, m_list, *m_context.device, {});
    if (plan->index_faults) {
        m_context.device->wait(m_context.poll);
        plan->index_faults->require_none(*plan, m_state, m_list);
    }
    m_state.release();
}

std::function<void()> KernelLauncher::compilation(const StageCall& call) {
    auto work = std::make_shared<Compilation>();
    work->module = call.module->module();
    work->function = call.module->function(call.function);
    work->call = call;
    append_lanes(work->list, call.result ? call.result->element_count() : kLanesOfSample);
    for (const KernelArgument& argument : work->call.arguments) {
        argument.append_to(work->list);
    }
    append_result(work->list, work->call.result);
    return [work] {
        if (!work->function->find_plan(work->list)) {
            static_cast<void>(work->function->make_plan(work->list));
        }
    };
}

} // namespace weft::render
