// SPDX-License-Identifier: Apache-2.0
#include "fit/display_transform.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/dense.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace weft::fit {

namespace {

constexpr std::size_t kColors = 3;
constexpr int kNewtonSteps = 30;
constexpr double kLongestStep = 0.1; ///< of Newton's method, in units of the table's extent
constexpr double kClose =
    2e-3; ///< display values that differ by less are the same: half a step of 8 bits
constexpr double kClipMargin = 0.02; ///< display values this near to the ends say nothing
constexpr double kDamping = 1e-6;

using Vector3 = std::array<double, 3>;
using Matrix3 = std::array<Vector3, 3>;

std::size_t pixels_of(const char* method, std::span<const double> numbers) {
    if (numbers.size() % kColors != 0) {
        throw core::ArgumentError(core::text("DisplayTransform::", method,
                                             ": pixels have three numbers each, got ",
                                             numbers.size(), " numbers"));
    }
    return numbers.size() / kColors;
}

double largest_size(const Vector3& v) noexcept {
    // a number that is none stays, as the largest
    double out = 0;
    for (const double value : v) {
        out = std::abs(value) <= out ? out : std::abs(value);
    }
    return out;
}

/// The step that brings what is missing of display values nearest, by least squares, no longer than kLongestStep.
Vector3 newton_step(const Matrix3& derivative, const Vector3& missing) noexcept {
    Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
    Eigen::Vector3d along = Eigen::Vector3d::Zero();
    for (std::size_t i = 0; i < kColors; ++i) {
        const Eigen::Map<const Eigen::Vector3d> row(derivative[i].data());
        normal += row * row.transpose();
        along += row * missing[i];
    }
    // A little damping carries the steps across cells that are flat along one direction.
    normal.diagonal().array() += kDamping;
    const Eigen::Vector3d step = normal.partialPivLu().solve(along);
    Vector3 out{step[0], step[1], step[2]};
    const double scale = std::min(1.0, kLongestStep / std::max(largest_size(out), 1e-30));
    for (double& along_axis : out) {
        along_axis *= scale;
    }
    return out;
}

/// Axes by what is left along them, the largest first; equal ones in their order.
std::array<std::size_t, kColors> falling_order(const Vector3& rest) noexcept {
    std::array<std::size_t, kColors> order{0, 1, 2};
    const auto put = [&](std::size_t first, std::size_t second) {
        if (rest[order[second]] > rest[order[first]]) {
            std::swap(order[first], order[second]);
        }
    };
    put(0, 1);
    put(1, 2);
    put(0, 1);
    return order;
}

} // namespace

/// Display values, and how they change with coordinates: row i, column j is of channel i, axis j.
struct DisplayTransform::LookUp {
    Vector3 value{};
    Matrix3 derivative{};
};

DisplayTransform::DisplayTransform(std::vector<float> table, std::size_t entries,
                                   const DisplayAxis& axis)
    : m_table(std::move(table)), m_entries(entries), m_axis(axis),
      m_length(std::log1p(axis.high / axis.toe)) {
    const auto is_finite = [](float value) { return std::isfinite(value); };
    if (entries < 2 || !std::ranges::all_of(m_table, is_finite)) {
        throw core::ArgumentError(
            "DisplayTransform: table must have 2 entries an axis or more, all finite");
    }
    if (entries > m_table.size() || m_table.size() != entries * entries * entries * kColors) {
        throw core::ArgumentError(core::text("DisplayTransform: table must have ", entries, " x ",
                                             entries, " x ", entries, " x 3 numbers, got ",
                                             m_table.size()));
    }
    const bool is_rising = 0 < axis.toe && axis.toe < axis.high && std::isfinite(axis.high);
    if (!is_rising) {
        throw core::ArgumentError(core::text("DisplayTransform: 0 < toe < high must hold, got toe ",
                                             axis.toe, " and high ", axis.high));
    }
    m_smallest = m_largest = {m_table[0], m_table[1], m_table[2]};
    for (std::size_t i = 0; i < m_table.size(); ++i) {
        m_smallest[i % kColors] = std::min(m_smallest[i % kColors], m_table[i]);
        m_largest[i % kColors] = std::max(m_largest[i % kColors], m_table[i]);
    }
    for (std::size_t i = 0; i < entries; ++i) {
        const float* const grey = entry({i, i, i});
        Vector3 own{grey[0], grey[1], grey[2]};
        for (std::size_t c = 0; c < kColors && i > 0; ++c) {
            own[c] = std::max(own[c], m_greys.back()[c]);
        }
        m_greys.push_back(own);
    }
}

std::vector<double> DisplayTransform::light_at(std::size_t entries, const DisplayAxis& axis) {
    if (entries < 2) {
        throw core::ArgumentError(
            core::text("DisplayTransform::light_at: an axis has 2 entries or more, got ", entries));
    }
    std::vector<double> out;
    const double step = 1.0 / static_cast<double>(entries - 1);
    for (std::size_t i = 0; i < entries; ++i) {
        const double coordinate = i + 1 == entries ? 1.0 : static_cast<double>(i) * step;
        out.push_back(axis.toe * std::expm1(coordinate * std::log1p(axis.high / axis.toe)));
    }
    return out;
}

std::vector<double> DisplayTransform::apply(std::span<const double> light) const {
    std::vector<double> out(light.size());
    const std::size_t pixels = pixels_of("apply", light);
    for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
        const Vector3 value = look_up(coordinates_of(&light[pixel * kColors])).value;
        std::ranges::copy(value, &out[pixel * kColors]);
    }
    return out;
}

