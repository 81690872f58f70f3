// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "drawn_texels.hpp"
#include "fit/tied_maps.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

using namespace weft;

namespace {

constexpr std::size_t kSide = 24;
constexpr std::size_t kTexels = kSide * kSide;
constexpr double kRows = 8; ///< residuals a texel
using Block = std::array<double, 4>;

fit::MapGroup two_maps() {
    const fit::ImageShape shape{.height = kSide, .width = kSide};
    return fit::MapGroup({{.name = "m.roughness", .first = 0, .shape = shape},
                          {.name = "m.metallic", .first = kTexels, .shape = shape}});
}

/// Roughness and metallic of a mix of two materials, in stripes.
fit::TexelImage mixed() {
    fit::TexelImage out({.height = kSide, .width = kSide, .channels = 2});
    for (std::size_t texel = 0; texel < kTexels; ++texel) {
        const double share = texel % kSide / 6 % 2 == 1 ? 1.0 : 0.0;
        out.values[2 * texel] = 0.55 - 0.3 * share;
        out.values[2 * texel + 1] = 0.05 + 0.9 * share;
    }
    return out;
}

struct Fitted {
    fit::TiedMaps tied;
    fit::TexelImage maps;
};

/// Steps on quadratics around the truth whose gradients have noise.
Fitted fitted(const fit::TexelImage& blocks, const fit::TexelImage& truth, double noise,
              std::size_t iterations = 80) {
    std::mt19937 random(3);
    std::normal_distribution<double> normal;
    Fitted out{fit::TiedMaps(two_maps(), fit::constant_image(kSide, {0.4, 0.4})),
               fit::constant_image(kSide, {0.4, 0.4})};
    const fit::TexelImage none(truth.shape);
    for (std::size_t iteration = 0; iteration < iterations; ++iteration) {
        const fit::TiedSchedule schedule = fit::tied_schedule(iteration, iterations);
        out.tied.add_blocks(blocks);
        fit::TexelImage gradient(truth.shape);
        double excess = 0;
        for (std::size_t texel = 0; texel < kTexels; ++texel) {
            const auto block = blocks.texel(texel);
            const double a = out.maps.values[2 * texel] - truth.values[2 * texel];
            const double b = out.maps.values[2 * texel + 1] - truth.values[2 * texel + 1];
            const double root = std::sqrt(block[0]);
            const double cross = block[1] / root;
            const double first = noise * normal(random);
            const double second = noise * normal(random);
            const double rest = std::sqrt(block[3] - cross * cross);
            gradient.values[2 * texel] = block[0] * a + block[1] * b + root * first;
            gradient.values[2 * texel + 1] =
                block[1] * a + block[3] * b + cross * first + rest * second;
            excess += (a * (block[0] * a + block[1] * b) + b * (block[1] * a + block[3] * b)) / 2 /
                      kRows / static_cast<double>(kTexels);
        }
        out.tied.expect(excess, noise * noise / 2 * schedule.noise);
        out.maps = out.tied.move(out.maps, gradient, none, schedule);
    }
    return out;
}

fit::TexelImage minus(const fit::TexelImage& a, const fit::TexelImage& b) {
    fit::TexelImage out = a;
    for (std::size_t i = 0; i < a.values.size(); ++i) {
        out.values[i] -= b.values[i];
    }
    return out;
}

double largest(const fit::TexelImage& image) {
    double most = 0;
    for (const double value : image.values) {
        most = std::max(most, std::abs(value));
    }
    return most;
}

} // namespace

TEST_CASE("what maps share is learned where texels tell little") {
    const fit::TexelImage truth = mixed();
    // Only one mean of roughness and metallic is well told, as where reflections are few.
    const Fitted found =
        fitted(fit::constant_image(kSide, {1.002, -0.95, -0.95, 1.002}), truth, 0.02);

    const fit::TexelImage off = minus(found.maps, truth);
    for (std::size_t channel = 0; channel < 2; ++channel) {
        double squares = 0;
        for (std::size_t i = channel; i < off.values.size(); i += 2) {
            squares += off.values[i] * off.values[i] / static_cast<double>(kTexels);
        }
        CHECK(std::sqrt(squares) < 0.5 * (channel == 0 ? 0.15 : 0.45));
    }
    const fit::Matrix& learned = found.tied.covariance();
    CHECK(learned(0, 1) / learned(1, 1) == Approx(-0.3 / 0.9).epsilon(0.3));
}

