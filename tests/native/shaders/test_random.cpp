// SPDX-License-Identifier: Apache-2.0
#include "shader_runner.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace weft;
using namespace weft::test;

namespace {

constexpr std::uint32_t kCount = 1 << 14;

/// Wang's hash, as published.
std::uint32_t wang_hash(std::uint32_t seed) {
    seed = (seed ^ 61U) ^ (seed >> 16);
    seed *= 9U;
    seed = seed ^ (seed >> 4);
    seed *= 0x27d4eb2dU;
    return seed ^ (seed >> 15);
}

} // namespace

TEST_CASE("weft_wang_hash is Wang's hash and weft_rand_float is uniform in its range") {
    for (const auto& device : shader_devices()) {
        CAPTURE(device->info().name);
        const auto numbers = upload(*device, std::vector<float>(kCount));
        const auto bits = upload(*device, std::vector<std::uint32_t>(kCount));
        ArgumentBytes arguments;
        arguments.add_pointer(numbers.get()).add_pointer(bits.get()).add(std::uint32_t{7});

        const std::array<device::Buffer*, 2> buffers{numbers.get(), bits.get()};
        run_twin(*device,
                 {"tensor_kernels.cs.slang", "drawNumbers", {64, 1, 1}, {kCount / 64, 1, 1}},
                 arguments, buffers);

        const auto hashes = download<std::uint32_t>(*device, *bits);
        for (std::uint32_t i = 0; i < kCount; ++i) {
            REQUIRE(hashes[i] == wang_hash(i));
        }
        const auto values = download<float>(*device, *numbers);
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        CHECK(*low >= 1.0F);
        CHECK(*high < 3.0F);
        // The mean of n uniform numbers of width 2 deviates by 2 / sqrt(12 n) = 0.0045; four times that.
        const double mean = std::accumulate(values.begin(), values.end(), 0.0) / kCount;
        CHECK(std::abs(mean - 2.0) < 0.018);
    }
}
