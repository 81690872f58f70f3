// SPDX-License-Identifier: Apache-2.0
#include "scene/light_tree.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "scene/light_cone.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>

namespace weft::scene {

namespace {

constexpr std::size_t kBins = 12;

using Vector = std::array<double, 3>;

/// What is known of a set of lights. Empty at first.
struct Cluster {
    Vector lowest{kInfinity, kInfinity, kInfinity};
    Vector highest{-kInfinity, -kInfinity, -kInfinity};
    LightCone cone;
    double power = 0;
    std::size_t count = 0;

    void include(const Cluster& other) noexcept {
        for (std::size_t k = 0; k < 3; ++k) {
            lowest[k] = std::min(lowest[k], other.lowest[k]);
            highest[k] = std::max(highest[k], other.highest[k]);
        }
        cone = other.count == 0 ? cone : count == 0 ? other.cone : join(cone, other.cone);
        power += other.power;
        count += other.count;
    }
    double edge(std::size_t axis) const noexcept { return highest[axis] - lowest[axis]; }
    double longest_edge() const noexcept { return std::max({edge(0), edge(1), edge(2)}); }
    double centre(std::size_t axis) const noexcept {
        return 0.5 * lowest[axis] + 0.5 * highest[axis];
    }
    /// How much it costs to know no more. The squared diagonal stands for the area of the box, which is 0 of lights
    /// in a row.
    double cost() const noexcept {
        const double squared = edge(0) * edge(0) + edge(1) * edge(1) + edge(2) * edge(2);
        return power * squared * solid_angle_measure(cone);
    }
};

bool has_valid_emission(const LightBounds& light) {
    return std::isfinite(light.power) && light.power >= 0 && light.theta_o >= 0 &&
           light.theta_o <= 3.1416F && light.theta_e >= 0 && light.theta_e <= 1.5708F;
}

bool has_finite_box(const LightBounds& light) {
    for (std::size_t k = 0; k < 3; ++k) {
        if (!std::isfinite(light.lowest[k]) || !std::isfinite(light.highest[k]) ||
            light.lowest[k] > light.highest[k]) {
            return false;
        }
    }
    return true;
}

bool has_unit_axis(const LightBounds& light) {
    double squared = 0;
    for (const float part : light.axis) {
        squared += static_cast<double>(part) * static_cast<double>(part);
    }
    return !(std::abs(squared - 1) > 1e-3); // not a number passes
}

void require_valid(std::span<const LightBounds> lights) {
    for (std::size_t i = 0; i < lights.size(); ++i) {
        const LightBounds& l = lights[i];
        if (!has_valid_emission(l) || !has_finite_box(l) || !has_unit_axis(l)) {
            throw core::ArgumentError(
                core::text("build_light_tree: light ", i,
                           " must have a finite box, a unit axis, angles from 0 to pi and to pi / "
                           "2, and a power of at least 0; correct its numbers"));
        }
    }
    if (lights.size() >= kLightLeafBit) {
        throw core::ArgumentError(core::text("build_light_tree: at most 2^31 - 1 lights, got ",
                                             lights.size(), "; leave some out"));
    }
}

Cluster cluster_of(const LightBounds& light) {
    Cluster out;
    for (std::size_t k = 0; k < 3; ++k) {
        out.lowest[k] = light.lowest[k];
        out.highest[k] = light.highest[k];
        out.cone.axis[k] = light.axis[k];
    }
    out.cone.theta_o = light.theta_o;
    out.cone.theta_e = light.theta_e;
    out.power = light.power;
    out.count = 1;
    return out;
}

/// A run of lights, to become one subtree.
struct Run {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::uint32_t depth = 0; ///< inner nodes above it

    std::size_t size() const noexcept { return end - begin; }
};

struct Cut {
    std::size_t axis = 0;
    double place = 0; ///< centres below it go first
    double cost = kInfinity;
};

class Builder {
public:
    explicit Builder(std::span<const LightBounds> lights) {
        for (std::size_t i = 0; i < lights.size(); ++i) {
            m_clusters.push_back(cluster_of(lights[i]));
            if (lights[i].power > 0) {
                m_order.push_back(static_cast<std::uint32_t>(i));
            }
        }
        m_tree.trails.assign(lights.size(), 0);
    }

    LightTree build() {
        if (!m_order.empty()) {
            m_tree.nodes.reserve(2 * m_order.size() - 1);
            m_tree.nodes.emplace_back();
            fill(0, {.begin = 0, .end = m_order.size(), .depth = 0}, 1);
        }
        return std::move(m_tree);
    }

private:
    /// Recursive: kMaxLightDepth levels at most.
    void fill(std::size_t node, const Run& run, std::uint32_t trail) {
        const Cluster all = total(run);
        m_tree.nodes[node] = node_of(all);
        if (run.size() == 1) {
            const std::uint32_t light = m_order[run.begin];
            m_tree.nodes[node].child = kLightLeafBit | light;
            m_tree.trails[light] = trail;
            return;
        }
        const std::size_t middle = split(run, all);
        const std::size_t first = m_tree.nodes.size();
        m_tree.nodes[node].child = static_cast<std::uint32_t>(first);
        m_tree.nodes.resize(first + 2);
        fill(first, {.begin = run.begin, .end = middle, .depth = run.depth + 1}, 2 * trail);
        fill(first + 1, {.begin = middle, .end = run.end, .depth = run.depth + 1}, 2 * trail + 1);
    }

