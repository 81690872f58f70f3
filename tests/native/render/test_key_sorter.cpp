// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "fixture.hpp"
#include "render/key_sorter.hpp"
#include "tensor/transfer.hpp"

#include <random>

namespace weft::render::testing {

namespace {

tensor::TensorRef upload_words(const Fixture& fixture, std::span<const std::uint32_t> words) {
    tensor::TensorRef made = tensor::Tensor::create(
        fixture.device,
        {.dtype = reflect::scalar_type(reflect::ScalarKind::uint32), .shape = {std::ssize(words)}});
    tensor::upload(*made, std::as_bytes(words));
    return made;
}

std::vector<std::uint32_t> words_of(const tensor::Tensor& tensor) {
    std::vector<std::uint32_t> words(static_cast<std::size_t>(tensor.element_count()));
    tensor::download(tensor, std::as_writable_bytes(std::span(words)));
    return words;
}

std::vector<std::uint32_t> random_keys(std::uint32_t count, std::uint32_t key_count) {
    std::mt19937 engine(count + key_count);
    std::uniform_int_distribution<std::uint32_t> draw(0, key_count - 1);
    std::vector<std::uint32_t> keys(count);
    std::ranges::generate(keys, [&] { return draw(engine); });
    return keys;
}

} // namespace

TEST_CASE("the device sorts numbers as the host does", "[vulkan]") {
    const Fixture fixture;
    KeySorter sorter(fixture.context);
    const auto [count, key_count] = GENERATE(table<std::uint32_t, std::uint32_t>(
        {{1, 1}, {255, 3}, {256, 1}, {257, 7}, {100'003, 2}, {70'000, 13}, {40'000, 2'000}}));
    CAPTURE(count, key_count);
    const auto keys = upload_words(fixture, random_keys(count, key_count));
    // What lies behind is left alone.
    const std::vector<std::uint32_t> before(count + 5, 77);
    const auto by_host = upload_words(fixture, before);
    const auto by_device = upload_words(fixture, before);

    const auto expected = sort_by_key(*keys, *by_host, count, key_count);
    const auto found = sorter.sort_on_device(keys, by_device, count, key_count);

    CHECK(found == expected);
    CHECK(words_of(*by_device) == words_of(*by_host));
}

TEST_CASE("a sorter serves fewer and more numbers, one call after the other", "[vulkan]") {
    const Fixture fixture;
    KeySorter sorter(fixture.context);
    for (const std::uint32_t count : {3000U, 200'000U, 500U}) {
        const auto keys = upload_words(fixture, random_keys(count, 5));
        const auto by_host = upload_words(fixture, std::vector<std::uint32_t>(count));
        const auto by_device = upload_words(fixture, std::vector<std::uint32_t>(count));

        const auto expected = sort_by_key(*keys, *by_host, count, 5);

        CHECK(sorter.sort_on_device(keys, by_device, count, 5) == expected);
        CHECK(words_of(*by_device) == words_of(*by_host));
    }
}

TEST_CASE("a key that does not exist is named by both ways", "[vulkan]") {
    const Fixture fixture;
    KeySorter sorter(fixture.context);
    std::vector<std::uint32_t> words = random_keys(20'000, 4);
    words[12'345] = 9;
    const auto keys = upload_words(fixture, words);
    const auto queue = upload_words(fixture, words);

    CHECK_THROWS_WITH(sorter.sort_on_device(keys, queue, 20'000, 4),
                      "sort_by_key: key 9 is not below 4");
    CHECK_THROWS_AS(sorter.sort(keys, queue, 20'000, 0), core::ArgumentError);
}

} // namespace weft::render::testing
