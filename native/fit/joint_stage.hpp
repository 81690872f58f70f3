// SPDX-License-Identifier: Apache-2.0
// Fits of numbers together with textures: what their phases share. For the sources of this layer, and the bindings.
//
// Numbers that untextured pixels determine well are optimised on those pixels only, and again after 25 % and 50 % of the
// texture iterations and at the end: what a texture looks like matters little in such pixels, and an iteration of few pixels
// costs little. All other numbers move together with the textures, see joint_model.hpp.
#pragma once

#include "fit/gauss_newton.hpp"
#include "fit/joint_model.hpp"
#include "fit/loss_meter.hpp"
#include "fit/reweighting.hpp"
#include "fit/scalar_model.hpp"
#include "fit/stage.hpp"
#include "fit/texture_model.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace weft::fit {

/// Of the texture iterations: scalar passes come after them.
inline constexpr std::array<double, 4> kPassFractions{0.0, 0.25, 0.5, 1.0};
/// Number of the last scalar pass.
inline constexpr std::size_t kPolish = kPassFractions.size() - 1;

/// Which pixels of each view show textures that change, or lie close to one that does, one flag a pixel. May wait.
using ShownPixels = std::function<std::vector<std::vector<bool>>()>;

/// A fit of numbers and textures: models, and what phases have found so far.
struct JointStage : public Stage {
    /// @param numbers model of the numbers. @param textures model of the textures, with the same views. Both outlive this.
    /// @param find_shown called once, when pixels are selected first; not where a texture lights the scene.
    JointStage(ScalarModel& numbers, TextureModel& textures, const FitSettings& settings,
               ShownPixels find_shown);

    ScalarModel& scalars;
    TextureModel& images;
    const Unknowns& unknowns;
    LossMeter meter;
    JointModel model;
    GaussNewton solver; ///< of the last scalar pass, or the one under way
    MapReweighting weighing;

    std::vector<ViewState> scalar_views{};  ///< pixels and weights of scalar passes; empty: none
    std::vector<ViewState> texture_views{}; ///< the same of texture passes
    std::size_t iterations = 0;             ///< of the textures
    std::size_t passes = 0;                 ///< scalar passes that have ended
    std::size_t solver_pass = 0;            ///< number of the scalar pass that `solver` is of
    std::optional<Information> found{};     ///< what the last of these says of the numbers
    bool is_scalar_pass = true;             ///< one is under way

    /// What `find_shown` has found. The first call may wait.
    [[nodiscard]] const std::vector<std::vector<bool>>& shown();
    /// Which unknowns are numbers of materials that have a texture that changes.
    [[nodiscard]] std::vector<bool> of_textured() const;

    /// Where the solver is best, while it tries another start of which less is known; else null.
    [[nodiscard]] const Candidate* best_candidate() const noexcept;

    [[nodiscard]] bool has_converged() const override;
    [[nodiscard]] bool is_settled() const override { return images.is_settled(); }
    [[nodiscard]] double loss() const override;
    [[nodiscard]] double noise_floor() const override;
    [[nodiscard]] Vector x() const override;
    /// By all phases.
    [[nodiscard]] std::optional<Information> information() const override;
    [[nodiscard]] Vector errors() const override;
    [[nodiscard]] Look look_at_result(std::optional<std::int64_t> bounces) override;
    void write() override;

    /// Draws at x(), with the texels that the scene has.
    [[nodiscard]] Look look();
    /// Takes note of residuals of the pixels that are drawn now, for the loss.
    void record(const ResidualPair& residuals);
    /// The same of the first draw, which tells the noise of renders in its pixels.
    void begin_loss(const ResidualPair& residuals);
    /// What views draw, and how much pixels count.
    [[nodiscard]] std::vector<ViewState> save_views() const;
    void restore_views(const std::vector<ViewState>& saved);
    /// Takes more paths of few pixels: noise may lead numbers to where there is no way back from.
    void set_samples();
    /// Does something that draws; if it throws, views and draws are as if it had not been called.
    void attempt(const std::function<void()>& work);

private:
    /// Numbers that are fixed while textures move: where, and what is known of them.
    struct Fixed {
        const Vector& x;
        const Information* information = nullptr; ///< null: nothing
    };

    [[nodiscard]] Fixed fixed() const;
    void prepare() override;
    [[nodiscard]] SavedArrays save_shared() const override;
    /// Gives the scene the texels of then.
    void restore_shared(const SavedArrays& saved) override;

    ShownPixels m_find_shown;
    std::vector<std::vector<bool>> m_shown;
    tensor::TensorRef m_before; ///< texels of the scene before write(); null: those are there
};

/// What is known of numbers that were found in two ways: that of fixed ones by scalar passes, of others by the joint model.
[[nodiscard]] Information merge_information(const Information& joint, const Information& alone,
                                            const std::vector<bool>& fixed);

} // namespace weft::fit
