// SPDX-License-Identifier: Apache-2.0
// Of builds that have no OpenImageIO.
#include "job/picture_file.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"

namespace weft::job::detail {

PictureFile read_by_library(const std::filesystem::path& file) {
    throw core::ImageError(core::text(
        "'", core::utf8_path(file),
        "' cannot be read: this weft-fit was built without OpenImageIO and reads portable float "
        "maps (.pfm) alone; convert it, build with OpenImageIO, or use Python's `weft fit`"));
}

} // namespace weft::job::detail

namespace weft::job {

bool has_picture_library() noexcept {
    return false;
}

void write_picture_file(const std::filesystem::path& file, const PictureToWrite& /*picture*/) {
    throw core::ImageError(core::text("'", core::utf8_path(file),
                                      "' cannot be written: this weft-fit was built without "
                                      "OpenImageIO and writes portable float maps (.pfm) alone"));
}

} // namespace weft::job
