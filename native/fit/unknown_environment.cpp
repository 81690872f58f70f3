// SPDX-License-Identifier: Apache-2.0
#include "fit/unknown_environment.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "scene/materials.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace weft::fit {

namespace {

using Point = std::array<double, 3>;

constexpr std::array<std::int64_t, 2> kSmallest{8, 4};
constexpr std::array<std::int64_t, 2> kLargest{512, 256};
constexpr double kBoxSizeFactor = 100.0; ///< size of the box, of the scene's
constexpr double kDarkest = 1e-6;        ///< where a fit begins, at least

// Blender's equirectangular orientation.
constexpr std::string_view kLookup = R"(
float2 weftSkyCoordinates(float3 towards, float height)
{
    const float3 d = -normalize(towards);
    const float v = 0.5f + asin(clamp(d.z, -1.f, 1.f)) / 3.14159265f;
    const float edge = 0.5f / height;
    return float2(0.5f - atan2(d.y, d.x) / 6.28318531f, clamp(v, edge, 1.f - edge));
}
)";

/// Row-major 3x4.
Point transformed(const std::array<double, 12>& m, const float* p) {
    Point out{};
    for (std::size_t row = 0; row < 3; ++row) {
        out[row] = m[4 * row] * static_cast<double>(p[0]) +
                   m[4 * row + 1] * static_cast<double>(p[1]) +
                   m[4 * row + 2] * static_cast<double>(p[2]) + m[4 * row + 3];
    }
    return out;
}

double distance(const Point& a, const Point& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// Calls `visit` with each vertex in the world.
void for_each_vertex(const scene::Scene& scene, const auto& visit) {
    for (const scene::Object& object : scene.objects) {
        const std::span<const float> positions = object.mesh->positions.values;
        for (std::size_t i = 0; i + 2 < positions.size(); i += 3) {
            visit(transformed(object.transform, &positions[i]));
        }
    }
}

Point place_of(const scene::Camera& camera) {
    return {camera.transform[3], camera.transform[7], camera.transform[11]};
}

void require_far(const scene::Scene& scene, const scene::Camera& camera) {
    if (camera.far == std::numeric_limits<double>::infinity()) {
        return;
    }
    const Point place = place_of(camera);
    double reach = 0;
    for_each_vertex(scene, [&](const Point& p) { reach = std::max(reach, distance(p, place)); });
    if (camera.far < reach) {
        throw core::ArgumentError(core::text(
            "Fit: camera '", camera.name, "' sees ", camera.far, " m far and the scene reaches ",
            reach, " m from it, which an unknown environment cannot take apart; raise its far"));
    }
}

/// A box that is far from all that there is.
scene::MeshRef box_around(const scene::Scene& scene, std::span<const Observation> observations) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    Point low{kInfinity, kInfinity, kInfinity};
    Point high{-kInfinity, -kInfinity, -kInfinity};
    const auto add = [&](const Point& p) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            low[axis] = std::min(low[axis], p[axis]);
            high[axis] = std::max(high[axis], p[axis]);
        }
    };
    for_each_vertex(scene, add);
    for (const Observation& observation : observations) {
        add(place_of(observation.camera));
    }
    if (!(low[0] <= high[0])) {
        low = high = {}; // there is nothing
    }
    const double size = kBoxSizeFactor * std::max(distance(low, high), 1e-3);
    std::vector<float> positions;
    for (std::size_t corner = 0; corner < 8; ++corner) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const bool is_high = ((corner >> (2 - axis)) & 1U) != 0;
            const double middle = (low[axis] + high[axis]) / 2;
            positions.push_back(static_cast<float>(middle + (is_high ? size : -size)));
        }
    }
    scene::Mesh box{.name = "environment"};
    box.positions = std::move(positions);
    box.triangles =
        std::vector<std::uint32_t>{0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1,
                                   2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3};
    return scene::mesh(std::move(box));
}

