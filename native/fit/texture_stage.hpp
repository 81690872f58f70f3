// SPDX-License-Identifier: Apache-2.0
// Fits of textures alone. For the sources of this layer, and the bindings.
#pragma once

#include "fit/best_texels.hpp"
#include "fit/reweighting.hpp"
#include "fit/stage.hpp"
#include "fit/texture_model.hpp"

#include <cstdint>
#include <optional>

namespace weft::fit {

/// Moves textures; numbers stay as they are.
class TexturePhase : public Phase {
public:
    /// @param model of the textures; it outlives this.
    TexturePhase(TextureModel& model, const FitSettings& settings);

    [[nodiscard]] bool is_done() const override;
    [[nodiscard]] double remaining() const override;
    void begin() override;
    void step() override;
    [[nodiscard]] SavedArrays save() const override;
    void restore(const SavedArrays& saved) override;

private:
    TextureModel& m_model;
    FitSettings m_settings;
    BestTexels m_best;
    MapReweighting m_weighing;
};

/// How to draw the views with the textures that were found. Drawing writes them to the scene.
/// @param model outlives the result. @param bounces surfaces that a path may leave; not set: as many as in iterations.
[[nodiscard]] Look look_at_textures(TextureModel& model, std::optional<std::int64_t> bounces);

/// A fit of textures.
class TextureStage : public Stage {
public:
    /// @param model of the textures; it outlives this.
    TextureStage(TextureModel& model, const FitSettings& settings);

    [[nodiscard]] bool has_converged() const override { return is_done() && is_settled(); }
    [[nodiscard]] bool is_settled() const override { return m_model.is_settled(); }
    [[nodiscard]] double loss() const override { return m_model.loss(); }
    [[nodiscard]] double noise_floor() const override { return m_model.noise_floor(); }
    [[nodiscard]] Look look_at_result(std::optional<std::int64_t> bounces) override {
        return look_at_textures(m_model, bounces);
    }
    void write() override { m_model.write_result(); }

private:
    [[nodiscard]] SavedArrays save_shared() const override { return m_model.save(); }
    void restore_shared(const SavedArrays& saved) override { m_model.restore(saved); }

    TextureModel& m_model;
};

} // namespace weft::fit
