// SPDX-License-Identifier: Apache-2.0
#include "shader_runner.hpp"
#include "support/catch.hpp"

#include <numeric>

using namespace weft;
using namespace weft::test;

namespace {

constexpr const char* kFile = "tensor_kernels.cs.slang";

/// The natural layout of Pixel in the twin.
struct Pixel {
    float color[3];
    std::int32_t id;
};

} // namespace

TEST_CASE("every way to name an element of a tensor reaches it") {
    for (const auto& device : shader_devices()) {
        CAPTURE(device->info().name);
        std::vector<float> matrix(12);
        std::iota(matrix.begin(), matrix.end(), 0.0F);
        const auto matrix_buffer = upload(*device, matrix);
        const auto row = upload(*device, std::vector<float>(8, -1.0F));
        const auto pixels = upload(
            *device,
            std::vector<Pixel>{{{0, 0, 0}, 0}, {{0, 0, 0}, 1}, {{0, 0, 0}, 2}, {{0, 0, 0}, 3}});
        const auto result = upload(*device, std::vector<float>(4, 0.0F));
        ArgumentBytes arguments;
        arguments.add_pointer(matrix_buffer.get())
            .add_pointer(row.get())
            .add_pointer(pixels.get())
            .add_pointer(result.get());

        const std::array<device::Buffer*, 4> buffers{matrix_buffer.get(), row.get(), pixels.get(),
                                                     result.get()};
        run_twin(*device, {kFile, "accessElements"}, arguments, buffers);

        const auto values = download<float>(*device, *result);
        CHECK(values[0] == 7 * 6.0F + 100 * (3 * 6.0F)); // element [1, 2] is 6
        CHECK(values[1] == 1.0F + 24.0F + 3.0F + 4.0F);  // (2 + 10) * 2 at index 1
        CHECK(values[2] == 5.0F);
        CHECK(values[3] == 4.0F);
        CHECK(download<float>(*device, *row) == std::vector<float>{1, -1, 24, -1, 3, -1, 4, -1});
        const auto painted = download<Pixel>(*device, *pixels);
        CHECK(painted[3].id == 4);
        CHECK(painted[3].color[1] == 2.0F);
        CHECK(painted[2].id == 2);
    }
}

TEST_CASE("offsets beyond 31 bits are exact") {
    for (const auto& device : shader_devices()) {
        CAPTURE(device->info().name);
        const auto result = upload(*device, std::vector<std::uint64_t>{0});
        ArgumentBytes arguments;
        arguments.add(std::uint64_t{0x1000}).add_pointer(result.get());

        const std::array<device::Buffer*, 1> buffers{result.get()};
        run_twin(*device, {kFile, "computeFarAddress"}, arguments, buffers);

        CHECK(download<std::uint64_t>(*device, *result)[0] == 0xffffffffULL);
    }
}
