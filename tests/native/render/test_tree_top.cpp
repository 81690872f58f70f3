// SPDX-License-Identifier: Apache-2.0
// Nodes above clusters, cut on the host.
#include "render/tree_top.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <random>
#include <set>

using namespace weft;
using namespace weft::render;

namespace {

constexpr std::uint32_t kFirst = 1000000; ///< number of the first node
constexpr std::uint32_t kOffset = 77;     ///< numbers of clusters begin here

enum class Places { random, all_in_one, in_a_line, doubling };

std::vector<scene::BvhPrimitive> clusters_of(std::uint32_t count, Places places) {
    std::mt19937 engine(count);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<scene::BvhPrimitive> out(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        out[i] = {.lowest = {}, .id = i, .highest = {0.01F, 0.01F, 0.01F}, .unused = kOffset + i};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            float at = 0;
            switch (places) {
            case Places::random: at = uniform(engine); break;
            case Places::all_in_one: break;
            case Places::in_a_line: at = axis == 0 ? static_cast<float>(i) : 0; break;
            case Places::doubling: at = std::ldexp(1.0F, static_cast<int>(i % 60)); break;
            }
            out[i].lowest[axis] += at;
            out[i].highest[axis] += at;
        }
    }
    return out;
}

/// Inner nodes of the longest path below each node; checks that children come in earlier rounds, each once.
std::vector<std::uint32_t> depths_of(const TreeTop& top) {
    std::vector<std::uint32_t> depths(top.pairs.size(), 1);
    std::set<std::uint32_t> seen;
    std::uint32_t begin = 0;
    for (const std::uint32_t end : top.rounds) {
        REQUIRE(end > begin);
        for (std::uint32_t i = begin; i < end; ++i) {
            for (const std::uint32_t child : top.pairs[i]) {
                REQUIRE(seen.insert(child).second);
                if (child >= kFirst) {
                    REQUIRE(child - kFirst < begin);
                    depths[i] = std::max(depths[i], depths[child - kFirst] + 1);
                }
            }
        }
        begin = end;
    }
    return depths;
}

} // namespace

TEST_CASE("clusters become one tree whose children are made before their parents") {
    core::ThreadPool pool(2);
    const auto places =
        GENERATE(Places::random, Places::all_in_one, Places::in_a_line, Places::doubling);
    const auto count = GENERATE(2U, 3U, 17U, 1000U, 20000U);
    const std::uint32_t depth = std::bit_width(count - 1) + GENERATE(0U, 3U, 12U);
    auto clusters = clusters_of(count, places);

    const TreeTop top = cut_clusters(clusters, kFirst, depth, pool);

    REQUIRE(top.pairs.size() == count - 1);
    REQUIRE(top.rounds.back() == count - 1);
    CHECK(depths_of(top).back() <= depth);
    std::vector<std::uint32_t> leaves;
    for (const auto& pair : top.pairs) {
        std::ranges::copy_if(pair, std::back_inserter(leaves),
                             [](std::uint32_t child) { return child < kFirst; });
    }
    std::ranges::sort(leaves);
    REQUIRE(leaves.size() == count);
    CHECK(leaves.front() == kOffset);
    CHECK(leaves.back() == kOffset + count - 1);
}

TEST_CASE("the tree above clusters is the same with any number of threads") {
    core::ThreadPool one(1);
    core::ThreadPool four(4);
    auto clusters = clusters_of(20000, Places::random);
    auto same = clusters;

    const TreeTop first = cut_clusters(clusters, kFirst, 30, one);
    const TreeTop second = cut_clusters(same, kFirst, 30, four);

    CHECK(first.pairs == second.pairs);
    CHECK(first.rounds == second.rounds);
}
