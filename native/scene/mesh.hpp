// SPDX-License-Identifier: Apache-2.0
// Triangle meshes of a scene. Plain data, made once and not changed after: any thread may read it. Two meshes are the
// same if they are one object; what is kept over an edit goes by that.
#pragma once

#include "core/api.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace weft::scene {

/// Numbers in row-major order, and what keeps their memory: a vector, or an array of the host language.
template <typename T>
struct MeshArray {
    std::span<const T> values{};         ///< valid as long as `owner`
    std::shared_ptr<const void> owner{}; ///< null: the caller keeps them as long as the mesh

    /// Empty.
    MeshArray() = default;
    /// Borrows numbers. @param keeper keeps their memory; null: the caller does.
    MeshArray(std::span<const T> view, std::shared_ptr<const void> keeper)
        : values(view), owner(std::move(keeper)) {}
    /// Takes the numbers: they are the array's own.
    MeshArray(std::vector<T> numbers)
        : MeshArray(std::make_shared<const std::vector<T>>(std::move(numbers))) {}

private:
    explicit MeshArray(const std::shared_ptr<const std::vector<T>>& kept)
        : values(*kept), owner(kept) {}
};

/// A UV set or a colour attribute.
struct AttributeSet {
    std::string name;        ///< as in Blender; materials go by the index
    MeshArray<float> values; ///< 2 (UV) or 3 (colour) a corner; not checked to be finite
};

/// Triangles in object space.
struct Mesh {
    MeshArray<float> positions{}; ///< 3 a vertex, metres
    MeshArray<std::uint32_t>
        triangles{}; ///< 3 a triangle: vertices, counter-clockwise from the front
    std::optional<MeshArray<float>> normals{}; ///< shading normals, 3 a corner; not set: flat
    std::vector<AttributeSet> uvs{};           ///< 2 a corner each; materials see the first one
    std::vector<AttributeSet> colors{};        ///< linear RGB, 3 a corner each
    std::optional<MeshArray<std::uint32_t>> slots{}; ///< one a triangle; not set: slot 0
    std::string name = "mesh";                       ///< what messages call it

    /// Number of vertices, used by triangles or not.
    [[nodiscard]] std::size_t vertex_count() const noexcept { return positions.values.size() / 3; }
    /// Number of triangles.
    [[nodiscard]] std::size_t triangle_count() const noexcept {
        return triangles.values.size() / 3;
    }
    /// The material slot of a triangle, which must be below triangle_count().
    [[nodiscard]] std::uint32_t slot(std::size_t triangle) const noexcept {
        return slots ? slots->values[triangle] : 0;
    }
};
/// Null only where that is said.
using MeshRef = std::shared_ptr<const Mesh>;

/// Checks a mesh and shares it.
/// @throws ArgumentError that names the mesh if an array has not as many numbers as said above, a position is not finite,
///         or a triangle names a vertex that there is not.
[[nodiscard]] WEFT_API MeshRef mesh(Mesh described);

/// Vertex `corner` of triangle `triangle`, below the number of vertices, also where the host language writes to the
/// array meanwhile.
/// @throws ArgumentError that names the mesh if there is no such vertex.
[[nodiscard]] WEFT_API std::uint32_t require_vertex(const Mesh& mesh, std::size_t triangle,
                                                    std::size_t corner);

} // namespace weft::scene
