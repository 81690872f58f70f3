// SPDX-License-Identifier: Apache-2.0
#include "compile/own_modules.hpp"

#include "core/file.hpp"

#include <span>

namespace weft::compile {

OwnModules::OwnModules(const Desc& desc, core::FileCache& cache)
    : m_prefix(core::utf8_path(desc.shader_directory.lexically_normal())), m_cache(cache),
      m_shipped({.directory = shipped_directory(desc.shader_directory), .is_read_only = true}),
      m_environment(desc.environment), m_contents(desc.contents) {
    if (!m_prefix.ends_with('/')) {
        m_prefix += '/';
    }
}

const std::string* OwnModules::find(std::string_view name) {
    auto known = m_modules.find(name);
    if (known == m_modules.end()) {
        std::string ir;
        auto stored = m_cache.try_load(kBinaryEntry, binary_key(m_environment, name));
        if (!stored) {
            stored = m_shipped.try_load(kBinaryEntry, binary_key(m_contents, name));
        }
        if (stored) {
            ir.assign(reinterpret_cast<const char*>(stored->data()), stored->size());
        }
        known = m_modules.emplace(name, std::move(ir)).first;
    }
    return known->second.empty() ? nullptr : &known->second;
}

void OwnModules::harvest(slang::ISession& session) {
    for (SlangInt i = 0; i < session.getLoadedModuleCount(); ++i) {
        slang::IModule* const module = session.getLoadedModule(i);
        // Loaded by path instead of imported, a module has another name than its importers expect.
        const bool is_imported = !std::string_view(module->getName()).starts_with(kUserModule);
        const std::string name = is_imported ? name_of(module->getFilePath()) : std::string();
        SlangRef<slang::IBlob> blob;
        if (name.empty() || find(name) != nullptr || SLANG_FAILED(module->serialize(blob.out()))) {
            continue;
        }
        const std::string& ir = m_modules[name] = blob_text(blob.get());
        m_cache.store(kBinaryEntry, binary_key(m_environment, name), std::as_bytes(std::span(ir)));
    }
}

std::string OwnModules::name_of(const char* path) const {
    const std::string_view file = path == nullptr ? "" : path;
    const std::size_t dot = file.rfind('.');
    if (!file.starts_with(m_prefix) || dot == std::string_view::npos) {
        return {};
    }
    return std::string(file.substr(m_prefix.size(), dot - m_prefix.size()));
}

std::filesystem::path shipped_directory(const std::filesystem::path& shader_directory) {
    return shader_directory.parent_path() / "shader_ir";
}

core::Hash128 binary_key(core::Hash128 environment, std::string_view name) {
    return core::Hasher().add(environment).add(name).finish();
}

} // namespace weft::compile
