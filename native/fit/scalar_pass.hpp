// SPDX-License-Identifier: Apache-2.0
// The passes of a joint fit that move numbers alone. For the sources of this layer.
#pragma once

#include "fit/joint_stage.hpp"
#include "fit/phases.hpp"

#include <cstddef>
#include <optional>

namespace weft::fit {

/// Of a solver whose numbers are looked for again later: what is good enough for it.
[[nodiscard]] FitSettings early_settings(const FitSettings& settings);

/// The solver of a scalar pass, beside textures and numbers as they are.
/// @param number of the pass, from 0. @param x where it begins.
[[nodiscard]] GaussNewton make_solver(JointStage& stage, std::size_t number, const Vector& x);

/// Moves numbers, and no texture, in pixels that show no texture that changes.
class ScalarPass : public Phase {
public:
    /// @param stage outlives this. @param number of the pass, from 0; kPolish goes on to the tolerance of the settings.
    ScalarPass(JointStage& stage, std::size_t number);

    [[nodiscard]] bool is_needed() const override;
    [[nodiscard]] bool is_done() const override;
    [[nodiscard]] double remaining() const override;
    void begin() override;
    void step() override;
    void end() override;
    [[nodiscard]] SavedArrays save() const override;
    void restore(const SavedArrays& saved) override;

private:
    [[nodiscard]] bool is_polish() const noexcept { return m_number == kPolish; }
    [[nodiscard]] std::size_t limit() const;
    [[nodiscard]] std::optional<std::size_t> enough_averages() const;
    void show_textures();
    void select_pixels();
    void measure_loss();

    JointStage& m_stage;
    std::size_t m_number;
    bool m_has_begun = false;
    bool m_has_pixels = true; ///< some pixel shows numbers alone
};

} // namespace weft::fit
