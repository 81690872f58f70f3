// SPDX-License-Identifier: Apache-2.0
#include "fit/texture_schedule.hpp"

#include <algorithm>
#include <cmath>

namespace weft::fit {

namespace {

constexpr double kMomentum =
    0.5; ///< of steps while coarse structure comes first; later it would raise noise
constexpr double kCoarseFraction = 0.4;   ///< of the iterations: few samples, large steps
constexpr double kAveragedFraction = 0.5; ///< of the iterations: from here on results are averaged
constexpr double kWidestBlur = 6;         ///< texels
constexpr double kCoarseRate = 0.7;
constexpr double kFineRate = 0.35;
constexpr double kStillFalling =
    0.2;                            ///< of the loss, from one quarter of the iterations to the next
constexpr double kLeastFall = 0.02; ///< of the noise of an iteration

} // namespace

StepSchedule texture_schedule(std::size_t iteration, std::size_t iterations, std::int64_t samples) {
    const double done = static_cast<double>(iteration) / static_cast<double>(iterations);
    // Halves go to the even number, as Python's round() has it.
    const auto blur =
        static_cast<std::int64_t>(std::nearbyint(kWidestBlur * std::max(1 - 2 * done, 0.0)));
    if (done < kCoarseFraction) {
        return {.blur = blur,
                .rate = kCoarseRate,
                .momentum = kMomentum,
                .samples = std::max<std::int64_t>(samples / 2, 1)};
    }
    return {.blur = blur,
            .rate = kFineRate,
            .samples = samples,
            .is_averaged = done >= kAveragedFraction};
}

Moments moments_of(std::span<const double> values) {
    const auto count = static_cast<double>(values.size());
    Moments out;
    for (const double value : values) {
        out.mean += value / count;
    }
    for (const double value : values) {
        out.variance += (value - out.mean) * (value - out.mean) / (count - 1);
    }
    return out;
}

bool has_settled(std::span<const double> losses, double noise) {
    const std::size_t quarter = losses.size() / 4;
    if (quarter < 2) {
        return false; // too few to tell
    }
    const Moments last = moments_of(losses.last(quarter));
    const Moments before = moments_of(losses.last(2 * quarter).first(quarter));
    const double error =
        std::sqrt((before.variance + last.variance) / static_cast<double>(quarter));
    const double least = std::max({2 * error, kStillFalling * before.mean, kLeastFall * noise});
    return !(before.mean - last.mean > least);
}

} // namespace weft::fit
