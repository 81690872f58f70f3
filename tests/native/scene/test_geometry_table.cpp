// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/thread_pool.hpp"
#include "scene/corners.hpp"
#include "scene/emissive_meshes.hpp"
#include "scene/geometry_table.hpp"
#include "scenes.hpp"
#include "support/catch.hpp"

#include <cmath>

using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

using Write = void (*)(const Mesh&, const Affine*, std::span<float>, weft::core::ThreadPool*);

std::vector<float> corners_of(const Mesh& mesh, const Affine* placed, Write write) {
    std::vector<float> out(9 * mesh.triangle_count());
    write(mesh, placed, out, nullptr);
    return out;
}

Object lit_square(bool is_mirrored = false) {
    return {.mesh = mesh(square()),
            .materials = {grey("wall"), emitter("emitter")},
            .transform = twice(is_mirrored)};
}

} // namespace

TEST_CASE("meshes lie one after the other, and instances know where") {
    const MeshRef first = mesh(square());
    const MeshRef empty = mesh({});
    const MeshRef last = mesh(square());
    const std::vector materials{grey("a"), grey("b")};
    const Scene scene{.objects = {{.mesh = first, .materials = materials},
                                  {.mesh = empty},
                                  {.mesh = last, .materials = {materials[1], materials[0]}},
                                  {.mesh = first, .materials = materials}}};

    const GeometryTable table = build_geometry_table(scene);

    CHECK(table.meshes == std::vector{first, empty, last});
    CHECK(table.first_triangle == std::vector<std::uint32_t>{0, 2, 2});
    CHECK(table.mesh_of_instance == std::vector<std::uint32_t>{0, 1, 2, 0});
    CHECK(table.triangle_count == 4);
    CHECK_FALSE(table.has_baked_transforms);
    const auto rows =
        instance_rows(scene, table, std::vector<std::uint32_t>(4, InstanceRow::kDark));
    REQUIRE(rows.size() == 4);
    CHECK(rows[2].first_triangle == 2);
    CHECK(rows[2].first_slot == 2);
    CHECK(rows[3].first_slot == 4);
    CHECK(rows[3].object == 3);
    CHECK(materials_of_slots(scene) == std::vector<std::uint32_t>{0, 1, 1, 0, 0, 1});
}

TEST_CASE("a scene is placed where every mesh is there once and none is mirrored") {
    CHECK(build_geometry_table({.objects = {lit_square()}}).has_baked_transforms);
    CHECK_FALSE(build_geometry_table({.objects = {lit_square(true)}}).has_baked_transforms);
    const Object twin = lit_square();
    CHECK_FALSE(build_geometry_table({.objects = {twin, twin}}).has_baked_transforms);
}

TEST_CASE("the extent is half the diagonal around all objects") {
    const Box box = bounding_box(lit_square());
    CHECK(box.lowest == std::array{5.0, 0.0, 0.0});
    CHECK(box.highest == std::array{7.0, 2.0, 0.0});
    const Box other{.lowest = {-1, 0, 0}, .highest = {0, 0, 6}};
    CHECK(extent_of(std::array{box, other}) == std::sqrt(8 * 8 + 2 * 2 + 6 * 6) / 2);
    CHECK(extent_of({}) == 1);
    CHECK(extent_of(std::array{Box{}}) == 1e-6);
}

TEST_CASE("corners are placed by the transform, normals by its inverse transpose") {
    Mesh slope = square();
    slope.positions = std::vector<float>{0, 0, 0, 1, 0, 1, 1, 1, 1, 0, 1, 0};
    const Affine flat{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0.5, 3};

    const auto positions = corners_of(slope, &flat, write_positions);
    const auto normals = corners_of(slope, &flat, write_normals);
    const auto own = corners_of(slope, nullptr, write_normals);

    CHECK(std::span(positions).first<6>()[5] == 3.5F);
    const float half = std::sqrt(0.5F);
    CHECK_THAT(own[0], Catch::Matchers::WithinAbs(-half, 1e-6));
    CHECK_THAT(own[2], Catch::Matchers::WithinAbs(half, 1e-6));
    CHECK_THAT(normals[0], Catch::Matchers::WithinAbs(-1 / std::sqrt(5.0), 1e-6));
    CHECK_THAT(normals[2], Catch::Matchers::WithinAbs(2 / std::sqrt(5.0), 1e-6));
}

