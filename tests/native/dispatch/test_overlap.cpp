// SPDX-License-Identifier: Apache-2.0
#include "dispatch/overlap.hpp"
#include "support/catch.hpp"

#include <random>
#include <set>

using namespace weft::dispatch;

namespace {

Footprint footprint(std::vector<Footprint::Axis> axes, std::int64_t element_bytes = 4) {
    Footprint result{.axes = std::move(axes), .element_bytes = element_bytes};
    result.high = element_bytes;
    for (const Footprint::Axis& axis : result.axes) {
        result.high += (axis.extent - 1) * axis.stride;
    }
    return result;
}

void add_bytes(const Footprint& from, std::size_t axis, std::int64_t at,
               std::set<std::int64_t>& out) {
    if (axis == from.axes.size()) {
        for (std::int64_t byte = 0; byte < from.element_bytes; ++byte) {
            out.insert(at + byte);
        }
        return;
    }
    for (std::int64_t i = 0; i < from.axes[axis].extent; ++i) {
        add_bytes(from, axis + 1, at + i * from.axes[axis].stride, out);
    }
}

/// The truth, byte by byte.
bool do_overlap(const Footprint& a, const Footprint& b, std::int64_t distance) {
    std::set<std::int64_t> bytes_of_a;
    std::set<std::int64_t> bytes_of_b;
    add_bytes(a, 0, 0, bytes_of_a);
    add_bytes(b, 0, distance, bytes_of_b);
    return std::any_of(bytes_of_b.begin(), bytes_of_b.end(),
                       [&](std::int64_t byte) { return bytes_of_a.contains(byte); });
}

} // namespace

TEST_CASE("columns and blocks of columns of one matrix do not overlap") {
    const Footprint column = footprint({{8, 64}});
    const Footprint block = footprint({{8, 64}, {4, 4}});

    CHECK_FALSE(can_overlap(column, column, 4));
    CHECK_FALSE(can_overlap(block, block, 16));
    CHECK_FALSE(can_overlap(block, column, -4));
    CHECK(can_overlap(block, block, 12));
    CHECK(can_overlap(block, column, 8));
}

TEST_CASE("every other element is apart from those between") {
    const Footprint half = footprint({{100, 8}});

    CHECK_FALSE(can_overlap(half, half, 4));
    CHECK(can_overlap(half, half, 8));
}

TEST_CASE("what truly overlaps is always found") {
    std::mt19937 random(7);
    const auto draw = [&](std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(random);
    };
    const auto some = [&] {
        std::vector<Footprint::Axis> axes(static_cast<std::size_t>(draw(0, 3)));
        for (Footprint::Axis& axis : axes) {
            axis = {draw(2, 5), 4 * draw(1, 24)};
        }
        return footprint(std::move(axes), 4 * draw(1, 3));
    };
    int found = 0;
    for (int i = 0; i < 3000; ++i) {
        const Footprint a = some();
        const Footprint b = some();
        const std::int64_t distance = 4 * draw(-60, 60);
        const bool truth = do_overlap(a, b, distance);
        const OverlapCheck check{.written_footprint = a, .other_footprint = b};
        const auto written = std::uint64_t{1} << 20U;
        const bool said =
            !are_apart(check, written, written + static_cast<std::uint64_t>(distance)) &&
            can_overlap(a, b, distance);
        found += truth ? 1 : 0;
        REQUIRE((!truth || said));
    }
    CHECK(found > 100);
}
