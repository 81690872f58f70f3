// SPDX-License-Identifier: Apache-2.0
// What the function wants where it got an object of an unknown kind; asked for messages only.
#include "core/text.hpp"
#include "dispatch/match.hpp"
#include "python/call_arguments.hpp"
#include "python/interpreter_lock.hpp"
#include "tensor/dtype.hpp"

#include <algorithm>

namespace weft::python {

using core::text;
using dispatch::Role;

std::string CallArguments::expectation(std::string_view name) const {
    const Role role = m_list.roots.back().role;
    if (m_callee == nullptr || m_depth != 1 ||
        (role != Role::positional && role != Role::keyword)) {
        return ""; // an object within another value, or of a uniform
    }
    std::vector<reflect::Function> overloads;
    {
        const Unlocked unlocked;
        overloads = m_callee->overloads();
    }
    if (overloads.size() != 1) {
        return "";
    }
    const auto& parameters = overloads.front().parameters;
    const auto found =
        role == Role::positional
            ? parameters.begin() +
                  static_cast<std::ptrdiff_t>(std::min(m_list.roots.size() - 1, parameters.size()))
            : std::ranges::find(parameters, name, &reflect::Parameter::name);
    if (found == parameters.end()) {
        return "";
    }
    const std::string remedy = dispatch::structure_remedy(*found->type);
    return text("; parameter '", found->name, "' is ", tensor::display_name(*found->type),
                remedy.empty() ? "" : ": ", remedy);
}

} // namespace weft::python
