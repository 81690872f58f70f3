// SPDX-License-Identifier: Apache-2.0
#include "scene/wide_node.hpp"
#include "soups.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <limits>
#include <numeric>

using namespace weft;
using namespace weft::scene;

namespace {

/// Children of random boxes; every third axis is flat.
WideFamily make_family(std::mt19937& random, std::uint32_t size, float centre, float extent) {
    const auto number = [&] { return static_cast<float>(random() >> 8U) / 16777216.0F; };
    WideFamily family;
    family.size = size;
    for (std::uint32_t i = 0; i < size; ++i) {
        WideChild& child = family.children[i];
        child.count = random() % (kWideLeaf + 1);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            child.lowest[axis] = centre + extent * (number() - 0.5F);
            const float edge = random() % 3 == 0 ? 0 : extent * number() * number();
            child.highest[axis] = child.lowest[axis] + edge;
        }
    }
    assign_slots(family);
    return family;
}

double step_of(const WideNode& node, std::size_t axis) {
    return std::ldexp(1.0, node.exponent[axis] - 127);
}

/// Least distance from a child's box to the planes around it, in steps of the grid.
double least_margin(const WideFamily& family, const WideNode& node) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < family.size; ++i) {
        const std::uint8_t slot = family.slots[i];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double step = step_of(node, axis);
            const double low = (double{family.children[i].lowest[axis]} - node.origin[axis]) / step;
            const double high =
                (double{family.children[i].highest[axis]} - node.origin[axis]) / step;
            least =
                std::min({least, low - node.lowest[axis][slot], node.highest[axis][slot] - high});
        }
    }
    return least;
}

/// Twice what the assignment makes least.
double cost_of(const WideFamily& family, const std::vector<std::size_t>& slots) {
    double sum = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double lowest = std::numeric_limits<double>::infinity();
        double highest = -lowest;
        for (std::size_t i = 0; i < family.size; ++i) {
            lowest = std::min(lowest, double{family.children[i].lowest[axis]});
            highest = std::max(highest, double{family.children[i].highest[axis]});
        }
        for (std::size_t i = 0; i < family.size; ++i) {
            const double centre = double{family.children[i].lowest[axis]} +
                                  family.children[i].highest[axis] - lowest - highest;
            sum += (slots[i] >> (2 - axis) & 1U) != 0 ? -centre : centre;
        }
    }
    return sum;
}

} // namespace

TEST_CASE("compressed boxes hold the boxes of children with a margin") {
    const auto [centre, extent] = GENERATE(table<float, float>({{0.0F, 1.0F},
                                                                {1e6F, 1.0F},
                                                                {-1e6F, 0.0F},
                                                                {0.0F, 0.0F},
                                                                {3.0F, 1e-30F},
                                                                {0.0F, 1e-38F},
                                                                {1e30F, 1e24F},
                                                                {0.0F, 2e38F}}));
    std::mt19937 random(1);
    for (std::uint32_t round = 0; round < 300; ++round) {
        const WideFamily family = make_family(random, 1 + round % 8, centre, extent);

        CHECK(least_margin(family, compress(family)) >= kGridMargin);
    }
}

TEST_CASE("a grid is as fine as bytes allow") {
    std::mt19937 random(2);
    for (int round = 0; round < 200; ++round) {
        const WideFamily family = make_family(random, 8, 5, 2);
        const WideNode node = compress(family);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            // With half the step, 255 of them would not reach.
            const auto& highest = node.highest[axis];
            CHECK(*std::max_element(highest.begin(), highest.end()) >= 126);
        }
    }
}

TEST_CASE("meta tells nodes from leaves, and counts the elements before") {
    WideFamily family;
    family.size = 4;
    family.children[0].count = 2;
    family.children[1].count = 0;
    family.children[2].count = 3;
    family.children[3].count = 1;
    family.slots = {6, 1, 0, 3};

    const WideNode node = compress(family);

    CHECK(node.inner == 2);
    CHECK(node.meta ==
          std::array<std::uint8_t, 8>{7 << 5, 32 + 25, 0, 1 << 5 | 3, 0, 0, 3 << 5 | 4, 0});
}

TEST_CASE("slots are the best of all assignments") {
    std::mt19937 random(3);
    for (std::uint32_t round = 0; round < 40; ++round) {
        const WideFamily family = make_family(random, 1 + round % 8, 0, 1);
        std::vector<std::size_t> slots(8);
        std::iota(slots.begin(), slots.end(), std::size_t{0});
        double best = std::numeric_limits<double>::infinity();
        do {
            best = std::min(best, cost_of(family, slots));
        } while (round < 8 + 8 * 2 && std::next_permutation(slots.begin(), slots.end()));
        const std::vector<std::size_t> own(family.slots.begin(), family.slots.end());

        CHECK(cost_of(family, own) <= best + 1e-9);
        std::vector<std::size_t> used(own.begin(), own.begin() + family.size);
        std::ranges::sort(used);
        CHECK(std::adjacent_find(used.begin(), used.end()) == used.end());
    }
}

TEST_CASE("eight boxes at the corners of a cube get the slots of their octants") {
    WideFamily family;
    family.size = 8;
    for (std::uint32_t i = 0; i < 8; ++i) {
        family.children[i].lowest = {(i & 4U) != 0 ? 1.0F : 0.0F, (i & 2U) != 0 ? 1.0F : 0.0F,
                                     (i & 1U) != 0 ? 1.0F : 0.0F};
        family.children[i].highest = family.children[i].lowest;
    }

    assign_slots(family);

    for (std::uint8_t i = 0; i < 8; ++i) {
        CHECK(family.slots[i] == i);
    }
}
