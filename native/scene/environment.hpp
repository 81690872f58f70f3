// SPDX-License-Identifier: Apache-2.0
// Light from everywhere, and its tables as shaders/weft/render/environment.slang reads them.
#pragma once

#include "core/api.hpp"
#include "scene/colors.hpp"
#include "scene/layouts.hpp"
#include "scene/ray_kinds.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::scene {

/// What rays of a kind see instead of the image.
struct EnvironmentView {
    std::size_t kind = 0;           ///< of kEnvironmentViews
    std::span<const float> image{}; ///< of the same size
};

/// Plain data, made once and not changed after: any thread may read it.
struct Environment {
    /// Radiance that light rays see, W/(m^2 sr), linear RGB, (height, width, 3), equirectangular, the top row (+z) first;
    /// finite, not negative. One pixel: one colour.
    std::span<const float> image{};
    std::uint32_t width = 0;                                   ///< pixels, from 1
    std::uint32_t height = 0;                                  ///< pixels, from 1
    std::vector<EnvironmentView> views{};                      ///< at most one a kind
    std::array<double, 9> rotation{1, 0, 0, 0, 1, 0, 0, 0, 1}; ///< world to image, row-major
    Rgb strength{1, 1, 1}; ///< factor of all images, linear RGB, finite
    /// Of kObjectRayKinds: rays that see nothing. If it is hidden from a kind of kScatteredRays, bounces alone find it.
    RayKinds hidden_from = 0;
    std::string name = "environment"; ///< what messages and parameters call it
    /// Keeps the memory of the images, and stands for them: environments with one owner have the same images. Null: the
    /// caller keeps them.
    std::shared_ptr<const void> owner{};
};

/// An environment of one image; rotation and the rest may be set afterwards. Takes the image: it is the environment's own.
/// @param image as Environment::image has it.
/// @throws ArgumentError if there are not height x width x 3 numbers, or none, and as require_radiance().
[[nodiscard]] WEFT_API Environment environment(std::vector<float> image, std::uint32_t width,
                                               std::uint32_t height);
/// An environment of one radiance, W/(m^2 sr), linear RGB. @throws ArgumentError as require_radiance().
[[nodiscard]] WEFT_API Environment environment(const Rgb& color);

/// @param owner begins the message: "Environment 'Sky'".
/// @throws ArgumentError for radiance that is negative or not finite.
WEFT_API void require_radiance(std::string_view owner, std::span<const float> image);

/// Threshold and other pixel as of AliasEntry, and the density of a pixel relative to an even one; bits of floats.
using EnvironmentEntry = std::array<std::uint32_t, 3>;

/// Tables of the images, whatever they are turned or scaled by.
struct EnvironmentImages {
    std::unique_ptr<float[]>
        texels{}; ///< of one image after the other, each from the bottom row up, RGB
    std::unique_ptr<EnvironmentEntry[]>
        alias{};                 ///< of the first image, one a pixel from the bottom row up
    std::size_t texel_count = 0; ///< floats in `texels`
    std::size_t pixel_count = 0; ///< entries in `alias`
    double mean = 0;             ///< luminance of the first image over all directions
};

/// @param images of one size, (height, width, 3); the first is what light rays see.
/// @throws ArgumentError if an image has another size or none, or the first one has numbers that are negative or not finite.
[[nodiscard]] WEFT_API EnvironmentImages build_environment_images(
    std::span<const std::span<const float>> images, std::uint32_t width, std::uint32_t height);

/// What kernels know of an environment beside its images. A plain value.
struct EnvironmentPlacement {
    std::array<float, 9> to_world{}; ///< image to world, row-major
    std::array<float, 3> strength{}; ///< factor of all images, linear RGB
    std::array<std::uint32_t, kEnvironmentViews.size()>
        layers{};           ///< image of each kind; kNoLight: none
    bool is_sampled = true; ///< light rays are sent there
};

/// @throws ArgumentError for a rotation or a strength that is not finite, and for a view of an unknown kind.
[[nodiscard]] WEFT_API EnvironmentPlacement place_environment(const Environment& environment);

/// Watts that cross a scene, which it is drawn by; not set: light rays find no light there.
/// @param mean as of EnvironmentImages. @param extent radius of the scene, metres.
[[nodiscard]] WEFT_API std::optional<double>
environment_power(const EnvironmentPlacement& environment, double mean, double extent);

} // namespace weft::scene
