// SPDX-License-Identifier: Apache-2.0
#include "job/observations.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "job/picture_file.hpp"
#include "job/resize.hpp"
#include "job/srgb.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace weft::job {

namespace {

constexpr float kClipped =
    0.995F; ///< the largest value of 8 bits, and what rounding brings near it
constexpr std::size_t kJpegBlock = 8; ///< pixels that share noise
constexpr float kCovered = 0.999F;    ///< alpha from here on

const scene::Camera& camera_of(const TargetEntry& target,
                               const std::vector<scene::Camera>& cameras) {
    if (const auto* const number = std::get_if<std::int64_t>(&target.camera)) {
        if (*number >= 0 && static_cast<std::size_t>(*number) < cameras.size()) {
            return cameras[static_cast<std::size_t>(*number)];
        }
        refuse(target, core::text("the scene has ", cameras.size(), " cameras, and none is number ",
                                  *number));
    }
    const auto& name = std::get<std::string>(target.camera);
    const auto found = std::ranges::find(cameras, name, &scene::Camera::name);
    if (found == cameras.end()) {
        std::vector<std::string> names;
        std::ranges::transform(cameras, std::back_inserter(names), &scene::Camera::name);
        refuse(target, core::text("the scene has no camera '", name, "'; there are ",
                                  core::join(names, ", ")));
    }
    return *found;
}

std::optional<std::size_t> channel_of(const PictureFile& file, std::string_view name) {
    const auto found = std::ranges::find(file.channels, name);
    return found == file.channels.end()
               ? std::nullopt
               : std::optional(static_cast<std::size_t>(found - file.channels.begin()));
}

/// Where red, green and blue lie; grey pictures have one channel for all.
std::array<std::size_t, 3> color_channels(const TargetEntry& target, const PictureFile& file) {
    const auto& names = file.channels;
    if (names.size() >= 3 && names[0] == "R" && names[1] == "G" && names[2] == "B") {
        return {0, 1, 2};
    }
    if (names.size() > 2) {
        refuse(target, core::text("the picture must begin with the channels R, G and B, got ",
                                  core::join(names, ", "), "; write it to a file of its own"));
    }
    return {0, 0, 0};
}

PictureFile read(const TargetEntry& target, const std::filesystem::path& file) {
    try {
        return read_picture_file(file);
    } catch (const core::ArgumentError& error) {
        throw core::ArgumentError(core::text(target.place, ": ", error.what()), error.kind());
    }
}

/// @pre the target has a mask
void apply_mask(const TargetEntry& target, const PictureFile& picture,
                std::vector<float>& weights) {
    const PictureFile mask = read(target, *target.mask);
    if (mask.width != picture.width || mask.height != picture.height) {
        refuse(target, core::text("the mask is ", mask.width, " x ", mask.height, ", the picture ",
                                  picture.width, " x ", picture.height, "; make them one size"));
    }
    for (std::size_t pixel = 0; pixel < weights.size(); ++pixel) {
        const float weight = mask.pixels[pixel * mask.channels.size()];
        weights[pixel] *= std::isnan(weight) ? 0.0F : std::clamp(weight, 0.0F, 1.0F);
    }
}

/// One weight a pixel of what the mask's file and the alpha channel say.
std::vector<float> mask_of(const TargetEntry& target, const PictureFile& picture) {
    const std::size_t count = picture.width * picture.height;
    const std::size_t stride = picture.channels.size();
    std::vector<float> weights(count, 1.0F);
    const std::optional<std::size_t> alpha = channel_of(picture, "A");
    if (target.mask_from == "alpha" && !alpha) {
        refuse(target, "mask_from = 'alpha' needs an alpha channel, and the picture has none");
    }
    if (alpha && (!target.mask || target.mask_from == "alpha")) {
        for (std::size_t pixel = 0; pixel < count; ++pixel) {
            weights[pixel] = picture.pixels[pixel * stride + *alpha] >= kCovered ? 1.0F : 0.0F;
        }
    }
    if (target.mask) {
        apply_mask(target, picture, weights);
    }
    return weights;
}

/// The value of the picture, linear light, from which on pixels do not count.
float clipped_from(const TargetEntry& target, bool is_photo) {
    if (target.saturation) {
        return static_cast<float>(*target.saturation);
    }
    return is_photo ? kClipped : std::numeric_limits<float>::infinity();
}

bool has_curve(const TargetEntry& target) {
    return target.color_space ? *target.color_space == ColorSpace::srgb
                              : is_display_file(target.image);
}

/// The number of the file that a number of the image comes from.
float stored_of(const PictureFile& picture, const std::array<std::size_t, 3>& channels,
                std::size_t i) {
    return picture
        .pixels[i / fit::kChannels * picture.channels.size() + channels[i % fit::kChannels]];
}

/// The standard deviation that steps of 8 bits leave in the light: a rounded value is anywhere within a step. Empty: values
/// are no such steps.
std::vector<float> rounding_of(const PictureFile& picture,
                               const std::array<std::size_t, 3>& channels, bool is_encoded,
                               float scale) {
    constexpr double kStep = 1.0 / 255;
    constexpr double kTolerance =
        2e-3; ///< steps: values that differ by less from whole ones were rounded
    std::vector<float> out(picture.width * picture.height * fit::kChannels);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const float stored = std::clamp(stored_of(picture, channels, i), 0.0F, 1.0F);
        const double steps = static_cast<double>(stored) / kStep;
        if (!(std::abs(steps - std::round(steps)) < kTolerance)) {
            return {};
        }
        const double derivative = is_encoded ? srgb_derivative(linear_from_srgb(stored)) : 1.0;
        out[i] = static_cast<float>(kStep / std::sqrt(12.0) / derivative) * scale;
    }
    return out;
}

