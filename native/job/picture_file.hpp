// SPDX-License-Identifier: Apache-2.0
// Image files as arrays.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace weft::job {

/// What a file holds, as it is stored: no curve is removed. Integers are scaled to [0, 1].
struct PictureFile {
    std::size_t width = 0;
    std::size_t height = 0;
    std::vector<std::string>
        channels{};              ///< "R", "G", "B", "A"; of layers the last part of the name
    std::vector<float> pixels{}; ///< height x width x channels, the top row first
    bool is_integer = false;
};

/// Reads a portable float map (.pfm), or, where Weft was built with OpenImageIO, what that reads.
/// @throws ArgumentError{not_found} if there is no such file, ImageError if it is damaged, has more than 128 million pixels,
///         or is of a format that this build does not read.
[[nodiscard]] PictureFile read_picture_file(const std::filesystem::path& file);

/// An image to be written: linear, one, three or four numbers a pixel.
struct PictureToWrite {
    std::size_t width = 0;
    std::size_t height = 0;
    std::size_t channels = 3;
    std::vector<float> pixels{}; ///< height x width x channels, the top row first
};

/// Writes a portable float map; of four channels the first three, and the fourth beside it as "<stem>_alpha.pfm". Files that
/// are there are replaced in one step each.
/// @throws ImageError if it cannot be written.
void write_portable_float_map(const std::filesystem::path& file, const PictureToWrite& picture);

/// Whether Weft was built with OpenImageIO.
[[nodiscard]] bool has_picture_library() noexcept;
/// Writes what the library knows by its ending, as floats: .exr. A file that is there is replaced in one step.
/// @throws ImageError if it cannot be written, or there is no library.
void write_picture_file(const std::filesystem::path& file, const PictureToWrite& picture);

/// ".png" of "Front.PNG".
[[nodiscard]] std::string lower_extension(const std::filesystem::path& file);

/// Whether numbers of such a file usually have the curve of sRGB: its ending is none of .exr, .hdr and .pfm.
[[nodiscard]] bool is_display_file(const std::filesystem::path& file);

namespace detail {
/// By a library; one of two sources has it. @throws ImageError.
[[nodiscard]] PictureFile read_by_library(const std::filesystem::path& file);
/// @throws ImageError.
[[nodiscard]] PictureFile read_portable_float_map(const std::filesystem::path& file);
} // namespace detail

inline constexpr std::size_t kMaxPixels = std::size_t{1} << 27U;

} // namespace weft::job
