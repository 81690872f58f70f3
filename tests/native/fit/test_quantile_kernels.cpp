// SPDX-License-Identifier: Apache-2.0
// Quantiles on the device, beside sorted numbers.
#include "fit/quantiles.hpp"
#include "kernels_fixture.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

namespace weft::fit {
namespace {

using namespace testing;

/// Positive values[first], values[first + stride], ...
std::vector<double> positive(const Floats& values, const ValueRange& range) {
    std::vector<double> out;
    for (auto i = static_cast<std::size_t>(range.first); i < values.size();
         i += static_cast<std::size_t>(range.stride)) {
        if (values[i] > 0) {
            out.push_back(static_cast<double>(values[i]));
        }
    }
    return out;
}

/// Numbers from 1e-12 to 1e12, negative ones and zeros among them; half of them equal.
Floats far_apart(std::size_t count) {
    const Floats powers = noise(count, -12, 12, 5);
    const Floats signs = noise(count, 0, 4, 6);
    Floats out(count);
    for (std::size_t i = 0; i < count; ++i) {
        const float size = std::pow(10.0F, powers[i]);
        out[i] = signs[i] < 1 ? -size : signs[i] < 2 ? 0.0F : size;
    }
    out.front() = 3.5F;
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(count / 2), out.end(), out.front());
    return out;
}

TEST_CASE_METHOD(KernelsFixture, "quantiles are those of the sorted positive values") {
    for (const std::size_t count : {1U, 2U, 7U, 1000U, 20000U}) {
        Floats values = noise(count, -1, 3);
        values.front() = 0.25F;
        Floats positive;
        std::ranges::copy_if(values, std::back_inserter(positive),
                             [](float value) { return value > 0; });
        std::ranges::sort(positive);
        for (const double share : {0.0, 0.25, 0.5, 1.0}) {
            const double at = share * static_cast<double>(positive.size() - 1);
            const auto below = static_cast<std::size_t>(at);
            const std::size_t above = std::min(below + 1, positive.size() - 1);
            const double expected = positive[below] + (at - static_cast<double>(below)) *
                                                          (positive[above] - positive[below]);
            INFO(count << " values, share " << share);
            REQUIRE(read(images.quantile(upload(values), share)).front() ==
                    Approx(expected).epsilon(2e-3 * (count > 1000 ? 1 : 1e-3)));
        }
    }
    CHECK(read(images.quantile(upload({-1, 0, -2}), 0.5)).front() == 0);
    CHECK(
        read(images.quantile(upload({9, 1, 9, 2, 9, 4}), 0.5, {.first = 1, .stride = 2})).front() ==
        2);
    CHECK(read(images.quantile(upload({2, 2, 2, 2}), 0.5)).front() == 2);
}

TEST_CASE_METHOD(KernelsFixture, "quantiles know ties, strides and numbers that lie far apart") {
    for (const std::size_t count : {1U, 2U, 3U, 257U, 5000U}) {
        const Floats values = far_apart(count);
        const tensor::TensorRef on_device = upload(values);
        for (const ValueRange& range : {ValueRange{}, ValueRange{.first = 0, .stride = 3},
                                        ValueRange{.first = 2, .stride = 3}}) {
            if (range.first >= std::ssize(values)) {
                continue;
            }
            for (const double share : {0.0, 0.5, 0.98, 1.0}) {
                INFO(count << " values from " << range.first << " by " << range.stride << ", share "
                           << share);
                const Floats found = read(images.quantile(on_device, share, range));
                // The place between two numbers is a float.
                REQUIRE(found == Floats{found.front()});
                REQUIRE(static_cast<double>(found.front()) ==
                        Approx(quantile(positive(values, range), share)).epsilon(1e-4));
            }
        }
    }
}

TEST_CASE_METHOD(KernelsFixture, "a quantile of many numbers is one of them") {
    Floats values = noise(300001, 0, 1, 3);
    const float found = read(images.quantile(upload(values), 0.5)).front();

    std::erase_if(values, [](float value) { return !(value > 0); });
    const bool is_odd = values.size() % 2 == 1;
    REQUIRE(is_odd);
    std::ranges::nth_element(values,
                             values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
    CHECK(found == values[values.size() / 2]);
}

} // namespace
} // namespace weft::fit
