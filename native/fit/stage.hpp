// SPDX-License-Identifier: Apache-2.0
// A fit while it runs: its phases, and what they have found so far. Whoever makes one owns the models that it moves: programs
// in C++ (scene_fit.hpp), and the bindings of Python. For the sources of this layer, and the bindings.
#pragma once

#include "fit/fit_state.hpp"
#include "fit/information.hpp"
#include "fit/matrix.hpp"
#include "fit/phases.hpp"
#include "fit/saved_arrays.hpp"
#include "fit/validation.hpp"
#include "fit/view.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace weft::fit {

/// The phases of a fit with what they share. One thread at a time.
class Stage {
public:
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;
    virtual ~Stage() = default;

    /// Samples new paths and takes one optimisation step of the phase under way. If it throws, the fit is as it was.
    void step();
    [[nodiscard]] bool is_done() const { return m_phases.is_done(); }
    [[nodiscard]] const PhaseList& phases() const noexcept { return m_phases; }
    [[nodiscard]] const FitSettings& settings() const noexcept { return m_settings; }
    [[nodiscard]] std::vector<View>& views() noexcept { return m_views; }
    [[nodiscard]] const std::vector<View>& views() const noexcept { return m_views; }

    /// FitState::has_converged, at the end.
    [[nodiscard]] virtual bool has_converged() const = 0;
    /// Whether the loss of textures has ceased to fall; there may be none.
    [[nodiscard]] virtual bool is_settled() const { return true; }
    /// FitState::loss and FitState::noise_floor.
    [[nodiscard]] virtual double loss() const = 0;
    [[nodiscard]] virtual double noise_floor() const = 0;

    /// The numbers as they were found so far, one an unknown; none: textures move alone.
    [[nodiscard]] virtual Vector x() const { return {}; }
    /// Standard errors of x(); infinite while nothing is known.
    [[nodiscard]] virtual Vector errors() const { return {}; }
    /// What is known of x(); not set: nothing.
    [[nodiscard]] virtual std::optional<Information> information() const { return std::nullopt; }
    /// By which errors of x() grow where neighbours share residuals, each.
    /// @param ratio of residuals to noise: what they grow by if nothing better is known (Birge 1932).
    [[nodiscard]] virtual Vector error_factors(double ratio) const;

    /// How to draw the views at what was found; writes that to the scene, as write() does, or lets each draw do so.
    /// @param bounces surfaces that a path may leave; not set: as many as in iterations.
    [[nodiscard]] virtual Look look_at_result(std::optional<std::int64_t> bounces) = 0;
    /// Leaves the scene on the device with what was found. Later steps are as if it had not.
    virtual void write() = 0;

    /// All that later steps depend on. Waits for the device.
    [[nodiscard]] SavedArrays save() const;
    /// Goes back to where save() was called, by a fit that was made of the same.
    /// @throws ArgumentError if arrays are missing or do not fit; the fit is then as it was.
    void restore(const SavedArrays& saved);

protected:
    /// @param views that the models draw; they outlive this.
    Stage(std::vector<View>& views, const FitSettings& settings)
        : m_views(views), m_settings(settings) {}
    /// At least one, in their order; called once.
    void set_phases(std::vector<std::unique_ptr<Phase>> phases);

private:
    /// Called before each step.
    virtual void prepare() {}
    /// What phases share, the views apart.
    [[nodiscard]] virtual SavedArrays save_shared() const { return {}; }
    virtual void restore_shared(const SavedArrays& /*saved*/) {}
    void restore_all(const SavedArrays& saved);

    std::vector<View>& m_views;
    FitSettings m_settings;
    std::vector<std::unique_ptr<Phase>> m_owned{};
    PhaseList m_phases{{}};
};

} // namespace weft::fit
