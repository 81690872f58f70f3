// SPDX-License-Identifier: Apache-2.0
// Residuals and derivatives of films, against finite differences, and which pixels they select.
#include "fit/inflation.hpp"
#include "fit/observation.hpp"
#include "fit/pixel_selection.hpp"
#include "fit/view_rows.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <random>
#include <vector>

using namespace weft::fit;

namespace {

constexpr std::size_t kPixels = 5; ///< of the picture
const std::vector<std::uint32_t> kDrawn{0, 2, 3};

/// A number of a material, the gain of view 1 with a white balance, and the factor of a light.
Unknowns unknowns() {
    Unknowns out{
        .blocks = {{.name = "Paint.roughness", .slots = {{0}}, .first = 0, .size = 1},
                   {.name = "photo.exposure", .first = 1, .size = 3, .is_log = true, .view = 1},
                   {.name = "lamp.factor", .first = 4, .size = 1, .is_log = true, .light = 0}},
        .start = {0.3, 0.1, -0.2, 0.3, 0.4}};
    return out;
}

/// Two parts of light, each in proportion to the number of the material.
struct Films {
    std::vector<float> base;
    std::vector<float> weights;
    std::vector<float> image;
    std::vector<std::optional<std::size_t>> lights{0, std::nullopt};

    Films() {
        std::mt19937 random(4);
        std::uniform_real_distribution<float> uniform(0.5F, 1.5F);
        const auto fill = [&](std::vector<float>& values, std::size_t count) {
            for (std::size_t i = 0; i < count; ++i) {
                values.push_back(uniform(random));
            }
        };
        fill(base, 2 * kDrawn.size() * kChannels);
        fill(weights, kPixels * kChannels);
        fill(image, kPixels * kChannels);
        weights[3 * 2] = 0;
    }

    /// parts x (1 + directions) x pixels x 3 for a value of the number.
    [[nodiscard]] std::vector<float> developed(double value, bool with_direction) const {
        std::vector<float> out;
        const std::size_t block = kDrawn.size() * kChannels;
        for (std::size_t part = 0; part < 2; ++part) {
            for (std::size_t i = 0; i < block; ++i) {
                out.push_back(base[part * block + i] * static_cast<float>(value));
            }
            for (std::size_t i = 0; with_direction && i < block; ++i) {
                out.push_back(base[part * block + i]);
            }
        }
        return out;
    }
};

std::vector<float> residuals(const Films& films, const Vector& x, std::size_t view) {
    const Unknowns own = unknowns();
    const std::vector<float> parts = films.developed(x[0], false);
    std::vector<float> out;
    append_residuals({.number = view,
                      .parts = parts,
                      .lights = films.lights,
                      .pixels = kDrawn,
                      .weights = films.weights,
                      .image = films.image},
                     film_factors(own, own.directions(1).columns, x, 2), out);
    return out;
}

} // namespace

TEST_CASE("derivatives of films are those of finite differences, of residuals that are the same") {
    const Films films;
    const Unknowns own = unknowns();
    const Vector x = own.start;
    const std::vector<float> parts = films.developed(x[0], true);
    for (const std::size_t view : {0U, 1U}) {
        std::vector<float> residual;
        std::vector<float> jacobian;
        append_rows({.number = view,
                     .parts = parts,
                     .lights = films.lights,
                     .pixels = kDrawn,
                     .weights = films.weights,
                     .image = films.image},
                    film_factors(own, own.directions(1).columns, x, 2), residual, jacobian);
        const std::vector<float> alone = residuals(films, x, view);
        REQUIRE(residual.size() == kDrawn.size() * kChannels);
        REQUIRE(jacobian.size() == residual.size() * x.size());
        for (std::size_t i = 0; i < residual.size(); ++i) {
            CHECK(residual[i] == Approx(alone[i]).margin(1e-5));
        }
        for (std::size_t unknown = 0; unknown < x.size(); ++unknown) {
            constexpr double kStep = 1e-2; // floats of about 1: rounding makes 1e-5 of it
            Vector above = x;
            Vector below = x;
            above[unknown] += kStep;
            below[unknown] -= kStep;
            const std::vector<float> high = residuals(films, above, view);
            const std::vector<float> low = residuals(films, below, view);
            for (std::size_t i = 0; i < high.size(); ++i) {
                const double slope = static_cast<double>(high[i] - low[i]) / (2 * kStep);
                CHECK(jacobian[i * x.size() + unknown] == Approx(slope).margin(2e-3));
            }
        }
    }
}

TEST_CASE("pixels are kept that hold a share of the information") {
    CHECK(information_threshold({1, 5, 3, 1}, 0.5F) == 5);
    CHECK(information_threshold({1, 5, 3, 1}, 0.7F) == 3);
    CHECK(information_threshold({1, 5, 3, 1}, 1.0F) == 1);
    CHECK(information_threshold({0, 0}, 0.5F) == 0);
    CHECK(information_threshold({}, 0.5F) == 0);
    CHECK(pilot_stride(100) == 1);
    CHECK(pilot_stride(std::size_t{1} << 18U) == 4);
}

TEST_CASE("leverages sum up to the number of unknowns that residuals determine") {
    std::mt19937 random(2);
    std::normal_distribution<float> normal;
    std::vector<float> residual(60);
    std::vector<float> jacobian(60 * 2);
    for (float& value : jacobian) {
        value = normal(random);
    }
    const SamplePair pair{{residual, jacobian}, {residual, jacobian}};
    double sum = 0;
    for (const double leverage : leverages(pair, 2)) {
        CHECK(leverage >= 0);
        sum += leverage;
    }
    CHECK(sum == Approx(2).epsilon(0.01));
}

TEST_CASE("errors grow where neighbours share their residuals, and not by noise") {
    constexpr std::size_t kSide = 64;
    std::mt19937 random(6);
    std::normal_distribution<float> normal;
    const auto factor = [&](bool is_shared) {
        ViewPixels view{.pixels = {}, .width = kSide};
        std::vector<float> residual;
        std::vector<float> blocks(kSide);
        for (float& block : blocks) {
            block = normal(random);
        }
        for (std::uint32_t pixel = 0; pixel < kSide * kSide; ++pixel) {
            view.pixels.push_back(pixel);
            const std::size_t block = pixel / kSide / 8 * 8 + pixel % kSide / 8;
            const float own = is_shared ? blocks[block] : normal(random);
            residual.insert(residual.end(), kChannels, own);
        }
        const std::vector<float> jacobian(residual.size(), 1.0F);
        Matrix matrix(1, 1);
        matrix.values = {static_cast<double>(residual.size())};
        const std::vector<ViewPixels> views{view};
        return inflation({{residual, jacobian}, {residual, jacobian}}, views, matrix)[0];
    };
    // Squares of 8 pixels are one sample: the error of their mean is 8 times that of single pixels.
    CHECK(factor(true) == Approx(8).epsilon(0.4));
    CHECK(factor(false) < 1.8);
}
