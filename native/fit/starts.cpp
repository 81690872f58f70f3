// SPDX-License-Identifier: Apache-2.0
#include "fit/starts.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <cmath>

namespace weft::fit {

namespace {

std::vector<std::size_t> first_primes(std::size_t count) {
    std::vector<std::size_t> found;
    for (std::size_t candidate = 2; found.size() < count; ++candidate) {
        const bool is_prime = std::none_of(
            found.begin(), found.end(), [&](std::size_t prime) { return candidate % prime == 0; });
        if (is_prime) {
            found.push_back(candidate);
        }
    }
    return found;
}

std::size_t group_count(std::span<const std::int64_t> groups) {
    std::int64_t largest = -1;
    for (const std::int64_t group : groups) {
        if (group < 0) {
            throw core::ArgumentError(
                core::text("groups: numbers from 0 on were expected, got ", group));
        }
        largest = std::max(largest, group);
    }
    return static_cast<std::size_t>(largest + 1);
}

/// Adds the squared derivatives of a row to those of its groups.
void add_squares(const float* row, std::span<const std::int64_t> groups, Vector& squares) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const double derivative = static_cast<double>(row[i]);
        squares[static_cast<std::size_t>(groups[i])] += derivative * derivative;
    }
}

} // namespace

bool SignificanceSum::is_above(double deviations) const noexcept {
    return m_sum > deviations * std::sqrt(m_squares);
}

Vector neighbor_products(const ResidualPair& residuals, std::size_t cluster_size) {
    const std::size_t count = residuals.a.size();
    if (residuals.b.size() != count || cluster_size == 0 || count % cluster_size != 0) {
        throw core::ArgumentError(core::text("neighbor_products: two sample sets of whole clusters "
                                             "of ",
                                             cluster_size, " residuals were expected, got ", count,
                                             " and ", residuals.b.size(), " residuals"));
    }
    Vector products(std::max<std::size_t>(count / cluster_size, 1) - 1);
    for (std::size_t i = 0; i < products.size() * cluster_size; ++i) {
        const std::size_t next = i + cluster_size;
        products[i / cluster_size] +=
            static_cast<double>(residuals.a[i]) * static_cast<double>(residuals.b[next]) +
            static_cast<double>(residuals.b[i]) * static_cast<double>(residuals.a[next]);
    }
    return products;
}

std::vector<bool> find_left(std::span<const double> products, std::span<const float> derivatives,
                            std::span<const std::int64_t> groups, std::size_t cluster_size) {
    const std::size_t columns = groups.size();
    const std::size_t count = group_count(groups);
    if (derivatives.size() < products.size() * cluster_size * columns) {
        throw core::ArgumentError(core::text(
            "find_left: derivatives of all ", products.size(), " clusters of ", cluster_size,
            " residuals by ", columns, " parameters were expected, got ", derivatives.size()));
    }
    SignificanceSum all;
    std::vector<SignificanceSum> sums(count);
    Vector squares(count);
    for (std::size_t cluster = 0; cluster < products.size(); ++cluster) {
        all.add(products[cluster]);
        std::fill(squares.begin(), squares.end(), 0.0);
        for (std::size_t row = cluster * cluster_size; row < (cluster + 1) * cluster_size; ++row) {
            add_squares(derivatives.data() + row * columns, groups, squares);
        }
        for (std::size_t group = 0; group < count; ++group) {
            sums[group].add(products[cluster] * squares[group]);
        }
    }
    const bool has_one_group = std::all_of(
        groups.begin(), groups.end(), [&](std::int64_t group) { return group == groups.front(); });
    std::vector<bool> left(columns, false);
    bool any = false;
    for (std::size_t i = 0; i < columns && !has_one_group; ++i) {
        left[i] = sums[static_cast<std::size_t>(groups[i])].is_above(kCertainDeviations);
        any = any || left[i];
    }
    return any ? left : std::vector<bool>(columns, all.is_above(kCertainDeviations));
}

Vector group_losses(const ResidualPair& residuals, std::span<const float> derivatives,
                    std::span<const std::int64_t> groups) {
    const std::size_t count = group_count(groups);
    const std::size_t columns = groups.size();
    Vector weighted(count);
    Vector weights(count);
    Vector squares(count);
    double sum = 0;
    for (std::size_t row = 0; row < residuals.a.size(); ++row) {
        const double product =
            static_cast<double>(residuals.a[row]) * static_cast<double>(residuals.b[row]);
        sum += product;
        std::fill(squares.begin(), squares.end(), 0.0);
        add_squares(derivatives.data() + row * columns, groups, squares);
        for (std::size_t group = 0; group < count; ++group) {
            weighted[group] += product * squares[group];
            weights[group] += squares[group];
        }
    }
    for (std::size_t group = 0; group < count; ++group) {
        weighted[group] = weights[group] > 0 ? weighted[group] / weights[group]
                                             : sum / static_cast<double>(residuals.a.size());
    }
    return weighted;
}

Vector other_start(std::size_t number, std::span<const double> low, std::span<const double> high) {
    if (low.size() != high.size()) {
        throw core::ArgumentError(core::text("other_start: as many upper bounds as lower ones (",
                                             low.size(), ") were expected, got ", high.size()));
    }
    const std::vector<std::size_t> primes = first_primes(low.size());
    Vector start(low.size());
    for (std::size_t i = 0; i < start.size(); ++i) {
        const double multiple =
            static_cast<double>(number) * std::sqrt(static_cast<double>(primes[i]));
        const double fraction = multiple - std::floor(multiple);
        start[i] = low[i] + (0.1 + 0.8 * fraction) * (high[i] - low[i]);
    }
    return start;
}

} // namespace weft::fit
