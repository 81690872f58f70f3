// SPDX-License-Identifier: Apache-2.0
// Directions in the space of parameters on a device, for forward mode (DirectionView of shaders/weft/render/record.slang).
#pragma once

#include "core/api.hpp"
#include "render/kernel_argument.hpp"
#include "scene/directions.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace weft::render {

/// Directions laid out by material: a surface answers only those that move its own parameters. Work and memory of a replay
/// are in proportion to the directions of the materials that paths meet, and kernels do not depend on how many there are.
/// Immutable.
class WEFT_API Directions {
public:
    /// @param records of the materials of a scene, see scene::MaterialTable.
    /// @param rows one direction after the other, each of `parameters` floats; one may move several materials. Empty: none.
    /// @param parameters of all materials, above 0.
    /// @throws ArgumentError if the rows are no whole number of directions; DeviceError if memory is short.
    Directions(const std::shared_ptr<device::Device>& device,
               std::span<const scene::MaterialRecord> records, std::span<const float> rows,
               std::size_t parameters);

    /// Directions, with those that move nothing.
    [[nodiscard]] std::size_t count() const noexcept { return m_count; }
    /// Of each material.
    [[nodiscard]] const std::vector<std::uint32_t>& lengths() const noexcept { return m_lengths; }
    /// Of the material with most.
    [[nodiscard]] std::uint32_t most() const noexcept;
    /// Of all materials together: one that moves two counts twice.
    [[nodiscard]] std::uint32_t entries() const noexcept;
    /// For each parameter of the scene whether any direction moves it.
    [[nodiscard]] const std::vector<std::uint8_t>& moved() const noexcept { return m_moved; }
    /// DirectionView.
    [[nodiscard]] const KernelArgument& view() const noexcept { return m_view; }
    /// What each entry moves: `tangents` of the parameters of a view.
    [[nodiscard]] const tensor::TensorRef& seeds() const noexcept { return m_seeds; }

private:
    std::size_t m_count;
    std::vector<std::uint32_t> m_lengths;
    std::vector<std::uint8_t> m_moved;
    tensor::TensorRef m_seeds;
    KernelArgument m_view;
};
using DirectionsRef = std::shared_ptr<const Directions>;

} // namespace weft::render
