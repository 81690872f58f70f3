// SPDX-License-Identifier: Apache-2.0
// Numbers by which kernels and the host share memory: words of records, rows of paths, bits.
//
// Printed from the reflection of shaders/weft/render by packaging/dev/layouts.py, which a test
// compares. Do not edit; change the Slang. Their meaning stands there, beside each.
#pragma once

#include <cstdint>

namespace weft::scene::layouts {

/// Kinds of light, and bits of what a scene has of them.
struct LightKind {
    static constexpr std::uint32_t environment = 0;
    static constexpr std::uint32_t point = 1;
    static constexpr std::uint32_t spot = 2;
    static constexpr std::uint32_t sun = 3;
    static constexpr std::uint32_t area = 4;
    static constexpr std::uint32_t triangle = 5;
    static constexpr std::uint32_t profiled = 6;
};

/// Words of a light's record.
struct LightWord {
    static constexpr std::uint32_t kind = 0;
    static constexpr std::uint32_t probability = 1;
    static constexpr std::uint32_t color = 2;
    static constexpr std::uint32_t position = 5;
    static constexpr std::uint32_t trail = 19;
    static constexpr std::uint32_t profile = 20;
    static constexpr std::uint32_t rules = 21;
    static constexpr std::uint32_t end = 22;
};

/// Words of the record of a point light or a spot.
struct LampWord {
    static constexpr std::uint32_t radius = 8;
    static constexpr std::uint32_t axis = 9;
    static constexpr std::uint32_t cosine = 12;
    static constexpr std::uint32_t edge = 13;
    static constexpr std::uint32_t faces_disc = 14;
};

/// Words of the record of a sun.
struct SunWord {
    static constexpr std::uint32_t gap = 8;
};

/// Words of the record of an area light.
struct AreaWord {
    static constexpr std::uint32_t area = 8;
    static constexpr std::uint32_t half_x = 9;
    static constexpr std::uint32_t half_y = 12;
    static constexpr std::uint32_t is_ellipse = 15;
    static constexpr std::uint32_t both_sides = 16;
    static constexpr std::uint32_t spread = 17;
    static constexpr std::uint32_t spread_factor = 18;
};

/// Words of the record of an emissive triangle.
struct TriangleWord {
    static constexpr std::uint32_t instance = 8;
    static constexpr std::uint32_t triangle = 9;
    static constexpr std::uint32_t both_sides = 10;
    static constexpr std::uint32_t varies = 11;
};

/// Bits beside those of the kinds of ray that a lamp is hidden from.
struct LampRule {
    static constexpr std::uint32_t shadowless = 256;
};

/// Words of a lamp's profile.
struct ProfileWord {
    static constexpr std::uint32_t width = 0;
    static constexpr std::uint32_t height = 1;
    static constexpr std::uint32_t distance_power = 2;
    static constexpr std::uint32_t smooth = 3;
    static constexpr std::uint32_t texels = 4;
};

/// Words of a node of the light tree.
struct LightNodeWord {
    static constexpr std::uint32_t low = 0;
    static constexpr std::uint32_t cosine = 3;
    static constexpr std::uint32_t high = 4;
    static constexpr std::uint32_t emission = 7;
    static constexpr std::uint32_t axis = 8;
    static constexpr std::uint32_t power = 11;
    static constexpr std::uint32_t child = 12;
    static constexpr std::uint32_t sine = 13;
    static constexpr std::uint32_t end = 16;
};

/// Bits of the kinds of ray.
struct RayKind {
    static constexpr std::uint32_t camera = 1;
    static constexpr std::uint32_t shadow = 2;
    static constexpr std::uint32_t diffuse = 4;
    static constexpr std::uint32_t glossy = 8;
    static constexpr std::uint32_t transmission = 16;
    static constexpr std::uint32_t reflection = 32;
    static constexpr std::uint32_t singular = 64;
    static constexpr std::uint32_t volume = 128;
};

/// Words of an instance's record.
struct InstanceWord {
    static constexpr std::uint32_t first_triangle = 0;
    static constexpr std::uint32_t first_slot = 1;
    static constexpr std::uint32_t first_light = 2;
    static constexpr std::uint32_t object = 3;
    static constexpr std::uint32_t end = 4;
};

/// Words of a material's record.
struct MaterialWord {
    static constexpr std::uint32_t program = 0;
    static constexpr std::uint32_t first_parameter = 1;
    static constexpr std::uint32_t end = 2;
};

/// Rows of the state of a path.
struct PathRow {
    static constexpr std::uint32_t throughput = 0;
    static constexpr std::uint32_t radiance = 3;
    static constexpr std::uint32_t pending = 6;
    static constexpr std::uint32_t pdf = 9;
    static constexpr std::uint32_t record = 10;
    static constexpr std::uint32_t kind = 11;
    static constexpr std::uint32_t least = 12;
    static constexpr std::uint32_t most = 13;
    static constexpr std::uint32_t counts = 14;
    static constexpr std::uint32_t shadow = 15;
    static constexpr std::uint32_t glow = 18;
    static constexpr std::uint32_t cone = 22;
    static constexpr std::uint32_t normal = 24;
    static constexpr std::uint32_t pixel = 27;
    static constexpr std::uint32_t begin = 29;
    static constexpr std::uint32_t light_kind = 30;
    static constexpr std::uint32_t media = 32;
    static constexpr std::uint32_t light_media = 36;
    static constexpr std::uint32_t walk_alpha = 40;
    static constexpr std::uint32_t walk_sigma = 43;
    static constexpr std::uint32_t walk_turn = 46;
    static constexpr std::uint32_t walk_steps = 47;
    static constexpr std::uint32_t walk_instance = 52;
    static constexpr std::uint32_t walk_record = 53;
    static constexpr std::uint32_t walk_normal = 54;
    static constexpr std::uint32_t walk_guide = 57;
    static constexpr std::uint32_t light_ways = 58;
    static constexpr std::uint32_t end = 62;
};

/// Rows of a batch of rays.
struct RayRow {
    static constexpr std::uint32_t origin = 0;
    static constexpr std::uint32_t near = 3;
    static constexpr std::uint32_t direction = 4;
    static constexpr std::uint32_t far = 7;
    static constexpr std::uint32_t end = 8;
};

/// Rows of a batch of hits.
struct HitRow {
    static constexpr std::uint32_t t = 0;
    static constexpr std::uint32_t u = 1;
    static constexpr std::uint32_t v = 2;
    static constexpr std::uint32_t primitive = 3;
    static constexpr std::uint32_t instance = 4;
    static constexpr std::uint32_t end = 5;
};

/// Rows of records.
struct RecordRow {
    static constexpr std::uint32_t path = 0;
    static constexpr std::uint32_t next = 1;
    static constexpr std::uint32_t hit = 2;
    static constexpr std::uint32_t viewer = 6;
    static constexpr std::uint32_t light = 9;
    static constexpr std::uint32_t light_factor = 12;
    static constexpr std::uint32_t share = 15;
    static constexpr std::uint32_t bounce = 16;
    static constexpr std::uint32_t bounce_factor = 19;
    static constexpr std::uint32_t after = 20;
    static constexpr std::uint32_t through = 23;
    static constexpr std::uint32_t value = 26;
    static constexpr std::uint32_t footprint = 29;
    static constexpr std::uint32_t gain = 30;
    static constexpr std::uint32_t material = 33;
    static constexpr std::uint32_t pixel = 34;
    static constexpr std::uint32_t kind = 35;
    static constexpr std::uint32_t dulled = 39;
    static constexpr std::uint32_t walk = 40;
    static constexpr std::uint32_t slope = 42;
    static constexpr std::uint32_t light_ways = 42;
    static constexpr std::uint32_t light_value = 46;
    static constexpr std::uint32_t slope_behind = 49;
};

/// Rows of what begins a path.
struct HeadRow {
    static constexpr std::uint32_t after = 0;
    static constexpr std::uint32_t through = 3;
    static constexpr std::uint32_t next = 6;
    static constexpr std::uint32_t end = 7;
};

/// Rows of a pixel's layers.
struct LayerRow {
    static constexpr std::uint32_t albedo = 0;
    static constexpr std::uint32_t normal = 3;
    static constexpr std::uint32_t depth = 6;
    static constexpr std::uint32_t uv = 7;
    static constexpr std::uint32_t object = 9;
    static constexpr std::uint32_t material = 10;
    static constexpr std::uint32_t end = 11;
};

/// How many media there may be.
struct MediaLimit {
    static constexpr std::uint32_t depth = 4;
    static constexpr std::uint32_t unknown = 4;
};

/// Words of the coefficients of a medium.
struct MediumWord {
    static constexpr std::uint32_t absorption = 0;
    static constexpr std::uint32_t scattering = 3;
    static constexpr std::uint32_t emission = 6;
    static constexpr std::uint32_t anisotropy = 9;
    static constexpr std::uint32_t end = 10;
};

/// Bits of a material whose medium is fitted.
struct FittedMedium {
    static constexpr std::uint32_t slot = 7;
    static constexpr std::uint32_t scatters = 8;
};

/// Words of a texture's record.
struct TextureWord {
    static constexpr std::uint32_t first = 0;
    static constexpr std::uint32_t width = 1;
    static constexpr std::uint32_t height = 2;
    static constexpr std::uint32_t channels = 3;
    static constexpr std::uint32_t wrap = 4;
    static constexpr std::uint32_t filter = 5;
    static constexpr std::uint32_t levels = 6;
    static constexpr std::uint32_t above = 7;
    static constexpr std::uint32_t end = 8;
};

/// How a texture goes on beyond its image.
struct TextureWrap {
    static constexpr std::uint32_t repeat = 0;
    static constexpr std::uint32_t extend = 1;
    static constexpr std::uint32_t clip = 2;
    static constexpr std::uint32_t mirror = 3;
};

/// How a texture is looked up.
struct TextureFilter {
    static constexpr std::uint32_t linear = 0;
    static constexpr std::uint32_t closest = 1;
    static constexpr std::uint32_t mipmap = 2;
};

/// Kinds of camera.
struct CameraKind {
    static constexpr std::uint32_t perspective = 0;
    static constexpr std::uint32_t orthographic = 1;
    static constexpr std::uint32_t equirectangular = 2;
};

/// Kinds of pixel filter.
struct FilterKind {
    static constexpr std::uint32_t box = 0;
    static constexpr std::uint32_t tent = 1;
    static constexpr std::uint32_t blackman_harris = 2;
};

/// What facets do not do once a path has been diffuse.
struct Stop {
    static constexpr std::uint32_t reflection = 1;
    static constexpr std::uint32_t refraction = 2;
};

/// What cameras see behind all surfaces.
struct Background {
    static constexpr std::uint32_t environment = 0;
    static constexpr std::uint32_t black = 1;
    static constexpr std::uint32_t alone = 2;
};

} // namespace weft::scene::layouts
