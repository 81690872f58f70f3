// SPDX-License-Identifier: Apache-2.0
#include "shader_runner.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace weft;
using namespace weft::test;

namespace {

constexpr const char* kFile = "reduce_kernels.cs.slang";
constexpr std::uint32_t kThreads = 256;

/// The layout of ReduceArguments.
struct Reduction {
    std::uint64_t x = 0;
    std::uint64_t y = 0;
    std::uint64_t result = 0;
    std::uint64_t rows = 1;
    std::uint64_t count = 1;
    std::array<std::int64_t, 4> row_strides_x{};
    std::array<std::int64_t, 4> row_strides_y{};
    std::array<std::int64_t, 4> strides_x{};
    std::array<std::int64_t, 4> strides_y{};
    std::array<std::uint64_t, 4> row_shape{1, 1, 1, 1};
    std::array<std::uint64_t, 4> shape{1, 1, 1, 1};
    std::uint32_t segments = 1;
    std::uint32_t group_columns = 1;
    float relative_tolerance = 0;
    float absolute_tolerance = 0;
};
static_assert(sizeof(Reduction) == 248);

/// `rows` rows of `count` adjacent elements.
Reduction contiguous_rows(std::uint64_t rows, std::uint64_t count) {
    Reduction reduction;
    reduction.rows = rows;
    reduction.count = count;
    reduction.row_shape[3] = rows;
    reduction.shape[3] = count;
    reduction.row_strides_x[3] = reduction.row_strides_y[3] = static_cast<std::int64_t>(count);
    reduction.strides_x[3] = reduction.strides_y[3] = 1;
    return reduction;
}

/// Launches an entry point and returns its [segments][rows] values.
template <typename Value>
std::shared_ptr<device::Buffer> reduce(device::Device& device, const std::string& entry_point,
                                       Reduction reduction, device::Buffer& x, device::Buffer& y) {
    const std::uint64_t jobs = reduction.rows * reduction.segments;
    const bool by_thread = entry_point.ends_with("ByThread") || entry_point == "mergeSums";
    const auto groups =
        static_cast<std::uint32_t>(by_thread ? (jobs + kThreads - 1) / kThreads : jobs);
    reduction.group_columns = std::min(groups, 100U);
    const auto result = upload(device, std::vector<Value>(jobs));
    reduction.x = x.address();
    reduction.y = y.address();
    reduction.result = result->address();
    const auto block = upload(device, std::vector<Reduction>{reduction});
    ArgumentBytes arguments;
    arguments.add_pointer(block.get());
    const std::uint32_t lines = (groups + reduction.group_columns - 1) / reduction.group_columns;
    const std::array<device::Buffer*, 4> buffers{&x, &y, result.get(), block.get()};
    run_twin(device, {kFile, entry_point, {kThreads, 1, 1}, {reduction.group_columns, lines, 1}},
             arguments, buffers);
    return result;
}

template <typename Value>
std::vector<Value> values_of(device::Device& device, const std::string& entry_point,
                             const Reduction& reduction, device::Buffer& x, device::Buffer& y) {
    return download<Value>(device, *reduce<Value>(device, entry_point, reduction, x, y));
}

/// Numbers without a pattern in [-1, 1).
std::vector<float> numbers(std::size_t count) {
    std::vector<float> values(count);
    std::uint32_t state = 1;
    for (float& value : values) {
        state = state * 1664525U + 1013904223U;
        value = static_cast<float>(state >> 8) * (2.0F / 16777216.0F) - 1.0F;
    }
    return values;
}

double exact_sum(const std::vector<float>& values, std::size_t first, std::size_t count) {
    return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(first),
                           values.begin() + static_cast<std::ptrdiff_t>(first + count), 0.0);
}

} // namespace

TEST_CASE("rows are summed by groups and by threads, in one piece and in segments") {
    for (const auto& device : shader_devices()) {
        CAPTURE(device->info().name);
        const std::uint64_t rows = 3;
        const std::uint64_t count = 5001;
        const auto data = numbers(rows * count);
        const auto x = upload(*device, data);
        for (const char* entry_point : {"sumByGroup", "sumByThread"}) {
            for (const std::uint32_t segments : {1U, 7U}) {
                CAPTURE(entry_point, segments);
                Reduction reduction = contiguous_rows(rows, count);
                reduction.segments = segments;
                auto result = reduce<float>(*device, entry_point, reduction, *x, *x);
                if (segments > 1) {
                    Reduction merge = contiguous_rows(rows, segments);
                    merge.row_strides_x[3] = 1;
                    merge.strides_x[3] = static_cast<std::int64_t>(rows);
                    result = reduce<float>(*device, "mergeSums", merge, *result, *result);
                }

                const auto sums = download<float>(*device, *result);
                for (std::size_t row = 0; row < rows; ++row) {
                    // One thread adds at most 5001 / 8 partial sums below 60, each to half an ulp of 60.
                    CHECK(std::abs(sums[row] - exact_sum(data, row * count, count)) < 1.2e-3);
                }
            }
        }
    }
}

