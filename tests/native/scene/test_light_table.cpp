// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "scene/light_table.hpp"
#include "support/catch.hpp"

#include <bit>
#include <numeric>

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::layouts;

namespace {

std::vector<LightRow> analytic_rows() {
    std::vector<Light> lights;
    for (int k = 0; k < 12; k++) {
        lights.push_back({.kind = PointLight{.position = {0.5 * k, 0, 1}, .power = 1.0 + k}});
    }
    lights.push_back({.kind = SunLight{.strength = 3}});
    return analytic_light_rows(lights, 10).rows;
}

double probability(const LightTable& table, std::size_t light) {
    return static_cast<double>(std::bit_cast<float>(table.records[light][LightWord::kProbability]));
}

} // namespace

TEST_CASE("records have the chance with which the alias table draws them") {
    const std::vector<LightRow> rows = analytic_rows();
    const LightTable table = build_light_table(rows, {.environment_power = 50});

    REQUIRE(table.records.size() == rows.size() + 1);
    CHECK(table.environment_light == rows.size());
    CHECK(table.records.back()[LightWord::kKind] == LightKind::kEnvironment);
    std::vector<double> drawn(table.alias.size());
    for (std::size_t i = 0; i < drawn.size(); i++) {
        const auto kept = static_cast<double>(table.alias[i].threshold);
        drawn[i] += kept / static_cast<double>(drawn.size());
        drawn[table.alias[i].other] += (1 - kept) / static_cast<double>(drawn.size());
    }
    for (std::size_t i = 0; i < drawn.size(); i++) {
        CHECK(drawn[i] == Approx(probability(table, i)).epsilon(1e-5));
    }
}

TEST_CASE("lights near and far both keep a quarter, and none is forgotten") {
    const std::vector<std::uint32_t> kinds{LightKind::kPoint, LightKind::kSun, LightKind::kArea};
    for (const double power : {1e-9, 1.0, 1e9}) {
        const auto chosen = light_probabilities(kinds, std::vector{1.0, power, 0.0});

        CHECK(std::accumulate(chosen.begin(), chosen.end(), 0.0) == Approx(1));
        CHECK(chosen[1] > 0.25);
        CHECK(chosen[0] > 0.225);
        CHECK(chosen[2] == Approx(0.1 / 3));
    }
}

TEST_CASE("what is left out is never drawn, and the rest is drawn more often") {
    const std::vector<LightRow> rows = analytic_rows();
    std::vector<std::uint8_t> left_out(rows.size());
    left_out[3] = 1;
    const LightTable all = build_light_table(rows);
    const LightTable some = build_light_table(rows, {.left_out = left_out});

    CHECK(probability(some, 3) == 0);
    CHECK(probability(some, 2) ==
          Approx(probability(all, 2) / (1 - probability(all, 3))).epsilon(1e-6));
    CHECK(some.can_be_drawn);
    left_out.assign(rows.size(), 1);
    CHECK_FALSE(build_light_table(rows, {.left_out = left_out}).can_be_drawn);
}

TEST_CASE("the tree has the lights at finite distance, by the chance they have by power") {
    const std::vector<LightRow> rows = analytic_rows();
    const LightTable table = build_light_table(rows, {.has_tree = true});

    CHECK(table.tree.size() == 2 * 12 - 1);
    CHECK(table.tree.front().power == Approx(1).epsilon(1e-6));
    CHECK(table.tree_selection_probability == Approx(1 - probability(table, 12)).epsilon(1e-6));
    CHECK(table.records[12][LightWord::kTrail] == 0);
    CHECK(table.records[0][LightWord::kTrail] != 0);
}

TEST_CASE("a scene without lights has a table to bind") {
    const LightTable table = build_light_table({});
    CHECK(table.records.size() == 1);
    CHECK(table.alias.size() == 1);
    CHECK(table.tree.size() == 1);
    CHECK(table.environment_light == kNoLight);
    CHECK_FALSE(table.can_be_drawn);
}
