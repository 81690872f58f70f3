// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "drawn_texels.hpp"
#include "fit/guided.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <random>

using namespace weft;

namespace {

constexpr std::size_t kSize = 48;
constexpr fit::ImageShape kShape{.height = kSize, .width = kSize, .channels = 4};
const std::vector<bool> kAll(kSize* kSize, true);

/// Four numbers of two materials in patches: three of a color, one that depends on them.
fit::TexelImage patches() {
    constexpr std::array<double, 4> kFirst{0.8, 0.3, 0.1, 0.7};
    constexpr std::array<double, 4> kSecond{0.2, 0.4, 0.6, 0.25};
    fit::TexelImage out(kShape);
    for (std::size_t i = 0; i < out.values.size(); ++i) {
        const auto x = static_cast<double>(i / 4 % kSize);
        const auto y = static_cast<double>(i / 4 / kSize);
        out.values[i] = std::sin(x / 4) + std::cos(y / 5) > 0 ? kFirst[i % 4] : kSecond[i % 4];
    }
    return out;
}

/// Root mean square of the last number's difference.
double distance(const fit::TexelImage& maps, const fit::TexelImage& truth) {
    double sum = 0;
    for (std::size_t i = 3; i < maps.values.size(); i += 4) {
        sum += std::pow(maps.values[i] - truth.values[i], 2);
    }
    return std::sqrt(sum / static_cast<double>(kSize * kSize));
}

fit::TexelImage variances(double deviation) {
    fit::TexelImage out(kShape);
    std::ranges::fill(out.values, deviation * deviation);
    return out;
}

} // namespace

TEST_CASE("a map that depends on the others is reproduced") {
    const fit::TexelImage truth = patches();

    const fit::TexelImage found =
        fit::guided(truth, fit::TexelWindows(kShape, kAll), {.own = {3}, .guides = {0, 1, 2}});

    for (std::size_t texel = 0; texel < found.values.size(); ++texel) {
        // The ridge flattens it by little.
        CHECK(found.values[texel] == Approx(truth.texel(texel)[3]).margin(0.02));
    }
}

TEST_CASE("noise of a map goes and edges of the others stay") {
    const fit::TexelImage truth = patches();
    fit::TexelImage maps = truth;
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < maps.values.size(); ++i) {
        maps.values[i] += (i % 4 == 3 ? 0.2 : 0.02) * normal(random);
    }

    const fit::TexelImage found = fit::follow_guides(maps, kAll, variances(0.2), {3});

    CHECK(distance(found, truth) < 0.4 * distance(maps, truth));
    for (std::size_t i = 0; i < maps.values.size(); ++i) {
        CHECK((i % 4 == 3 || found.values[i] == maps.values[i]));
    }
}

TEST_CASE("detail of its own that is told stays") {
    fit::TexelImage truth = patches();
    for (std::size_t texel = 0; texel < kSize * kSize; ++texel) {
        truth.values[4 * texel + 3] = (texel % kSize / 2 + texel / kSize / 2) % 2 == 1 ? 0.7 : 0.2;
    }

    CHECK(distance(fit::follow_guides(truth, kAll, variances(0.01), {3}), truth) < 0.002);
}

TEST_CASE("texels that say nothing lead nobody") {
    const fit::TexelImage truth = patches();
    fit::TexelImage maps = truth;
    std::vector<bool> seen = kAll;
    for (std::size_t texel = 10 * kSize; texel < 20 * kSize; ++texel) {
        seen[texel] = false;
        std::fill_n(maps.values.begin() + static_cast<std::ptrdiff_t>(4 * texel), 4, 50.0);
    }

    const fit::TexelImage found = fit::follow_guides(maps, seen, variances(1), {3});

    for (std::size_t texel = 0; texel < kSize * kSize; ++texel) {
        CHECK((!seen[texel] || std::abs(found.texel(texel)[3] - truth.texel(texel)[3]) < 0.05));
    }
}

TEST_CASE("without another map nothing moves") {
    const fit::TexelImage maps = patches();
    const std::vector<bool> none(kAll.size(), false);

    CHECK(fit::follow_guides(maps, kAll, variances(1), {0, 1, 2, 3}).values == maps.values);
    CHECK(fit::follow_guides(maps, none, variances(1), {3}).values == maps.values);
    CHECK_THROWS_AS(fit::TexelWindows(kShape, std::vector<bool>(3)), core::ArgumentError);
}

TEST_CASE("maps are led as numpy leads them") {
    const fit::ImageShape shape{.height = 8, .width = 9, .channels = 3};
    const fit::TexelImage maps = fit::drawn_image(6, shape);
    std::vector<bool> seen;
    for (const double value : fit::drawn(7, 72)) {
        seen.push_back(value > 0.2);
    }
    fit::TexelImage noise(shape);
    std::ranges::fill(noise.values, 0.01);

    const fit::TexelImage found =
        fit::guided(maps, fit::TexelWindows(shape, seen), {.own = {2}, .guides = {0, 1}});
    const fit::TexelImage led = fit::follow_guides(maps, seen, noise, {2});

    // Means over windows are in float.
    CHECK(found.values[2 * 9 + 3] == Approx(0.520391013479).epsilon(1e-5));
    CHECK(found.values[2 * 9 + 4] == Approx(0.536278546272).epsilon(1e-5));
    CHECK(led.texel(2 * 9 + 4)[2] == Approx(0.878783246045).epsilon(1e-5));
    CHECK(led.texel(2 * 9 + 5)[2] == Approx(0.395253224932).epsilon(1e-5));
}

TEST_CASE("inputs that shape reflections are known by name") {
    for (const char* name : {"a.roughness", "a.coat_roughness", "a.Clay.b/Roughness", "a.ior",
                             "a.\"Anisotropic Rotation\""}) {
        CHECK(fit::is_shape(name));
    }
    for (const char* name : {"roughness.base_color", "a.metallic", "a.coat_weight"}) {
        CHECK_FALSE(fit::is_shape(name));
    }
}
