// SPDX-License-Identifier: Apache-2.0
#include "fit/box_blur.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <vector>

namespace weft::fit {

namespace {

/// A line of places, each of `inner` neighbouring floats.
class Line {
public:
    Line(std::size_t places, std::size_t inner, std::size_t radius)
        : m_places(places), m_inner(inner), m_radius(radius), m_sums((places + 2 * radius) * inner),
          m_total(places * inner) {}

    /// Sums over windows of 2 radius + 1 places, from sums over 1, 2, 4, ... of them, then means.
    void blur(std::span<float> line) {
        std::fill(m_sums.begin(), m_sums.end(), 0.0F);
        std::copy(line.begin(), line.end(),
                  m_sums.begin() + static_cast<std::ptrdiff_t>(m_radius * m_inner));
        std::fill(m_total.begin(), m_total.end(), 0.0F);
        const std::size_t window = 2 * m_radius + 1;
        std::size_t left = m_places + 2 * m_radius; // places that hold sums over `length`
        for (std::size_t length = 1, covered = 0; covered < window; length *= 2) {
            if ((window & length) != 0) {
                add(m_total, covered);
                covered += length;
            }
            if (covered < window) {
                left -= length;
                for (std::size_t i = 0; i < left * m_inner; ++i) {
                    m_sums[i] += m_sums[i + length * m_inner];
                }
            }
        }
        for (std::size_t place = 0; place < m_places; ++place) {
            const auto count = static_cast<float>(std::min(place + m_radius + 1, m_places) -
                                                  (place > m_radius ? place - m_radius : 0));
            for (std::size_t i = place * m_inner; i < (place + 1) * m_inner; ++i) {
                line[i] = m_total[i] / count;
            }
        }
    }

private:
    void add(std::vector<float>& total, std::size_t covered) const {
        for (std::size_t i = 0; i < total.size(); ++i) {
            total[i] += m_sums[i + covered * m_inner];
        }
    }

    std::size_t m_places;
    std::size_t m_inner;
    std::size_t m_radius;
    std::vector<float> m_sums;
    std::vector<float> m_total;
};

} // namespace

void box_blur(std::span<float> image, const ImageShape& shape, std::size_t radius) {
    if (image.size() != shape.size()) {
        throw core::ArgumentError(core::text("box_blur: an image of ", shape.height, " x ",
                                             shape.width, " x ", shape.channels, " has ",
                                             shape.size(), " floats, got ", image.size()));
    }
    if (image.empty()) {
        return;
    }
    const std::size_t row = shape.width * shape.channels;
    // Windows beyond the image are all of it.
    Line down(shape.height, row, std::min(radius, shape.height));
    down.blur(image);
    Line across(shape.width, shape.channels, std::min(radius, shape.width));
    for (std::size_t y = 0; y < shape.height; ++y) {
        across.blur(image.subspan(y * row, row));
    }
}

} // namespace weft::fit
