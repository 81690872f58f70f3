// SPDX-License-Identifier: Apache-2.0
#include "scene/material_table.hpp"

#include "core/error.hpp"
#include "core/hash.hpp"
#include "scene/parameter_names.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace weft::scene {

namespace {

constexpr std::string_view kTextureSuffix = ".texture";

core::Hash128 hash_of(const MaterialProgram& program) {
    return core::Hasher()
        .add(program.text)
        .add(program.transparency)
        .add(program.medium)
        .add(program.is_boundary)
        .finish();
}

class Builder {
public:
    explicit Builder(std::span<const MaterialRef> materials) {
        m_table.textures = textures_of(materials);
        for (std::size_t k = 0; k < m_table.textures.size(); k++) {
            m_numbers.emplace(m_table.textures[k].get(), k);
        }
    }

    void add(const Material& material) {
        MaterialProgram printed = print_program(material);
        const auto [found, is_new] =
            m_programs.try_emplace(hash_of(printed), m_table.programs.size());
        m_table.records.push_back({static_cast<std::uint32_t>(found->second),
                                   static_cast<std::uint32_t>(m_table.values.size())});
        const std::string owner = quoted_part(material.name) + ".";
        for (const MaterialParameter& parameter : printed.parameters) {
            add(owner, parameter);
        }
        if (is_new) {
            m_table.programs.push_back(std::make_shared<const MaterialProgram>(std::move(printed)));
        }
    }

    MaterialTable finish() {
        if (m_table.values.empty()) {
            m_table.values.push_back(0); // buffers are not empty
        }
        m_table.fixed_textures.assign(m_fixed.begin(), m_fixed.end());
        return std::move(m_table);
    }

private:
    void add(const std::string& owner, const MaterialParameter& parameter) {
        std::string name = owner + parameter.name;
        if (parameter.texture) {
            const std::size_t number = m_numbers.at(parameter.texture.get());
            m_table.values.push_back(static_cast<float>(number));
            if (name.ends_with(kTextureSuffix)) {
                name.resize(name.size() - kTextureSuffix.size());
            }
            m_table.texture_uses.push_back({std::move(name), number});
            if (parameter.is_fixed) {
                m_fixed.insert(number);
            }
            return;
        }
        m_table.ranges.push_back({std::move(name), m_table.values.size(), parameter});
        std::ranges::transform(parameter.values, std::back_inserter(m_table.values),
                               [](double value) { return static_cast<float>(value); });
    }

    MaterialTable m_table;
    std::unordered_map<const Texture*, std::size_t> m_numbers;
    std::unordered_map<core::Hash128, std::size_t> m_programs;
    std::set<std::size_t> m_fixed;
};

} // namespace

const ParameterRange* MaterialTable::find(std::string_view name) const noexcept {
    const auto found = std::ranges::find(ranges, name, &ParameterRange::name);
    return found == ranges.end() ? nullptr : &*found;
}

MaterialTable build_material_table(std::span<const MaterialRef> materials) {
    if (std::ranges::find(materials, nullptr) != materials.end()) {
        throw core::ArgumentError(
            "build_material_table: a material is a null pointer; make materials by material()");
    }
    Builder builder(materials);
    for (const MaterialRef& material : materials) {
        builder.add(*material);
    }
    return builder.finish();
}

} // namespace weft::scene
