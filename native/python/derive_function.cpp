// SPDX-License-Identifier: Apache-2.0
#include "python/derive_function.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/call_options.hpp"
#include "python/interpreter_lock.hpp"

#include <algorithm>

namespace weft::python {

namespace py = pybind11;
using core::text;

namespace {

/// map() of a parameter that no overload has would go unnoticed.
void require_parameter(dispatch::Function& function, const std::string& name) {
    std::vector<std::string> names;
    for (const reflect::Function& overload : overloads_of(function)) {
        for (const reflect::Parameter& parameter : overload.parameters) {
            names.push_back(parameter.name);
        }
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        throw core::ArgumentError(text("map: ", function.name(), " has no parameter '", name, "'",
                                       core::suggestion(name, names)));
    }
}

void require_positions(dispatch::Function& function, std::size_t count) {
    std::size_t most = 0;
    for (const reflect::Function& overload : overloads_of(function)) {
        most = std::max(most, overload.parameters.size());
    }
    if (count > most) {
        throw core::ArgumentError(text("map: ", function.name(), " has ", most, " parameters, got ",
                                       count, " entries; pass one a parameter, or name them"));
    }
}

} // namespace

std::shared_ptr<dispatch::Function> find_function(dispatch::Module& module, const std::string& name,
                                                  const dispatch::CallOptions& options) {
    if (auto known = module.known_function(name, options)) {
        return known;
    }
    const Unlocked unlocked;
    return module.function(name, options);
}

bool has_parameter(dispatch::Function& function, std::string_view name) {
    const Unlocked unlocked;
    return function.has_parameter(name);
}

bool takes_result_after(dispatch::Function& function, std::size_t count) {
    bool found = false;
    for (const reflect::Function& overload : overloads_of(function)) {
        if (overload.parameters.size() >= count) {
            return false;
        }
        const reflect::Type& result = *overload.return_type;
        const bool is_void =
            result.kind == reflect::TypeKind::scalar && result.scalar == reflect::ScalarKind::void_;
        found = found || (overload.parameters.size() + 1 == count && !is_void);
    }
    return found;
}

std::vector<reflect::Function> overloads_of(dispatch::Function& function) {
    const Unlocked unlocked;
    return function.overloads();
}

py::object derive(const FunctionObject& self, const dispatch::CallOptions& options) {
    FunctionObject derived = self;
    derived.function = find_function(*self.module, self.function->name(), options);
    return make_function(std::move(derived));
}

py::object map_arguments(const FunctionObject& self, const py::args& args,
                         const py::kwargs& kwargs) {
    dispatch::CallOptions options = self.function->options();
    require_positions(*self.function, options.positional.size() + args.size());
    for (const py::handle entry : args) {
        options.positional.push_back(parse_mapping(entry, *self.module));
    }
    for (const auto& [name, entry] : kwargs) {
        const auto parameter = name.cast<std::string>();
        require_parameter(*self.function, parameter);
        options.named.emplace_back(parameter, parse_mapping(entry, *self.module));
    }
    return derive(self, options);
}

void add_uniforms(FunctionObject& function, const py::object& values) {
    if (!py::isinstance<py::dict>(values)) {
        throw core::ArgumentError("set: expected a dict of uniform names and values, got " +
                                      std::string(Py_TYPE(values.ptr())->tp_name) +
                                      "; pass set({'scale': 2.0})",
                                  core::ArgumentError::Kind::type);
    }
    for (const auto& [name, value] : py::reinterpret_borrow<py::dict>(values)) {
        if (!py::isinstance<py::str>(name)) {
            throw core::ArgumentError(
                text("set: a dict of uniform names and values has a key of type ",
                     Py_TYPE(name.ptr())->tp_name, "; keys are names"),
                core::ArgumentError::Kind::type);
        }
        function.module->require_uniform(name.cast<std::string>());
        function.uniforms[name] = value;
    }
}

py::object set_uniforms(const FunctionObject& self, const py::args& args,
                        const py::kwargs& kwargs) {
    FunctionObject derived = self;
    derived.uniforms = self.uniforms ? py::dict(self.uniforms.attr("copy")()) : py::dict();
    for (const py::handle entry : args) {
        const py::object values = PyCallable_Check(entry.ptr()) != 0
                                      ? entry(make_function(self))
                                      : py::reinterpret_borrow<py::object>(entry);
        add_uniforms(derived, values);
    }
    add_uniforms(derived, kwargs);
    return make_function(std::move(derived));
}

py::object set_constants(const FunctionObject& self, const py::dict& constants) {
    dispatch::CallOptions options = self.function->options();
    for (const auto& [key, value] : constants) {
        const std::string name = py::str(key).cast<std::string>();
        static_cast<void>(self.module->require_constant(name));
        std::erase_if(options.constants, [&](const auto& entry) { return entry.first == name; });
        options.constants.emplace_back(name, constant_literal(value));
    }
    return derive(self, options);
}

} // namespace weft::python
