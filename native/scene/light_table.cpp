// SPDX-License-Identifier: Apache-2.0
#include "scene/light_table.hpp"

#include "scene/pairwise_sum.hpp"

#include <algorithm>
#include <bit>
#include <numbers>

namespace weft::scene {

namespace {

using layouts::LightKind;
using layouts::LightWord;

/// Of lights at finite and of those at infinite distance, where a scene has both.
constexpr double kMinGroupProbability = 0.25;
/// Given to all lights alike, since a dark one may still matter where it is near.
constexpr double kUniformProbability = 0.1;
/// Keeps divisors from 0.
constexpr double kTiny = 1e-300;

bool is_far(std::uint32_t kind) {
    return kind == LightKind::kEnvironment || kind == LightKind::kSun;
}

LightRow environment_row(double power) {
    LightRow row;
    row.words[LightWord::kKind] = LightKind::kEnvironment;
    row.power = power;
    return row;
}

std::vector<double> chosen_by_power(std::span<const LightRow> rows) {
    std::vector<std::uint32_t> kinds(rows.size());
    std::vector<double> powers(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        kinds[i] = rows[i].words[LightWord::kKind];
        powers[i] = rows[i].power;
    }
    return light_probabilities(kinds, powers);
}

void leave_out(std::vector<double>& chosen, std::span<const std::uint8_t> left_out) {
    const std::size_t count = std::min(chosen.size(), left_out.size());
    for (std::size_t i = 0; i < count; ++i) {
        chosen[i] = left_out[i] != 0 ? 0 : chosen[i];
    }
    const double total = std::max(pairwise_sum(chosen), kTiny);
    std::ranges::for_each(chosen, [&](double& value) { value /= total; });
}

void add_tree(LightTable& table, std::span<const LightRow> rows, std::span<const double> chosen) {
    std::vector<double> near;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].bounds) {
            near.push_back(chosen[i]);
        }
    }
    table.tree_selection_probability = pairwise_sum(near);
    std::vector<LightBounds> bounds(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].bounds) {
            bounds[i] = *rows[i].bounds;
            bounds[i].power =
                static_cast<float>(chosen[i] / std::max(table.tree_selection_probability, kTiny));
        }
    }
    LightTree tree = build_light_tree(bounds);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        table.records[i][LightWord::kTrail] = tree.trails[i];
    }
    if (!tree.nodes.empty()) {
        table.tree = std::move(tree.nodes);
    }
}

} // namespace

std::vector<double> light_probabilities(std::span<const std::uint32_t> kinds,
                                        std::span<const double> powers) {
    const std::size_t count = powers.size();
    const double total = pairwise_sum(powers);
    if (total <= 0) {
        return std::vector<double>(count, 1 / static_cast<double>(count));
    }
    std::vector<double> chosen(count);
    std::vector<double> distant;
    for (std::size_t i = 0; i < count; ++i) {
        chosen[i] = powers[i] / total;
        if (is_far(kinds[i])) {
            distant.push_back(chosen[i]);
        }
    }
    const double far = pairwise_sum(distant);
    // All of them may add up to a little less than 1.
    const bool has_both = far > 0 && far < 1 && distant.size() < count;
    const double far_probability = std::clamp(far, kMinGroupProbability, 1 - kMinGroupProbability);
    for (std::size_t i = 0; i < count; ++i) {
        if (has_both) {
            chosen[i] *=
                is_far(kinds[i]) ? far_probability / far : (1 - far_probability) / (1 - far);
        }
        chosen[i] = (1 - kUniformProbability) * chosen[i] +
                    kUniformProbability / static_cast<double>(count);
    }
    return chosen;
}

LightTable build_light_table(std::span<const LightRow> rows, const LightTableOptions& options) {
    LightTable table;
    std::vector<LightRow> extended;
    if (options.environment_power) {
        extended.reserve(rows.size() + 1);
        extended.assign(rows.begin(), rows.end());
        table.environment_light = static_cast<std::uint32_t>(rows.size());
        extended.push_back(environment_row(*options.environment_power));
        rows = extended;
    }
    table.tree.push_back({.cos_theta_o = 0, .cos_theta_e = 0}); // buffers are not empty
    if (rows.empty()) {
        table.records.resize(1);
        table.alias.resize(1);
        return table;
    }
    std::vector<double> chosen = chosen_by_power(rows);
    if (!options.left_out.empty()) {
        leave_out(chosen, options.left_out);
    }
    table.alias = build_alias_table(chosen);
    table.records.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        table.records[i] = rows[i].words;
        const auto probability = static_cast<float>(chosen[i]);
        table.records[i][LightWord::kProbability] = std::bit_cast<std::uint32_t>(probability);
        table.can_be_drawn = table.can_be_drawn || probability > 0;
    }
    if (options.has_tree) {
        add_tree(table, rows, chosen);
    }
    return table;
}

} // namespace weft::scene
