// SPDX-License-Identifier: Apache-2.0
// Kernels of a module called over a number of lanes.
#pragma once

#include "dispatch/function.hpp"
#include "render/kernel_argument.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string_view>

namespace weft::render {

/// A module with the functions that were asked for so far. One thread at a time.
class StageModule {
public:
    explicit StageModule(std::shared_ptr<dispatch::Module> module) : m_module(std::move(module)) {}

    [[nodiscard]] const std::shared_ptr<dispatch::Module>& module() const noexcept {
        return m_module;
    }
    /// @param name a literal. @throws ArgumentError{attribute} if the module has no such function.
    [[nodiscard]] const std::shared_ptr<dispatch::Function>& function(std::string_view name);

private:
    std::shared_ptr<dispatch::Module> m_module;
    std::map<std::string_view, std::shared_ptr<dispatch::Function>> m_functions;
};
using StageModuleRef = std::shared_ptr<StageModule>;

/// A call that comes, or is to be compiled. Its arguments stay as they are.
struct StageCall {
    StageModuleRef module;
    std::string_view function;
    std::vector<KernelArgument> arguments{};
    tensor::TensorRef result{}; ///< what the function returns goes here; null: it returns nothing
};

/// Launches kernels, one after the other, and keeps the memory that calls need. One thread at a time.
class KernelLauncher {
public:
    using Arguments = std::initializer_list<const KernelArgument*>;

    explicit KernelLauncher(dispatch::Context context) : m_context(std::move(context)) {}

    [[nodiscard]] const dispatch::Context& context() const noexcept { return m_context; }

    /// Calls a function of a module once for each of 0 ... lanes - 1, which is its first parameter. Returns before the device
    /// has run, unless the device looks at indices.
    /// @param result what it returns goes here; contiguous, `lanes` elements.
    /// @throws as dispatch::Function::make_plan() and dispatch::CallState::launch().
    void launch(StageModule& module, std::string_view function, std::int64_t lanes,
                Arguments arguments, const tensor::TensorRef& result = nullptr);
    /// Calls a function of a module once for each element of its arguments, as calls of scripts do; else as launch().
    /// @param result what it returns goes here; contiguous, of the shape of the call.
    void call(StageModule& module, std::string_view function, Arguments arguments,
              const tensor::TensorRef& result);
    /// Calls a function whose threads and groups are its own, with [numthreads], once for each of x * y * z threads, rounded
    /// up to whole groups; its arguments go to each of them whole. Else as launch().
    void dispatch(StageModule& module, std::string_view function,
                  const std::array<std::int64_t, 3>& threads, Arguments arguments);

    /// What to run on any thread so that the kernel of a call is there: it owns what it needs.
    [[nodiscard]] static std::function<void()> compilation(const StageCall& call);

private:
    void run(dispatch::Function& callee, Arguments arguments, const tensor::TensorRef& result);

    dispatch::Context m_context;
    dispatch::ArgumentList m_list;
    dispatch::CallState m_state;
};

} // namespace weft::render
