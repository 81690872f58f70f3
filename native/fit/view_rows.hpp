// SPDX-License-Identifier: Apache-2.0
// Residuals and derivatives that the film of a view makes.
#pragma once

#include "fit/unknowns.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace weft::fit {

/// What was developed of a view, and what it is compared with.
struct ViewFilm {
    std::size_t number = 0; ///< of the view
    std::span<const float>
        parts{}; ///< parts of its light x (1 + directions) x pixels x 3: values, then derivatives
    std::span<const std::optional<std::size_t>>
        lights{}; ///< of each part: number of the light whose factor it has; not set: none
    std::span<const std::uint32_t> pixels{}; ///< that were drawn
    std::span<const float> weights{};        ///< three a pixel of the picture
    std::span<const float> image{};          ///< the picture, three a pixel
};

/// What the unknowns make of films at one place.
struct FilmFactors {
    std::vector<UnknownColumn> columns{}; ///< one an unknown
    Vector derivatives{};                 ///< of Unknowns::values()
    std::vector<float> gains{};           ///< three a view
    std::vector<float> lights{};          ///< three a light, then three ones for all other light
};

/// @param columns of Unknowns::directions(). @param x the place. @param views their number.
[[nodiscard]] FilmFactors film_factors(const Unknowns& unknowns, std::vector<UnknownColumn> columns,
                                       std::span<const double> x, std::size_t views);

/// Appends weighted residuals, render minus picture, three a pixel, and their derivatives by the unknowns.
/// @param jacobian rows of one number an unknown.
void append_rows(const ViewFilm& film, const FilmFactors& factors, std::vector<float>& residual,
                 std::vector<float>& jacobian);

/// Appends the residuals of append_rows() alone.
void append_residuals(const ViewFilm& film, const FilmFactors& factors,
                      std::vector<float>& residual);

} // namespace weft::fit