TEST_CASE("errors of texels grow where little is told") {
    fit::TexelImage blocks({.height = kSide, .width = kSide, .channels = 4});
    for (std::size_t texel = 0; texel < kTexels; ++texel) {
        const double told = texel < kTexels / 2 ? 1.0 : 0.01;
        blocks.values[4 * texel] = blocks.values[4 * texel + 3] = told;
    }

    const Fitted found = fitted(blocks, mixed(), 0.02);
    const fit::TexelImage errors =
        found.tied.uncertainty(fit::constant_image(kSide, {0.5, 0.5}), 1e-2, 1).errors;

    for (std::size_t i = 0; i < 2 * kSide; ++i) {
        CHECK(errors.values[2 * kTexels - 1 - i] > 2 * errors.values[i]);
    }
}

TEST_CASE("ends of a mix are found where texels hardly move") {
    const fit::TexelImage truth = mixed();
    fit::TexelImage maps(truth.shape);
    for (std::size_t i = 0; i < maps.values.size(); ++i) {
        maps.values[i] = 0.3 + 0.02 * (truth.values[i] - (i % 2 == 0 ? 0.4 : 0.5));
    }
    fit::TiedMaps tied(two_maps(), maps);
    fit::SavedArrays saved = tied.save();
    saved.add("mean", {0.3, 0.3});
    saved.add("covariance", {1e-6 + 9e-6, -2.7e-5, -2.7e-5, 1e-6 + 8.1e-5});
    tied.restore(saved);
    tied.expect(0.5, 0);
    const fit::TexelImage none(truth.shape);
    for (int iteration = 0; iteration < 40; ++iteration) {
        tied.add_blocks(fit::constant_image(kSide, {1, 0, 0, 1}));
        maps = tied.move(maps, minus(maps, truth), none, {.shift = 1});
    }

    // The rate is 0: no texel has moved by itself.
    CHECK(largest(minus(maps, truth)) < 0.02);
}

TEST_CASE("fireflies move no map") {
    const fit::TexelImage maps = fit::constant_image(kSide, {0.5, 0.5});
    fit::TiedMaps tied(two_maps(), maps);
    std::mt19937 random(2);
    std::normal_distribution<double> normal;
    fit::TexelImage blocks = fit::constant_image(kSide, {1, 0, 0, 1});
    fit::TexelImage gradient(maps.shape);
    std::ranges::generate(gradient.values, [&] { return 0.01 * normal(random); });
    const std::size_t firefly = 3 * kSide + 4;
    std::ranges::copy(Block{1e5, 3e5, 3e5, 1e5},
                      blocks.values.begin() + static_cast<std::ptrdiff_t>(4 * firefly));
    gradient.values[2 * firefly] = gradient.values[2 * firefly + 1] = 1e5;

    tied.add_blocks(blocks);
    fit::TexelImage moved =
        tied.move(maps, gradient, fit::TexelImage(maps.shape), {.rate = 0.5, .shift = 0.5});

    moved.values[2 * firefly] = moved.values[2 * firefly + 1] = 0.5;
    CHECK(largest(minus(moved, maps)) < 0.03);
    CHECK(largest(minus(moved, maps)) > 0);
}

TEST_CASE("a state goes on as before") {
    const fit::TexelImage truth = fit::constant_image(kSide, {0.4, 0.5});
    Fitted found = fitted(fit::constant_image(kSide, {1, 0, 0, 1}), truth, 0.02, 20);
    fit::TiedMaps other(two_maps(), found.maps);
    other.restore(found.tied.save());
    const fit::TexelImage none(truth.shape);

    found.tied.expect(0.01, 0);
    other.expect(0.01, 0);

    const fit::TiedSchedule schedule = fit::tied_schedule(15, 20);
    const fit::TexelImage gradient = minus(found.maps, truth);
    CHECK(found.tied.move(found.maps, gradient, none, schedule).values ==
          other.move(found.maps, gradient, none, schedule).values);
}

