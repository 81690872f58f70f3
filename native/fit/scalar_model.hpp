// SPDX-License-Identifier: Apache-2.0
// Renders of a scene as a function of a few numbers, for GaussNewton.
#pragma once

#include "fit/residuals.hpp"
#include "fit/unknowns.hpp"
#include "fit/view.hpp"
#include "fit/view_rows.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace weft::fit {

struct ScalarModelDesc {
    std::int64_t samples = 4; ///< paths a pixel in each sample set of an iteration
    std::int64_t bounces = 8; ///< surfaces that a path may leave
    std::uint64_t seed = 0;   ///< equal seeds give equal fits
    core::InterruptPoll
        check{}; ///< what it throws ends a draw; the solver is then as it was before
};

/// Residuals and their derivatives by recorded paths. One thread at a time.
class ScalarModel : public Model {
public:
    /// @param tables of the scene. @param views with recorders that have the directions of `unknowns`; they outlive the model.
    /// @param unknowns what changes; they outlive the model.
    ScalarModel(std::shared_ptr<render::SceneTables> tables, std::vector<View>& views,
                const Unknowns& unknowns, ScalarModelDesc desc);

    void draw(std::span<const double> x) override;
    SamplePair linearize(std::span<const double> x) override;
    ResidualPair residuals(std::span<const double> x) override;
    /// The same for other texels. @param texels of all textures of the scene; null: those that it has.
    SamplePair linearize(std::span<const double> x, const tensor::TensorRef& texels);
    ResidualPair residuals(std::span<const double> x, const tensor::TensorRef& texels);
    /// Draws with another number of samples than later iterations have. @param samples paths a pixel in each sample set.
    void draw_samples(std::span<const double> x, std::int64_t samples);

    /// Residuals of new samples, which no iteration has; later iterations are as if there had been none.
    /// @param samples paths a pixel in each sample set. @param draw number that the samples follow from.
    /// @param bounces surfaces that a path may leave; not set: as many as in iterations.
    ResidualPair look(std::span<const double> x, std::int64_t samples, std::uint64_t draw,
                      std::optional<std::int64_t> bounces = std::nullopt);

    [[nodiscard]] std::vector<View>& views() noexcept { return m_views; }
    [[nodiscard]] const std::vector<View>& views() const noexcept { return m_views; }
    [[nodiscard]] const Unknowns& unknowns() const noexcept { return m_unknowns; }
    /// Of later draws.
    void set_samples(std::int64_t samples) noexcept { m_desc.samples = samples; }
    [[nodiscard]] std::int64_t samples() const noexcept { return m_desc.samples; }
    /// Draws so far, which later samples follow from.
    [[nodiscard]] std::uint64_t iterations() const noexcept { return m_iteration; }
    void set_iterations(std::uint64_t iterations) noexcept { m_iteration = iterations; }
    /// Keeps the pixels that tell something about the unknowns.
    /// @param x where to look. @param fraction of the information, the sum of the leverages, that is kept.
    /// @param hidden pixels that do not count, one flag a pixel of each view's picture; empty: all count.
    /// @return whether any pixel tells something.
    bool select_pixels(std::span<const double> x, double fraction,
                       std::span<const std::vector<bool>> hidden = {});
    /// Gives the scene on the device the parameters `x`.
    void write(std::span<const double> x);

private:
    /// Parameters of the scene under some of its lights; a material that a part leaves dark has others there.
    struct SceneValues {
        tensor::TensorRef on_device; ///< of the tables
        std::vector<float> values{};
        tensor::TensorRef replayed{}; ///< of replays
    };
    struct SampleSet {
        std::vector<float> residual{};
        std::vector<float> jacobian{};
    };

    void replay(std::span<const double> x, const tensor::TensorRef& texels, bool with_tangents);
    void fill(SampleSet& set, std::int64_t first, const FilmFactors& factors);
    [[nodiscard]] std::vector<std::vector<float>>
    smoothed(const std::vector<double>& leverage, std::span<const std::vector<bool>> hidden,
             std::size_t stride);
    [[nodiscard]] bool keep_most(const std::vector<std::vector<float>>& information,
                                 double fraction);
    void add_values(const render::SceneTables& tables);
    [[nodiscard]] const SceneValues& values_of(const render::SceneTables& tables) const;
    [[nodiscard]] FilmFactors factors_at(std::span<const double> x) const;

    std::shared_ptr<render::SceneTables> m_tables;
    std::vector<View>& m_views;
    const Unknowns& m_unknowns;
    ScalarModelDesc m_desc;
    std::vector<UnknownColumn> m_columns;
    bool m_has_directions;
    std::vector<SceneValues> m_scene_values; ///< the scene's own first
    std::array<SampleSet, 2> m_linearized;
    std::array<std::vector<float>, 2> m_candidates;
    std::vector<SampleSet> m_of_views; ///< of one sample set, before they are one after the other
    std::int64_t m_drawn = 0;          ///< samples of each set of the last draw
    std::uint64_t m_iteration = 0;     ///< of the next draw
};

} // namespace weft::fit
