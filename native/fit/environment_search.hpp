// SPDX-License-Identifier: Apache-2.0
// What a fit of an unknown environment does beside that of a texture. For engine/fit.hpp.
#pragma once

#include "fit/fitted_texture.hpp"
#include "fit/observation.hpp"
#include "fit/parameters.hpp"
#include "fit/unknown_environment.hpp"
#include "render/renderer.hpp"

#include <vector>

namespace weft::fit {

/// The unknown environment of a fit whose renderer has the scene of with_unknown_environment().
class EnvironmentSearch {
public:
    /// Lets the cameras of observations see the box.
    /// @param renderer outlives this. @param sought has an environment.
    /// @throws ArgumentError if the parameter is out of range, the scene has no box that stands for it, or a LightParameter
    ///         looks for its brightness, too.
    EnvironmentSearch(render::Renderer& renderer, std::vector<Observation>& observations,
                      Sought sought);

    /// With a texture, the last one, in place of the environment.
    [[nodiscard]] const Sought& sought() const noexcept { return m_sought; }
    /// @param texels of that texture.
    [[nodiscard]] FittedEnvironment found(const FittedTexture& texels) const;

private:
    /// A picture, as far as it tells what is seen.
    struct Sight {
        std::string name;
        scene::Camera camera;
        std::vector<float> mask;
    };
    [[nodiscard]] bool are_all_exposed() const;
    [[nodiscard]] std::string find_trade_off() const;

    render::Renderer* m_renderer;
    EnvironmentParameter m_parameter;
    Sought m_sought;
    std::vector<Sight> m_sights;
    double m_strength = 1; ///< factor of the texels
};

} // namespace weft::fit
