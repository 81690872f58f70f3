// SPDX-License-Identifier: Apache-2.0
// The modules of a scene's kernels, found by their text. Start reading at SceneModules.
#pragma once

#include "compile/compiler.hpp"
#include "render/kernel_launcher.hpp"
#include "render/path_arguments.hpp"
#include "scene/kernel_text.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace weft::render {

/// The Slang module that starts paths of a camera and resolves them to a film. Of the camera, kind and lens matter.
[[nodiscard]] std::string print_stage_module(const scene::Camera& camera, PixelFilter filter,
                                             const scene::SceneTraits& traits);

/// Whether launches serve the paths of one program only: software devices execute both sides of every branch, and GPUs
/// skip paths that are not theirs, as long as programs, and so launches, are few. Sorting waits for the host.
[[nodiscard]] bool must_sort_paths(const device::Device& device, std::size_t programs);

/// Modules by their text, those of other scenes too: an edit and its undoing load none twice. One thread at a time.
class ModuleCache {
public:
    /// @param options of all modules: include paths, definitions and target; name and text of it do not matter.
    ModuleCache(dispatch::Context context, compile::ModuleDesc options)
        : m_context(std::move(context)), m_options(std::move(options)) {}

    [[nodiscard]] const dispatch::Context& context() const noexcept { return m_context; }
    /// The module of a text, loaded if it is not there. Those that were asked for longest ago go where there are more than
    /// `most`. @param name in diagnostics. @throws CompileError.
    [[nodiscard]] StageModuleRef load(const std::string& name, const std::string& text,
                                      std::size_t most);
    /// Modules loaded so far.
    [[nodiscard]] std::size_t load_count() const noexcept { return m_load_count; }

private:
    struct Entry {
        StageModuleRef module;
        std::list<std::string>::iterator place; ///< in m_order
    };

    dispatch::Context m_context;
    compile::ModuleDesc m_options;
    std::unordered_map<std::string, Entry> m_modules;
    std::list<std::string> m_order; ///< what was asked for last stands at the end
    std::size_t m_load_count = 0;
};

using ProgramRef = std::shared_ptr<const scene::MaterialProgram>;

/// The kernels that evaluate no material, and those of each program in a module of its own. One thread at a time.
class SceneModules {
public:
    /// Loads them. @throws CompileError if a Slang function of a material does not compile.
    SceneModules(std::shared_ptr<ModuleCache> cache, std::vector<ProgramRef> programs,
                 const scene::SceneTraits& traits);

    [[nodiscard]] const scene::SceneTraits& traits() const noexcept { return m_traits; }
    [[nodiscard]] const std::vector<ProgramRef>& programs() const noexcept { return m_programs; }
    [[nodiscard]] const std::shared_ptr<ModuleCache>& cache() const noexcept { return m_cache; }
    [[nodiscard]] const StageModuleRef& shared() const noexcept { return m_shared; }
    [[nodiscard]] const StageModuleRef& program(std::size_t number) const {
        return m_modules.at(number);
    }
    /// The module of a program with the kernels that record and replay paths. @throws CompileError.
    [[nodiscard]] const StageModuleRef& recording(std::size_t number);
    /// Those whose launches serve the paths of one program only: themselves, or others that are loaded once.
    [[nodiscard]] std::shared_ptr<SceneModules> sorting(const std::shared_ptr<SceneModules>& self);
    /// Those whose paths know what the media do that are fitted; they sort paths. Loaded once.
    [[nodiscard]] const std::shared_ptr<SceneModules>& fitting_media();
    /// Whether another one has the same modules.
    [[nodiscard]] bool is_same(const SceneModules& other) const noexcept;

private:
    [[nodiscard]] StageModuleRef load(const char* name, const std::string& text);

    std::shared_ptr<ModuleCache> m_cache;
    std::vector<ProgramRef> m_programs;
    scene::SceneTraits m_traits;
    StageModuleRef m_shared;
    std::vector<StageModuleRef> m_modules;
    std::unordered_map<std::size_t, StageModuleRef> m_recording;
    std::shared_ptr<SceneModules> m_sorting;
    std::shared_ptr<SceneModules> m_fitting_media;
};

} // namespace weft::render