/// The mean over observations of the mean radiance of the pixels that count.
scene::Rgb mean_radiance(std::span<const Observation> observations) {
    scene::Rgb out{};
    for (const Observation& observation : observations) {
        scene::Rgb sum{};
        double count = 0;
        for (std::size_t i = 0; i + 2 < observation.image.size(); i += kChannels) {
            const std::size_t pixel = i / kChannels;
            if (!observation.mask.empty() && !(observation.mask.at(pixel) > 0)) {
                continue;
            }
            ++count;
            for (std::size_t c = 0; c < kChannels; ++c) {
                sum[c] += static_cast<double>(observation.image[i + c]);
            }
        }
        for (std::size_t c = 0; c < kChannels; ++c) {
            out[c] += sum[c] / std::max(count, 1.0) / static_cast<double>(observations.size());
        }
    }
    for (double& channel : out) {
        channel = std::max(channel, kDarkest);
    }
    return out;
}

/// What gives off the light where the fit begins.
scene::SurfaceRef shining(const EnvironmentParameter& parameter, const scene::Rgb& start) {
    const double level = *std::ranges::max_element(start);
    const auto texels = static_cast<std::size_t>(parameter.width * parameter.height);
    std::vector<float> pixels;
    pixels.reserve(texels * kChannels);
    for (std::size_t texel = 0; texel < texels; ++texel) {
        for (const double channel : start) {
            pixels.push_back(static_cast<float>(channel / level));
        }
    }
    auto texture =
        scene::texture(std::move(pixels), static_cast<std::uint32_t>(parameter.width),
                       static_cast<std::uint32_t>(parameter.height), std::uint32_t{kChannels});
    scene::SlangCall call;
    call.function = "weftSkyCoordinates";
    call.source = kLookup;
    call.arguments = {{"towards", scene::Attribute::incoming},
                      {"height", static_cast<double>(parameter.height)}};
    call.size = 2;
    call.is_differentiable = false;
    texture->uv = scene::slang_call(std::move(call));
    texture->name = parameter.name;
    return scene::closure(
        "emission", {{"color", std::move(texture)}, {"strength", level}, {"both_sides", 1.0}});
}

} // namespace

std::string_view environment_lookup() noexcept {
    return kLookup;
}

void require_valid(const EnvironmentParameter& parameter) {
    const auto fail = [&](const auto&... what) {
        throw core::ArgumentError(
            core::text("EnvironmentParameter '", parameter.name, "': ", what...));
    };
    const auto is_within = [](std::int64_t size, std::size_t axis) {
        return kSmallest[axis] <= size && size <= kLargest[axis];
    };
    if (!is_within(parameter.width, 0) || !is_within(parameter.height, 1)) {
        fail("width and height must be integers from ", kSmallest[0], " x ", kSmallest[1], " to ",
             kLargest[0], " x ", kLargest[1], ", got ", parameter.width, " x ", parameter.height);
    }
    const auto is_light = [](double value) { return std::isfinite(value) && value > 0; };
    if (parameter.start && !std::ranges::all_of(*parameter.start, is_light)) {
        const auto& [r, g, b] = *parameter.start;
        fail("start must be finite numbers above 0, got ", r, ", ", g, ", ", b);
    }
    if (!(parameter.smoothness >= 0) || !std::isfinite(parameter.smoothness)) {
        fail("smoothness must be a finite number from 0, got ", parameter.smoothness);
    }
}

scene::Scene with_unknown_environment(const scene::Scene& scene,
                                      const EnvironmentParameter& parameter,
                                      std::span<const Observation> observations) {
    require_valid(parameter);
    const std::vector<scene::MaterialRef> materials = scene::materials_of(scene);
    if (std::ranges::any_of(materials,
                            [&](const auto& own) { return own->name == parameter.name; })) {
        throw core::ArgumentError(core::text(
            "Fit: a material is called '", parameter.name,
            "' as the unknown environment is; give the EnvironmentParameter another name"));
    }
    for (const Observation& observation : observations) {
        require_far(scene, observation.camera);
    }
    const scene::Rgb start = parameter.start ? *parameter.start : mean_radiance(observations);
    scene::Scene out = scene;
    out.objects.push_back(
        scene::object({.mesh = box_around(scene, observations),
                       .materials = {scene::material(parameter.name, shining(parameter, start))},
                       .name = parameter.name}));
    out.environment = nullptr;
    return out;
}

} // namespace weft::fit
