// SPDX-License-Identifier: Apache-2.0
#include "engine/function.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "dispatch/function.hpp"
#include "engine/call_arguments.hpp"
#include "engine/runtime.hpp"
#include "tensor/dtype.hpp"

namespace weft::engine {

namespace {

std::shared_ptr<const dispatch::LaunchPlan> plan_for(dispatch::Function& function,
                                                     const dispatch::ArgumentList& arguments) {
    auto plan = function.find_plan(arguments);
    return plan ? plan : function.make_plan(arguments);
}

Function derivative_of(const std::shared_ptr<const Runtime>& runtime,
                       const std::shared_ptr<dispatch::Module>& module,
                       const dispatch::Function& function, codegen::Derivative derivative) {
    dispatch::CallOptions options = function.options();
    if (options.derivative != codegen::Derivative::none) {
        throw core::ArgumentError(core::text("Function::backward, forward: '", function.name(),
                                             "' is a derivative already; differentiate the "
                                             "function itself"));
    }
    options.derivative = derivative;
    return {runtime, module, module->function(function.name(), options)};
}

} // namespace

const Result::Value& Result::at(std::size_t index) const {
    if (index >= m_values.size()) {
        throw core::ArgumentError(
            core::text("Result: the call returned ", m_values.size(), " values, got index ", index,
                       "; what as_result() or an argument receives is not returned"),
            core::ArgumentError::Kind::index);
    }
    return m_values[index];
}

const tensor::TensorRef& Result::tensor(std::size_t index) const {
    const Value& value = at(index);
    if (!value.tensor) {
        throw core::ArgumentError("Result::tensor: the call had no dimension and returned one "
                                  "value; read it with values() or at().bytes");
    }
    return value.tensor;
}

std::vector<std::byte> Result::scalars(std::size_t index, reflect::ScalarKind kind) const {
    const Value& value = at(index);
    if (value.tensor) {
        return read_scalars(*value.tensor, kind, "Result::values");
    }
    const reflect::Type& leaf = reflect::leaf(*value.type);
    if (leaf.kind == reflect::TypeKind::structure || leaf.scalar != kind) {
        throw core::ArgumentError(core::text("Result::values: the value must be made of ",
                                             reflect::slang_name(kind), ", got ",
                                             tensor::display_name(*value.type),
                                             "; name its own type, or read at().bytes"),
                                  core::ArgumentError::Kind::type);
    }
    return value.bytes;
}

const std::string& Function::name() const noexcept {
    return m_function->name();
}

std::vector<reflect::Function> Function::overloads() const {
    return m_function->overloads();
}

Result Function::call(std::span<const Argument> arguments) const {
    CallArguments given(arguments);
    const auto plan = plan_for(*m_function, given.list());
    if (!plan->names.empty()) {
        given.list().replace_names(plan->names);
    }
    m_runtime->warn(plan->warnings);
    const dispatch::Context& context = m_runtime->context();
    dispatch::CallState state;
    state.launch(*plan, given.list(), *context.device, {});
    if (state.needs_read_back(*plan)) {
        state.read_back(*plan, *context.device, context.poll);
    }
    if (plan->downloads) {
        state.store_host_arrays(*plan, given.list());
    }
    std::vector<Result::Value> values;
    for (dispatch::Output& output : state.outputs) {
        values.push_back({.type = std::move(output.type),
                          .tensor = std::move(output.tensor),
                          .bytes = std::move(output.value)});
    }
    return Result(std::move(values));
}

Function Function::backward() const {
    return derivative_of(m_runtime, m_module, *m_function, codegen::Derivative::backward);
}

Function Function::forward() const {
    return derivative_of(m_runtime, m_module, *m_function, codegen::Derivative::forward);
}

std::string Function::explain(std::span<const Argument> arguments) const {
    CallArguments given(arguments);
    return plan_for(*m_function, given.list())->explanation;
}

std::string Function::generated_source(std::span<const Argument> arguments) const {
    CallArguments given(arguments);
    const auto plan = plan_for(*m_function, given.list());
    return plan->compiled ? plan->compiled->source : std::string();
}

} // namespace weft::engine
