// SPDX-License-Identifier: Apache-2.0
#include "scene/corners.hpp"
#include "scene/vector3.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace weft::scene {

namespace {

/// What corners share a tangent by: bits of position, normal, UVs, side.
using Key = std::array<std::uint32_t, 9>;

std::size_t hash_of(const Key& key) {
    std::uint64_t hash = 0x9E3779B97F4A7C15U;
    for (const std::uint32_t word : key) {
        hash = (hash ^ word) * 0xFF51AFD7ED558CCDU;
        hash ^= hash >> 32U;
    }
    return static_cast<std::size_t>(hash);
}

/// Numbers equal keys alike, in the order of first use.
class Groups {
public:
    explicit Groups(std::size_t corners)
        : m_mask(std::bit_ceil(2 * corners + 2) - 1), m_slots(m_mask + 1, 0) {
        m_keys.reserve(corners);
    }

    std::uint32_t number(const Key& key) {
        std::size_t slot = hash_of(key) & m_mask;
        while (m_slots[slot] != 0 && m_keys[m_slots[slot] - 1] != key) {
            slot = (slot + 1) & m_mask;
        }
        if (m_slots[slot] == 0) {
            m_keys.push_back(key);
            m_slots[slot] = static_cast<std::uint32_t>(m_keys.size());
        }
        return m_slots[slot] - 1;
    }

    std::size_t count() const { return m_keys.size(); }

private:
    std::size_t m_mask;
    std::vector<std::uint32_t> m_slots; ///< one more than the number of a key; 0: none
    std::vector<Key> m_keys;
};

/// Of a triangle's UVs.
struct UvFrame {
    std::array<float, 2> d1;
    std::array<float, 2> d2;
    float area = 0;
    double side = 1;
};

UvFrame uv_frame(std::span<const float> uv) {
    UvFrame frame{.d1 = {uv[2] - uv[0], uv[3] - uv[1]}, .d2 = {uv[4] - uv[0], uv[5] - uv[1]}};
    frame.area = frame.d1[0] * frame.d2[1] - frame.d1[1] * frame.d2[0];
    frame.side = frame.area > 0 ? 1.0 : -1.0;
    return frame;
}

Double3 face_tangent(const UvFrame& frame, const std::array<Double3, 3>& corners) {
    if (frame.area == 0) {
        return {};
    }
    const Double3 e1 = difference(corners[1], corners[0]);
    const Double3 e2 = difference(corners[2], corners[0]);
    Double3 face{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        face[axis] = (e1[axis] * frame.d2[1] - e2[axis] * frame.d1[1]) * frame.side;
    }
    return face;
}

/// The direction of a vector within the plane of a unit normal.
Double3 on_plane(const Double3& vector, const Double3& normal) {
    const double height = dot(vector, normal);
    return unit_or_zero({vector[0] - height * normal[0], vector[1] - height * normal[1],
                         vector[2] - height * normal[2]});
}

Double3 widen(std::span<const float> values, std::size_t row) {
    return {values[3 * row], values[3 * row + 1], values[3 * row + 2]};
}

Key key_of(std::span<const float> position, std::span<const float> normal,
           std::span<const float> uv, double side) {
    Key key{};
    std::size_t at = 0;
    const auto add = [&](float value) {
        key[at++] = std::bit_cast<std::uint32_t>(value + 0.0F); // -0 is 0
    };
    std::ranges::for_each(position, add);
    std::ranges::for_each(normal, add);
    std::ranges::for_each(uv, add);
    add(static_cast<float>(side));
    return key;
}

} // namespace

std::vector<float> corner_tangents(const Mesh& mesh, std::span<const float> uvs) {
    const std::size_t triangles = mesh.triangle_count();
    if (uvs.size() != 6 * triangles) {
        throw core::ArgumentError(core::text("Mesh '", mesh.name, "': a UV set must be ",
                                             6 * triangles, " numbers, got ", uvs.size()));
    }
    std::vector<float> positions(9 * triangles);
    std::vector<float> normals(9 * triangles);
    write_positions(mesh, nullptr, positions);
    write_normals(mesh, nullptr, normals);
    Groups groups(3 * triangles);
    std::vector<std::uint32_t> group(3 * triangles);
    std::vector<Double3> sums;
    std::vector<float> out(12 * triangles);
    for (std::size_t k = 0; k < triangles; ++k) {
        const UvFrame frame = uv_frame(uvs.subspan(6 * k, 6));
        const std::array corners{widen(positions, 3 * k), widen(positions, 3 * k + 1),
                                 widen(positions, 3 * k + 2)};
        const Double3 face = face_tangent(frame, corners);
        for (std::size_t c = 0; c < 3; ++c) {
            const std::size_t row = 3 * k + c;
            const Double3 normal = widen(normals, row);
            const Double3 before = on_plane(difference(corners[(c + 2) % 3], corners[c]), normal);
            const Double3 after = on_plane(difference(corners[(c + 1) % 3], corners[c]), normal);
            const double angle = std::acos(std::clamp(dot(before, after), -1.0, 1.0));
            const Double3 share = on_plane(face, normal);
            group[row] = groups.number(key_of(std::span(positions).subspan(3 * row, 3),
                                              std::span(normals).subspan(3 * row, 3),
                                              uvs.subspan(2 * row, 2), frame.side));
            sums.resize(groups.count());
            for (std::size_t axis = 0; axis < 3; ++axis) {
                sums[group[row]][axis] += angle * share[axis];
            }
            out[4 * row + 3] = static_cast<float>(frame.side);
        }
    }
    std::ranges::transform(sums, sums.begin(), unit_or_zero);
    for (std::size_t row = 0; row < group.size(); ++row) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            out[4 * row + axis] = static_cast<float>(sums[group[row]][axis]);
        }
    }
    return out;
}

} // namespace weft::scene
