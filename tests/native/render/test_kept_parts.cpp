// SPDX-License-Identifier: Apache-2.0
#include "fixture.hpp"
#include "render/geometry_tensors.hpp"
#include "tensor/transfer.hpp"

#include <array>

using namespace weft;
using namespace weft::render;
using weft::render::testing::Fixture;

namespace {

PartKey key_of(std::string_view text) {
    PartKey key("test");
    key.add(text);
    return key;
}

/// A chunk of equal numbers that counts how often it was written.
Chunk counted(std::string_view text, std::size_t count, float value, int& written) {
    return {
        .key = key_of(text), .count = count, .write = [value, &written](std::span<std::byte> out) {
            ++written;
            for (std::size_t at = 0; at < out.size(); at += sizeof(float)) {
                const auto bytes = std::as_bytes(std::span(&value, 1));
                std::ranges::copy(bytes, out.begin() + static_cast<std::ptrdiff_t>(at));
            }
        }};
}

std::vector<float> numbers_of(const tensor::Tensor& tensor) {
    std::vector<float> numbers(static_cast<std::size_t>(tensor.element_count()));
    tensor::download(tensor, std::as_writable_bytes(std::span(numbers)));
    return numbers;
}

} // namespace

TEST_CASE("keys are equal where identities and values are") {
    const auto object = std::make_shared<int>(1);
    const auto twin = std::make_shared<int>(1);
    PartKey key("box");
    key.add_identity(object).add(1.0F);
    PartKey same("box");
    same.add_identity(object).add(1.0F);
    CHECK(key == same);
    CHECK(key.hash() == same.hash());

    PartKey other("box");
    other.add_identity(twin).add(1.0F);
    CHECK_FALSE(key == other);
    CHECK_FALSE(PartKey("a").add("bc") == PartKey("a").add("b").add("c"));
    CHECK_FALSE(PartKey("a").add(1) == PartKey("a").add(std::int64_t{1}));
    CHECK_FALSE(PartKey("a").add(PartKey("b")) == PartKey("a").add("b"));
}

TEST_CASE_METHOD(Fixture, "a part is made once for its key, and goes over to the next tables") {
    int made = 0;
    const auto make = [&] { return std::make_shared<const int>(++made); };
    using Part = std::shared_ptr<const int>;
    KeptParts first(device);
    const Part part = first.get<Part>(key_of("a"), make);
    CHECK(first.get<Part>(key_of("a"), make) == part);

    KeptParts second(device, &first);
    CHECK(second.get<Part>(key_of("a"), make) == part);
    CHECK(second.get<Part>(key_of("b"), make) != part);
    second.end();
    KeptParts third(device, &second);
    third.end();
    CHECK(third.get<Part>(key_of("a"), make) != part);
    CHECK(made == 3);
}

TEST_CASE_METHOD(Fixture, "equal numbers are uploaded once") {
    KeptParts kept(device);
    const std::vector<float> numbers{1, 2, 3};
    const auto tensor = kept.upload("x", std::span<const float>(numbers));
    CHECK(kept.upload("x", std::span<const float>(numbers)) == tensor);
    CHECK(kept.upload("y", std::span<const float>(numbers)) != tensor);
    CHECK(numbers_of(*tensor) == numbers);
    CHECK(numbers_of(*kept.upload("x", std::span<const float>())) == std::vector<float>{0});
}

TEST_CASE_METHOD(Fixture, "chunks that were there are copied, others written") {
    std::array<int, 4> written{};
    KeptParts first(device);
    const auto chunk = [&](std::size_t k) {
        return counted(std::string(1, static_cast<char>('a' + k)), k + 1, static_cast<float>(k),
                       written.at(k));
    };
    const auto before = first.assemble("numbers", {chunk(0), chunk(1), chunk(2)});
    CHECK(first.assemble("numbers", {chunk(0), chunk(1), chunk(2)}) == before);
    CHECK(numbers_of(*before) == std::vector<float>{0, 1, 1, 2, 2, 2});

    KeptParts second(device, &first);
    const auto after = second.assemble("numbers", {chunk(1), chunk(2), chunk(3), chunk(0)});

    CHECK(numbers_of(*after) == std::vector<float>{1, 1, 2, 2, 2, 3, 3, 3, 3, 0});
    CHECK(numbers_of(*before) == std::vector<float>{0, 1, 1, 2, 2, 2});
    CHECK(written == std::array{1, 1, 1, 1});
    CHECK(numbers_of(*second.assemble("none", {})) == std::vector<float>{0});
}

TEST_CASE_METHOD(Fixture, "zeros lie between chunks, however many") {
    int written = 0;
    KeptParts kept(device);
    const auto chunk = [&] { return counted("a", 1, 3, written); };
    constexpr std::size_t kMany = 10000;
    const auto tensor = kept.assemble(
        "numbers", {chunk(), zeros_chunk(kMany), zeros_chunk(kMany), zeros_chunk(2), chunk()});

    std::vector<float> expected(2 * kMany + 4);
    expected.front() = 3;
    expected.back() = 3;
    CHECK(numbers_of(*tensor) == expected);
}

TEST_CASE_METHOD(Fixture, "geometry that did not change stays where it is") {
    scene::Mesh described;
    described.positions = std::vector<float>{0, 0, 0, 1, 0, 0, 0, 1, 0};
    described.triangles = std::vector<std::uint32_t>{0, 1, 2};
    described.uvs.push_back({.name = "UVMap", .values = std::vector<float>{0, 0, 1, 0, 0, 1}});
    scene::Scene scene;
    scene.objects.push_back({.mesh = scene::mesh(std::move(described)),
                             .materials = {scene::material("m", scene::closure("diffuse"))}});
    const auto build = [&](KeptParts& kept) {
        return build_geometry_tensors(kept, scene, scene::build_geometry_table(scene), true);
    };
    KeptParts first(device);
    const GeometryTensors before = build(first);
    CHECK(numbers_of(*before.tangents) == std::vector<float>{1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1});
    KeptParts second(device, &first);
    scene.objects[0].transform[3] = 2; // one to the side

    const GeometryTensors after = build(second);

    CHECK(after.uvs == before.uvs);
    CHECK(after.slots == before.slots);
    CHECK(after.positions != before.positions);
    CHECK(numbers_of(*after.positions)[0] == 2);
    CHECK(find_extent(second, scene) == find_extent(first, scene));
}