std::vector<double> DisplayTransform::derivative(std::span<const double> light) const {
    std::vector<double> out(light.size() * kColors);
    const std::size_t pixels = pixels_of("derivative", light);
    for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
        const double* const own = &light[pixel * kColors];
        const Matrix3 change = look_up(coordinates_of(own)).derivative;
        for (std::size_t axis = 0; axis < kColors; ++axis) {
            const bool is_inside = own[axis] >= 0 && own[axis] <= m_axis.high;
            const double along =
                is_inside ? 1 / ((std::clamp(own[axis], 0.0, m_axis.high) + m_axis.toe) * m_length)
                          : 0;
            for (std::size_t channel = 0; channel < kColors; ++channel) {
                out[(pixel * kColors + channel) * kColors + axis] = change[channel][axis] * along;
            }
        }
    }
    return out;
}

DisplayedLight DisplayTransform::invert(std::span<const double> values) const {
    const std::size_t pixels = pixels_of("invert", values);
    DisplayedLight out{.light = std::vector<double>(values.size()),
                       .is_shown = std::vector<bool>(pixels)};
    for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
        out.is_shown[pixel] = invert_pixel(&values[pixel * kColors], &out.light[pixel * kColors]);
    }
    return out;
}

std::vector<bool> DisplayTransform::is_invertible(std::span<const double> values) const {
    std::vector<bool> out(pixels_of("is_invertible", values), true);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t c = i % kColors;
        const bool is_inside = values[i] > static_cast<double>(m_smallest[c]) + kClipMargin &&
                               values[i] < static_cast<double>(m_largest[c]) - kClipMargin;
        out[i / kColors] = out[i / kColors] && is_inside;
    }
    return out;
}

const float* DisplayTransform::entry(const std::array<std::size_t, 3>& corner) const noexcept {
    return &m_table[((corner[0] * m_entries + corner[1]) * m_entries + corner[2]) * kColors];
}

/// In [0, 1].
Vector3 DisplayTransform::coordinates_of(const double* light) const noexcept {
    Vector3 out{};
    for (std::size_t axis = 0; axis < kColors; ++axis) {
        out[axis] = std::log1p(std::clamp(light[axis], 0.0, m_axis.high) / m_axis.toe) / m_length;
    }
    return out;
}

DisplayTransform::LookUp DisplayTransform::look_up(const Vector3& coordinates) const noexcept {
    const auto cells = static_cast<double>(m_entries - 1);
    std::array<std::size_t, kColors> corner{};
    Vector3 rest{};
    for (std::size_t axis = 0; axis < kColors; ++axis) {
        const double scaled = coordinates[axis] * cells;
        // what is no number stays in the table
        corner[axis] = scaled > 0 ? std::min(static_cast<std::size_t>(scaled), m_entries - 2) : 0;
        rest[axis] = scaled - static_cast<double>(corner[axis]);
    }
    const float* from = entry(corner);
    LookUp out{.value = {from[0], from[1], from[2]}};
    for (const std::size_t axis : falling_order(rest)) {
        ++corner[axis];
        const float* const to = entry(corner);
        for (std::size_t channel = 0; channel < kColors; ++channel) {
            const double change =
                static_cast<double>(to[channel]) - static_cast<double>(from[channel]);
            out.value[channel] += change * rest[axis];
            out.derivative[channel][axis] = change * cells;
        }
        from = to;
    }
    return out;
}

/// Coordinates of greys that show the values, channel by channel.
Vector3 DisplayTransform::first_guess(const double* values) const noexcept {
    Vector3 out{};
    const auto cells = static_cast<double>(m_entries - 1);
    for (std::size_t c = 0; c < kColors; ++c) {
        const auto above = std::ranges::upper_bound(m_greys, values[c], {},
                                                    [c](const Vector3& grey) { return grey[c]; });
        if (above == m_greys.begin() || above == m_greys.end()) {
            out[c] = above == m_greys.begin() ? 0 : 1;
            continue;
        }
        const auto below = std::prev(above);
        const double low = static_cast<double>(below - m_greys.begin()) / cells;
        const double high = static_cast<double>(above - m_greys.begin()) / cells;
        const double slope = (high - low) / ((*above)[c] - (*below)[c]);
        out[c] = slope * (values[c] - (*below)[c]) + low;
    }
    return out;
}

bool DisplayTransform::invert_pixel(const double* values, double* light) const noexcept {
    Vector3 place = first_guess(values);
    Vector3 best = place;
    double least = std::numeric_limits<double>::infinity();
    for (int round = 0; round < kNewtonSteps; ++round) {
        const LookUp found = look_up(place);
        Vector3 missing{};
        for (std::size_t c = 0; c < kColors; ++c) {
            missing[c] = values[c] - found.value[c];
        }
        const double error = largest_size(missing);
        if (error < least) {
            best = place;
            least = error;
        }
        if (!(error > 0.01 * kClose)) {
            break;
        }
        const Vector3 step = newton_step(found.derivative, missing);
        for (std::size_t axis = 0; axis < kColors; ++axis) {
            place[axis] = std::clamp(place[axis] + step[axis], 0.0, 1.0);
        }
    }
    for (std::size_t axis = 0; axis < kColors; ++axis) {
        light[axis] = m_axis.toe * std::expm1(best[axis] * m_length);
    }
    return least <= kClose;
}

} // namespace weft::fit
