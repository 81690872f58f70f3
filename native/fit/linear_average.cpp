// SPDX-License-Identifier: Apache-2.0
#include "fit/linear_average.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/row_passes.hpp"
#include "fit/starts.hpp"

namespace weft::fit {

namespace {

Vector difference(std::span<const double> x, std::span<const double> origin, double sign) {
    Vector out(x.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = sign * (x[i] - origin[i]);
    }
    return out;
}

} // namespace

LinearAverage::LinearAverage(Vector origin, OwnedResiduals offsets, OwnedResiduals jacobians,
                             std::size_t count)
    : m_origin(std::move(origin)), m_offset(std::move(offsets)), m_jacobian(std::move(jacobians)),
      m_count(count) {
    const std::size_t expected = m_offset.a.size() * m_origin.size();
    if (m_offset.a.size() != m_offset.b.size() || m_jacobian.a.size() != expected ||
        m_jacobian.b.size() != expected) {
        throw core::ArgumentError(core::text(
            "restore: both sample sets of the saved average must have n residuals and n x ",
            m_origin.size(), " derivatives, got ", m_offset.a.size(), " and ", m_offset.b.size(),
            " residuals, ", m_jacobian.a.size(), " and ", m_jacobian.b.size(),
            " derivatives; start anew"));
    }
}

void LinearAverage::add(std::span<const double> x, const SamplePair& pair, core::ThreadPool* pool) {
    const Vector back = difference(x, m_origin, -1);
    if (m_count == 0) {
        m_offset.a.assign(pair.residual_count(), 0.0F);
        m_offset.b = m_offset.a;
        m_jacobian.a.assign(pair.a.jacobian.size(), 0.0F);
        m_jacobian.b = m_jacobian.a;
    }
    ++m_count;
    const double fraction = 1 / static_cast<double>(m_count);
    const auto add_set = [&](const LinearizedResiduals& set, std::vector<float>& offset,
                             std::vector<float>& jacobian) {
        std::vector<float> own(set.residual.begin(), set.residual.end());
        add_step(set.jacobian, back, own, pool);
        add_to_mean(own, fraction, offset, pool);
        add_to_mean(set.jacobian, fraction, jacobian, pool);
    };
    add_set(pair.a, m_offset.a, m_jacobian.a);
    add_set(pair.b, m_offset.b, m_jacobian.b);
}

OwnedResiduals LinearAverage::residuals_at(std::span<const double> x,
                                           core::ThreadPool* pool) const {
    const Vector step = difference(x, m_origin, 1);
    OwnedResiduals out = m_offset;
    add_step(m_jacobian.a, step, out.a, pool);
    add_step(m_jacobian.b, step, out.b, pool);
    return out;
}

SamplePair LinearAverage::pair_with(const OwnedResiduals& residuals) const noexcept {
    return {{residuals.a, m_jacobian.a}, {residuals.b, m_jacobian.b}};
}

bool differ(const ResidualPair& expected, const ResidualPair& found) {
    SignificanceSum sum;
    for (std::size_t i = 0; i < found.a.size(); ++i) {
        sum.add((static_cast<double>(found.a[i]) - static_cast<double>(expected.a[i])) *
                (static_cast<double>(found.b[i]) - static_cast<double>(expected.b[i])));
    }
    return sum.is_above(kCertainDeviations);
}

} // namespace weft::fit
