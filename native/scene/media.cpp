// SPDX-License-Identifier: Apache-2.0
#include "scene/media.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

namespace weft::scene {

namespace {

using Vector = std::array<double, 3>;

constexpr Vector kWay{0.2113, 0.1327, 0.9684};
constexpr std::size_t kNumbers = 9;

constexpr Vector minus(const double* a, const double* b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
constexpr Vector cross(const Vector& a, const Vector& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
constexpr double dot(const Vector& a, const Vector& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// 1: the way enters the triangle through its front; -1: it leaves by its back; 0: it misses (Möller and Trumbore 1997).
int crossing(const double* corners, const Vector& place) {
    const Vector e1 = minus(corners + 3, corners);
    const Vector e2 = minus(corners + 6, corners);
    const Vector s = minus(place.data(), corners);
    const Vector h = cross(kWay, e2);
    const Vector q = cross(s, e1);
    const double determinant = dot(e1, h);
    if (determinant == 0) {
        return 0;
    }
    const double u = dot(s, h) / determinant;
    const double v = dot(q, kWay) / determinant;
    const bool is_hit = u >= 0 && v >= 0 && u + v <= 1 && dot(e2, q) / determinant > 0;
    return is_hit ? (determinant > 0 ? 1 : -1) : 0;
}

/// Corners of the triangles of an object that have a material, in the world, 9 numbers a triangle.
std::vector<double> corners_with(const Object& object, const Material* material) {
    const Mesh& mesh = *object.mesh;
    const Affine& m = object.transform;
    std::vector<double> corners;
    for (std::size_t triangle = 0; triangle < mesh.triangle_count(); ++triangle) {
        const std::uint32_t slot = mesh.slot(triangle);
        if (mesh.slots &&
            (slot >= object.materials.size() || object.materials[slot].get() != material)) {
            continue;
        }
        for (std::size_t corner = 0; corner < 3; ++corner) {
            const std::size_t vertex = std::size_t{3} * require_vertex(mesh, triangle, corner);
            const double x = mesh.positions.values[vertex];
            const double y = mesh.positions.values[vertex + 1];
            const double z = mesh.positions.values[vertex + 2];
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const double* const row = m.data() + 4 * axis;
                corners.push_back(x * row[0] + y * row[1] + z * row[2] + row[3]);
            }
        }
    }
    return corners;
}

/// The surfaces around the media of a scene.
class Surroundings {
public:
    explicit Surroundings(const Scene& scene) {
        const std::vector<MaterialRef> materials = materials_of(scene);
        for (const ObjectMedium& medium : media_of(scene)) {
            const Object& object = scene.objects[medium.object];
            m_media.push_back({.corners = corners_with(object, materials[medium.material].get()),
                               .is_mirrored = determinant(object.transform) < 0});
        }
    }

    /// Numbers of the media around a place.
    [[nodiscard]] std::vector<std::uint32_t> at(const Vector& place) const {
        std::vector<std::uint32_t> found;
        for (std::size_t k = 0; k < m_media.size(); ++k) {
            if (is_inside(m_media[k].corners, place, m_media[k].is_mirrored)) {
                found.push_back(static_cast<std::uint32_t>(k));
            }
        }
        return found;
    }

private:
    struct Boundary {
        std::vector<double> corners;
        bool is_mirrored = false;
    };
    std::vector<Boundary> m_media;
};

/// Corners of the film of an orthographic camera, in the world.
std::array<Vector, 4> film_corners(const Camera& camera) {
    const Film film = film_of(camera);
    const auto& m = camera.transform;
    std::array<Vector, 4> corners{};
    for (std::size_t k = 0; k < corners.size(); ++k) {
        const double x = k < 2 ? film.low[0] : film.high[0];
        const double y = k % 2 == 0 ? film.low[1] : film.high[1];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            corners[k][axis] = x * m[4 * axis] + y * m[4 * axis + 1] + m[4 * axis + 3];
        }
    }
    return corners;
}

} // namespace

std::vector<ObjectMedium> media_of(const Scene& scene) {
    std::unordered_map<const Material*, std::uint32_t> numbers;
    for (const MaterialRef& material : materials_of(scene)) {
        numbers.emplace(material.get(), static_cast<std::uint32_t>(numbers.size()));
    }
    std::vector<ObjectMedium> media;
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    for (std::size_t k = 0; k < scene.objects.size(); ++k) {
        for (const MaterialRef& material : scene.objects[k].materials) {
            const auto object = static_cast<std::uint32_t>(k);
            const std::uint32_t number = numbers.at(material.get());
            if (material->volume != nullptr && seen.emplace(object, number).second) {
                media.push_back({.object = object, .material = number});
            }
        }
    }
    return media;
}

bool has_emissive_media(const Scene& scene) {
    bool is_found = false;
    for (const Object& object : scene.objects) {
        for (const MaterialRef& material : object.materials) {
            if (material->volume != nullptr) {
                for_each_closure(*material->volume, [&](const Closure& closure) {
                    is_found = is_found || closure.kind == "emission" || closure.has("emission");
                });
            }
        }
    }
    return is_found;
}

CameraMedia camera_media(const Scene& scene, const Camera& camera) {
    CameraMedia out;
    if (!has_media(scene)) {
        return out;
    }
    const Surroundings surroundings(scene);
    const auto& m = camera.transform;
    const std::vector<std::uint32_t> inside = surroundings.at({m[3], m[7], m[11]});
    if (camera.kind == CameraKind::orthographic) {
        out.differs_at_corners =
            std::ranges::any_of(film_corners(camera), [&](const Vector& corner) {
                return surroundings.at(corner) != inside;
            });
    }
    for (std::size_t k = 0; k < std::min(inside.size(), out.stack.size()); ++k) {
        out.stack[k] = inside[k] + 1;
    }
    return out;
}

bool is_inside(std::span<const double> corners, const Vector& place, bool is_mirrored) {
    if (corners.size() % kNumbers != 0) {
        throw core::ArgumentError(core::text("is_inside: a triangle has 9 numbers, got ",
                                             corners.size(), "; give three corners each"));
    }
    std::ptrdiff_t entered = 0;
    for (std::size_t at = 0; at < corners.size(); at += kNumbers) {
        entered += crossing(corners.data() + at, place);
    }
    return (is_mirrored ? -entered : entered) < 0;
}

} // namespace weft::scene
