// SPDX-License-Identifier: Apache-2.0
#include "scene/light_rows.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace weft::scene {

namespace {

using core::ArgumentError;
using layouts::AreaWord;
using layouts::LightKind;
using layouts::LightWord;
using layouts::PointWord;
using layouts::SunWord;
using layouts::TriangleWord;
using std::numbers::pi;

using Vector3f = std::array<float, 3>;

/// Radians by which a spot's cone, and the spread of an area, are taken too wide, for rounding.
constexpr double kConeSlack = 0.01;

constexpr Vector3f rounded(const Vector3& v) {
    return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
}
constexpr Vector3 times(const Vector3& v, double factor) {
    return {v[0] * factor, v[1] * factor, v[2] * factor};
}
constexpr Vector3 over(const Vector3& v, double divisor) {
    return {v[0] / divisor, v[1] / divisor, v[2] / divisor};
}
constexpr Vector3 minus(const Vector3& a, const Vector3& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
constexpr Vector3 cross(const Vector3& a, const Vector3& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double length(const Vector3& v) {
    return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

void put(LightWords& words, std::uint32_t word, double value) {
    words[word] = std::bit_cast<std::uint32_t>(static_cast<float>(value));
}
void put(LightWords& words, std::uint32_t word, const Vector3f& values) {
    for (std::uint32_t k = 0; k < 3; ++k) {
        words[word + k] = std::bit_cast<std::uint32_t>(values[k]);
    }
}

LightRow row_of_kind(std::uint32_t kind, const Vector3f& color) {
    LightRow row;
    row.words[LightWord::kKind] = kind;
    put(row.words, LightWord::kColor, color);
    return row;
}

/// What rows of lights depend on beside the light.
struct Context {
    std::string owner;
    double extent = 0;
};

Vector3 unit(const Context& context, const Vector3& direction) {
    const double size = length(direction);
    if (!std::isfinite(size) || size == 0) {
        throw ArgumentError(core::text(context.owner,
                                       ": direction must be three numbers, not all zero, got (",
                                       direction[0], ", ", direction[1], ", ", direction[2], ")"));
    }
    return over(direction, size);
}

LightBounds bounds_around(const Vector3f& centre, const Vector3f& half_extent) {
    LightBounds bounds{.theta_o = static_cast<float>(pi), .theta_e = static_cast<float>(pi / 2)};
    for (std::size_t k = 0; k < 3; ++k) {
        bounds.lowest[k] = centre[k] - half_extent[k];
        bounds.highest[k] = centre[k] + half_extent[k];
    }
    return bounds;
}

/// A point light or a spot, without its cone.
template <typename AnalyticLight>
LightRow sphere_row(const AnalyticLight& light, std::uint32_t kind) {
    const Rgb intensity = over(times(light.color, light.power), 4 * pi);
    const double disc = pi * (light.radius * light.radius);
    LightRow row = row_of_kind(kind, rounded(light.radius > 0 ? over(intensity, disc) : intensity));
    const Vector3f position = rounded(light.position);
    const auto radius = static_cast<float>(light.radius);
    put(row.words, LightWord::kPosition, position);
    put(row.words, PointWord::kRadius, light.radius);
    put(row.words, PointWord::kFacesDisc, light.soft_falloff ? 1.0 : 0.0);
    row.bounds = bounds_around(position, {radius, radius, radius});
    row.power = luminance(intensity) * 4 * pi;
    return row;
}

LightRow row_of(const PointLight& light, const Context& /*context*/) {
    return sphere_row(light, LightKind::kPoint);
}

LightRow row_of(const SpotLight& light, const Context& context) {
    LightRow row = sphere_row(light, LightKind::kSpot);
    const Vector3f axis = rounded(unit(context, light.direction));
    const double half = std::min(light.angle, pi) / 2;
    const double outer = std::cos(half);
    put(row.words, PointWord::kAxis, axis);
    put(row.words, PointWord::kCosine, outer);
    put(row.words, PointWord::kEdge, (1 - outer) * light.blend);
    row.power *= (1 - outer) / 2;
    // Within its cone a spot shines alike, so that the cone stands for the spread of its normals.
    row.bounds->axis = axis;
    row.bounds->theta_o = static_cast<float>(half);
    row.bounds->theta_e = static_cast<float>(kConeSlack);
    return row;
}

LightRow row_of(const SunLight& light, const Context& context) {
    const double gap = 1 - std::cos(light.angle / 2);
    const double sine = std::sin(light.angle / 2);
    const Rgb irradiance = times(light.color, light.strength);
    LightRow row = row_of_kind(
        LightKind::kSun, rounded(gap > 0 ? over(irradiance, pi * (sine * sine)) : irradiance));
    put(row.words, LightWord::kPosition, rounded(times(unit(context, light.direction), -1)));
    put(row.words, SunWord::kGap, gap);
    row.power = luminance(irradiance) * pi * (context.extent * context.extent);
    return row;
}

/// What a light in a plane has beside its radiance.
struct Panel {
    Vector3 x{};      ///< half axes
    Vector3 y{};      ///< such that x cross y is the way in which it shines
    Vector3 normal{}; ///< x cross y
    double area = 0;
};

Panel panel_of(const AreaLight& light, const Context& context) {
    const LightTransform& m = light.transform;
    Panel panel{.x = times({m[0], m[4], m[8]}, light.size[0]),
                .y = times({m[1], m[5], m[9]}, light.size[1])};
    panel.x = over(panel.x, 2);
    panel.y = times(over(panel.y, 2), -1); // the light shines along -z
    panel.normal = cross(panel.x, panel.y);
    panel.area = length(panel.normal) * (light.shape == AreaShape::ellipse ? pi : 4);
    if (!(panel.area > 0)) {
        throw ArgumentError(
            core::text(context.owner, ": its area is zero; make it larger, or use a PointLight"));
    }
    return panel;
}

LightRow row_of(const AreaLight& light, const Context& context) {
    require_spread(context.owner, light.spread);
    const Panel panel = panel_of(light, context);
    // An emissive surface alike to all sides gives off pi times its radiance.
    const Vector3f color = rounded(over(times(light.color, light.power), pi * panel.area));
    LightRow row = row_of_kind(LightKind::kArea, color);
    const Vector3f position =
        rounded({light.transform[3], light.transform[7], light.transform[11]});
    const Vector3f x = rounded(panel.x);
    const Vector3f y = rounded(panel.y);
    put(row.words, LightWord::kPosition, position);
    put(row.words, AreaWord::kArea, panel.area);
    put(row.words, AreaWord::kHalfX, x);
    put(row.words, AreaWord::kHalfY, y);
    put(row.words, AreaWord::kIsEllipse, light.shape == AreaShape::ellipse ? 1.0 : 0.0);
    if (light.spread < pi) {
        const double tangent = std::tan(light.spread / 2);
        put(row.words, AreaWord::kSpread, tangent);
        put(row.words, AreaWord::kSpreadFactor, 1 / (tangent - light.spread / 2));
    }
    row.bounds =
        bounds_around(position, {std::abs(x[0]) + std::abs(y[0]), std::abs(x[1]) + std::abs(y[1]),
                                 std::abs(x[2]) + std::abs(y[2])});
    row.bounds->axis = rounded(over(panel.normal, length(panel.normal)));
    row.bounds->theta_o = 0;
    row.bounds->theta_e = static_cast<float>(std::min(light.spread / 2 + kConeSlack, pi / 2));
    row.power = luminance(color.data()) * pi * panel.area;
    return row;
}

/// Refuses numbers of a light that are not finite.
struct RequireFinite {
    const Context& context;

    void operator()(std::string_view name, double value) const {
        if (!std::isfinite(value)) {
            throw ArgumentError(core::text(context.owner, ": ", name, " must be finite, got ",
                                           value, "; give it another value"));
        }
    }
    template <std::size_t Count>
    void operator()(std::string_view name, const std::array<double, Count>& values) const {
        for (const double value : values) {
            (*this)(name, value);
        }
    }
    void operator()(std::string_view /*name*/, bool /*value*/) const {}
    void operator()(std::string_view /*name*/, AreaShape /*value*/) const {}
};

LightRow analytic_light_row(const Light& light, double extent) {
    const Context context{.owner = described(light), .extent = extent};
    LightRow row = std::visit(
        [&](const auto& own) {
            const RequireFinite require{context};
            std::apply([&](const auto&... field) { (require(field.name, own.*field.member), ...); },
                       own.fields());
            return row_of(own, context);
        },
        light.kind);
    row.words[LightWord::kRules] =
        light.hidden_from | (light.casts_shadow ? 0 : layouts::LightRule::kShadowless);
    return row;
}

} // namespace

AnalyticLightRows analytic_light_rows(std::span<const Light> lights, double extent) {
    AnalyticLightRows out;
    ProfileTable profiles;
    out.rows.reserve(lights.size());
    for (const Light& light : lights) {
        LightRow& row = out.rows.emplace_back(analytic_light_row(light, extent));
        if (light.profile) {
            row.words[LightWord::kProfile] = profiles.add(light.profile);
            row.power *= mean_factor(*light.profile);
        }
    }
    out.profiles = std::move(profiles).take();
    return out;
}

std::vector<LightRow> triangle_rows(const EmissiveTriangles& emissive) {
    const std::size_t count = emissive.triangles.size();
    if (emissive.areas.size() != count || emissive.bounds.size() != count) {
        throw ArgumentError(core::text("triangle_rows: areas and bounds must be as many as the ",
                                       count, " triangles, got ", emissive.areas.size(), " and ",
                                       emissive.bounds.size()));
    }
    const double watts = luminance(emissive.radiance) * pi * (emissive.both_sides ? 2 : 1);
    LightRow row = row_of_kind(LightKind::kTriangle, rounded(emissive.radiance));
    row.words[TriangleWord::kInstance] = emissive.instance;
    put(row.words, TriangleWord::kBothSides, emissive.both_sides ? 1.0 : 0.0);
    put(row.words, TriangleWord::kVaries, emissive.varies ? 1.0 : 0.0);
    std::vector<LightRow> rows(count, row);
    for (std::size_t k = 0; k < count; ++k) {
        rows[k].words[TriangleWord::kTriangle] = emissive.triangles[k];
        rows[k].area = emissive.areas[k];
        rows[k].power = watts * emissive.areas[k];
        rows[k].bounds = emissive.bounds[k];
    }
    return rows;
}

std::vector<LightBounds> triangle_bounds(std::span<const double> corners, bool both_sides,
                                         bool is_mirrored) {
    constexpr std::size_t kNumbers = 9;
    if (corners.size() % kNumbers != 0) {
        throw ArgumentError(core::text("triangle_bounds: a triangle has 9 numbers, got ",
                                       corners.size(), "; give three corners each"));
    }
    std::vector<LightBounds> bounds(corners.size() / kNumbers);
    for (std::size_t i = 0; i < bounds.size(); ++i) {
        const auto at = corners.subspan(i * kNumbers, kNumbers);
        const Vector3 a{at[0], at[1], at[2]};
        const Vector3 b{at[3], at[4], at[5]};
        const Vector3 c{at[6], at[7], at[8]};
        LightBounds& own = bounds[i];
        for (std::size_t k = 0; k < 3; ++k) {
            own.lowest[k] = static_cast<float>(std::min({a[k], b[k], c[k]}));
            own.highest[k] = static_cast<float>(std::max({a[k], b[k], c[k]}));
        }
        const Vector3 normal = cross(minus(b, a), minus(c, a));
        const double size = length(normal);
        const bool has_normal =
            size > 0; // else too small for its corners' precision: any may be its
        if (has_normal) {
            own.axis = rounded(times(over(normal, size), is_mirrored ? -1 : 1));
        }
        own.theta_o = has_normal && !both_sides ? 0.0F : static_cast<float>(pi);
        own.theta_e = static_cast<float>(pi / 2);
    }
    return bounds;
}

} // namespace weft::scene
