// SPDX-License-Identifier: Apache-2.0
// Several maps of one material: unknowns of a texel, and what pictures say of all together.
#pragma once

#include "core/api.hpp"
#include "fit/matrix.hpp"
#include "fit/parameters.hpp"
#include "fit/texel_image.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace weft::fit {

/// A texture that a fit may change, among the texels of a scene.
struct MapRegion {
    std::string name;      ///< input of a material that it drives, "<material>.<input>"
    std::size_t first = 0; ///< of its floats among those of all textures
    ImageShape shape{};    ///< of the texture
    Bounds bounds{0, 1};   ///< of a texel
    double smoothness = 0; ///< weight of the prior that neighbours are alike, 0 or more
    bool is_light = false; ///< it lights the scene: all pixels tell of it
};

/// Which regions are maps of one material, in the order of their first ones. Single maps and lights are in none.
[[nodiscard]] WEFT_API std::vector<std::vector<std::size_t>>
group_maps(std::span<const MapRegion> regions);

/// How much of a part of a length lies in each of others: in those from `first` on.
struct Overlap {
    std::size_t first = 0;
    Vector weights;
};

/// How much of each of `fine` parts of a length lies in each of `coarse` parts.
/// @param coarse at most `fine`. @param share as a share of the coarse part, not of the fine one: weights of a coarse part
/// add to 1 then, those of a fine part otherwise.
[[nodiscard]] WEFT_API std::vector<Overlap> overlaps(std::size_t fine, std::size_t coarse,
                                                     bool share);

/// Maps of one material: D numbers a texel of a common grid, channel after channel.
///
/// The grid has as many rows and columns as the largest map has. Smaller ones have the same value in all texels of the
/// grid that lie in one of theirs, and get the mean of what these become.
class MapGroup {
public:
    /// @throws ArgumentError if there is no map, or one has no texel.
    WEFT_API explicit MapGroup(std::vector<MapRegion> regions);

    [[nodiscard]] const std::vector<MapRegion>& regions() const noexcept { return m_regions; }
    /// Rows and columns of the grid, and D.
    [[nodiscard]] const ImageShape& shape() const noexcept { return m_shape; }
    /// The first of the D numbers that belong to a map.
    [[nodiscard]] std::size_t first_channel(std::size_t number) const { return m_first[number]; }

    /// The maps among the texels of the scene, on the grid. @throws ArgumentError if texels are missing.
    [[nodiscard]] WEFT_API TexelImage gather(std::span<const float> texels) const;
    /// Derivatives by texels of the grid: those of a larger texel are shared out.
    [[nodiscard]] WEFT_API TexelImage gather_sums(std::span<const float> texels) const;
    /// Writes maps of gather() to the texels of the scene.
    WEFT_API void scatter(const TexelView& maps, std::span<float> texels) const;

    /// An image of a map on the grid. @param share with the same sum, not the same values: each texel is shared out among
    /// those that lie in it.
    [[nodiscard]] WEFT_API TexelImage grown(const TexelView& image, bool share = false) const;
    /// Means of an image on the grid over the texels of one of the maps.
    [[nodiscard]] WEFT_API TexelImage shrunk(std::size_t number, const TexelView& image) const;

    /// One value a map as one a number, D numbers.
    [[nodiscard]] WEFT_API Vector each(std::span<const double> values) const;
    /// The smallest texel, D numbers.
    [[nodiscard]] WEFT_API Vector low() const;
    /// The largest texel, D numbers.
    [[nodiscard]] WEFT_API Vector high() const;

    /// The curvature of each texel's numbers, summed over the texels around it: symmetric, D x D numbers a texel. Colours of
    /// a map act on channels of the film of their own.
    /// @param answers J' times the derivatives of the films along each map, over the scene's texels.
    [[nodiscard]] WEFT_API TexelImage blocks(std::span<const std::span<const float>> answers) const;

private:
    [[nodiscard]] TexelImage gathered(std::span<const float> texels, bool share) const;

    std::vector<MapRegion> m_regions;
    std::vector<std::size_t> m_first;
    ImageShape m_shape{};
};

} // namespace weft::fit
