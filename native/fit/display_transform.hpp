// SPDX-License-Identifier: Apache-2.0
// Display transforms of pictures: from scene light to the numbers of a picture, and back.
#pragma once

#include "core/api.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace weft::fit {

/// The extents of a table's axes. A plain value.
struct DisplayAxis {
    double high = 64.0;     ///< light at the last entry, linear; more shows the same; finite
    double toe = 1.0 / 256; ///< light where steps begin to grow, linear, above 0, below `high`
};

/// Light that shows display values.
struct DisplayedLight {
    std::vector<double> light;  ///< three numbers a pixel, linear
    std::vector<bool> is_shown; ///< one a pixel: the display shows its light to within 0.002
};

/// What a display shows of scene light: a table with three axes. Between its entries the transform is linear in each of six
/// tetrahedra of a cell (Kasson, Nin, Plouffe, Hafner 1995), so that greys stay exact. Along each axis coordinates are those
/// of light_at(): nearly linear below the toe, logarithmic above. Pixels are three numbers, red, green and blue, one after the
/// other; all methods throw ArgumentError for a span that is not whole pixels. Any thread may call them.
///
/// A picture of display values becomes an Observation so: its `image` is what invert() finds, its `mask` 0 where is_shown or
/// is_invertible() is false.
class DisplayTransform {
public:
    using Color = std::array<float, 3>;

    /// @param table display values, entries x entries x entries x 3, axes red, green, blue; of light from 0 to `high`.
    /// @param entries along an axis, from 2.
    /// @throws ArgumentError if the table has another size or is not finite, or 0 < toe < high does not hold.
    WEFT_API DisplayTransform(std::vector<float> table, std::size_t entries,
                              const DisplayAxis& axis = {});

    /// Light at the entries of an axis, from 0 to `high`. @param entries from 2.
    [[nodiscard]] WEFT_API static std::vector<double> light_at(std::size_t entries,
                                                               const DisplayAxis& axis = {});

    /// Display values of linear light; light below 0 counts as 0. Differentiable, see derivative().
    [[nodiscard]] WEFT_API std::vector<double> apply(std::span<const double> light) const;
    /// How display values change with light, nine numbers a pixel: row i, column j is the derivative of display channel i with
    /// respect to light channel j; of the tetrahedron that the light lies in, with the exact derivative of the axis. 0 along
    /// an axis whose light is below 0 or above `high`.
    [[nodiscard]] WEFT_API std::vector<double> derivative(std::span<const double> light) const;
    /// The light that shows display values, by Newton's method. Where no light does, what shows the most alike.
    [[nodiscard]] WEFT_API DisplayedLight invert(std::span<const double> values) const;
    /// One flag a pixel: all its display values are farther than 2 % from the smallest and the largest that the display shows,
    /// which many lights share.
    [[nodiscard]] WEFT_API std::vector<bool> is_invertible(std::span<const double> values) const;

    /// The smallest display value of each channel.
    [[nodiscard]] const Color& smallest() const noexcept { return m_smallest; }
    /// The largest display value of each channel.
    [[nodiscard]] const Color& largest() const noexcept { return m_largest; }

private:
    using Vector3 = std::array<double, 3>;
    struct LookUp;

    [[nodiscard]] const float* entry(const std::array<std::size_t, 3>& corner) const noexcept;
    [[nodiscard]] Vector3 coordinates_of(const double* light) const noexcept;
    [[nodiscard]] LookUp look_up(const Vector3& coordinates) const noexcept;
    [[nodiscard]] Vector3 first_guess(const double* values) const noexcept;
    [[nodiscard]] bool invert_pixel(const double* values, double* light) const noexcept;

    std::vector<float> m_table;
    std::size_t m_entries;
    DisplayAxis m_axis;
    double m_length;                ///< of an axis, in units of its logarithm
    std::vector<Vector3> m_greys{}; ///< display values of greys, never falling along the axis
    Color m_smallest{};
    Color m_largest{};
};

} // namespace weft::fit
