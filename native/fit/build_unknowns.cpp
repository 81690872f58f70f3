// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/observation.hpp"
#include "fit/unknowns.hpp"
#include "scene/parameter_names.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

namespace weft::fit {

namespace {

constexpr double kRoundingOfStart = 1e-5; ///< of the larger bound: how far a start may be beyond it
constexpr double kLeastFactor =
    1e-3; ///< of a colour: the derivative of a product by a factor of 0 tells nothing of the others

[[noreturn]] void refuse(std::string_view what) {
    throw core::ArgumentError(core::text("Fit: ", what));
}

[[noreturn]] void refuse(const Parameter& parameter, std::string_view what) {
    throw core::ArgumentError(core::text("Parameter '", parameter.name, "': ", what));
}

/// Names of the same owner, or all: for an error.
std::string names_near(const scene::MaterialTable& table, std::string_view name) {
    const std::string owner = scene::split_owner(name).owner;
    std::string near;
    std::string all;
    for (const scene::ParameterRange& range : table.ranges) {
        const bool is_near = scene::split_owner(range.name).owner == owner;
        for (std::string* list : {&all, is_near ? &near : nullptr}) {
            if (list != nullptr) {
                *list += (list->empty() ? "" : ", ") + range.name;
            }
        }
    }
    return near.empty() ? all : near;
}

const scene::ParameterRange& find_range(const scene::MaterialTable& table,
                                        const std::string& name) {
    const scene::ParameterRange* range = table.find(name);
    if (range == nullptr) {
        refuse(core::text("the scene has no parameter '", name, "'; there are ",
                          names_near(table, name),
                          ". An input that is not given has its default and is no parameter: give "
                          "it a value"));
    }
    const char* reason =
        range->parameter.is_fixed              ? "drives a normal, and normals have"
        : range->parameter.drives_transparency ? "makes surfaces transparent, and shadows have"
        : range->parameter.is_walk ? "says where light goes below the surface, which has"
                                   : nullptr;
    if (reason != nullptr) {
        refuse(core::text("'", name, "' ", reason, " no derivative; leave it out"));
    }
    return *range;
}

void require_bounds(std::string_view owner, const Bounds& bounds, double least) {
    const bool is_finite = std::isfinite(bounds[0]) && std::isfinite(bounds[1]);
    if (!is_finite || !(bounds[0] < bounds[1]) || bounds[0] <= least) {
        throw core::ArgumentError(core::text(owner,
                                             ": bounds must be two finite numbers, the "
                                             "smaller one first",
                                             std::isfinite(least) ? " and above 0" : "", ", got (",
                                             bounds[0], ", ", bounds[1], ")"));
    }
}

Bounds bounds_of(const Parameter& parameter, const scene::MaterialParameter& place) {
    Bounds bounds = parameter.bounds.value_or(place.bounds);
    if (!parameter.bounds) {
        bounds[0] = std::max(bounds[0], place.fit_low.value_or(bounds[0]));
        bounds[0] = place.size == kChannels ? std::max(bounds[0], kLeastFactor) : bounds[0];
    }
    require_bounds(core::text("Parameter '", parameter.name, "'"), bounds,
                   -std::numeric_limits<double>::infinity());
    return bounds;
}

bool is_log(const Parameter& parameter, const scene::MaterialParameter& place,
            const Bounds& bounds) {
    const scene::Scale usual = bounds[0] > 0 ? place.scale : scene::Scale::linear;
    const bool wanted = parameter.scale.value_or(usual) == scene::Scale::log;
    if (wanted && bounds[0] <= 0) {
        refuse(parameter,
               core::text("the scale of logarithms needs a lower bound above 0, got ", bounds[0]));
    }
    return wanted;
}

Vector start_of(const Parameter& parameter, const scene::ParameterRange& range,
                const std::vector<float>& values, const Bounds& bounds) {
    const std::size_t size = range.parameter.size;
    if (parameter.start.empty()) {
        const auto first = values.begin() + static_cast<std::ptrdiff_t>(range.first);
        return {first, first + static_cast<std::ptrdiff_t>(size)};
    }
    if (parameter.start.size() != size) {
        refuse(parameter,
               core::text("start must be ", size, " finite numbers, got ", parameter.start.size()));
    }
    const double room = kRoundingOfStart * std::max(std::abs(bounds[0]), std::abs(bounds[1]));
    for (const double number : parameter.start) {
        const bool is_inside = number >= bounds[0] - room && number <= bounds[1] + room;
        if (!is_inside) {
            refuse(parameter,
                   core::text("start must lie within the bounds (", bounds[0], ", ", bounds[1],
                              "), got ", number, "; move it, or give other bounds"));
        }
    }
    return parameter.start;
}

/// Appends unknowns, all on one scale.
void append(Unknowns& unknowns, UnknownBlock block, const Vector& start, const Bounds& bounds) {
    const auto scaled = [&block](double number) {
        return block.is_log ? std::log(number) : number;
    };
    for (const double number : start) {
        unknowns.start.push_back(scaled(std::clamp(number, bounds[0], bounds[1])));
        unknowns.low.push_back(scaled(bounds[0]));
        unknowns.high.push_back(scaled(bounds[1]));
    }
    unknowns.blocks.push_back(std::move(block));
}

void require_once(const scene::MaterialTable& table, std::span<const Parameter> parameters) {
    std::set<std::string_view> taken;
    for (const Parameter& parameter : parameters) {
        const std::size_t wanted = find_range(table, parameter.name).parameter.size;
        std::vector<std::string_view> names{parameter.name};
        names.insert(names.end(), parameter.tied.begin(), parameter.tied.end());
        for (const std::string_view name : names) {
            if (!taken.insert(name).second) {
                refuse(core::text("parameter '", name, "' is given twice; leave one out"));
            }
            const std::size_t own = find_range(table, std::string(name)).parameter.size;
            if (own != wanted) {
                refuse(core::text("'", name, "' cannot be tied to '", parameter.name, "': it has ",
                                  own, " numbers instead of ", wanted));
            }
        }
    }
}

/// Numbers of the observations that an exposure is of.
std::vector<std::size_t> views_of(const Exposure& exposure,
                                  std::span<const std::string> observations) {
    std::vector<std::size_t> views;
    for (std::size_t view = 0; view < observations.size(); ++view) {
        if (exposure.observation.empty() || exposure.observation == observations[view]) {
            views.push_back(view);
        }
    }
    if (!exposure.observation.empty() && views.size() != 1) {
        throw core::ArgumentError(
            core::text("Exposure: ", views.empty() ? "no observation" : "more than one observation",
                       " is called '", exposure.observation, "'; give each a name of its own"));
    }
    return views;
}

/// @param owner how messages begin.
void require_factor(std::string_view owner, const Bounds& bounds, double start) {
    require_bounds(owner, bounds, 0);
    const bool is_within = start >= bounds[0] && start <= bounds[1];
    if (!is_within) {
        throw core::ArgumentError(core::text(owner, ": start must lie within the bounds (",
                                             bounds[0], ", ", bounds[1], "), got ", start));
    }
}

/// @param what it is a factor of.
void append_factor(Unknowns& unknowns, UnknownBlock block, std::string_view what, double start,
                   const Bounds& bounds) {
    if (std::ranges::find(unknowns.blocks, block.name, &UnknownBlock::name) !=
        unknowns.blocks.end()) {
        refuse(core::text("'", block.name, "' is the factor of a ", what,
                          " and an input of a material; give one of them another name"));
    }
    add_factor(unknowns, std::move(block), start, bounds);
}

void append_exposure(Unknowns& unknowns, const Exposure& exposure,
                     std::span<const std::string> observations) {
    require_factor("Exposure", exposure.bounds, exposure.start);
    for (const std::size_t view : views_of(exposure, observations)) {
        const std::string& own = observations[view];
        const bool is_unique = std::count(observations.begin(), observations.end(), own) == 1;
        const std::array<std::string, 2> parts{is_unique ? own : core::text(own, view), "exposure"};
        if (std::ranges::any_of(unknowns.blocks,
                                [&](const auto& one) { return one.view == view; })) {
            throw core::ArgumentError(
                core::text("Exposure: observation '", own, "' has two of them; leave one out"));
        }
        append_factor(unknowns,
                      {.name = scene::join_name(parts),
                       .size = exposure.white_balance ? kChannels : 1,
                       .view = view},
                      "picture", exposure.start, exposure.bounds);
    }
}

void append_light(Unknowns& unknowns, const LightParameter& light, std::size_t number) {
    require_factor(core::text("LightParameter '", light.light, "'"), light.bounds, light.start);
    const std::array<std::string, 2> parts{light.light, "factor"};
    std::string name = scene::join_name(parts);
    if (std::ranges::any_of(unknowns.blocks, [&](const UnknownBlock& other) {
            return other.light && other.name == name;
        })) {
        refuse(core::text("light '", light.light, "' is given twice; leave one out"));
    }
    append_factor(unknowns,
                  {.name = std::move(name), .size = light.color ? kChannels : 1, .light = number},
                  "light", light.start, light.bounds);
}

void require_prior(const Parameter& parameter, const UnknownBlock& block) {
    const ExpectedValue& expected = *parameter.prior;
    const bool has_means = expected.mean.size() == 1 || expected.mean.size() == block.size;
    const bool are_means =
        std::all_of(expected.mean.begin(), expected.mean.end(), [&block](double mean) {
            return std::isfinite(mean) && (!block.is_log || mean > 0);
        });
    if (!has_means || !are_means || !(expected.deviation > 0) ||
        !std::isfinite(expected.deviation)) {
        refuse(parameter,
               core::text("prior must have one finite mean or ", block.size,
                          block.is_log ? " above 0" : "", " and a finite deviation above 0"));
    }
}

} // namespace

void add_parameter(Unknowns& unknowns, const scene::MaterialTable& table,
                   const Parameter& parameter) {
    const scene::ParameterRange& range = find_range(table, parameter.name);
    const Bounds bounds = bounds_of(parameter, range.parameter);
    UnknownBlock block{.name = parameter.name,
                       .first = unknowns.start.size(),
                       .size = range.parameter.size,
                       .is_log = is_log(parameter, range.parameter, bounds),
                       .is_separable = range.parameter.is_separable && parameter.tied.empty()};
    for (std::size_t component = 0; component < block.size; ++component) {
        std::vector<std::size_t> slots{range.first + component};
        for (const std::string& name : parameter.tied) {
            slots.push_back(find_range(table, name).first + component);
        }
        block.slots.push_back(std::move(slots));
    }
    const Vector start = start_of(parameter, range, table.values, bounds);
    append(unknowns, std::move(block), start, bounds);
}

void add_factor(Unknowns& unknowns, UnknownBlock block, double start, const Bounds& bounds) {
    block.first = unknowns.start.size();
    block.is_log = true;
    const Vector starts(block.size, start);
    append(unknowns, std::move(block), starts, bounds);
}

void add_expected(Unknowns& unknowns, std::size_t block, const ExpectedValue& expected) {
    const UnknownBlock& own = unknowns.blocks[block];
    if (!unknowns.prior) {
        unknowns.prior = Prior::none(unknowns.start.size());
    }
    for (std::size_t i = 0; i < own.size; ++i) {
        const double mean = expected.mean[expected.mean.size() == 1 ? 0 : i];
        const double deviation = expected.deviation / (own.is_log ? mean : 1.0);
        unknowns.prior->expected[own.first + i] = own.is_log ? std::log(mean) : mean;
        unknowns.prior->precision[own.first + i] = 1 / (deviation * deviation);
    }
}

Unknowns build_unknowns(const scene::MaterialTable& table, std::span<const Parameter> parameters,
                        std::span<const Exposure> exposures,
                        std::span<const std::string> observations,
                        std::span<const LightParameter> lights) {
    require_once(table, parameters);
    Unknowns unknowns;
    for (const Parameter& parameter : parameters) {
        add_parameter(unknowns, table, parameter);
    }
    for (const Exposure& exposure : exposures) {
        append_exposure(unknowns, exposure, observations);
    }
    for (std::size_t number = 0; number < lights.size(); ++number) {
        append_light(unknowns, lights[number], number);
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (parameters[i].prior) {
            require_prior(parameters[i], unknowns.blocks[i]);
            add_expected(unknowns, i, *parameters[i].prior);
        }
    }
    return unknowns;
}

} // namespace weft::fit
