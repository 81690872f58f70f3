// SPDX-License-Identifier: Apache-2.0
// Fits of numbers alone. For the sources of this layer, and the bindings.
#pragma once

#include "fit/gauss_newton.hpp"
#include "fit/loss_meter.hpp"
#include "fit/reweighting.hpp"
#include "fit/scalar_model.hpp"
#include "fit/stage.hpp"

#include <cstdint>
#include <optional>

namespace weft::fit {

/// Moves numbers to the tolerance of the settings; textures stay as they are.
class ScalarPhase : public Phase {
public:
    /// @param model of the numbers; it outlives this.
    ScalarPhase(ScalarModel& model, const FitSettings& settings);

    [[nodiscard]] bool is_done() const override;
    [[nodiscard]] double remaining() const override;
    void begin() override;
    void step() override;
    [[nodiscard]] SavedArrays save() const override;
    void restore(const SavedArrays& saved) override;

    [[nodiscard]] ScalarModel& model() noexcept { return m_model; }
    [[nodiscard]] const ScalarModel& model() const noexcept { return m_model; }
    [[nodiscard]] const GaussNewton& solver() const noexcept { return m_solver; }
    [[nodiscard]] const LossMeter& meter() const noexcept { return m_meter; }
    /// Where the solver is best, while it tries another start of which less is known; else null.
    [[nodiscard]] const Candidate* best_candidate() const noexcept;
    /// The numbers: at the best candidate, while another start is tried.
    [[nodiscard]] const Vector& x() const noexcept;

private:
    [[nodiscard]] std::int64_t samples() const;

    ScalarModel& m_model;
    FitSettings m_settings;
    LossMeter m_meter;
    GaussNewton m_solver;
    Reweighting m_weighing;
};

/// A fit of numbers, exposures and strengths of lights.
class ScalarStage : public Stage {
public:
    /// @param model of the numbers; it outlives this. Its views draw nothing before.
    ScalarStage(ScalarModel& model, const FitSettings& settings);

    [[nodiscard]] const GaussNewton& solver() const noexcept { return m_phase->solver(); }
    [[nodiscard]] bool has_converged() const override;
    [[nodiscard]] double loss() const override;
    [[nodiscard]] double noise_floor() const override;
    [[nodiscard]] Vector x() const override { return m_phase->x(); }
    [[nodiscard]] Vector errors() const override;
    [[nodiscard]] std::optional<Information> information() const override;
    [[nodiscard]] Vector error_factors(double ratio) const override;
    [[nodiscard]] Look look_at_result(std::optional<std::int64_t> bounces) override;
    void write() override { m_phase->model().write(x()); }

private:
    ScalarPhase* m_phase; ///< the one there is
};

} // namespace weft::fit
