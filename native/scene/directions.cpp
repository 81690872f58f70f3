// SPDX-License-Identifier: Apache-2.0
#include "scene/directions.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>

namespace weft::scene {

namespace {

/// The parameters of one material among all.
struct Extent {
    std::size_t first;
    std::size_t count;
};

std::vector<Extent> extents_of(std::span<const MaterialRecord> records, std::size_t parameters) {
    std::vector<Extent> extents;
    extents.reserve(records.size());
    for (std::size_t k = 0; k < records.size(); k++) {
        const std::size_t first = records[k].first;
        const std::size_t end = k + 1 < records.size() ? records[k + 1].first : parameters;
        extents.push_back({first, end - first});
    }
    return extents;
}

bool moves(std::span<const float> row) {
    return std::ranges::any_of(row, [](float value) { return value != 0; });
}

} // namespace

DirectionTable lay_out_directions(std::span<const MaterialRecord> records,
                                  std::span<const float> rows, std::size_t parameters) {
    if (parameters == 0 || rows.size() % parameters != 0) {
        throw core::ArgumentError(
            core::text("lay_out_directions: rows of ", parameters, " numbers are needed, got ",
                       rows.size(), " numbers; give each direction one number a parameter"));
    }
    DirectionTable table;
    const std::vector<Extent> extents = extents_of(records, parameters);
    for (const Extent& extent : extents) {
        table.slots = std::max(table.slots, extent.count);
    }
    const std::size_t count = rows.size() / parameters;
    table.starts.push_back(0);
    for (const Extent& extent : extents) {
        for (std::size_t number = 0; number < count; number++) {
            const auto own = rows.subspan(number * parameters + extent.first, extent.count);
            if (moves(own)) {
                table.numbers.push_back(static_cast<std::uint32_t>(number));
                table.seeds.resize(table.numbers.size() * table.slots);
                std::ranges::copy(own,
                                  table.seeds.end() - static_cast<std::ptrdiff_t>(table.slots));
            }
        }
        table.starts.push_back(static_cast<std::uint32_t>(table.numbers.size()));
        table.lengths.push_back(table.starts.back() - table.starts[table.starts.size() - 2]);
    }
    table.numbers.push_back(0);
    table.seeds.resize(table.numbers.size() * table.slots);
    table.moved.resize(parameters);
    for (std::size_t at = 0; at < rows.size(); at++) {
        if (rows[at] != 0) {
            table.moved[at % parameters] = 1;
        }
    }
    return table;
}

} // namespace weft::scene