TEST_CASE("a sum does not change from run to run") {
    for (const auto& device : shader_devices()) {
        CAPTURE(device->info().name);
        const auto x = upload(*device, numbers(70001));
        Reduction reduction = contiguous_rows(1, 70001);
        reduction.segments = 5;

        const auto first = values_of<float>(*device, "sumByGroup", reduction, *x, *x);

        for (int run = 0; run < 5; ++run) {
            CHECK(values_of<float>(*device, "sumByGroup", reduction, *x, *x) == first);
        }
    }
}

TEST_CASE("rows and elements may span several strided dimensions") {
    for (const auto& device : shader_devices()) {
        CAPTURE(device->info().name);
        const std::vector<float> data = numbers(std::size_t{3} * 4 * 5 * 6);
        const auto x = upload(*device, data);
        Reduction reduction; // (3, 4, 5, 6) summed over axes 1 and 3
        reduction.rows = 15;
        reduction.count = 24;
        reduction.row_shape = {1, 1, 3, 5};
        reduction.row_strides_x = {0, 0, 120, 6};
        reduction.shape = {1, 1, 4, 6};
        reduction.strides_x = {0, 0, 30, 1};

        const auto sums = values_of<float>(*device, "sumByGroup", reduction, *x, *x);

        for (std::size_t row = 0; row < 15; ++row) {
            double expected = 0;
            for (std::size_t j = 0; j < 4; ++j) {
                expected += exact_sum(data, row / 5 * 120 + j * 30 + row % 5 * 6, 6);
            }
            CHECK(std::abs(sums[row] - expected) < 1e-5); // 24 numbers below 1
        }
    }
}

TEST_CASE("a dot product reads both arrays with their own strides") {
    for (const auto& device : shader_devices()) {
        CAPTURE(device->info().name);
        const auto x = upload(*device, std::vector<float>{1, 2, 3});
        const auto y = upload(*device, std::vector<float>{10, 0, 100, 0, 1000, 0});
        Reduction reduction = contiguous_rows(1, 3);
        reduction.strides_y[3] = 2;

        CHECK(values_of<float>(*device, "dotByGroup", reduction, *x, *y) ==
              std::vector<float>{3210});
    }
}

TEST_CASE("half is accumulated in float") {
    for (const auto& device : shader_devices()) {
        CAPTURE(device->info().name);
        constexpr std::uint16_t kSixteen =
            0x4c00; // 16 as a half: 1000 * 256 is beyond the range of half
        const auto x = upload(*device, std::vector<std::uint16_t>(1000, kSixteen));

        CHECK(values_of<float>(*device, "sumOfSquaresByGroup", contiguous_rows(1, 1000), *x, *x) ==
              std::vector<float>{256000});
    }
}

TEST_CASE("extrema keep infinities and NaN, and widen integers") {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    for (const auto& device : shader_devices()) {
        CAPTURE(device->info().name);
        const auto x = upload(*device, std::vector<float>{3, -2, 7, kInfinity, kInfinity, kInfinity,
                                                          1, std::nanf(""), 2});

        const auto minima =
            values_of<float>(*device, "minimumByGroup", contiguous_rows(3, 3), *x, *x);

        CHECK(minima[0] == -2.0F);
        CHECK(minima[1] == kInfinity);
        CHECK(std::isnan(minima[2]));
        const auto bytes = upload(*device, std::vector<std::int8_t>{-128, -3, -5, -7});
        CHECK(values_of<std::int64_t>(*device, "maximumByThread", contiguous_rows(2, 2), *bytes,
                                      *bytes) == std::vector<std::int64_t>{-3, -5});
    }
}

TEST_CASE("comparison within tolerances follows |x - y| <= absolute + relative |y|") {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    for (const auto& device : shader_devices()) {
        CAPTURE(device->info().name);
        const auto x = upload(*device, std::vector<float>{100, 100, kInfinity, 5, std::nanf("")});
        const auto y =
            upload(*device, std::vector<float>{101, 103, kInfinity, kInfinity, std::nanf("")});
        Reduction reduction = contiguous_rows(5, 1);
        reduction.relative_tolerance = 0.01F;
        reduction.absolute_tolerance = 0.5F;

        CHECK(values_of<std::uint32_t>(*device, "compareByGroup", reduction, *x, *y) ==
              std::vector<std::uint32_t>{1, 0, 1, 0, 0});
    }
}
