// SPDX-License-Identifier: Apache-2.0
// Triangles for tests of trees.
#pragma once

#include "scene/geometry.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace weft::scene::testing {

struct Soup {
    std::vector<float> positions;
    std::vector<std::uint32_t> triangles;

    void add(std::array<float, 9> corners) {
        for (std::uint32_t i = 0; i < 3; ++i) {
            triangles.push_back(static_cast<std::uint32_t>(positions.size() / 3) + i);
        }
        positions.insert(positions.end(), corners.begin(), corners.end());
    }
    MeshView view() const { return {positions, triangles}; }
    Geometry geometry() const { return {.meshes = {view()}, .instances = {{}}}; }
};

/// Loose triangles; with a power far above 1 their centres crowd towards the origin, level within level.
inline Soup make_soup(std::size_t count, float power = 1) {
    Soup soup;
    std::mt19937 random(1);
    const auto number = [&] { return static_cast<float>(random() >> 8U) / 16777216.0F; };
    for (std::size_t i = 0; i < count; ++i) {
        const float at = std::pow(number(), power);
        std::array<float, 9> corners;
        for (float& corner : corners) {
            corner = at * (1 + 0.1F * number());
        }
        soup.add(corners);
    }
    return soup;
}

/// Each triangle is half as large as the one before: the heuristic peels off one at a time.
inline Soup make_nested_soup() {
    Soup soup;
    for (int i = 0; i < 120; ++i) {
        const float size = std::ldexp(1.0F, -i);
        soup.add({size, 0, 0, 0, size, 0, 0, 0, size});
    }
    return soup;
}

inline Soup make_equal_soup() {
    Soup soup;
    for (int i = 0; i < 5000; ++i) {
        soup.add({1, 2, 3, 1, 2, 3, 1, 2, 3});
    }
    return soup;
}

/// Around the origin, coordinates of about `scale`.
inline Soup make_scaled_soup(float scale) {
    Soup soup = make_soup(1000);
    for (std::size_t i = 0; i < soup.positions.size(); ++i) {
        soup.positions[i] *= (i % 2 == 0 ? 0.9F : -0.9F) * scale;
    }
    return soup;
}

inline bool is_permutation_of_indices(std::vector<std::uint32_t> values, std::uint32_t first,
                                      std::size_t count) {
    std::ranges::sort(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] != first + i) {
            return false;
        }
    }
    return values.size() == count;
}

} // namespace weft::scene::testing
