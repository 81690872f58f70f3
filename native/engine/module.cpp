// SPDX-License-Identifier: Apache-2.0
#include "engine/module.hpp"

#include "dispatch/function.hpp"
#include "engine/runtime.hpp"

namespace weft::engine {

Function Module::function(const std::string& name) const {
    return {m_runtime, m_module, m_module->function(name)};
}

Function Module::function(const std::string& name,
                          std::vector<std::pair<std::string, std::string>> constants) const {
    for (const auto& constant : constants) {
        static_cast<void>(m_module->require_constant(constant.first));
    }
    dispatch::CallOptions options;
    options.constants = std::move(constants);
    return {m_runtime, m_module, m_module->function(name, options)};
}

reflect::Module Module::reflection() const {
    return m_module->loaded()->reflection;
}

reflect::TypeRef Module::find_type(const std::string& name) const {
    return m_module->find_type(name);
}

std::vector<core::Diagnostic> Module::diagnostics() const {
    return m_module->diagnostics();
}

void Module::reload() const {
    m_module->reload();
}

} // namespace weft::engine
