// SPDX-License-Identifier: Apache-2.0
#include "job/picture_file.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <span>
#include <string_view>

namespace weft::job {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, std::string_view why) {
    throw core::ImageError(core::text("'", core::utf8_path(file), "' cannot be read: ", why));
}

struct Head {
    std::size_t channels = 0;
    std::size_t width = 0;
    std::size_t height = 0;
    bool is_little_endian = false;
};

/// Three lines: the kind, width and height, and a scale whose sign is the order of bytes (Debevec, PFM).
Head read_head(std::ifstream& stream, const std::filesystem::path& file) {
    std::string kind;
    Head head;
    double scale = 0;
    stream >> kind >> head.width >> head.height >> scale;
    stream.get(); // one white space ends the head
    const bool is_known = kind == "PF" || kind == "Pf";
    if (!stream || !is_known || head.width == 0 || head.height == 0 || !(std::abs(scale) > 0)) {
        refuse(file, "it is no portable float map");
    }
    if (head.width > kMaxPixels / head.height) {
        refuse(file, core::text("it has ", head.width, " x ", head.height,
                                " pixels, and at most 128 million are read; make it smaller"));
    }
    head.channels = kind == "PF" ? 3 : 1;
    head.is_little_endian = scale < 0;
    return head;
}

void swap_bytes(std::span<float> numbers) {
    for (float& number : numbers) {
        const auto bits = std::bit_cast<std::uint32_t>(number);
        number = std::bit_cast<float>((bits >> 24U) | ((bits >> 8U) & 0xFF00U) |
                                      ((bits << 8U) & 0xFF0000U) | (bits << 24U));
    }
}

/// @param first of the channels that are written. @param count of them, 1 or 3.
std::vector<std::byte> encode_map(const PictureToWrite& picture, std::size_t first,
                                  std::size_t count) {
    const bool is_little = std::endian::native == std::endian::little;
    const std::string head = core::text(count == 3 ? "PF" : "Pf", '\n', picture.width, ' ',
                                        picture.height, '\n', is_little ? "-1.0" : "1.0", '\n');
    std::vector<float> numbers;
    numbers.reserve(picture.width * picture.height * count);
    for (std::size_t y = picture.height; y-- > 0;) { // rows are stored from the bottom
        for (std::size_t x = 0; x < picture.width; ++x) {
            const float* const pixel =
                &picture.pixels[(y * picture.width + x) * picture.channels + first];
            numbers.insert(numbers.end(), pixel, pixel + count);
        }
    }
    std::vector<std::byte> out(head.size() + numbers.size() * sizeof(float));
    std::memcpy(out.data(), head.data(), head.size());
    std::memcpy(out.data() + head.size(), numbers.data(), numbers.size() * sizeof(float));
    return out;
}

void write_bytes(const std::filesystem::path& file, std::span<const std::byte> bytes) {
    if (!core::try_write_file(file, bytes)) {
        throw core::ImageError(
            core::text("'", core::utf8_path(file), "' cannot be written; choose another folder"));
    }
}

} // namespace

void write_portable_float_map(const std::filesystem::path& file, const PictureToWrite& picture) {
    write_bytes(file, encode_map(picture, 0, picture.channels == 1 ? 1 : 3));
    if (picture.channels == 4) {
        std::filesystem::path beside = file;
        beside.replace_filename(file.stem() += "_alpha.pfm");
        write_bytes(beside, encode_map(picture, 3, 1));
    }
}

namespace detail {

PictureFile read_portable_float_map(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    const Head head = read_head(stream, file);
    PictureFile out{.width = head.width, .height = head.height};
    out.channels = head.channels == 3 ? std::vector<std::string>{"R", "G", "B"}
                                      : std::vector<std::string>{"Y"};
    const std::size_t row = head.width * head.channels;
    std::error_code error;
    const auto size = std::filesystem::file_size(file, error);
    if (error || size / sizeof(float) < row * head.height) {
        refuse(file, "it ends before its last pixel");
    }
    out.pixels.resize(row * head.height);
    for (std::size_t y = head.height; y-- > 0;) { // rows are stored from the bottom
        stream.read(reinterpret_cast<char*>(out.pixels.data() + y * row),
                    static_cast<std::streamsize>(row * sizeof(float)));
    }
    if (!stream) {
        refuse(file, "it ends before its last pixel");
    }
    if (head.is_little_endian != (std::endian::native == std::endian::little)) {
        swap_bytes(out.pixels);
    }
    return out;
}

} // namespace detail

std::string lower_extension(const std::filesystem::path& file) {
    return core::to_lower(core::utf8_path(file.extension()));
}

bool is_display_file(const std::filesystem::path& file) {
    const std::string ending = lower_extension(file);
    return ending != ".exr" && ending != ".hdr" && ending != ".pfm";
}

PictureFile read_picture_file(const std::filesystem::path& file) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) {
        throw core::ArgumentError(
            core::text("there is no file '", core::utf8_path(file), "'; check the path"),
            core::ArgumentError::Kind::not_found);
    }
    return lower_extension(file) == ".pfm" ? detail::read_portable_float_map(file)
                                           : detail::read_by_library(file);
}

} // namespace weft::job
