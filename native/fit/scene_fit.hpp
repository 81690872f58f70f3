// SPDX-License-Identifier: Apache-2.0
// What fits of a scene have in common, whatever they look for: ScalarFit, TextureFit, JointFit. Programs use engine/fit.hpp.
#pragma once

#include "core/api.hpp"
#include "fit/fit_state.hpp"
#include "fit/fitted_texture.hpp"
#include "fit/observation.hpp"
#include "fit/saved_arrays.hpp"
#include "fit/verdict.hpp"

#include <memory>
#include <vector>

namespace weft::fit {

/// A fit of a scene to pictures. One thread at a time, with its renderer. What is given stays as it is.
class WEFT_API SceneFit {
public:
    struct Parts; ///< what it owns; for the sources of this layer

    virtual ~SceneFit();
    SceneFit(SceneFit&&) noexcept;
    SceneFit& operator=(SceneFit&&) noexcept;

    /// Draws new samples and uses them up. The first step selects pixels besides, and the step after a phase that was
    /// interrupted in its beginning begins it. If it throws, the fit is as it was.
    /// @throws what the poll throws; ArgumentError if renders or derivatives are no finite numbers.
    void step();
    /// Without texels; cheap.
    [[nodiscard]] FitState state() const;
    /// What was found, in the order of the parameters; none where no textures are looked for. Waits for the device.
    [[nodiscard]] std::vector<FittedTexture> textures();
    /// Draws what was found anew and tells whether it explains the pictures. Later steps are as if it had not.
    /// @throws as step().
    [[nodiscard]] Verdict judge();
    /// Leaves the scene on the device with what was found, but for factors of lights, which stay as the scene has them.
    /// Later steps are as if it had not.
    void write();
    [[nodiscard]] const std::vector<Observation>& observations() const noexcept;
    /// All that later steps depend on, for checkpoints. Waits for the device.
    /// @throws ArgumentError if the renderer renders another scene since.
    [[nodiscard]] SavedArrays save() const;
    /// Goes back to where save() was called, by a fit that was made of the same.
    /// @throws ArgumentError if arrays are missing or do not fit; the fit is then as it was.
    void restore(const SavedArrays& saved);

protected:
    explicit SceneFit(std::unique_ptr<Parts> parts);

private:
    std::unique_ptr<Parts> m_parts;
};

} // namespace weft::fit