bool is_jpeg(const std::filesystem::path& file) {
    const std::string ending = lower_extension(file);
    return ending == ".jpg" || ending == ".jpeg";
}

void require_size_of(const TargetEntry& target, const PictureFile& picture,
                     const scene::Camera& camera) {
    if (picture.width != static_cast<std::size_t>(camera.width) ||
        picture.height != static_cast<std::size_t>(camera.height)) {
        refuse(target, core::text("the picture is ", picture.width, " x ", picture.height,
                                  " and camera '", camera.name, "' sees ", camera.width, " x ",
                                  camera.height, "; save it in that size, or give resize = true"));
    }
}

fit::Observation in_size_of_camera(const TargetEntry& target, fit::Observation observation,
                                   const PictureFile& picture) {
    try {
        return resized(std::move(observation), picture.width, picture.height);
    } catch (const core::ArgumentError& error) {
        throw core::ArgumentError(core::text(target.place, ": ", error.what()));
    }
}

} // namespace

fit::Observation read_observation(const TargetEntry& target,
                                  const std::vector<scene::Camera>& cameras) {
    fit::Observation out{.name = target.name,
                         .camera = camera_of(target, cameras),
                         .filter = target.filter,
                         .filter_width = target.filter_width};
    if (!std::isfinite(target.exposure)) {
        refuse(target, "exposure must be a finite number of stops");
    }
    const PictureFile picture = read(target, target.image);
    const bool is_encoded = has_curve(target);
    const bool is_photo = picture.is_integer || is_encoded;
    if (!target.resize) {
        require_size_of(target, picture, out.camera);
    }
    const std::array<std::size_t, 3> channels = color_channels(target, picture);
    out.mask = mask_of(target, picture);
    out.image.resize(out.mask.size() * fit::kChannels);
    const auto scale = static_cast<float>(std::exp2(-target.exposure));
    const float limit = clipped_from(target, is_photo);
    for (std::size_t i = 0; i < out.image.size(); ++i) {
        const float stored = stored_of(picture, channels, i);
        const float light = is_encoded ? linear_from_srgb(stored) : stored;
        float& weight = out.mask[i / fit::kChannels];
        weight = light >= limit ? 0.0F : weight;
        out.image[i] = light * scale;
    }
    out.robust = target.robust.value_or(is_photo);
    out.grain = is_jpeg(target.image) ? kJpegBlock : 1;
    if (picture.is_integer) {
        out.rounding = rounding_of(picture, channels, is_encoded, scale);
    }
    return target.resize ? in_size_of_camera(target, std::move(out), picture) : out;
}

void keep_pixels_of(const std::string& object, engine::Renderer& renderer,
                    fit::Observation& observation) {
    const auto& objects = renderer.scene().objects;
    const auto owner = core::text("target '", observation.name, "': ");
    if (std::ranges::find(objects, object, &scene::Object::name) == objects.end()) {
        throw core::ArgumentError(
            core::text(owner, "the scene has no object '", object, "' for mask_from"));
    }
    const std::array<std::string, 1> layers{"object"};
    const engine::Image shown =
        renderer.render_layers(observation.camera, layers, {.samples = 1, .bounces = 0})
            .front()
            .image;
    for (std::size_t pixel = 0; pixel < observation.mask.size(); ++pixel) {
        const float number = shown.pixels[pixel];
        const bool is_shown =
            number >= 0 && objects[static_cast<std::size_t>(number)].name == object;
        observation.mask[pixel] = is_shown ? observation.mask[pixel] : 0.0F;
    }
    if (std::ranges::all_of(observation.mask, [](float weight) { return weight == 0; })) {
        throw core::ArgumentError(
            core::text(owner, "no pixel that counts shows '", object, "'; look at its camera"));
    }
}

} // namespace weft::job
