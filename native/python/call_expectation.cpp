// SPDX-License-Identifier: Apache-2.0
// What the function wants where it got an object of an unknown kind; asked for messages only.
#include "core/text.hpp"
#include "dispatch/match.hpp"
#include "python/bind_storage.hpp"
#include "python/call_arguments.hpp"
#include "python/interpreter_lock.hpp"
#include "tensor/dtype.hpp"

#include <algorithm>

namespace weft::python {

namespace py = pybind11;
using core::text;
using dispatch::Role;

std::vector<reflect::Parameter> CallArguments::candidates(std::string_view name) const {
    const Role role = m_list.roots.back().role;
    if (m_callee == nullptr || (role != Role::positional && role != Role::keyword)) {
        return {};
    }
    std::vector<reflect::Function> overloads;
    {
        const Unlocked unlocked;
        overloads = m_callee->overloads();
    }
    std::vector<reflect::Parameter> found;
    for (const reflect::Function& overload : overloads) {
        const auto& parameters = overload.parameters;
        const auto at = role == Role::positional
                            ? parameters.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                       m_list.roots.size() - 1, parameters.size()))
                            : std::ranges::find(parameters, name, &reflect::Parameter::name);
        if (at != parameters.end()) {
            found.push_back(*at);
        }
    }
    return found;
}

std::string CallArguments::expectation(std::string_view name) const {
    if (m_depth != 1) {
        return ""; // an object within another value
    }
    const std::vector<reflect::Parameter> found = candidates(name);
    if (found.size() != 1) {
        return "";
    }
    const std::string remedy = dispatch::structure_remedy(*found.front().type);
    return text("; parameter '", found.front().name, "' is ",
                tensor::display_name(*found.front().type), remedy.empty() ? "" : ": ", remedy);
}

/// All of the memory, as elements of the buffer or pointer that it is for.
void CallArguments::add_storage(PyObject* value, std::string_view name) {
    const Storage& storage = native_value<Storage>(value);
    reflect::TypeRef element = storage.dtype;
    for (const reflect::Parameter& parameter : candidates(name)) {
        const reflect::Type& type = *parameter.type;
        const bool is_memory = type.kind == reflect::TypeKind::pointer ||
                               (type.kind == reflect::TypeKind::tensor && type.tensor.is_buffer);
        if (is_memory && type.element && !type.tensor.is_raw) {
            element = type.element;
            break;
        }
    }
    const tensor::TensorRef row = storage.as_row_of(element);
    m_kept.push_back(py::cast(row));
    push(dispatch::NodeKind::tensor, name).tensor = row.get();
}

} // namespace weft::python
