// SPDX-License-Identifier: Apache-2.0
// Numbers and textures in one step: Newton steps of the numbers that foresee how the textures follow; see joint_numbers.hpp.
// For the sources of this layer.
#pragma once

#include "fit/joint_numbers.hpp"
#include "fit/scalar_model.hpp"
#include "fit/texture_model.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace weft::fit {

/// One step of all parameters in each iteration, but of the numbers that are fixed. One thread at a time.
class JointModel {
public:
    /// @param scalars of the numbers. @param textures with the same views. Both outlive this.
    JointModel(ScalarModel& scalars, TextureModel& textures);

    /// Where the numbers are, and what iterations say of them.
    [[nodiscard]] JointNumbers& numbers() noexcept { return m_numbers; }
    [[nodiscard]] const JointNumbers& numbers() const noexcept { return m_numbers; }
    [[nodiscard]] TextureModel& textures() noexcept { return m_textures; }
    [[nodiscard]] ScalarModel& scalars() noexcept { return m_scalars; }
    /// Of both sample sets of the last step, before it; empty before any.
    [[nodiscard]] ResidualPair residuals() const noexcept {
        return {m_residuals[0], m_residuals[1]};
    }

    /// Draws new samples and makes one step of all that moves.
    /// @param iteration its number, from 0.
    /// @throws what a draw throws: nothing has moved then; NonFiniteError as TextureReplay::require_numbers().
    void step(std::size_t iteration, const StepSchedule& schedule,
              const TiedSchedule& tied_schedule);

    /// All that later steps depend on, the other models and the views apart. Waits.
    [[nodiscard]] SavedArrays save() const;
    /// Goes back to where save() was called, after the other models. @throws ArgumentError if arrays do not fit.
    void restore(const SavedArrays& saved);

private:
    using Rows = std::array<std::span<const float>, 2>;

    [[nodiscard]] bool is_all_fixed() const;
    [[nodiscard]] SamplePair linearize();
    [[nodiscard]] Adjoints adjoints(const Rows& values);
    [[nodiscard]] std::vector<tensor::TensorRef> cross_blocks(const SamplePair& pair);
    void add_cross_blocks(const std::vector<tensor::TensorRef>& blocks);
    [[nodiscard]] std::vector<Adjoints> raised_adjoints();
    [[nodiscard]] ReducedEquations reduced(const SamplePair& pair,
                                           const tensor::TensorRef& gradient, std::int64_t blur);
    void move_numbers(const SamplePair& pair, const tensor::TensorRef& gradient,
                      const StepSchedule& schedule);
    void average(const SamplePair& pair);

    ScalarModel& m_scalars;
    TextureModel& m_textures;
    JointNumbers m_numbers;
    /// C = J_t' J_n, one row of all texels a number, on the device: means over iterations. Empty: none was measured.
    std::vector<tensor::TensorRef> m_cross;
    std::size_t m_cross_count = 0; ///< iterations that have measured it
    std::array<std::vector<float>, 2> m_residuals;
};

} // namespace weft::fit
