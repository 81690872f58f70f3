// SPDX-License-Identifier: Apache-2.0
// What drives an input of a material: numbers, colours, textures, attributes of the point, Slang functions, normals.
// Values are plain data; what one object shares with another is shared by pointer. Make them by the functions below,
// which check them.
#pragma once

#include "core/api.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace weft::scene {

/// A quantity of the shaded point; lengths are metres, vectors are world space. Those from is_camera_ray on say something
/// of the ray that has met the point: Blender's Light Path.
enum class Attribute : std::uint8_t {
    uv,                  ///< 2: of the first UV set
    position,            ///< 3: metres
    normal,              ///< 3: the shading normal, interpolated, unit
    geometric_normal,    ///< 3: the triangle's
    tangent,             ///< 3: along growing u of the first UV set, not normalised; 0 without one
    incoming,            ///< 3: unit, towards the viewer
    backfacing,          ///< 1 on the back, else 0
    parametric,          ///< 3: weights of vertices 0 and 1 of the triangle, and 0
    is_camera_ray,       ///< 1 or 0, as the next seven
    is_shadow_ray,       ///< 1: a ray towards a light
    is_diffuse_ray,      ///< 1: from a diffuse lobe
    is_glossy_ray,       ///< 1: from a glossy lobe, mirrors included
    is_transmission_ray, ///< 1: through a surface
    is_reflection_ray,   ///< 1: back from a surface
    is_singular_ray,     ///< 1: from a mirror or clear glass
    is_volume_scatter_ray, ///< 1: scattered by a medium
    ray_length,            ///< metres
    ray_depth,             ///< surfaces that the path has left behind, 0 of camera rays
    diffuse_depth,         ///< diffuse bounces before, at most 63
    glossy_depth,          ///< glossy bounces before, at most 63
    transmission_depth,    ///< transmissions before, at most 63
    transparent_depth      ///< transparent surfaces passed
};
inline constexpr std::size_t kAttributes = 22; ///< number of them

/// What is known of an attribute. The text lives as long as the program.
struct AttributeInfo {
    std::string_view name;       ///< as Python writes it: "IS_CAMERA_RAY"
    std::string_view expression; ///< of shaders/weft/render/surface.slang
    std::size_t size;            ///< components: 1, 2 or 3
    bool is_of_ray;              ///< true from is_camera_ray on
};
[[nodiscard]] WEFT_API const AttributeInfo& attribute_info(Attribute attribute);

/// Coordinates of one of a mesh's UV sets, by its position among them, below 2^31. Two components.
struct UvSet {
    std::uint32_t index = 0; ///< 0: the first one
};

/// The tangent of a UV set, along u, of MikkTSpace as normal maps have it: world space, unit; zero without UVs.
struct UvTangent {
    std::uint32_t index = 0; ///< of the UV set, as of UvSet
};

/// A colour attribute of a mesh, by its position among them, below 2^31. Three components, linear RGB.
struct ColorAttribute {
    std::uint32_t index = 0; ///< 0: the first one
};

struct Constant;
struct Texture;
struct SlangCall;
struct NormalMap;
struct Bump;

/// Several numbers, finite: a colour is three, linear RGB.
using Numbers = std::vector<double>;

/// One number, several, or what they come from. A pointer is never null.
using Value = std::variant<double, Numbers, Attribute, UvSet, UvTangent, ColorAttribute,
                           std::shared_ptr<const Constant>, std::shared_ptr<Texture>,
                           std::shared_ptr<SlangCall>, std::shared_ptr<const NormalMap>,
                           std::shared_ptr<const Bump>>;

/// Values by name, in order; each name once.
using NamedValues = std::vector<std::pair<std::string, Value>>;

/// A number with a name of its own: one parameter, however many inputs it drives.
struct Constant {
    std::string
        name; ///< the parameter is called "<material>.<name>"; no input and no other constant has that name
    Value value;     ///< one number, or two to four
    double low = 0;  ///< smallest sensible value, the default bound of fits
    double high = 1; ///< largest sensible value
};

/// What a texture is beyond its image, UV outside [0, 1]: repeated, its edge, 0, or mirrored.
enum class TextureWrap : std::uint8_t { repeat, extend, clip, mirror };
/// How a texture is looked up.
enum class TextureFilter : std::uint8_t {
    linear,  ///< between the four texels around; a texel's centre is at (i + 0.5) / width
    closest, ///< the texel that the position lies in; no derivative with respect to uv
    mipmap   ///< linear, with means of texels where a ray is wider than one; cannot be fitted
};

/// What files and Python call them, in the order of the enumeration.
inline constexpr std::array<std::string_view, 4> kTextureWraps{"repeat", "extend", "clip",
                                                               "mirror"};
/// In the order of the enumeration.
inline constexpr std::array<std::string_view, 3> kTextureFilters{"linear", "closest", "mipmap"};

/// An image that drives an input of a material.
struct Texture {
    /// (height, width, channels), the top row first, linear, finite; empty if the owner uploads them itself
    std::span<const float> pixels{};
    std::uint32_t width = 0;                      ///< texels; 0 without pixels
    std::uint32_t height = 0;                     ///< texels; 0 without pixels
    std::uint32_t channels = 0;                   ///< 1, 3 or 4
    TextureWrap wrap = TextureWrap::repeat;       ///< along both axes
    TextureFilter filter = TextureFilter::linear; ///< mipmap: not in fits
    std::optional<Value> uv{}; ///< where to look it up, two components; not set: the first UV set
    std::string name = "texture"; ///< what messages call it
    std::shared_ptr<void>
        owner{}; ///< keeps the memory of the pixels; who made the texture knows what it is
    /// Stands for the pixels: textures with one image have the same pixels. Null: `pixels` are compared.
    std::shared_ptr<const void> image{};

