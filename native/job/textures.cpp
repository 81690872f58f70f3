// SPDX-License-Identifier: Apache-2.0
#include "job/textures.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "job/picture_file.hpp"
#include "job/resize.hpp"
#include "scene/input_changes.hpp"
#include "scene/parameter_names.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <utility>

namespace weft::job {

namespace {

using TextureRef = std::shared_ptr<scene::Texture>;

constexpr std::size_t kMaxName = 80; ///< of a name in a file name

[[noreturn]] void refuse(const TextureEntry& entry, const std::string& what) {
    throw core::ArgumentError(core::text(entry.place, ": ", what));
}

bool is_of_words(char letter) {
    return (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z') ||
           (letter >= '0' && letter <= '9') || letter == '_';
}

/// With one underscore for each run of what `is_kept` does not keep.
std::string plain_text(std::string_view name, const auto& is_kept) {
    std::string out;
    bool was_kept = true;
    for (const char letter : name) {
        const bool keeps = is_kept(letter);
        if (keeps) {
            out += letter;
        } else if (was_kept) {
            out += '_';
        }
        was_kept = keeps;
    }
    return out;
}

void require_uvs(const TextureEntry& entry, const scene::Scene& scene) {
    const std::string owner = scene::split_owner(entry.parameter.name).owner;
    for (const scene::Object& object : scene.objects) {
        const bool shows_it = std::ranges::any_of(
            object.materials, [&](const auto& material) { return material->name == owner; });
        if (shows_it && object.mesh->uvs.empty()) {
            refuse(entry, core::text("object '", object.name, "' has material '", owner,
                                     "' and no UV set, which textures need; unwrap it"));
        }
    }
}

std::array<std::uint32_t, 2> extent_of(const TextureEntry& entry, const scene::Texture* before) {
    if (entry.resolution) {
        return *entry.resolution;
    }
    if (before == nullptr) {
        refuse(entry, core::text("no texture drives '", entry.parameter.name,
                                 "'; give resolution = [width, height]"));
    }
    return {before->width, before->height};
}

/// What the texels begin with, one number a channel. @param before what drives the input, no texture.
std::vector<double> start_of(const TextureEntry& entry, const scene::Value& before) {
    const auto* const number = std::get_if<double>(&before);
    const auto* const numbers = std::get_if<scene::Numbers>(&before);
    if (number == nullptr && numbers == nullptr) {
        refuse(entry, core::text("'", entry.parameter.name,
                                 "' is driven by what no texture replaces; choose another input"));
    }
    return number != nullptr ? std::vector<double>{*number} : *numbers;
}

/// @param channels of the texture. @param color one number, or one a channel.
std::vector<float> flat_pixels(const TextureEntry& entry, std::size_t texels, std::size_t channels,
                               const std::vector<double>& color) {
    if (color.size() != 1 && color.size() != channels) {
        refuse(entry, core::text("start must be ", channels, " numbers, got ", color.size()));
    }
    std::vector<float> out(texels * channels);
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<float>(color[color.size() == 1 ? 0 : i % channels]);
    }
    return out;
}

/// The texture that drives the input from now on; null: the one that is there.
TextureRef texture_of(const TextureEntry& entry, const scene::Value& before) {
    const auto* const given = std::get_if<TextureRef>(&before);
    const scene::Texture* const old = given == nullptr ? nullptr : given->get();
    if (old != nullptr && !entry.resolution && entry.start.empty() && !entry.wrap) {
        return nullptr;
    }
    const auto [width, height] = extent_of(entry, old);
    const std::size_t texels = std::size_t{width} * height;
    std::vector<float> pixels;
    std::size_t channels = 0;
    if (old != nullptr) {
        channels = old->channels;
        pixels = entry.start.empty()
                     ? resampled(old->pixels, {old->width, old->height, channels}, width, height)
                     : flat_pixels(entry, texels, channels, entry.start);
    } else {
        const std::vector<double> start = start_of(entry, before);
        channels = start.size();
        pixels = flat_pixels(entry, texels, channels, entry.start.empty() ? start : entry.start);
    }
    TextureRef made =
        scene::texture(std::move(pixels), width, height, static_cast<std::uint32_t>(channels));
    made->name = plain_text(entry.parameter.name, is_of_words);
    if (old != nullptr) {
        made->name = old->name;
        made->wrap = old->wrap;
        made->filter = old->filter;
        made->uv = old->uv;
    }
    made->wrap = entry.wrap.value_or(made->wrap);
    return made;
}

/// Letters that all systems take, and a number where the name is taken.
std::string file_name(const std::string& name, std::set<std::string>& taken) {
    std::string plain = plain_text(name, [](char letter) {
                            return is_of_words(letter) || letter == '.' || letter == '-';
                        }).substr(0, kMaxName);
    const std::size_t begin = std::min(plain.find_first_not_of("._"), plain.size());
    plain = plain.substr(begin, plain.find_last_not_of("._") + 1 - begin);
    plain = plain.empty() ? "unnamed" : plain;
    const auto is_new = [&taken](std::string own) {
        std::ranges::transform(own, own.begin(), [](char letter) {
            return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
        });
        return taken.insert(own).second;
    };
    std::string chosen = plain;
    for (int number = 2; !is_new(chosen); ++number) {
        chosen = core::text(plain, '_', number);
    }
    return chosen;
}

/// Writes an image as a portable float map, and as .exr where that can be written; returns the file that has all of it.
std::string write_image(const std::filesystem::path& folder, const std::string& stem,
                        const PictureToWrite& picture) {
    write_portable_float_map(folder / (stem + ".pfm"), picture);
    if (!has_picture_library()) {
        return stem + ".pfm";
    }
    write_picture_file(folder / (stem + ".exr"), picture);
    return stem + ".exr";
}

} // namespace

scene::Scene with_textures_of(const JobText& job, scene::Scene scene) {
    for (const TextureEntry& entry : job.textures) {
        const scene::InputValues inputs = scene::inputs_of(scene);
        const auto found = inputs.find(entry.parameter.name);
        if (found == inputs.end()) {
            std::vector<std::string> known;
            for (const auto& [name, value] : inputs) {
                known.push_back(name);
            }
            refuse(entry, core::text("the scene has no input '", entry.parameter.name, "'",
                                     core::suggestion(entry.parameter.name, known)));
        }
        require_uvs(entry, scene);
        if (TextureRef made = texture_of(entry, found->second)) {
            scene = scene::with_inputs(scene, {{entry.parameter.name, std::move(made)}});
        }
    }
    return scene;
}

scene::Scene with_found(const scene::Scene& scene,
                        const std::vector<fit::FittedTexture>& textures) {
    scene::TextureImages images;
    for (const fit::FittedTexture& own : textures) {
        images[own.name] = {.pixels = own.pixels,
                            .width = static_cast<std::uint32_t>(own.width),
                            .height = static_cast<std::uint32_t>(own.height),
                            .channels = static_cast<std::uint32_t>(own.channels)};
    }
    return images.empty() ? scene : scene::with_textures(scene, images);
}

std::vector<TextureFiles> write_textures(const std::vector<fit::FittedTexture>& textures,
                                         const std::filesystem::path& folder) {
    std::set<std::string> taken;
    std::vector<TextureFiles> out;
    for (const fit::FittedTexture& own : textures) {
        const std::string name = file_name(own.name, taken);
        PictureToWrite picture{.width = own.width,
                               .height = own.height,
                               .channels = own.channels,
                               .pixels = own.pixels};
        TextureFiles files{.map = core::text("texture_", name, ".pfm"), .file = {}, .errors = {}};
        files.file = write_image(folder, "texture_" + name, picture);
        picture.pixels = own.errors;
        files.errors = write_image(folder, "errors_" + name, picture);
        out.push_back(std::move(files));
    }
    return out;
}

std::string write_environment(const scene::Environment& environment,
                              const std::filesystem::path& folder) {
    return write_image(folder, "environment",
                       {.width = environment.width,
                        .height = environment.height,
                        .pixels = {environment.image.begin(), environment.image.end()}});
}

} // namespace weft::job
