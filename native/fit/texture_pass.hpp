// SPDX-License-Identifier: Apache-2.0
// The passes of a joint fit that move textures, and the numbers that only they determine. For the sources of this layer.
#pragma once

#include "fit/best_texels.hpp"
#include "fit/joint_stage.hpp"
#include "fit/phases.hpp"

#include <cstddef>

namespace weft::fit {

/// Moves textures, and the numbers that only textured pixels determine.
class TexturePass : public Phase {
public:
    /// @param stage outlives this. @param number of the pass, from 0: it ends where the scalar pass after it begins.
    TexturePass(JointStage& stage, std::size_t number);

    [[nodiscard]] bool is_needed() const override;
    [[nodiscard]] bool is_done() const override;
    [[nodiscard]] double remaining() const override;
    void begin() override;
    void step() override;
    [[nodiscard]] SavedArrays save() const override { return m_best.save(); }
    void restore(const SavedArrays& saved) override { m_best.restore(saved); }

private:
    [[nodiscard]] bool is_any_fixed() const;
    [[nodiscard]] bool is_whole() const;
    [[nodiscard]] double whole() const;
    void start_numbers();
    void select_pixels();
    void leave_out_numbers();
    void weigh_by_noise();
    void keep_selected();
    void weigh_photos();

    JointStage& m_stage;
    std::size_t m_number;
    BestTexels m_best;
};

/// Whether the iterations are used up, and a quarter was averaged where the numbers stay.
[[nodiscard]] bool have_averaged(const JointStage& stage);

} // namespace weft::fit
