// SPDX-License-Identifier: Apache-2.0
#include "fit/prior.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>

namespace weft::fit {

namespace {

void require_count(const Prior& prior, std::size_t count, const char* function) {
    if (prior.expected.size() != count || prior.precision.size() != count) {
        throw core::ArgumentError(core::text(
            function, ": a prior must have one mean and one precision for each of ", count,
            " parameters, got ", prior.expected.size(), " and ", prior.precision.size()));
    }
}

} // namespace

Prior Prior::none(std::size_t count) {
    return {Vector(count), Vector(count)};
}

Prior Prior::holding(const std::vector<bool>& held, std::span<const double> x,
                     std::span<const double> deviation) const {
    require_count(*this, held.size(), "Prior::holding");
    if (x.size() != held.size() || deviation.size() != held.size()) {
        throw core::ArgumentError(core::text("Prior::holding: a place and a deviation for each of ",
                                             held.size(), " parameters were expected, got ",
                                             x.size(), " and ", deviation.size()));
    }
    Prior out = *this;
    for (std::size_t i = 0; i < held.size(); ++i) {
        if (held[i]) {
            out.expected[i] = x[i];
            out.precision[i] = 1 / (deviation[i] * deviation[i]);
        }
    }
    return out;
}

bool Prior::knows_anything() const noexcept {
    return std::any_of(precision.begin(), precision.end(), [](double each) { return each != 0; });
}

double Prior::loss(std::span<const double> x, double variance) const {
    require_count(*this, x.size(), "Prior::loss");
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double distance = x[i] - expected[i];
        sum += precision[i] * distance * distance;
    }
    return variance * sum;
}

void Prior::add_to(NormalEquations& equations, std::span<const double> x, double variance) const {
    require_count(*this, x.size(), "Prior::add_to");
    if (equations.gradient.size() != x.size()) {
        throw core::ArgumentError(core::text("Prior::add_to: equations of ", x.size(),
                                             " parameters were expected, got ",
                                             equations.gradient.size()));
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double weight = variance * precision[i];
        equations.matrix(i, i) += weight;
        equations.spread[i] += weight;
        equations.gradient[i] += weight * (x[i] - expected[i]);
    }
    equations.loss += loss(x, variance);
}

} // namespace weft::fit