TEST_CASE("corners are the same whatever the number of threads") {
    constexpr std::size_t kTriangles = 70000; // several ranges, the last one short
    Mesh mesh;
    std::vector<float> positions;
    std::vector<std::uint32_t> triangles;
    for (std::uint32_t i = 0; i < kTriangles + 2; ++i) {
        const auto at = static_cast<float>(i);
        positions.insert(positions.end(), {std::sin(at), std::cos(3 * at), 0.1F * at});
    }
    for (std::uint32_t i = 0; i < kTriangles; ++i) {
        triangles.insert(triangles.end(), {i, i + 1, i + 2});
    }
    mesh.positions = std::move(positions);
    mesh.triangles = std::move(triangles);
    weft::core::ThreadPool pool(3);
    const Affine turned{1, 2, 0, 0, 0, 1, 5, 0, 0, 0, 0.5, 3};

    for (const auto write : {write_positions, write_normals}) {
        for (const Affine* const placed : {static_cast<const Affine*>(nullptr), &turned}) {
            std::vector<float> alone(9 * kTriangles);
            std::vector<float> shared(9 * kTriangles);
            write(mesh, placed, alone, nullptr);
            write(mesh, placed, shared, &pool);
            CHECK(alone == shared);
        }
    }
    std::vector<float> own(12 * kTriangles, 0.25F);
    std::vector<float> alone(own.size());
    std::vector<float> shared(own.size());
    transform_tangents(own, turned, alone);
    transform_tangents(own, turned, shared, &pool);
    CHECK(alone == shared);
}

TEST_CASE("a triangle without extent has no normal, and no tangent without UVs that differ") {
    Mesh flat = square();
    flat.triangles = std::vector<std::uint32_t>{0, 0, 0, 0, 1, 2};
    CHECK(corners_of(flat, nullptr, write_normals)[0] == 0);
    const auto tangents = corner_tangents(flat, std::vector<float>(12));
    CHECK(tangents == std::vector<float>{0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0, -1,
                                         0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0, -1});
}

TEST_CASE("tangents lie along u, and are shared where corners are the same") {
    const Mesh flat = square();
    // u grows along y in both triangles.
    const auto tangents =
        corner_tangents(flat, std::vector<float>{0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0});
    for (std::size_t corner = 0; corner < 6; ++corner) {
        CHECK(tangents[4 * corner + 1] == 1);
        CHECK(tangents[4 * corner + 3] == -1);
    }
}

TEST_CASE("what an array of the host names beyond a mesh is refused where it is read") {
    std::vector<std::uint32_t> triangles{0, 1, 2, 0, 2, 3};
    Mesh described = square();
    described.triangles = {std::span<const std::uint32_t>(triangles), nullptr};
    std::vector<std::uint32_t> slots{0, 1};
    described.slots = MeshArray<std::uint32_t>(std::span<const std::uint32_t>(slots), nullptr);
    const MeshRef made = mesh(std::move(described));
    triangles[4] = 77;
    slots[1] = 8;

    CHECK_THROWS_WITH(corners_of(*made, nullptr, write_positions),
                      ContainsSubstring("triangle 1 names vertices [0, 77, 3]"));
    CHECK_THROWS_WITH(corners_of(*made, nullptr, write_normals), ContainsSubstring("triangle 1"));
    std::vector<std::uint32_t> out(2);
    CHECK_THROWS_WITH(write_slots(*made, std::array{5U, 6U}, out),
                      ContainsSubstring("triangle 1 is in slot 8, its object has 2 materials"));
}

TEST_CASE("each triangle with light is a light, and instances find it") {
    const Scene scene{.objects = {{.mesh = mesh(square()), .materials = {grey("a"), grey("b")}},
                                  lit_square(true)}};
    const GeometryTable table = build_geometry_table(scene);

    const EmissiveMeshes found = find_emissive_meshes(scene, slot_emissions(scene), 3);

    REQUIRE(found.parts.size() == 1);
    const EmissivePart& part = found.parts[0];
    CHECK(part.instance == 1);
    CHECK(part.slot == 1);
    CHECK(part.is_mirrored);
    CHECK(part.first_light == 3);
    CHECK(part.emission == Emission{.radiance = {4, 2, 1}});
    CHECK(part.primitives == std::vector<std::uint32_t>{1});
    CHECK(part.areas == std::vector{2.0});
    CHECK(part.corners == std::vector<double>{5, 0, 0, 3, 2, 0, 5, 2, 0});
    CHECK(found.first_of_instance == std::vector<std::uint32_t>{InstanceRow::kDark, 0});
    CHECK(lights_of_triangles(table, found) ==
          std::vector<std::uint32_t>{InstanceRow::kDark, 3, InstanceRow::kDark});
}

TEST_CASE("where triangles are placed the lights of all of them are listed") {
    const Scene scene{
        .objects = {{.mesh = mesh(square()), .materials = {grey("a"), grey("b")}}, lit_square()}};
    const GeometryTable table = build_geometry_table(scene);

    const auto found = find_emissive_meshes(scene, slot_emissions(scene), 0);

    constexpr std::uint32_t kDark = InstanceRow::kDark;
    CHECK(lights_of_triangles(table, found) ==
          std::vector<std::uint32_t>{kDark, kDark, kDark, 0, kDark});
}

TEST_CASE("a mesh that a bounce must not see is no light") {
    Object hidden = lit_square();
    hidden.hidden_from = 8; // glossy rays
    CHECK(slot_emissions({.objects = {hidden}})[0].empty());
    hidden.hidden_from = 1; // camera rays
    CHECK_FALSE(slot_emissions({.objects = {hidden}})[0].empty());
}