    Texture() = default;
    WEFT_API ~Texture(); // of long chains, without recursion
    Texture(Texture&&) = default;
    Texture& operator=(Texture&&) = delete;
    Texture(const Texture&) = delete;
    Texture& operator=(const Texture&) = delete;
};

/// The result of a Slang function, of one to four floats. One object is evaluated once, and has one set of parameters,
/// wherever it is used in a material; they go by the first input that it drives.
struct SlangCall {
    std::string function; ///< its name, without namespace
    std::string
        source{}; ///< Slang text that defines it, "" if a `module` has it; equal texts are compiled once
    NamedValues arguments{};       ///< what each parameter gets, in the order of the parameters
    std::size_t size = 1;          ///< components of the result, 1 to 4
    bool is_differentiable = true; ///< if not, gradients do not pass through it
    std::string module{}; ///< an importable module that has the function, such as "weft.nodes"
    std::string
        origin{}; ///< the scene file that it was read from, if nothing but a flag says to trust it

    SlangCall() = default;
    WEFT_API ~SlangCall(); // of long chains, without recursion
    SlangCall(SlangCall&&) = default;
    SlangCall& operator=(SlangCall&&) = delete;
    SlangCall(const SlangCall&) = delete;
    SlangCall& operator=(const SlangCall&) = delete;
};

/// The axes of a normal map's colour.
enum class NormalSpace : std::uint8_t { tangent, object, world };
/// In the order of the enumeration.
inline constexpr std::array<std::string_view, 3> kNormalSpaces{"tangent", "object", "world"};

/// A normal from a colour: Blender's Normal Map node. A unit vector in world space; no derivative passes through.
struct NormalMap {
    Value color; ///< three or four components; 0.5 is zero, (0.5, 0.5, 1) the normal of the mesh
    Value strength = 1.0; ///< 0: the normal of the mesh, 1: the map; 0 and greater
    NormalSpace space = NormalSpace::tangent; ///< what the colour's axes are
    std::uint32_t uv_set = 0; ///< whose tangents count, by its position among those of the mesh
};

/// A normal from a height: Blender's Bump node. A unit vector in world space; no derivative passes through.
struct Bump {
    Value height;           ///< in units of `distance`; grey is the mean of a colour's channels
    Value strength = 1.0;   ///< 0: `normal`, 1: the full slope; 0 and greater
    Value distance = 0.001; ///< metres a unit of height; below 0 what is high becomes low
    std::optional<Value> normal{}; ///< what to start from; not set: the normal of the mesh
    std::optional<double> step{};  ///< between the points, metres, above 0; not set: `filter_width`
    double filter_width = 0.1;     ///< the same, in widths of the pixel on the way, above 0
    /// The normal replaces that of the mesh: of closures that have it, or start from it, nothing is dimmed or cut off
    /// where light comes from beyond the mesh's own.
    bool is_surface = false;
};

/// How many floats a value has: 1 to 4.
[[nodiscard]] WEFT_API std::size_t size_of(const Value& value);

/// The value of a constant, and anything else as it is. The reference is into `value`.
[[nodiscard]] WEFT_API const Value& plain(const Value& value);
const Value& plain(const Value&& value) = delete; // the reference would outlive it

/// What runs where a call is evaluated, as text: equal texts do the same.
[[nodiscard]] WEFT_API std::string text_of_code(std::string_view function, std::string_view source,
                                                std::string_view module);

// Makers. All throw ArgumentError that says what was expected and what came.

/// @throws ArgumentError if the name is empty, or the value is not one to four finite numbers.
[[nodiscard]] WEFT_API std::shared_ptr<const Constant> constant(std::string name, Value value,
                                                                double low = 0, double high = 1);

/// Takes the pixels: they are the texture's own.
/// @throws ArgumentError if there are not height x width x channels of them, if there are none, if the channels are not
///         1, 3 or 4, or for a pixel that is not finite.
[[nodiscard]] WEFT_API std::shared_ptr<Texture> texture(std::vector<float> pixels,
                                                        std::uint32_t width, std::uint32_t height,
                                                        std::uint32_t channels);

/// @param owner begins the message. @param pixels of a texture.
/// @throws ArgumentError that names the first pixel that is not finite.
WEFT_API void require_pixels(std::string_view owner, std::span<const float> pixels,
                             std::uint32_t width, std::uint32_t channels);

/// @throws ArgumentError if both or neither of `source` and `module` are given, `function` or `module` is no name, or
///         `size` is not 1 to 4.
[[nodiscard]] WEFT_API std::shared_ptr<SlangCall> slang_call(SlangCall call);

/// @throws ArgumentError if a value has another number of components.
[[nodiscard]] WEFT_API std::shared_ptr<const NormalMap> normal_map(NormalMap map);

/// @throws ArgumentError if a value has another number of components, or a step is not above 0.
[[nodiscard]] WEFT_API std::shared_ptr<const Bump> bump(Bump bump);

} // namespace weft::scene
