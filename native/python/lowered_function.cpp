// SPDX-License-Identifier: Apache-2.0
#include "python/lowered_function.hpp"

#include "core/text.hpp"
#include "dag/interpret.hpp"
#include "python/loop_bounds.hpp"

#include <string_view>
#include <utility>

namespace weft::python {

using core::ArgumentError;
using core::text;

namespace {

/// What [MaxIters(n)] says in a module and in all that it imports.
dag::LoopBounds bounds_of(const compile::LoadedModule& module) {
    dag::LoopBounds bounds;
    collect_bounds(module.desc.text, module.desc.name, bounds);
    for (const compile::Dependency& file : module.dependencies) {
        collect_bounds(file.text, file.path, bounds);
    }
    return bounds;
}

} // namespace

CompiledFunction::CompiledFunction(std::shared_ptr<compile::Compiler> compiler,
                                   const compile::LoadedModuleRef& module, std::string source,
                                   std::uint32_t reals)
    : m_compiler(std::move(compiler)) {
    m_options.reals = reals;
    m_options.bounds = bounds_of(*module);
    m_request.module = module;
    m_request.has_lines = !m_options.bounds.empty();
    m_request.source = std::move(source);
    m_request.entry_point = std::string(lower::kEntryPoint);
    m_plain.spirv = dag::read_spirv(m_compiler->compile_kernel(m_request).code);
}

const dag::SpirvModule& CompiledFunction::spirv() const noexcept {
    return m_current.load()->spirv;
}

void CompiledFunction::find_lines() {
    const std::lock_guard lock(m_mutex);
    if (m_request.has_lines) {
        return;
    }
    m_request.has_lines = true;
    m_lined = Code{.spirv = dag::read_spirv(m_compiler->compile_kernel(m_request).code)};
    m_current = &*m_lined;
}

const dag::Function& CompiledFunction::dag() {
    const std::lock_guard lock(m_mutex);
    Code& code = *m_current.load();
    if (!code.dag.has_value()) {
        code.dag = dag::build(code.spirv, m_options);
    }
    return *code.dag;
}

void set_defaults(lower::Call& call, const std::shared_ptr<compile::Compiler>& compiler,
                  const compile::LoadedModuleRef& module) {
    if (call.default_source.empty()) {
        return;
    }
    dag::Values found;
    try {
        CompiledFunction compiled(compiler, module, call.default_source, 0);
        found = dag::interpret(compiled.dag(), {}, 1);
    } catch (const core::CompileError&) {
        return; // a constructor needs values, or the declaration names what the module hides
    } catch (const ArgumentError&) {
        return; // it reads what stands in memory
    }
    lower::set_defaults(call, found.reals, found.integers);
}

void rethrow_named(const reflect::Function& function) {
    constexpr std::string_view kBegin = "lower: ";
    try {
        throw;
    } catch (const dag::Refusal& refusal) {
        reflect::Function place = function;
        place.location.file = refusal.file();
        place.location.line = static_cast<int>(refusal.line());
        throw ArgumentError(text(kBegin, lower::place_of(place), ": ",
                                 std::string_view(refusal.what()).substr(kBegin.size())),
                            refusal.kind());
    } catch (const ArgumentError& error) {
        const std::string_view what = error.what();
        const std::string place = text(kBegin, lower::place_of(function));
        if (!what.starts_with(kBegin) || what.starts_with(place)) {
            throw;
        }
        throw ArgumentError(text(place, ": ", what.substr(kBegin.size())), error.kind());
    }
}

CompiledFunction& LoweredFunction::for_trees() {
    if (!compile_with_nodes) {
        return *plain;
    }
    const std::lock_guard lock(m_mutex);
    if (m_with_nodes == nullptr) {
        m_with_nodes = compile_with_nodes();
    }
    return *m_with_nodes;
}

const dag::Function& LoweredFunction::any_graph() {
    const std::lock_guard lock(m_mutex);
    return graph_of(m_with_nodes ? *m_with_nodes : *plain);
}

const dag::Function& LoweredFunction::graph_of(CompiledFunction& compiled) const {
    return named(function, [&]() -> const dag::Function& {
        return compiled.with_lines([&]() -> const dag::Function& { return compiled.dag(); });
    });
}

} // namespace weft::python
