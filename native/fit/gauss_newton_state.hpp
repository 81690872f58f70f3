// SPDX-License-Identifier: Apache-2.0
// What the parts of GaussNewton share. Start reading at gauss_newton.cpp; _descent, _average and _restarts follow the
// way of a fit. For the sources of this layer.
#pragma once

#include "core/thread_pool.hpp"
#include "fit/gauss_newton.hpp"
#include "fit/linear_average.hpp"
#include "fit/quadratic.hpp"

namespace weft::fit {

/// Multiple of what noise alone would do.
inline constexpr double kSignificantDeviations = 3.0;
/// Of the range: steps that are not shortened any more.
inline constexpr double kMinRadius = 0.005;
/// Of the range: a parameter that is so far from its start has moved.
inline constexpr double kMovedDistance = 0.1;

/// A place on the descent, and its loss as one iteration has shown it.
struct BestIterate {
    Vector x;
    LossEstimate loss;

    /// Whether another loss is larger than this one by more than noise.
    [[nodiscard]] bool is_below(const LossEstimate& other) const noexcept;
};

/// Whether no derivative is more than noise.
[[nodiscard]] bool is_still(const Quadratic& quadratic) noexcept;

class GaussNewton::Implementation {
public:
    Implementation(Model& model, Vector start, SolverSettings settings);

    void step();
    void forget();
    SavedArrays save() const;
    void restore(const SavedArrays& saved);
    bool is_elsewhere() const noexcept;
    bool may_start_elsewhere() const noexcept;

    /// All that a step changes before its last call of the model, the average apart: what a step that fails
    /// returns to.
    struct Progress {
        SolverState state;
        Attempts attempts;
        double reach = 0; ///< largest step as it is now, of the range
        bool is_asked = false;
        bool is_mixed =
            false; ///< groups were put together from several places: nothing was seen there
        std::optional<BestIterate> seen = std::nullopt; ///< the best place on this descent
    };

    Model& model;
    SolverSettings settings;
    Vector start;
    Progress progress;
    std::optional<LinearAverage> average; ///< none during a descent
    OwnedResiduals residuals;

private:
    // gauss_newton.cpp
    SamplePair linearize(std::span<const double> x);
    core::ThreadPool* pool(const SamplePair& pair);
    double extent(std::size_t i) const { return settings.high[i] - settings.low[i]; }
    Vector extents() const;
    Vector bounded_step(const Quadratic& quadratic, const Vector& x) const;
    void add_priors(NormalEquations& equations, const Vector& x, double variance) const;
    bool is_late() const noexcept;

    // gauss_newton_descent.cpp
    void descend();
    [[nodiscard]] double step_length(const Vector& from, const Vector& to) const;
    bool is_astray(const SamplePair& pair);
    SamplePair return_to_seen();
    std::optional<Vector> shortened_step(const Quadratic& quadratic, const Vector& x,
                                         const SamplePair& pair);
    double loss_of_priors(const Vector& x, double variance) const;

    // gauss_newton_average.cpp
    void add_to_average();
    void renew_average(const SamplePair& pair, bool is_new);
    Quadratic averaged_quadratic(const OwnedResiduals& own, core::ThreadPool* threads);
    bool has_left() const;
    bool is_exact() const;
    void learn(NormalEquations equations, const OwnedResiduals& own, core::ThreadPool* threads);

    // gauss_newton_restarts.cpp
    bool is_due(bool is_still_here) const;
    bool question(const SamplePair& pair);
    void begin_elsewhere(const std::vector<bool>& left, const std::vector<bool>& lost,
                         const Vector& gathered);
    bool leaves_mixture();
    Candidate here(const std::vector<float>& derivatives) const;
    std::vector<bool> doubtful() const;
    std::vector<float> averaged_derivatives() const;

    std::unique_ptr<core::ThreadPool> m_pool; ///< made where it pays
    NormalEquations m_equations;              ///< of the average, priors apart
};

} // namespace weft::fit
