// SPDX-License-Identifier: Apache-2.0
#include "fit/saved_arrays.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <cmath>

namespace weft::fit {

SavedArrays SavedArrays::part(std::string_view name) const {
    const std::string start = std::string(name) + ".";
    SavedArrays out;
    for (const auto& [own, array] : arrays) {
        if (own.starts_with(start)) {
            out.arrays.emplace(own.substr(start.size()), array);
        }
    }
    return out;
}

void SavedArrays::add_part(std::string_view name, const SavedArrays& other) {
    for (const auto& [own, array] : other.arrays) {
        arrays.insert_or_assign(std::string(name) + "." + own, array);
    }
}

void SavedArrays::add(const std::string& name, std::vector<double> values) {
    const std::size_t count = values.size();
    arrays.insert_or_assign(name, SavedArray{{count}, std::move(values)});
}

void SavedArrays::add_counts(const std::string& name, const std::vector<std::size_t>& counts) {
    add(name, std::vector<double>(counts.begin(), counts.end()));
}

void SavedArrays::add_flags(const std::string& name, const std::vector<bool>& flags) {
    std::vector<double> values(flags.size());
    std::transform(flags.begin(), flags.end(), values.begin(),
                   [](bool flag) { return flag ? 1.0 : 0.0; });
    add(name, std::move(values));
}

const SavedArray& SavedArrays::at(const std::string& name) const {
    const auto found = arrays.find(name);
    if (found == arrays.end()) {
        throw core::ArgumentError(
            core::text("restore: the saved state has no array '", name, "'; start anew"));
    }
    return found->second;
}

std::vector<double> SavedArrays::doubles(const std::string& name) const {
    std::vector<double> out;
    std::visit([&](const auto& values) { out.assign(values.begin(), values.end()); },
               at(name).values);
    return out;
}

std::vector<double> SavedArrays::doubles(const std::string& name, std::size_t count) const {
    std::vector<double> out = doubles(name);
    if (out.size() != count) {
        throw core::ArgumentError(core::text("restore: the saved array '", name, "' must have ",
                                             count, " numbers, got ", out.size(), "; start anew"));
    }
    return out;
}

std::vector<std::size_t> SavedArrays::counts(const std::string& name, std::size_t count) const {
    static_cast<void>(doubles(name, count));
    return counts(name);
}

std::vector<std::size_t> SavedArrays::counts(const std::string& name) const {
    constexpr double kEnd = 9007199254740992.0; // 2^53: all below it are exact
    std::vector<std::size_t> out;
    for (const double value : doubles(name)) {
        const bool is_count = value >= 0 && value < kEnd && std::floor(value) == value;
        if (!is_count) {
            throw core::ArgumentError(core::text("restore: the saved array '", name,
                                                 "' must have whole numbers from 0, got ", value,
                                                 "; start anew"));
        }
        out.push_back(static_cast<std::size_t>(value));
    }
    return out;
}

std::vector<bool> SavedArrays::flags(const std::string& name, std::size_t count) const {
    const std::vector<double> values = doubles(name, count);
    std::vector<bool> out(count);
    std::transform(values.begin(), values.end(), out.begin(),
                   [](double value) { return value != 0; });
    return out;
}

std::vector<float> SavedArrays::floats(const std::string& name) const {
    const SavedArray& array = at(name);
    if (const auto* own = std::get_if<std::vector<float>>(&array.values)) {
        return *own;
    }
    std::vector<float> out;
    for (const double value : std::get<std::vector<double>>(array.values)) {
        out.push_back(static_cast<float>(value));
    }
    return out;
}

} // namespace weft::fit
