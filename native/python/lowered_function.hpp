// SPDX-License-Identifier: Apache-2.0
// A function on its way to nodes or OSL: its code, and the graphs that are made of it when they are asked for.
#pragma once

#include "compile/compiler.hpp"
#include "core/error.hpp"
#include "dag/build.hpp"
#include "dag/spirv.hpp"
#include "lower/call.hpp"
#include "reflect/function.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace weft::python {

/// A function as code, and as the graph that is made of it. Thread-safe; what it returns lives as long as it.
class CompiledFunction {
public:
    /// @param reals of the function's parameters
    CompiledFunction(std::shared_ptr<compile::Compiler> compiler,
                     const compile::LoadedModuleRef& module, std::string source,
                     std::uint32_t reals);

    [[nodiscard]] const dag::SpirvModule& spirv() const noexcept;
    /// Built when it is first asked for: OSL needs none, nor bounds of loops.
    const dag::Function& dag();

    /// What `make` makes. Where it is refused the function is compiled again, with the lines that refusals then name.
    template <typename Made>
    decltype(auto) with_lines(const Made& make) {
        try {
            return make();
        } catch (const core::ArgumentError&) {
            find_lines();
        }
        return make();
    }

private:
    struct Code {
        dag::SpirvModule spirv;
        std::optional<dag::Function> dag{};
    };

    void find_lines();

    std::shared_ptr<compile::Compiler> m_compiler;
    compile::KernelRequest m_request;
    dag::BuildOptions m_options;
    Code m_plain;
    std::optional<Code> m_lined;
    std::atomic<Code*> m_current = &m_plain;
    std::mutex m_mutex;
};

/// Throws what dag/ or lower/ refused again, with the function and its place before it.
[[noreturn]] void rethrow_named(const reflect::Function& function);

/// What `make` makes.
template <typename Made>
decltype(auto) named(const reflect::Function& function, const Made& make) {
    try {
        return make();
    } catch (const core::ArgumentError&) {
        rethrow_named(function);
    }
}

/// Notes what structures among a call's inputs hold by default; nothing of what needs values to be made.
void set_defaults(lower::Call& call, const std::shared_ptr<compile::Compiler>& compiler,
                  const compile::LoadedModuleRef& module);

/// What a function is, before the kind of tree is chosen.
struct LoweredFunction {
    reflect::Function function;
    lower::Call call;
    bool has_inputs = false; ///< of weft.inputs
    std::unique_ptr<CompiledFunction> plain;
    /// Compiles the same with nodes of Blender for the functions of weft.noise; empty if the source has none.
    std::function<std::unique_ptr<CompiledFunction>()> compile_with_nodes;

    /// What trees are made of.
    CompiledFunction& for_trees();
    const dag::Function& graph() { return graph_of(for_trees()); }
    /// The one of the two that is there.
    const dag::Function& any_graph();
    /// What is evaluated.
    [[nodiscard]] const dag::Function& plain_graph() const { return graph_of(*plain); }

private:
    const dag::Function& graph_of(CompiledFunction& compiled) const;

    std::unique_ptr<CompiledFunction> m_with_nodes;
    std::mutex m_mutex;
};

} // namespace weft::python
