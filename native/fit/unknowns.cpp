// SPDX-License-Identifier: Apache-2.0
#include "fit/unknowns.hpp"

#include "fit/observation.hpp"
#include "scene/parameter_names.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace weft::fit {

namespace {

constexpr double kWidest = 50.0; ///< a range beyond says nothing of where a value may lie

/// What two unknowns share if they belong together.
std::string owner_of(const UnknownBlock& block) {
    return block.is_factor() ? block.name : scene::split_owner(block.name).owner;
}

} // namespace

Vector Unknowns::values(std::span<const double> x) const {
    Vector out(x.begin(), x.end());
    for (const UnknownBlock& block : blocks) {
        for (std::size_t i = block.first; block.is_log && i < block.first + block.size; ++i) {
            out[i] = std::exp(x[i]);
        }
    }
    return out;
}

Vector Unknowns::derivatives(std::span<const double> x) const {
    Vector out(x.size(), 1.0);
    for (const UnknownBlock& block : blocks) {
        for (std::size_t i = block.first; block.is_log && i < block.first + block.size; ++i) {
            out[i] = std::exp(x[i]);
        }
    }
    return out;
}

Prior Unknowns::prior_or_none() const {
    return prior ? *prior : Prior::none(start.size());
}

Vector Unknowns::range_fraction(double fraction) const {
    Vector out(start.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = fraction * (high[i] - low[i]);
    }
    return out;
}

std::vector<float> Unknowns::gains(std::span<const double> x, std::size_t views) const {
    std::vector<float> out(kChannels * views, 1.0F);
    const Vector all = values(x);
    for (const UnknownBlock& block : blocks) {
        for (std::size_t channel = 0; block.view && channel < kChannels; ++channel) {
            const std::size_t component = block.size == 1 ? 0 : channel;
            out[kChannels * *block.view + channel] =
                static_cast<float>(all[block.first + component]);
        }
    }
    return out;
}

std::vector<float> Unknowns::light_factors(std::span<const double> x) const {
    std::vector<float> out(kChannels, 1.0F);
    const Vector all = values(x);
    for (const UnknownBlock& block : blocks) {
        if (!block.light) {
            continue;
        }
        out.resize(std::max(out.size(), kChannels * (*block.light + 2)), 1.0F);
        for (std::size_t channel = 0; channel < kChannels; ++channel) {
            const std::size_t component = block.size == 1 ? 0 : channel;
            out[kChannels * *block.light + channel] =
                static_cast<float>(all[block.first + component]);
        }
    }
    return out;
}

void Unknowns::write(std::span<const double> x, std::span<float> scene_values) const {
    const Vector all = values(x);
    for (const UnknownBlock& block : blocks) {
        for (std::size_t component = 0; component < block.slots.size(); ++component) {
            for (const std::size_t slot : block.slots[component]) {
                scene_values[slot] = static_cast<float>(all[block.first + component]);
            }
        }
    }
}

std::vector<bool> Unknowns::open_range() const {
    std::vector<bool> out(start.size());
    const Vector lowest = values(low);
    const Vector highest = values(high);
    for (const UnknownBlock& block : blocks) {
        const bool is_open =
            block.is_factor() || highest[block.first] - lowest[block.first] > kWidest;
        std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(block.first), block.size, is_open);
    }
    return out;
}

std::vector<std::int64_t> Unknowns::groups() const {
    std::vector<std::string> owners;
    std::vector<std::int64_t> out;
    for (const UnknownBlock& block : blocks) {
        const std::string owner = owner_of(block);
        const auto found = std::find(owners.begin(), owners.end(), owner);
        const std::int64_t number = std::distance(owners.begin(), found);
        if (found == owners.end()) {
            owners.push_back(owner);
        }
        out.insert(out.end(), block.size, number);
    }
    return out;
}

UnknownDirections Unknowns::directions(std::size_t parameters) const {
    UnknownDirections out{.parameters = parameters};
    for (const UnknownBlock& block : blocks) {
        const bool is_shared = block.is_separable && block.size == kChannels;
        for (std::size_t component = 0; component < block.size; ++component) {
            UnknownColumn column{.view = block.view, .light = block.light};
            if (block.is_factor() ? block.size == kChannels : is_shared) {
                column.channel = component;
            }
            if (!block.is_factor()) {
                if (!is_shared || component == 0) {
                    out.rows.resize(++out.count * parameters);
                }
                column.direction = out.count - 1;
                for (const std::size_t slot : block.slots[component]) {
                    out.rows[(out.count - 1) * parameters + slot] = 1.0F;
                }
            }
            out.columns.push_back(column);
        }
    }
    return out;
}

} // namespace weft::fit
