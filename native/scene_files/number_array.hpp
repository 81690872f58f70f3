// SPDX-License-Identifier: Apache-2.0
// Arrays as numpy stores them (format versions 1 and 2, no Python objects), and lists of numbers.
#pragma once

#include "scene/mesh.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::scene_files {

/// Numbers of one type in row-major order.
struct NumberArray {
    char kind = 'f';         ///< of numpy: b(oolean), i(nteger), u(nsigned), f(loat)
    std::size_t width = 4;   ///< bytes a number: 1, 2, 4 or 8; of floats 4 or 8
    bool is_swapped = false; ///< bytes are in the other order than this machine's
    std::vector<std::uint64_t> shape{};
    std::span<const std::byte> bytes{};
    std::shared_ptr<const void> owner{}; ///< keeps the bytes

    [[nodiscard]] std::size_t size() const noexcept { return bytes.size() / width; }
    /// The shape is this one; 0 fits any extent.
    [[nodiscard]] bool has_shape(std::initializer_list<std::uint64_t> wanted) const noexcept;
    /// "(4, 3)".
    [[nodiscard]] std::string shape_text() const;
};

/// A file in numpy's format. @param name of it, in messages. @param owner keeps `file`.
/// @throws std::runtime_error if it is none, of another type, in Fortran's order, or its header says another size.
[[nodiscard]] NumberArray parse_npy(std::string_view name, std::span<const std::byte> file,
                                    std::shared_ptr<const void> owner);

/// Numbers of an array as another type, rounded; where they are, if they are of that type. T: float or double.
template <typename T>
[[nodiscard]] scene::MeshArray<T> converted(const NumberArray& array);

/// Whole numbers from 0 below 2^32. @param bad gets the place of the first number that is none; the number there is 0.
[[nodiscard]] scene::MeshArray<std::uint32_t> indices(const NumberArray& array, std::size_t& bad);

/// An array of doubles. @throws std::length_error if the shape does not fit.
[[nodiscard]] NumberArray array_of(std::vector<double> numbers, std::vector<std::uint64_t> shape);

/// What numpy writes before the bytes of an array of this machine's order. @param descr "<f4".
[[nodiscard]] std::string npy_header(std::string_view descr, std::span<const std::uint64_t> shape);

/// A shape as Python shows it: "(3,)", "(4, 3)".
[[nodiscard]] std::string shape_text(std::span<const std::uint64_t> shape);

} // namespace weft::scene_files
