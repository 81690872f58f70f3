// SPDX-License-Identifier: Apache-2.0
// The best textures that a fit has seen: it returns to them where later steps have raised the loss. A step is as long as a
// diagonal preconditioner says, which is a bound only where derivatives have one sign in a pixel: roughness and normal maps
// may overshoot. One iteration's loss is noise; windows of several are compared, and texels are copied, on the device, once a
// window at most. For the sources of this layer.
#pragma once

#include "fit/joint_numbers.hpp"
#include "fit/texture_model.hpp"

#include <cstddef>
#include <optional>

namespace weft::fit {

/// Keeps texels of the window with the smallest loss.
class BestTexels {
public:
    /// @param model of the textures. @param iterations of the fit.
    /// @param numbers that move with the textures, and are kept with them; null: none do. Both outlive this.
    BestTexels(TextureModel& model, std::size_t iterations, JointNumbers* numbers = nullptr);

    /// Forgets all: pixels count otherwise, and losses do not compare.
    void restart();
    /// Takes note of a step that was made. The loss of a step is that of the texels before it: what is kept at the end of a
    /// window is what its last step has made of it. @return whether the best texels were put back.
    bool note();

    /// best, texels, x: all that later steps depend on. Waits.
    [[nodiscard]] SavedArrays save() const;
    /// Goes back to where save() was called. @throws ArgumentError if arrays do not fit.
    void restore(const SavedArrays& saved);

private:
    struct WindowLoss {
        double loss = 0;      ///< mean
        double deviation = 0; ///< of that mean
    };

    [[nodiscard]] WindowLoss measure() const;

    TextureModel* m_model;
    JointNumbers* m_numbers;
    std::size_t m_window;    ///< steps
    std::size_t m_first = 0; ///< number of the loss that the windows begin with
    std::optional<WindowLoss> m_best;
    tensor::TensorRef m_texels; ///< of the best window
    Vector m_x;                 ///< numbers of the best window
};

} // namespace weft::fit