TEST_CASE("a state that does not fit changes nothing") {
    fit::TiedMaps tied(two_maps(), fit::constant_image(kSide, {0.4, 0.5}));
    fit::SavedArrays saved = tied.save();
    CHECK(saved.at("blocks").shape == std::vector<std::size_t>{kSide, kSide, 2, 2});
    CHECK(saved.at("views").shape == std::vector<std::size_t>{kSide, kSide});
    saved.add("mean", {0.1, 0.1});
    saved.add("numbers", {1, 0});

    CHECK_THROWS_AS(tied.restore(saved), core::ArgumentError);
    CHECK(tied.mean()[0] == Approx(0.4));
    CHECK_THROWS_AS(fit::TiedMaps(two_maps(), fit::constant_image(3, {0.4, 0.5})),
                    core::ArgumentError);
}

TEST_CASE("first iterations move all texels alike, and later ones have their own rates") {
    CHECK(fit::tied_schedule(2, 60).is_first);
    CHECK(fit::tied_schedule(2, 60).shift == 1);
    CHECK(fit::tied_schedule(7, 60).shift == 0.6);
    const fit::TiedSchedule begin = fit::tied_schedule(8, 60);
    CHECK((begin.blur == 4 && begin.rate == 0.6 && !begin.is_guided));
    CHECK(begin.noise == Approx(0.6 / 1.4));
    const fit::TiedSchedule end = fit::tied_schedule(60, 60);
    CHECK((end.blur == 0 && end.rate == Approx(0.15) && end.is_guided));
}

namespace {

constexpr std::size_t kFloats = 104;

/// A color, roughness on half of its grid, and metallic.
fit::MapGroup three_maps() {
    std::vector<fit::MapRegion> regions{
        {.name = "m.base_color", .first = 0, .shape = {.height = 4, .width = 6, .channels = 3}},
        {.name = "m.roughness", .first = 72, .shape = {.height = 2, .width = 4}},
        {.name = "m.metallic", .first = 80, .shape = {.height = 4, .width = 6}}};
    for (fit::MapRegion& region : regions) {
        region.smoothness = 0.02;
    }
    return fit::MapGroup(std::move(regions));
}

/// A fit of drawn numbers, which numpy has made too.
struct DrawnFit {
    std::vector<float> texels = fit::drawn_floats(4, kFloats, 0.6, 0.2);
    fit::TiedMaps tied{three_maps(), three_maps().gather(texels)};

    DrawnFit() {
        constexpr std::uint32_t kIterations = 12;
        const std::vector<float> truth = fit::drawn_floats(5, kFloats, 0.4, 0.3);
        for (std::uint32_t iteration = 0; iteration < kIterations; ++iteration) {
            std::vector<std::vector<float>> answers;
            for (std::uint32_t map = 0; map < 3; ++map) {
                const fit::MapRegion& own = tied.group().regions()[map];
                std::vector<float>& answer = answers.emplace_back(
                    fit::drawn_floats(100 + 3 * iteration + map, kFloats, 0.1, -0.05));
                for (std::size_t i = 0; i < own.shape.size(); ++i) {
                    answer[own.first + i] += 1;
                }
            }
            const std::vector<std::span<const float>> spans(answers.begin(), answers.end());
            tied.add_blocks(tied.group().blocks(spans));
            std::vector<float> gradient = fit::drawn_floats(200 + iteration, kFloats, 0.05, -0.025);
            for (std::size_t i = 0; i < kFloats; ++i) {
                gradient[i] += texels[i] - truth[i];
            }
            const fit::TiedSchedule schedule = fit::tied_schedule(iteration, kIterations);
            tied.expect(0.02, 0.001 * schedule.noise);
            tied.step(gradient, texels, schedule);
        }
    }
};

} // namespace