    Cluster total(const Run& run) const {
        Cluster all;
        for (std::size_t i = run.begin; i < run.end; ++i) {
            all.include(m_clusters[m_order[i]]);
        }
        return all;
    }

    static LightNode node_of(const Cluster& cluster) {
        LightNode node;
        for (std::size_t k = 0; k < 3; ++k) {
            node.lowest[k] = static_cast<float>(cluster.lowest[k]);
            node.highest[k] = static_cast<float>(cluster.highest[k]);
            node.axis[k] = static_cast<float>(cluster.cone.axis[k]);
        }
        node.cos_theta_o = static_cast<float>(std::cos(cluster.cone.theta_o));
        node.sin_theta_o = static_cast<float>(std::sin(cluster.cone.theta_o));
        node.cos_theta_e = static_cast<float>(std::cos(cluster.cone.theta_e));
        node.power = static_cast<float>(cluster.power);
        return node;
    }

    /// The first light of the second part, both not empty.
    std::size_t split(const Run& run, const Cluster& all) {
        const auto begin = m_order.begin() + static_cast<std::ptrdiff_t>(run.begin);
        const auto end = m_order.begin() + static_cast<std::ptrdiff_t>(run.end);
        const std::optional<Cut> cut = find_cut(run, all);
        if (cut) {
            const auto middle = std::stable_partition(begin, end, [&](std::uint32_t light) {
                return m_clusters[light].centre(cut->axis) < cut->place;
            });
            const auto first_count = static_cast<std::size_t>(middle - begin);
            if (fits(run, first_count)) {
                return run.begin + first_count;
            }
        }
        return halve(run, cut ? cut->axis : 0);
    }

    /// Whether both parts can still be halved down to single lights within the depth that trails have bits for.
    static bool fits(const Run& run, std::size_t first_count) {
        const std::size_t larger = std::max(first_count, run.size() - first_count);
        const auto halvings = static_cast<std::uint32_t>(std::bit_width(larger - 1));
        return first_count > 0 && first_count < run.size() &&
               run.depth + 1 + halvings <= kMaxLightDepth;
    }

    std::size_t halve(const Run& run, std::size_t axis) {
        const auto begin = m_order.begin() + static_cast<std::ptrdiff_t>(run.begin);
        const auto end = m_order.begin() + static_cast<std::ptrdiff_t>(run.end);
        std::stable_sort(begin, end, [&](std::uint32_t a, std::uint32_t b) {
            return m_clusters[a].centre(axis) < m_clusters[b].centre(axis);
        });
        return run.begin + run.size() / 2;
    }

    std::optional<Cut> find_cut(const Run& run, const Cluster& all) const {
        Cut best;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            // Thin slices of a long box are bad clusters, whatever their volume.
            const double slenderness = all.longest_edge() / std::max(all.edge(axis), 1e-300);
            sweep(run, axis, slenderness, best);
        }
        return best.cost < kInfinity ? std::optional(best) : std::nullopt;
    }

    /// Looks for the cheapest cut across one axis between bins of centres.
    void sweep(const Run& run, std::size_t axis, double slenderness, Cut& best) const {
        double low = kInfinity;
        double high = -kInfinity;
        for (std::size_t i = run.begin; i < run.end; ++i) {
            const double centre = m_clusters[m_order[i]].centre(axis);
            low = std::min(low, centre);
            high = std::max(high, centre);
        }
        const double width = (high - low) / static_cast<double>(kBins);
        if (!(width > 0)) {
            return;
        }
        std::array<Cluster, kBins> bins;
        for (std::size_t i = run.begin; i < run.end; ++i) {
            const Cluster& light = m_clusters[m_order[i]];
            const auto bin = static_cast<std::size_t>((light.centre(axis) - low) / width);
            bins[std::min(bin, kBins - 1)].include(light);
        }
        std::array<Cluster, kBins> after = bins;
        for (std::size_t b = kBins - 1; b > 0; --b) {
            after[b - 1].include(after[b]);
        }
        Cluster before;
        for (std::size_t b = 1; b < kBins; ++b) {
            before.include(bins[b - 1]);
            // Behind an empty bin the parts are those of the cut before.
            if (bins[b - 1].count == 0 || after[b].count == 0) {
                continue;
            }
            const double cost = slenderness * (before.cost() + after[b].cost());
            if (cost < best.cost) {
                best = {.axis = axis, .place = low + static_cast<double>(b) * width, .cost = cost};
            }
        }
    }

    std::vector<Cluster> m_clusters; ///< of each light
    std::vector<std::uint32_t> m_order;
    LightTree m_tree;
};

} // namespace

LightTree build_light_tree(std::span<const LightBounds> lights) {
    require_valid(lights);
    return Builder(lights).build();
}

} // namespace weft::scene
