// SPDX-License-Identifier: Apache-2.0
#include "lower/repeats.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace weft::lower {

using core::text;

namespace {

constexpr std::size_t kMaxRoundNodes = 400; ///< nodes of a round: more are rarely equal

std::string name_of(const TreeNode& node) {
    std::string name = node.type;
    for (const auto& [key, value] : node.properties) {
        name.append(" ").append(key).append("=").append(value);
    }
    for (const Input& input : node.inputs) {
        name.append(" ").append(input.socket);
    }
    return name;
}

} // namespace

std::vector<std::uint32_t> kinds_of(const std::vector<TreeNode>& nodes) {
    std::map<std::string, std::uint32_t> known;
    std::vector<std::uint32_t> kinds;
    kinds.reserve(nodes.size());
    for (const TreeNode& node : nodes) {
        const auto number = static_cast<std::uint32_t>(known.size());
        // Items of bundles have types of their own: such nodes stand outside of rounds.
        const std::string name = node.types.empty() ? name_of(node) : text("bundle ", number);
        kinds.push_back(known.try_emplace(name, number).first->second);
    }
    return kinds;
}

std::vector<Stretch> find_stretches(std::span<const std::uint32_t> kinds, std::size_t begin,
                                    std::size_t end, std::size_t fewest) {
    std::vector<Stretch> found;
    for (std::size_t period = 1; period <= std::min(kMaxRoundNodes, (end - begin) / fewest);
         period++) {
        std::size_t start = begin;
        for (std::size_t at = begin; at + period <= end; at++) {
            if (at + period < end && kinds[at] == kinds[at + period]) {
                continue;
            }
            const std::size_t count = at - start + period;
            if (count >= fewest * period) {
                found.push_back({start, period, count});
            }
            start = at + 1;
        }
    }
    const auto saved = [](const Stretch& own) { return (own.count / own.period - 1) * own.period; };
    std::stable_sort(found.begin(), found.end(),
                     [&](const Stretch& a, const Stretch& b) { return saved(a) > saved(b); });
    return found;
}

} // namespace weft::lower
