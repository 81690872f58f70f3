// SPDX-License-Identifier: Apache-2.0
// Numbers and textures of a scene's materials from pictures of it. Link weft::fit. Start with engine/renderer.hpp, then:
//
//     weft::engine::Renderer renderer(*weft, describe_scene());
//     weft::engine::Fit fit(renderer, {{.camera = camera, .image = photo}}, {{.name = "Paint.roughness"}});
//     const weft::fit::FitState found = fit.run();
//
// found.values says what was found, and how certain it is. Textures, texel by texel:
//
//     weft::engine::Fit fit(renderer, {{.camera = camera, .image = photo}},
//                           weft::fit::Sought{.textures = {{.name = "Paint.base_color"}}});
//     fit.run();
//     const std::vector<weft::fit::FittedTexture> textures = fit.textures();
//
// Sought takes numbers, exposures and lights beside textures, and an unknown environment, see fit/unknown_environment.hpp.
// Pictures that were saved through a display transform: fit/display_transform.hpp.
#pragma once

#include "core/api.hpp"
#include "engine/renderer.hpp"
#include "fit/fit_state.hpp"
#include "fit/fitted_texture.hpp"
#include "fit/observation.hpp"
#include "fit/parameters.hpp"
#include "fit/unknown_environment.hpp"
#include "fit/verdict.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace weft::engine {

/// Finds scalar parameters, colours, exposures and strengths of lights that explain pictures, by Gauss-Newton steps on
/// recorded paths, textures, by preconditioned gradient steps, or both together, in phases: each iteration draws two
/// independent sample sets, so that their noise does not move the result. Equal seeds give the results of Python's weft.Fit
/// of the same scene, up to the order of sums. Pictures that were taken under other lights name one of RendererDesc::lit_by,
/// see Observation::lights; photos may have a robust loss. What only Python has: what is likely wrong where a verdict is bad.
/// One thread at a time, with its renderer.
class Fit {
public:
    /// Selects nothing and draws nothing yet.
    /// @param renderer of the scene. It outlives the fit, and neither renders nor updates while a step is under way; an
    ///        update ends the fit: no further step may follow.
    /// @param observations at least one.
    /// @throws ArgumentError if there is nothing to find, a picture is not as large as its camera says, not finite or
    ///         black, a parameter or light is unknown, given twice or has no derivative, or bounds, start, ties or
    ///         prior do not fit; CompileError, DeviceError.
    WEFT_API Fit(Renderer& renderer, std::vector<fit::Observation> observations,
                 const std::vector<fit::Parameter>& parameters,
                 const std::vector<fit::Exposure>& exposures = {},
                 const std::vector<fit::LightParameter>& lights = {},
                 const fit::FitSettings& settings = {});
    /// The same for all that can be sought.
    /// @throws ArgumentError besides for a texture of an input that none drives, that has mip levels, drives a normal or is
    ///         given twice; and for an unknown environment that is out of range, whose brightness a LightParameter looks for,
    ///         too, or without fit::with_unknown_environment().
    WEFT_API Fit(Renderer& renderer, std::vector<fit::Observation> observations,
                 const fit::Sought& sought, const fit::FitSettings& settings = {});
    WEFT_API ~Fit();
    WEFT_API Fit(Fit&&) noexcept;
    WEFT_API Fit& operator=(Fit&&) noexcept;
    Fit(const Fit&) = delete;
    Fit& operator=(const Fit&) = delete;

    /// Draws new samples and uses them up; the first step compiles kernels and selects the pixels that tell something.
    /// @throws core::Interrupted if EngineDesc::poll does, ArgumentError if more than half of a picture's render is no
    ///         finite number, CompileError, DeviceError; the fit is then as it was.
    WEFT_API void step();
    /// Where the fit is. Cheap.
    [[nodiscard]] WEFT_API fit::FitState state() const;
    /// The textures that were sought, as they are by now, in that order. Waits for the device. The scene with them:
    /// scene::with_textures().
    [[nodiscard]] WEFT_API std::vector<fit::FittedTexture> textures();
    /// The environment that was sought, as it is by now; not set: none was. Waits for the device, and looks at what cameras
    /// see. The renderer keeps the box that stands for it: update() it with a scene that has the environment.
    [[nodiscard]] WEFT_API std::optional<fit::FittedEnvironment> environment();
    /// Draws what was found anew, as many samples as several steps have, and tells whether it explains the pictures. A fit that
    /// has converged says only that its optimiser stands still: ask this as well. Steps may go on after it.
    /// @throws as step().
    [[nodiscard]] WEFT_API fit::Verdict judge();
    /// Steps until FitState::is_done, then lets the renderer render with what was found, but for factors of
    /// lights: update() it with scene::with_light_factors() for those. Look at has_converged.
    /// @param progress called after each step. @throws as step().
    WEFT_API fit::FitState run(const std::function<void(const fit::FitState&)>& progress = {});

    /// After each step so far, those before a checkpoint that resume() has read among them; FitState::problems apart.
    [[nodiscard]] WEFT_API const std::vector<fit::FitState>& history() const noexcept;
    /// Writes where the fit is, between two steps or after one that was interrupted: a zip archive of numpy's arrays, as
    /// Python's checkpoints are. Those belong to Python's phases, and each refuses the other's. Waits for the device; an
    /// existing file is replaced in one step.
    /// @param path usually "*.npz".
    /// @throws ArgumentError if nothing can be written there, the scene has images that their owner uploads, or the renderer
    ///         renders another one since; the file is as it was. DeviceError.
    WEFT_API void save_checkpoint(const std::filesystem::path& path) const;
    /// Goes on from a checkpoint as if the fit had never ended. How long it may take may differ: tolerance and numbers of
    /// iterations.
    /// @param path written by a fit of the same scene, observations, parameters, samples, bounces and seed.
    /// @throws ArgumentError if there is no such file, or it is no checkpoint, damaged, of another version, of another fit or
    ///         of Python's; the fit is then as it was. DeviceError.
    WEFT_API void resume(const std::filesystem::path& path);

private:
    class State;
    std::unique_ptr<State> m_state;
};

} // namespace weft::engine
