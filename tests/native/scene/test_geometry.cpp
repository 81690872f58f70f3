// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "scene/geometry.hpp"
#include "support/catch.hpp"

#include <limits>

using namespace weft;
using namespace weft::scene;

namespace {

/// One triangle, shown once.
struct Example {
    std::vector<float> positions{0, 0, 0, 1, 0, 0, 0, 1, 0};
    std::vector<std::uint32_t> triangles{0, 1, 2};
    std::vector<Instance> instances{{}};

    Geometry geometry() const {
        return {.meshes = {{}, {positions, triangles}}, .instances = instances};
    }
};

} // namespace

TEST_CASE("an empty mesh and a mirrored instance are valid") {
    Example example;
    example.instances = {{.mesh = 0},
                         {.mesh = 1, .object_to_world = {-1, 0, 0, 5, 0, 1, 0, 6, 0, 0, 1, 7}}};

    CHECK_NOTHROW(require_valid(example.geometry()));
    CHECK_NOTHROW(require_valid({}));
}

TEST_CASE("a vertex that is not finite is named with its mesh") {
    Example example;
    example.positions[5] = std::numeric_limits<float>::quiet_NaN();
    CHECK_THROWS_WITH(require_valid(example.geometry()),
                      ContainsSubstring("mesh 1: the z coordinate of vertex 1 is nan"));

    example.positions[5] = std::numeric_limits<float>::infinity();
    CHECK_THROWS_AS(require_valid(example.geometry()), core::ArgumentError);
}

TEST_CASE("an index without a vertex is named with its triangle") {
    Example example;
    example.triangles = {0, 1, 2, 0, 1, 3};

    CHECK_THROWS_WITH(require_valid(example.geometry()),
                      ContainsSubstring("mesh 1: triangle 1 uses vertex 3 of 3"));
}

TEST_CASE("arrays that are no multiple of three are refused") {
    Example example;
    example.triangles.push_back(0);
    CHECK_THROWS_WITH(require_valid(example.geometry()), ContainsSubstring("mesh 1 has 4 indices"));

    example.positions.push_back(0);
    CHECK_THROWS_WITH(require_valid(example.geometry()),
                      ContainsSubstring("mesh 1 has 10 coordinates"));
}

TEST_CASE("an instance of no mesh is named") {
    Example example;
    example.instances = {{}, {.mesh = 2}};

    CHECK_THROWS_WITH(require_valid(example.geometry()),
                      ContainsSubstring("instance 1 shows mesh 2 of 2"));
}

TEST_CASE("a transform without an inverse is named") {
    Example example;
    const auto bad = GENERATE(
        Transform{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0},
        Transform{1, 2, 3, 0, 2, 4, 6, 0, 0, 0, 1, 0},
        Transform{1, 0, 0, std::numeric_limits<float>::quiet_NaN(), 0, 1, 0, 0, 0, 0, 1, 0});
    example.instances = {{}, {}, {.mesh = 1, .object_to_world = bad}};

    CHECK_THROWS_WITH(require_valid(example.geometry()),
                      ContainsSubstring("object_to_world of instance 2 has no inverse"));
}

TEST_CASE("an inverse undoes its transform") {
    const Transform m{0, -2, 0, 3, 1e-3F, 0, 0, -4, 0, 0, -5, 6};

    const Transform inverse = require_inverse(m, 0);

    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 4; ++column) {
            double sum = column == 3 ? inverse[row * 4 + 3] : 0;
            for (std::size_t k = 0; k < 3; ++k) {
                sum += double{inverse[row * 4 + k]} * m[k * 4 + column];
            }
            CHECK(sum == Approx(row == column ? 1 : 0).margin(1e-5));
        }
    }
}
