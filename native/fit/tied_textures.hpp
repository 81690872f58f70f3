// SPDX-License-Identifier: Apache-2.0
// The textures of a fit that are maps of one material, and move together. For the sources of this layer.
#pragma once

#include "fit/texture_replay.hpp"
#include "fit/tied_maps.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace weft::fit {

/// What is not known of maps of one material, on their common grid; see MapGroup.
struct TiedUncertainty {
    std::vector<std::size_t> numbers;     ///< of the regions
    TexelImage maps;                      ///< as they were found
    MapUncertainty unknown;               ///< of their texels' numbers
    std::vector<std::vector<bool>> known; ///< which texels of the grid pictures show of each map
};

/// Tied maps among the textures of a replay; the host moves them. One thread at a time.
class TiedTextures {
public:
    /// Groups the textures as they are. @param replay outlives this.
    explicit TiedTextures(TextureReplay& replay);

    /// Whether all textures move alone.
    [[nodiscard]] bool is_empty() const noexcept { return m_groups.empty(); }
    /// Whether a texture moves with others. @param number of the region.
    [[nodiscard]] bool has(std::size_t number) const;

    /// Counts the views that show the texels. replay() comes first.
    void count_views();
    /// Averages the curvature over draws. @param answers of TextureReplay::curvature(), one a region.
    void add_curvature(std::span<const tensor::TensorRef> answers);
    /// Steps against a gradient. @param loss of the last draw. @param noise variance of the mean residual of that draw.
    void move(const tensor::TensorRef& gradient, double loss, double noise,
              const TiedSchedule& schedule);
    /// Products of derivatives over what resists steps, (rows - 1) x rows; see TiedMaps::products().
    [[nodiscard]] Matrix products(std::span<const tensor::TensorRef> rows, double blur);
    /// What is not known of each group, in their order. Waits.
    /// @param variance of a residual about what the textures explain. @param sharing texels that a lookup mixes.
    [[nodiscard]] std::vector<TiedUncertainty> uncertainty(double variance, double sharing) const;
    /// Adds what later steps depend on to an archive.
    void save(SavedArrays& saved) const;
    /// Goes back to where save() was called. @throws ArgumentError if arrays do not fit.
    void restore(const SavedArrays& saved);
    /// Standard errors of a texture that moves with others, one a float, as it was found.
    /// @param number of the region. @param found of uncertainty().
    [[nodiscard]] std::vector<float> errors(std::size_t number,
                                            std::span<const TiedUncertainty> found) const;

private:
    struct Group {
        TiedMaps tied;
        std::vector<std::size_t> numbers; ///< of its regions
    };

    TextureReplay& m_replay;
    std::vector<Group> m_groups;
};

} // namespace weft::fit
