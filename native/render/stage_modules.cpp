// SPDX-License-Identifier: Apache-2.0
#include "render/stage_modules.hpp"

#include "core/text.hpp"

#include <array>
#include <iterator>
#include <string_view>
#include <utility>

namespace weft::render {

using scene::SceneTraits;

namespace {

/// Modules beyond one a program that stay, for what an edit takes back.
constexpr std::size_t kMaxLoaded = 32;
/// Above, launches over all paths cost more than a sort.
constexpr std::size_t kMaxUnsortedPrograms = 8;

constexpr std::string_view kStages = R"(
void generate(int i, Camera camera, PathView paths, StepSettings settings)
{
    generatePath(i, camera, paths, settings);
}

void resolve(int i, PathView paths, StepSettings settings, float* film)
{
    resolvePixel(i, paths, settings, film);
}
)";

/// Traits that stages know, in the order of their text.
constexpr std::array<std::pair<std::string_view, bool SceneTraits::*>, 8> kTraits{{
    {"weft_has_transparency", &SceneTraits::has_transparency},
    {"weft_has_textured_emission", &SceneTraits::has_textured_emission},
    {"weft_has_cones", &SceneTraits::has_cones},
    {"weft_has_bumps", &SceneTraits::has_bumps},
    {"weft_has_kinds", &SceneTraits::has_kinds},
    {"weft_has_media", &SceneTraits::has_media},
    {"weft_has_limits", &SceneTraits::has_limits},
    {"weft_has_walks", &SceneTraits::has_walks},
}};

std::string flag(std::string_view name, bool value) {
    return core::text("export static const bool ", name, " = ", value ? "true" : "false", ";\n");
}

} // namespace

std::string print_stage_module(const scene::Camera& camera, PixelFilter filter,
                               const SceneTraits& traits) {
    std::string text =
        core::text("\nimport weft.render;\n\nexport static const uint "
                   "weft_camera_kind = ",
                   static_cast<int>(camera.kind), ";\n", flag("weft_has_lens", camera.has_lens()),
                   "export static const uint weft_filter_kind = ", static_cast<int>(filter), ";\n");
    for (const auto& [name, trait] : kTraits) {
        text += flag(name, traits.*trait);
    }
    return text += kStages;
}

bool must_sort_paths(const device::Device& device, std::size_t programs) {
    return device.info().features.is_software || programs > kMaxUnsortedPrograms;
}

StageModuleRef ModuleCache::load(const std::string& name, const std::string& text,
                                 std::size_t most) {
    if (const auto found = m_modules.find(text); found != m_modules.end()) {
        m_order.splice(m_order.end(), m_order, found->second.place);
        return found->second.module;
    }
    compile::ModuleDesc desc = m_options;
    desc.name = name;
    desc.text = text;
    auto module =
        dispatch::Module::create(m_context, std::move(desc), {.links = {}, .hot_reload = false});
    module->set_gradient_check(false); // forward mode of a whole material takes long to compile
    m_load_count++;
    m_order.push_back(text);
    Entry entry{.module = std::make_shared<StageModule>(std::move(module)),
                .place = std::prev(m_order.end())};
    StageModuleRef loaded = m_modules.emplace(text, std::move(entry)).first->second.module;
    while (m_modules.size() > most) {
        m_modules.erase(m_order.front());
        m_order.pop_front();
    }
    return loaded;
}

SceneModules::SceneModules(std::shared_ptr<ModuleCache> cache, std::vector<ProgramRef> programs,
                           const SceneTraits& traits)
    : m_cache(std::move(cache)), m_programs(std::move(programs)), m_traits(traits) {
    m_shared = load("weft_scene", scene::print_shared_module(traits));
    for (const ProgramRef& program : m_programs) {
        m_modules.push_back(load("weft_material", scene::print_program_module(*program, traits)));
    }
}

StageModuleRef SceneModules::load(const char* name, const std::string& text) {
    return m_cache->load(name, text, kMaxLoaded + m_programs.size());
}

const StageModuleRef& SceneModules::recording(std::size_t number) {
    StageModuleRef& found = m_recording[number];
    if (!found) {
        found =
            load("weft_material", scene::print_recording_module(*m_programs.at(number), m_traits));
    }
    return found;
}

std::shared_ptr<SceneModules> SceneModules::sorting(const std::shared_ptr<SceneModules>& self) {
    if (m_traits.sorts_paths) {
        return self;
    }
    if (!m_sorting) {
        SceneTraits traits = m_traits;
        traits.sorts_paths = true;
        m_sorting = std::make_shared<SceneModules>(m_cache, m_programs, traits);
    }
    return m_sorting;
}

const std::shared_ptr<SceneModules>& SceneModules::fitting_media() {
    if (!m_fitting_media) {
        SceneTraits traits = m_traits;
        traits.fits_media = true;
        traits.sorts_paths = true;
        m_fitting_media = std::make_shared<SceneModules>(m_cache, m_programs, traits);
    }
    return m_fitting_media;
}

bool SceneModules::is_same(const SceneModules& other) const noexcept {
    return m_shared == other.m_shared && m_modules == other.m_modules;
}

} // namespace weft::render
