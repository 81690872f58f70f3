// SPDX-License-Identifier: Apache-2.0
#include "scene/material_values.hpp"

#include "core/error.hpp"
#include "core/overloaded.hpp"
#include "core/text.hpp"
#include "scene/material_checks.hpp"

#include <algorithm>
#include <cmath>

namespace weft::scene {

namespace {

constexpr std::array<AttributeInfo, kAttributes> kAttributeInfos{{
    {"UV", "s.uv", 2, false},
    {"POSITION", "s.position", 3, false},
    {"NORMAL", "s.normal", 3, false},
    {"GEOMETRIC_NORMAL", "s.geometricNormal", 3, false},
    {"TANGENT", "s.tangent", 3, false},
    {"INCOMING", "s.wi", 3, false},
    {"BACKFACING", "(s.isBackface ? 1.f : 0.f)", 1, false},
    {"PARAMETRIC", "float3(1.f - s.barycentric.x - s.barycentric.y, s.barycentric.x, 0.f)", 3,
     false},
    {"IS_CAMERA_RAY", "((s.ray & 1u) != 0u ? 1.f : 0.f)", 1, true},
    {"IS_SHADOW_RAY", "((s.ray & 2u) != 0u ? 1.f : 0.f)", 1, true},
    {"IS_DIFFUSE_RAY", "((s.ray & 4u) != 0u ? 1.f : 0.f)", 1, true},
    {"IS_GLOSSY_RAY", "((s.ray & 8u) != 0u ? 1.f : 0.f)", 1, true},
    {"IS_TRANSMISSION_RAY", "((s.ray & 16u) != 0u ? 1.f : 0.f)", 1, true},
    {"IS_REFLECTION_RAY", "((s.ray & 32u) != 0u ? 1.f : 0.f)", 1, true},
    {"IS_SINGULAR_RAY", "((s.ray & 64u) != 0u ? 1.f : 0.f)", 1, true},
    {"IS_VOLUME_SCATTER_RAY", "((s.ray & 128u) != 0u ? 1.f : 0.f)", 1, true},
    {"RAY_LENGTH", "s.rayLength", 1, true},
    {"RAY_DEPTH", "float(s.depth)", 1, true},
    {"DIFFUSE_DEPTH", "float((s.ray >> 8) & 63u)", 1, true},
    {"GLOSSY_DEPTH", "float((s.ray >> 14) & 63u)", 1, true},
    {"TRANSMISSION_DEPTH", "float((s.ray >> 20) & 63u)", 1, true},
    {"TRANSPARENT_DEPTH", "float(s.passed)", 1, true},
}};

/// Takes what a value leads to out of it, if nobody else holds it.
void take_parts(Value& value, std::vector<Value>& parts) {
    if (auto* const call = std::get_if<std::shared_ptr<SlangCall>>(&value)) {
        if (call->use_count() == 1) {
            for (auto& [name, argument] : (*call)->arguments) {
                parts.push_back(std::move(argument));
            }
            (*call)->arguments.clear();
        }
    } else if (auto* const texture = std::get_if<std::shared_ptr<Texture>>(&value)) {
        if (texture->use_count() == 1 && (*texture)->uv) {
            parts.push_back(std::move(*(*texture)->uv));
            (*texture)->uv.reset();
        }
    }
}

/// Lets go of values, and of what only they lead to, one after the other.
void release(std::vector<Value> pending) noexcept {
    while (!pending.empty()) {
        Value value = std::move(pending.back());
        pending.pop_back();
        take_parts(value, pending);
    }
}

std::string shown(const Value& value) {
    if (const auto* const number = std::get_if<double>(&value)) {
        return core::text(*number);
    }
    const auto* const numbers = std::get_if<Numbers>(&value);
    if (numbers == nullptr) {
        return "what is no number";
    }
    std::vector<std::string> texts;
    std::ranges::transform(*numbers, std::back_inserter(texts),
                           [](double number) { return core::text(number); });
    return core::text("(", core::join(texts, ", "), ")");
}

Numbers numbers_of(const Value& value) {
    if (const auto* const number = std::get_if<double>(&value)) {
        return {*number};
    }
    const auto* const numbers = std::get_if<Numbers>(&value);
    return numbers == nullptr ? Numbers{} : *numbers;
}

} // namespace

const AttributeInfo& attribute_info(Attribute attribute) {
    return kAttributeInfos.at(static_cast<std::size_t>(attribute));
}

Texture::~Texture() {
    if (uv) {
        std::vector<Value> parts;
        parts.push_back(std::move(*uv));
        release(std::move(parts));
    }
}

SlangCall::~SlangCall() {
    std::vector<Value> parts;
    for (auto& [name, argument] : arguments) {
        parts.push_back(std::move(argument));
    }
    release(std::move(parts));
}

const Value& plain(const Value& value) {
    const auto* const held = std::get_if<std::shared_ptr<const Constant>>(&value);
    return held == nullptr ? value : (*held)->value;
}

std::size_t size_of(const Value& value) {
    return std::visit(
        core::Overloaded{
            [](double) { return std::size_t{1}; },
            [](const Numbers& numbers) { return numbers.size(); },
            [](Attribute attribute) { return attribute_info(attribute).size; },
            [](const UvSet&) { return std::size_t{2}; },
            [](const UvTangent&) { return std::size_t{3}; },
            [](const ColorAttribute&) { return std::size_t{3}; },
            [](const std::shared_ptr<const Constant>& held) { return size_of(held->value); },
            [](const std::shared_ptr<Texture>& held) { return std::size_t{held->channels}; },
            [](const std::shared_ptr<SlangCall>& held) { return held->size; },
            [](const std::shared_ptr<const NormalMap>&) { return std::size_t{3}; },
            [](const std::shared_ptr<const Bump>&) { return std::size_t{3}; },
        },
        value);
}

std::string text_of_code(std::string_view function, std::string_view source,
                         std::string_view module) {
    return module.empty() ? std::string(source)
                          : core::text("import ", module, ";  // ", function, "\n");
}

std::shared_ptr<const Constant> constant(std::string name, Value value, double low, double high) {
    require_constant(name, numbers_of(value), shown(value));
    return std::make_shared<const Constant>(Constant{std::move(name), std::move(value), low, high});
}

void require_pixels(std::string_view owner, std::span<const float> pixels, std::uint32_t width,
                    std::uint32_t channels) {
    const auto bad = std::ranges::find_if_not(pixels, [](float x) { return std::isfinite(x); });
    if (bad != pixels.end()) {
        const auto pixel = static_cast<std::uint64_t>(bad - pixels.begin()) / channels;
        throw core::ArgumentError(core::text(owner, ": the pixel in row ", pixel / width,
                                             ", column ", pixel % width,
                                             " is not finite; replace it"));
    }
}

std::shared_ptr<Texture> texture(std::vector<float> pixels, std::uint32_t width,
                                 std::uint32_t height, std::uint32_t channels) {
    const std::uint64_t wanted = std::uint64_t{width} * height * channels;
    if ((channels != 1 && channels != 3 && channels != 4) || wanted == 0 ||
        wanted != pixels.size()) {
        throw core::ArgumentError(
            core::text("texture: pixels must be (height, width, channels) with 1, 3 or 4 channels, "
                       "got ",
                       pixels.size(), " numbers for (", height, ", ", width, ", ", channels, ")"));
    }
    require_pixels("texture", pixels, width, channels);
    auto made = std::make_shared<Texture>();
    auto kept = std::make_shared<std::vector<float>>(std::move(pixels));
    made->pixels = *kept;
    made->image = kept;
    made->owner = std::move(kept);
    made->width = width;
    made->height = height;
    made->channels = channels;
    return made;
}

std::shared_ptr<SlangCall> slang_call(SlangCall call) {
    require_slang_call(call.function, call.source, call.module,
                       static_cast<std::int64_t>(call.size));
    return std::make_shared<SlangCall>(std::move(call));
}

std::shared_ptr<const NormalMap> normal_map(NormalMap map) {
    require_normal_map(size_of(map.color), size_of(map.strength));
    return std::make_shared<const NormalMap>(std::move(map));
}

std::shared_ptr<const Bump> bump(Bump bump) {
    require_bump(size_of(bump.height), size_of(bump.strength), size_of(bump.distance),
                 bump.normal ? std::optional(size_of(*bump.normal)) : std::nullopt);
    if (bump.step) {
        require_bump_step(*bump.step, core::text(*bump.step));
    }
    require_bump_filter_width(bump.filter_width, core::text(bump.filter_width));
    return std::make_shared<const Bump>(std::move(bump));
}

} // namespace weft::scene
