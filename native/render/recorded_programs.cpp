// SPDX-License-Identifier: Apache-2.0
#include "render/recorded_programs.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "scene/layouts.hpp"
#include "scene/parameter_names.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace weft::render {

using core::ArgumentError;
using core::text;
using scene::MaterialProgram;
using scene::MaterialRef;

namespace {

bool is_transparent(const MaterialProgram& program) {
    return !program.transparency.empty();
}

const MaterialProgram& program_of(const scene::MaterialTable& table, std::size_t material) {
    return *table.programs[table.records[material].program];
}

/// Names of materials with a number of their medium that a direction moves.
std::set<std::string> owners_of_moved_media(const scene::MaterialTable& table,
                                            const std::vector<std::uint8_t>& moved) {
    std::set<std::string> owners;
    for (const scene::ParameterRange& range : table.ranges) {
        const auto own = std::span(moved).subspan(range.first, range.parameter.size);
        if (range.parameter.is_medium &&
            std::ranges::any_of(own, [](auto is) { return is != 0; })) {
            owners.insert(scene::split_owner(range.name).owner);
        }
    }
    return owners;
}

/// Refuses what numbers of the medium of material `fitted` have no derivative beside.
void require_fittable(const MaterialRef& material, const MaterialProgram& program,
                      const std::string& fitted) {
    if (program.subsurface_closures > 0) {
        throw ArgumentError(text("Fit: '", material->name,
                                 "' has subsurface scattering, beside which numbers of media have "
                                 "no derivative; leave out those of '",
                                 fitted, "', or hide that object"));
    }
    if (is_transparent(program) && !program.is_boundary) {
        throw ArgumentError(text("Fit: '", material->name,
                                 "' is partly transparent, beside which numbers of "
                                 "media have no derivative; leave out those of '",
                                 fitted, "', or hide that object"));
    }
}

void require_recordable(const MaterialRef& material, const MaterialProgram& program,
                        bool with_media) {
    if (is_transparent(program) && !(with_media && program.is_boundary)) {
        throw ArgumentError(
            text("Fit: '", material->name,
                 "' is transparent, and shadows have no derivative; fit it with alpha 1, "
                 "or fit what lies behind"));
    }
}

void require_one_walk(const MaterialRef& material, const MaterialProgram& program) {
    if (program.subsurface_closures > 1) {
        throw ArgumentError(text("Fit: '", material->name,
                                 "' has several subsurface scatterings, and derivatives are known "
                                 "of one; give it one, or leave it out"));
    }
}

} // namespace

std::vector<std::uint32_t> fitted_media(const SceneTables& tables, const Directions& directions) {
    const scene::MaterialTable& table = *tables.materials();
    const std::set<std::string> owners = owners_of_moved_media(table, directions.moved());
    const std::vector<MaterialRef> materials = scene::materials_of(tables.scene());
    std::vector<std::uint32_t> fitted;
    for (std::size_t k = 0; k < materials.size(); ++k) {
        if (materials[k]->volume && owners.contains(materials[k]->name)) {
            fitted.push_back(static_cast<std::uint32_t>(k));
        }
    }
    if (fitted.size() > scene::layouts::MediaLimit::kUnknown) {
        throw ArgumentError(text("Fit: numbers of the media of ", fitted.size(),
                                 " materials are unknown, ", scene::layouts::MediaLimit::kUnknown,
                                 " can be at a time; leave some out"));
    }
    for (std::size_t k = 0; k < materials.size() && !fitted.empty(); ++k) {
        require_fittable(materials[k], program_of(table, k), materials[fitted.front()]->name);
    }
    return fitted;
}

std::vector<std::size_t> recorded_programs(const SceneTables& tables,
                                           std::span<const std::uint32_t> materials,
                                           bool with_media) {
    const scene::MaterialTable& table = *tables.materials();
    const std::vector<MaterialRef> named = scene::materials_of(tables.scene());
    std::set<std::size_t> found;
    for (const std::uint32_t number : materials) {
        if (number >= named.size()) {
            throw ArgumentError(text("Fit: there is no material ", number, ", the scene has ",
                                     named.size(), "; numbers begin at 0"));
        }
        require_recordable(named[number], program_of(table, number), with_media);
        found.insert(table.records[number].program);
    }
    for (const std::uint32_t number : materials) {
        require_one_walk(named[number], program_of(table, number));
    }
    for (std::size_t program = 0; with_media && program < table.programs.size(); ++program) {
        found.insert(program);
    }
    std::vector<std::size_t> programs(found.begin(), found.end());
    std::erase_if(programs,
                  [&](std::size_t number) { return is_transparent(*table.programs[number]); });
    return programs;
}

} // namespace weft::render
