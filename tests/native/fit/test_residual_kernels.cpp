// SPDX-License-Identifier: Apache-2.0
// Residuals of films on the device and the adjoints that they start, beside plain loops; a film has a pixel that is no number.
#include "kernels_fixture.hpp"
#include "tensor/transfer.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace weft::fit {
namespace {

using namespace testing;

constexpr FitModule kResiduals = FitModule::residuals;
constexpr std::array<double, 3> kFactor{0.5, 2, 1}; ///< of a light
constexpr double kStep = 0.05;

/// Three floats a pixel of one sample set, then those of the other.
struct Films {
    explicit Films(std::size_t count)
        : pixels(count), before(noise(6 * count, 0, 1, 1)), after(noise(6 * count, 0, 1, 2)),
          image(noise(3 * count, 0, 1, 3)), weights(noise(3 * count, 0, 1, 4)) {
        before[3 * (pixels + lost()) + 1] = std::numeric_limits<float>::infinity();
    }

    [[nodiscard]] std::size_t lost() const { return pixels / 2; }
    [[nodiscard]] bool is_lost(std::size_t row) const { return row / 3 == lost(); }
    /// What a sample set gives for one of the residuals; the set that has no number gives 0.
    [[nodiscard]] double film(std::size_t set, std::size_t row) const {
        return set == 1 && is_lost(row) ? 0.0 : static_cast<double>(before[set * 3 * pixels + row]);
    }
    [[nodiscard]] double weight(std::size_t row) const {
        return is_lost(row) ? 0.0 : static_cast<double>(weights[row]);
    }
    [[nodiscard]] double residual(std::size_t set, std::size_t row) const {
        return (film(set, row) - static_cast<double>(image[row])) * weight(row);
    }

    std::size_t pixels;
    Floats before;
    Floats after;
    Floats image;
    Floats weights;
};

/// The same on the device, where what is no number was dropped.
struct ResidualFixture : KernelsFixture {
    struct OnDevice {
        tensor::TensorRef film;
        tensor::TensorRef after;
        tensor::TensorRef image;
        tensor::TensorRef weights;
        tensor::TensorRef lost;
        std::int64_t pixels;
    };

    OnDevice cleaned(const Films& films) {
        const auto count = static_cast<std::int64_t>(films.pixels);
        OnDevice out{.film = upload(films.before),
                     .after = upload(films.after),
                     .image = upload(films.image),
                     .weights = upload(films.weights),
                     .lost = images.calls().zeros({count}, reflect::ScalarKind::uint32),
                     .pixels = count};
        images.calls().lanes(kResiduals, "dropLost", count, out.film, count, out.lost);
        return out;
    }
    tensor::TensorRef adjoints(const OnDevice& own) {
        return images.calls().zeros({6 * own.pixels});
    }
};

TEST_CASE_METHOD(ResidualFixture, "films that are no numbers are dropped and marked") {
    for (const std::size_t pixels : {1U, 5U, 130U}) {
        const Films films(pixels);

        const OnDevice own = cleaned(films);

        std::vector<std::uint32_t> lost(pixels);
        tensor::download(*own.lost, std::as_writable_bytes(std::span(lost)));
        const Floats film = read(own.film);
        for (std::size_t row = 0; row < 3 * pixels; ++row) {
            REQUIRE(lost[row / 3] == (films.is_lost(row) ? 1U : 0U));
            for (const std::size_t set : {0U, 1U}) {
                REQUIRE(static_cast<double>(film[set * 3 * pixels + row]) == films.film(set, row));
            }
        }
    }
}

TEST_CASE_METHOD(ResidualFixture, "sums and differences of residuals are those of plain loops") {
    for (const std::size_t pixels : {1U, 5U, 130U}) {
        INFO(pixels);
        const Films films(pixels);
        const OnDevice own = cleaned(films);
        FitKernels& calls = images.calls();
        const tensor::TensorRef parts = calls.zeros({2, 3});
        const tensor::TensorRef squares = calls.zeros({own.pixels});

        calls.lanes(kResiduals, "sumResiduals", 2, own.film, own.image, own.weights, own.lost,
                    own.pixels, 2, parts);
        calls.lanes(kResiduals, "squareDifferences", own.pixels, own.film, own.weights, own.lost,
                    own.pixels, squares);

        double product = 0;
        double difference = 0;
        Floats expected(pixels);
        for (std::size_t row = 0; row < 3 * pixels; ++row) {
            const double a = films.residual(0, row);
            const double b = films.residual(1, row);
            product += a * b;
            difference += (a - b) * (a - b) / 4;
            expected[row / 3] += static_cast<float>((a - b) * (a - b) / 3);
        }
        const Floats sums = read(calls.sum_of_parts(parts));
        CHECK(sums[0] == Approx(product).epsilon(1e-4).margin(1e-6));
        CHECK(sums[1] == Approx(difference).epsilon(1e-4).margin(1e-6));
        CHECK(sums[2] == 1);
        check_near(read(squares), expected, 1e-6F);
    }
}

TEST_CASE_METHOD(ResidualFixture, "samples of one set carry what the other says") {
    for (const std::size_t pixels : {1U, 5U, 130U}) {
        INFO(pixels);
        const Films films(pixels);
        const OnDevice own = cleaned(films);
        const tensor::TensorRef crossed = adjoints(own);
        const tensor::TensorRef slopes = adjoints(own);

        images.calls().lanes(kResiduals, "crossResiduals", own.pixels, own.film, own.image,
                             own.weights, own.lost, own.pixels, kFactor, crossed);
        images.calls().lanes(kResiduals, "crossDerivatives", own.pixels, own.film, own.after,
                             own.weights, own.lost, own.pixels, kStep, kFactor, slopes);

        const Floats residuals = read(crossed);
        const Floats derivatives = read(slopes);
        for (std::size_t row = 0; row < 3 * pixels; ++row) {
            const double weight = films.weight(row) * kFactor.at(row % 3);
            for (const std::size_t set : {0U, 1U}) {
                const std::size_t at = set * 3 * pixels + row;
                const std::size_t other = 1 - set;
                const double after = films.after[other * 3 * pixels + row];
                const double slope =
                    (after - films.film(other, row)) * films.weight(row) * weight / kStep;
                INFO("residual " << row << " of set " << set);
                REQUIRE(residuals[at] == Approx(films.residual(other, row) * weight).margin(1e-6));
                REQUIRE(derivatives[at] == Approx(slope).epsilon(1e-4).margin(1e-5));
            }
        }
    }
}

} // namespace
} // namespace weft::fit
