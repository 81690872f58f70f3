// SPDX-License-Identifier: Apache-2.0
// Nonlinear least squares from noisy renders.
#pragma once

#include "core/api.hpp"
#include "fit/attempts.hpp"
#include "fit/information.hpp"
#include "fit/prior.hpp"
#include "fit/residuals.hpp"
#include "fit/saved_arrays.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace weft::fit {

struct SolverSettings {
    Vector low;                  ///< lower bounds, one a parameter
    Vector high;                 ///< upper bounds, above the lower ones
    double radius = 0.2;         ///< largest change of a parameter in one step, of its range
    double tolerance = 0.003;    ///< wanted standard error, of the range
    std::size_t inner_steps = 3; ///< at most, on the samples of one iteration
    std::size_t warm_iterations =
        12; ///< after which the model is averaged even if steps are still large
    std::optional<Prior> prior = std::nullopt; ///< what is known of the parameters
    std::optional<Prior> hold = std::
        nullopt; ///< where parameters stay that residuals tell nothing of; counts for steps only
    std::size_t starts =
        1; ///< at most: another is tried where steps have ended and more than noise is left of the
           ///< residuals; the best of them counts
    std::vector<bool>
        open_range{}; ///< parameters that other starts leave where they are; empty: none
    std::vector<std::int64_t>
        groups{}; ///< number of each parameter's group, from 0 without gaps: other starts move
                  ///< those groups whose residuals are not noise; empty: all are one
    std::size_t cluster_size =
        1; ///< so many residuals in a row share their noise: the channels of a pixel
    std::optional<std::size_t> max_iterations =
        std::nullopt; ///< all there will be: no start begins that could not come to its end
};

struct SolverState {
    Vector x;      ///< parameters
    Vector errors; ///< standard errors; infinite while there are none
    double loss = std::numeric_limits<double>::infinity(); ///< r_A' r_B / n
    std::size_t iterations = 0;                            ///< so far
    bool is_averaging = false; ///< steps are over, the linear model is being averaged
    bool is_done = false;      ///< every error is as small as asked for, or as the target allows
    std::optional<Information> information; ///< what the averaged iterations say
};

/// Gauss-Newton with noise: descents from one or more starts, a few damped steps on the samples of each iteration, then
/// a linear model of the residuals averaged over iterations where each descent ends, and solved.
///
/// Calls come from one thread at a time. If a call of the model throws, step() is as if it had not been made, but for
/// the samples that were drawn. Where there are many residuals, threads of its own help; they do not call the model.
class WEFT_API GaussNewton {
public:
    /// @param model outlives the solver. @param start one number a parameter; put within the bounds.
    /// @throws ArgumentError if the sizes of the settings do not fit, or bounds are in the wrong order.
    GaussNewton(Model& model, Vector start, SolverSettings settings);
    ~GaussNewton();
    GaussNewton(GaussNewton&& other) noexcept;
    GaussNewton& operator=(GaussNewton&& other) noexcept;

    /// Draws new samples and uses them up. @throws what the model throws, or ArgumentError if its arrays do not fit
    /// together or are not finite.
    const SolverState& step();

    const SolverState& state() const noexcept;
    const SolverSettings& settings() const noexcept;
    /// Where the first descent began.
    const Vector& start() const noexcept;
    const Attempts& attempts() const noexcept;
    /// Residuals of the last iteration where the parameters are; empty before.
    ResidualPair residuals() const noexcept;
    /// Iterations that the averaged model holds.
    std::size_t averaged() const noexcept;
    /// The place that explains the residuals best; null before iterations were averaged.
    const Candidate* best() const noexcept;
    /// Whether another start is under way, of which less is known than of the best candidate.
    bool is_elsewhere() const noexcept;
    /// Whether another start may follow, or is under way.
    bool may_start_elsewhere() const noexcept;

    /// The averaged linear model where the parameters are.
    struct AveragedModel {
        std::vector<float> residual_a; ///< n
        std::vector<float> residual_b;
        std::span<const float> jacobian_a; ///< n x p, valid until the next step
        std::span<const float> jacobian_b;
    };
    /// Nothing where nothing is averaged.
    std::optional<AveragedModel> averaged_model() const;

    /// Goes on from here: the weights of the residuals have changed, and losses with them.
    void forget();

    /// All that later steps depend on, the model apart.
    SavedArrays save() const;
    /// Goes back to where save() was called, by a solver with the same settings.
    /// @throws ArgumentError if arrays are missing or have other sizes; the solver is then as it was.
    void restore(const SavedArrays& saved);

private:
    class Implementation;
    std::unique_ptr<Implementation> m_implementation;
};

} // namespace weft::fit
