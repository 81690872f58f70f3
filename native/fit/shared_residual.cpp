// SPDX-License-Identifier: Apache-2.0
#include "fit/misfit.hpp"
#include "fit/picture_noise.hpp"
#include "fit/quantiles.hpp"
#include "fit/view_pixels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace weft::fit {

namespace {

constexpr std::array<std::size_t, 4> kScales{1, 2, 4,
                                             8}; ///< pixels: sides of squares that are compared
constexpr std::size_t kLag = 2;                  ///< pixels between neighbours at the finest scale
constexpr double kClipped = 3.0;                 ///< standard deviations

/// The squares of a picture that hold pixels that count, in the order of rows.
class Squares {
public:
    Squares(const ResidualImages& images, std::span<const std::uint32_t> pixels, std::size_t side)
        : m_picture_width(images.width), m_side(side), m_height((images.height + side - 1) / side),
          m_width((images.width + side - 1) / side), m_places(m_height * m_width, kNone) {
        std::vector<std::uint32_t> total(m_places.size());
        for (const std::uint32_t pixel : pixels) {
            ++total[square_of(pixel)];
        }
        for (std::size_t square = 0; square < total.size(); ++square) {
            if (total[square] != 0) {
                m_places[square] = static_cast<std::uint32_t>(m_squares.size());
                m_squares.push_back(static_cast<std::uint32_t>(square));
                m_totals.push_back(total[square]);
            }
        }
    }

    /// Means of residuals over the pixels of each square that count, three a square.
    [[nodiscard]] std::vector<double> means(std::span<const float> grid,
                                            std::span<const std::uint32_t> pixels) const {
        std::vector<double> out(m_squares.size() * kChannels);
        for (const std::uint32_t pixel : pixels) {
            const std::size_t place = m_places[square_of(pixel)];
            for (std::size_t c = 0; c < kChannels; ++c) {
                out[place * kChannels + c] +=
                    static_cast<double>(grid[pixel * std::size_t{kChannels} + c]);
            }
        }
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] /= static_cast<double>(m_totals[i / kChannels]);
        }
        return out;
    }

    /// Mean products of channels of neighbours that are half full, in different halves, one a pair.
    /// @param a means() of one half. @param b of the other. @param lag between neighbours, squares.
    [[nodiscard]] std::vector<double> neighbour_products(std::span<const double> a,
                                                         std::span<const double> b,
                                                         std::size_t lag) const {
        std::vector<double> out;
        const auto add = [&](std::size_t first, std::size_t square) {
            const std::uint32_t second = m_places[square];
            if (second == kNone || !is_half_full(second)) {
                return;
            }
            double sum = 0;
            for (std::size_t c = 0; c < kChannels; ++c) {
                const std::size_t i = first * kChannels + c;
                const std::size_t j = second * kChannels + c;
                sum += a[i] * b[j] + b[i] * a[j];
            }
            out.push_back(sum / kChannels / 2);
        };
        for (std::size_t place = 0; place < m_squares.size(); ++place) {
            if (!is_half_full(place)) {
                continue;
            }
            const std::size_t square = m_squares[place];
            if (square / m_width + lag < m_height) {
                add(place, square + lag * m_width);
            }
            if (square % m_width + lag < m_width) {
                add(place, square + lag);
            }
        }
        return out;
    }

private:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    [[nodiscard]] std::size_t square_of(std::uint32_t pixel) const noexcept {
        return pixel / m_picture_width / m_side * m_width + pixel % m_picture_width / m_side;
    }
    [[nodiscard]] bool is_half_full(std::size_t place) const noexcept {
        return 2 * std::size_t{m_totals[place]} >= m_side * m_side;
    }

    std::size_t m_picture_width;
    std::size_t m_side; ///< pixels
    std::size_t m_height;
    std::size_t m_width;
    std::vector<std::uint32_t> m_places; ///< of each square of the picture among those that count
    std::vector<std::uint32_t> m_squares{}; ///< numbers of those that count
    std::vector<std::uint32_t> m_totals{};  ///< pixels of these that count
};

/// Residuals of which none is much larger than most; zeros were not drawn.
std::vector<double> clipped(std::vector<double> values) {
    std::vector<double> sizes;
    for (const double value : values) {
        if (value != 0) {
            sizes.push_back(std::abs(value));
        }
    }
    const double most = kClipped * kNormal * median(std::move(sizes));
    for (double& value : values) {
        value = std::clamp(value, -most, most);
    }
    return values;
}

double sum_of(std::span<const double> values) {
    double sum = 0;
    for (const double value : values) {
        sum += value;
    }
    return sum;
}

/// By how many standard deviations of their noise the sum of products is not 0.
double certainty(std::span<const double> products) {
    double squares = 0;
    for (const double product : products) {
        squares += product * product;
    }
    return sum_of(products) / std::max(std::sqrt(squares), 1e-300);
}

} // namespace

SharedResidual find_shared(const ResidualImages& residuals, const std::vector<bool>& counts) {
    SharedResidual best;
    const std::size_t lag = std::max(kLag, residuals.grain);
    const std::vector<std::uint32_t> pixels = flagged_pixels(counts);
    for (const std::size_t side : kScales) {
        const Squares squares(residuals, pixels, side);
        const std::vector<double> a = squares.means(residuals.a, pixels);
        const std::vector<double> b = squares.means(residuals.b, pixels);
        const std::size_t step = std::max<std::size_t>(lag / side, 1);
        const std::vector<double> products = squares.neighbour_products(a, b, step);
        if (products.size() < 2) {
            continue;
        }
        // A few pixels with large residuals make their own products uncertain, but not others'.
        const double own =
            std::max(certainty(products),
                     certainty(squares.neighbour_products(clipped(a), clipped(b), step)));
        if (own > best.certainty) {
            best = {sum_of(products) / static_cast<double>(products.size()), own};
        }
    }
    return best;
}

} // namespace weft::fit
