// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "scene/scene.hpp"
#include "scenes.hpp"
#include "support/catch.hpp"

#include <limits>

using namespace weft::scene;
using namespace weft::scene::testing;

TEST_CASE("mesh() names what does not fit") {
    Mesh bad = square();
    SECTION("a vertex that there is not") {
        bad.triangles = std::vector<std::uint32_t>{0, 1, 2, 0, 2, 9};
        CHECK_THROWS_WITH(mesh(std::move(bad)),
                          ContainsSubstring("Mesh 'square': triangle 1 names vertices [0, 2, 9], "
                                            "the mesh has 4"));
    }
    SECTION("a position that is not finite") {
        bad.positions =
            std::vector<float>{0, 0, 0, 1, 0, 0, 1, std::numeric_limits<float>::infinity(), 0};
        bad.triangles = std::vector<std::uint32_t>{0, 1, 2, 0, 1, 2};
        CHECK_THROWS_WITH(mesh(std::move(bad)), ContainsSubstring("vertex 2 is not finite"));
    }
    SECTION("normals of another number of triangles") {
        bad.normals = std::vector<float>(9);
        CHECK_THROWS_WITH(mesh(std::move(bad)),
                          ContainsSubstring("normals must be 18 numbers for 2 triangles, got 9"));
    }
    SECTION("a UV set") {
        bad.uvs.push_back({.name = "UVMap", .values = std::vector<float>(11)});
        CHECK_THROWS_WITH(mesh(std::move(bad)), ContainsSubstring("UV set 'UVMap' must be 12"));
    }
    SECTION("slots") {
        bad.slots = std::vector<std::uint32_t>{0};
        CHECK_THROWS_WITH(mesh(std::move(bad)), ContainsSubstring("slots must be 2"));
    }
    SECTION("half a vertex") {
        bad.positions = std::vector<float>(13);
        CHECK_THROWS_WITH(mesh(std::move(bad)), ContainsSubstring("positions must be three"));
    }
}

TEST_CASE("an array is a view of memory that its owner keeps") {
    auto memory =
        std::make_shared<std::vector<float>>(std::vector<float>{0, 0, 0, 1, 0, 0, 0, 1, 0});
    const std::weak_ptr<std::vector<float>> watched = memory;
    Mesh described;
    described.positions = {std::span<const float>(*memory), memory};
    described.triangles = std::vector<std::uint32_t>{0, 1, 2};
    MeshRef made = mesh(std::move(described));
    CHECK(made->positions.values.data() == memory->data());

    memory.reset();
    CHECK_FALSE(watched.expired());
    made.reset();
    CHECK(watched.expired());
}

TEST_CASE("object() names what does not fit") {
    const MeshRef shape = mesh(square());
    const std::vector both{grey("a"), grey("b")};
    CHECK_NOTHROW(object({.mesh = shape, .materials = both, .transform = twice(true)}));
    CHECK_THROWS_WITH(
        object({.mesh = shape, .materials = {grey("a")}, .name = "floor"}),
        ContainsSubstring("Object 'floor': mesh 'square' uses 2 material slots, got 1"));
    CHECK_THROWS_WITH(object({.mesh = shape, .materials = both, .transform = {}}),
                      ContainsSubstring("transform flattens the object"));
    Affine nan = kIdentityTransform;
    nan[3] = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH(object({.mesh = shape, .materials = both, .transform = nan}),
                      ContainsSubstring("transform must be finite"));
    CHECK_THROWS_WITH(object({.mesh = shape, .materials = both, .terminator_offset = 2}),
                      ContainsSubstring("must be 0 to 1, got 2"));
    CHECK_THROWS_WITH(object({.materials = both}), ContainsSubstring("null pointer"));
}

TEST_CASE("meshes and materials of a scene come in the order of first use") {
    const MeshRef shape = mesh(square());
    const MeshRef other = mesh(square());
    const std::vector materials{grey("a"), grey("b")};
    const std::vector reversed{materials[1], materials[0]};
    const Scene scene{.objects = {{.mesh = other, .materials = reversed},
                                  {.mesh = shape, .materials = materials},
                                  {.mesh = other, .materials = materials}}};

    CHECK(meshes_of(scene) == std::vector{other, shape});
    CHECK(materials_of(scene) == reversed);
    CHECK_FALSE(has_media(scene));
}

TEST_CASE("two materials of one name are refused") {
    const Scene scene{
        .objects = {{.mesh = mesh(square()), .materials = {grey("paint"), grey("paint")}}}};
    CHECK_THROWS_WITH(materials_of(scene),
                      ContainsSubstring("Scene: 2 materials are called 'paint'; rename one"));
}
