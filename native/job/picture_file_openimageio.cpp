// SPDX-License-Identifier: Apache-2.0
#include "job/picture_file.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"

#include <OpenImageIO/imageio.h>

namespace weft::job::detail {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
    throw core::ImageError(core::text("'", core::utf8_path(file), "' cannot be read: ", why));
}

/// "ViewLayer.Combined.R" is R.
std::string last_part(const std::string& channel) {
    return channel.substr(channel.rfind('.') + 1);
}

} // namespace

PictureFile read_by_library(const std::filesystem::path& file) {
    const auto input = OIIO::ImageInput::open(core::utf8_path(file));
    if (!input) {
        refuse(file, OIIO::geterror());
    }
    const OIIO::ImageSpec& spec = input->spec();
    PictureFile out{.width = static_cast<std::size_t>(spec.width),
                    .height = static_cast<std::size_t>(spec.height),
                    .is_integer = !spec.format.is_floating_point()};
    if (spec.width < 1 || spec.height < 1 || out.width > kMaxPixels / out.height) {
        refuse(file, core::text("it has ", spec.width, " x ", spec.height,
                                " pixels, and at most 128 million are read; make it smaller"));
    }
    for (const std::string& channel : spec.channelnames) {
        out.channels.push_back(last_part(channel));
    }
    out.pixels.resize(out.width * out.height * out.channels.size());
    if (!input->read_image(0, 0, 0, spec.nchannels, OIIO::TypeDesc::FLOAT, out.pixels.data())) {
        refuse(file, input->geterror());
    }
    return out;
}

} // namespace weft::job::detail

namespace weft::job {

bool has_picture_library() noexcept {
    return true;
}

void write_picture_file(const std::filesystem::path& file, const PictureToWrite& picture) {
    const auto refuse = [&file](const std::string& why) {
        throw core::ImageError(
            core::text("'", core::utf8_path(file), "' cannot be written: ", why));
    };
    std::filesystem::path beside = file;
    beside.replace_filename(file.stem() += ".part");
    beside += file.extension(); // which says what is written
    const std::string name = core::utf8_path(beside);
    const auto output = OIIO::ImageOutput::create(name);
    if (!output) {
        refuse(OIIO::geterror());
    }
    const OIIO::ImageSpec spec(static_cast<int>(picture.width), static_cast<int>(picture.height),
                               static_cast<int>(picture.channels), OIIO::TypeDesc::FLOAT);
    if (!output->open(name, spec) ||
        !output->write_image(OIIO::TypeDesc::FLOAT, picture.pixels.data()) || !output->close()) {
        refuse(output->geterror());
    }
    std::error_code error;
    std::filesystem::rename(beside, file, error);
    if (error) {
        refuse(error.message());
    }
}

} // namespace weft::job