TEST_CASE("steps are those of numpy") {
    const DrawnFit found;
    const std::array<std::size_t, 9> places{0, 1, 2, 71, 72, 75, 79, 80, 103};
    const std::array<double, 9> texels{0.50927275, 0.41793615, 0.5445782, 0.515859,  0.43479198,
                                       0.4299558,  0.4246196,  0.4692982, 0.55547327};
    const std::array<double, 5> mean{0.522306176685, 0.460407817785, 0.53928816642, 0.433709306025,
                                     0.48543596025};
    const std::array<double, 5> covariance{4.488458578918e-03, 5.748403882275e-04,
                                           -2.086692565693e-04, 1.089215102136e-04,
                                           4.412751410477e-05};

    // Texels are floats, and so are means over windows.
    for (std::size_t i = 0; i < places.size(); ++i) {
        CHECK(static_cast<double>(found.texels[places[i]]) == Approx(texels[i]).margin(1e-6));
    }
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(found.tied.mean()[i] == Approx(mean[i]).margin(1e-6));
        CHECK(found.tied.covariance()(0, i) == Approx(covariance[i]).margin(1e-6));
    }
}

TEST_CASE("errors and products are those of numpy") {
    DrawnFit found;
    found.tied.forget_views();
    for (const std::uint32_t seed : {300U, 301U}) {
        std::vector<float> answers = fit::drawn_floats(seed, kFloats);
        for (float& each : answers) {
            each = std::pow(each, 8.0F);
        }
        found.tied.add_view(answers);
    }
    const std::vector<double> views = found.tied.save().doubles("views", 24);
    CHECK(std::accumulate(views.begin(), views.end(), 0.0) == 46);

    const fit::MapUncertainty unknown =
        found.tied.uncertainty(found.tied.group().gather(found.texels), 0.01, 4);
    const std::array<double, 5> errors{0.211886435236, 0.213390200292, 0.212579230673,
                                       0.293393124772, 0.214170376127};
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(unknown.errors.texel(9)[i] == Approx(errors[i]).epsilon(1e-5));
    }
    CHECK(unknown.correlation(0, 4) == Approx(0.040811666701).epsilon(1e-3));

    std::vector<std::vector<float>> rows;
    for (std::uint32_t seed = 400; seed < 403; ++seed) {
        rows.push_back(fit::drawn_floats(seed, kFloats));
    }
    const std::vector<std::span<const float>> spans(rows.begin(), rows.end());
    const fit::Matrix products = found.tied.products(spans, 1.5);
    CHECK((products.rows == 2 && products.columns == 3));
    CHECK(products(0, 0) == Approx(2.28695911412).epsilon(1e-5));
    CHECK(products(0, 2) == Approx(2.821129214588).epsilon(1e-5));
    CHECK(products(1, 0) == Approx(products(0, 1)));
}

TEST_CASE("derivatives of a texel's numbers are weighed by its inverse precision") {
    fit::TiedMaps tied(two_maps(), fit::constant_image(kSide, {0.5, 0.5}));
    tied.add_blocks(fit::constant_image(kSide, {2, 0.5, 0.5, 1}));
    tied.expect(0.3, 0.1);
    const std::vector<float> row(2 * kTexels, 1.0F);
    const std::vector<std::span<const float>> rows{row, row};

    const fit::TexelImage precision = tied.precision();
    const fit::Matrix found = tied.products(rows, 0);

    // Nothing but the deviation that texels begin with is in the covariance: .01.
    const double first = 2 + 2 * 0.4 / 0.01;
    const double second = 1 + 2 * 0.4 / 0.01;
    CHECK(precision.values[0] == Approx(first));
    CHECK(precision.values[1] == Approx(0.5));
    CHECK(precision.values[3] == Approx(second));
    const double both = (first + second - 1) / (first * second - 0.25);
    CHECK(found(0, 1) == Approx(both * static_cast<double>(kTexels)));
}
