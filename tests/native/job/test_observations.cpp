// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "job/observations.hpp"
#include "job/picture_file.hpp"
#include "job/srgb.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

using namespace weft;
using weft::test::TemporaryFolder;

namespace {

/// A portable float map, rows given from the top.
std::string pfm(std::size_t width, std::size_t height, std::vector<float> pixels,
                bool is_big_endian = false) {
    const std::size_t channels = pixels.size() / (width * height);
    std::string out = channels == 3 ? "PF\n" : "Pf\n";
    out += std::to_string(width) + " " + std::to_string(height) + "\n" +
           (is_big_endian ? "1.0\n" : "-1.0\n");
    const bool swaps = is_big_endian == (std::endian::native == std::endian::little);
    for (std::size_t y = height; y-- > 0;) {
        for (std::size_t i = 0; i < width * channels; ++i) {
            std::string bytes(sizeof(float), '\0');
            std::memcpy(bytes.data(), &pixels[y * width * channels + i], sizeof(float));
            out += swaps ? std::string(bytes.rbegin(), bytes.rend()) : bytes;
        }
    }
    return out;
}

const std::vector<float> kPixels{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

std::vector<scene::Camera> cameras() {
    return {{.width = 2, .height = 2, .name = "front"}, {.width = 4, .height = 4, .name = "far"}};
}

} // namespace

TEST_CASE("portable float maps are read, whichever way their bytes go") {
    const TemporaryFolder folder;
    for (const bool is_big_endian : {false, true}) {
        const auto read =
            job::read_picture_file(folder.write("a.PFM", pfm(2, 2, kPixels, is_big_endian)));
        CHECK(read.width == 2);
        CHECK(read.height == 2);
        CHECK(read.channels == std::vector<std::string>{"R", "G", "B"});
        CHECK(read.pixels == kPixels);
        CHECK_FALSE(read.is_integer);
    }
    const auto grey = job::read_picture_file(folder.write("g.pfm", pfm(1, 2, {0.5F, 0.25F})));
    CHECK(grey.pixels == std::vector<float>{0.5F, 0.25F});
}

TEST_CASE("damaged pictures are refused") {
    const TemporaryFolder folder;
    const std::string whole = pfm(2, 2, kPixels);
    for (const std::string& text :
         {whole.substr(0, whole.size() - 1), whole.substr(0, 3), std::string("PF\n2 2\n0\n"),
          std::string("PF\n0 2\n-1\n"), std::string("PF\n999999999999 999999999\n-1\n"),
          std::string("PF\n-2 2\n-1\n"), std::string()}) {
        CHECK_THROWS_AS(job::read_picture_file(folder.write("a.pfm", text)), core::ImageError);
    }
    CHECK_THROWS_AS(job::read_picture_file(folder.write("a.exr", "no image")), core::ImageError);
    CHECK_THROWS_AS(job::read_picture_file(folder.path() / "absent.pfm"), core::ArgumentError);
}

TEST_CASE("a picture is divided by its exposure, and what was clipped or masked has no weight") {
    const TemporaryFolder folder;
    job::TargetEntry target{.place = "job.toml:2",
                            .image = folder.write("a.pfm", pfm(2, 2, kPixels)),
                            .name = "a",
                            .camera = std::string("front"),
                            .exposure = 1};
    const fit::Observation plain = job::read_observation(target, cameras());
    CHECK(plain.image.front() == 0.5F);
    CHECK(plain.image.back() == 6.0F);
    CHECK(plain.mask == std::vector<float>(4, 1.0F));

    target.saturation = 9; // of the file
    target.mask = folder.write("m.pfm", pfm(2, 2, {0.5F, NAN, 2.0F, 1.0F}));
    CHECK(job::read_observation(target, cameras()).mask == std::vector<float>{0.5F, 0, 0, 0});
}

TEST_CASE("photos lose the curve of sRGB, what is clipped, and are fitted by a robust loss") {
    const TemporaryFolder folder;
    std::vector<float> encoded(12, 0.5F);
    encoded[3] = 1.0F; // clipped
    job::TargetEntry target{.place = "job.toml:2",
                            .image = folder.write("a.pfm", pfm(2, 2, encoded)),
                            .name = "a",
                            .color_space = job::ColorSpace::srgb};
    const fit::Observation read = job::read_observation(target, cameras());
    CHECK(read.robust);
    CHECK(read.grain == 1);
    CHECK(read.rounding.empty()); // floats
    CHECK(read.image[0] == Approx(0.21404114).epsilon(1e-6));
    CHECK(read.mask == std::vector<float>{1, 0, 1, 1});
    target.robust = false;
    CHECK_FALSE(job::read_observation(target, cameras()).robust);
    target.color_space = job::ColorSpace::linear;
    target.robust.reset();
    CHECK_FALSE(job::read_observation(target, cameras()).robust);
    CHECK(job::linear_from_srgb(0.04F) == Approx(0.04 / 12.92));
    CHECK(job::linear_from_srgb(-0.5F) == -job::linear_from_srgb(0.5F));
    CHECK(job::srgb_derivative(0.001) == Approx(12.92));
    for (const float encoded_at : {0.3F, 0.9F}) {
        const double slope = (static_cast<double>(job::linear_from_srgb(encoded_at + 1e-3F)) -
                              static_cast<double>(job::linear_from_srgb(encoded_at - 1e-3F))) /
                             2e-3;
        CHECK(job::srgb_derivative(job::linear_from_srgb(encoded_at)) ==
              Approx(1 / slope).epsilon(1e-3));
    }
}

TEST_CASE("pictures of another size are brought to that of the camera") {
    const TemporaryFolder folder;
    std::vector<float> pixels;
    for (std::size_t i = 0; i < 16; ++i) {
        pixels.insert(pixels.end(), 3, static_cast<float>(i));
    }
    std::vector<float> mask(16, 0.5F);
    mask[15] = 0;
    job::TargetEntry target{.place = "job.toml:2",
                            .image = folder.write("a.pfm", pfm(4, 4, pixels)),
                            .name = "a",
                            .mask = folder.write("m.pfm", pfm(4, 4, mask)),
                            .resize = true};
    const fit::Observation small = job::read_observation(target, cameras());
    REQUIRE(small.image.size() == 12);
    CHECK(small.image[0] == Approx(2.5)); // of 0, 1, 4, 5
    CHECK(small.image[3] == Approx(4.5));
    CHECK(small.image[6] == Approx(10.5));
    CHECK(small.mask == std::vector<float>{0.5F, 0.5F, 0.5F, 0});

    target.mask.reset();
    target.image = folder.write("b.pfm", pfm(2, 2, kPixels));
    target.camera = std::string("far");
    const fit::Observation large = job::read_observation(target, cameras());
    REQUIRE(large.image.size() == 48);
    CHECK(large.image[0] == Approx(1));
    CHECK(large.image[3] == Approx(1.75)); // a quarter of the way from 1 to 4
    CHECK(large.image[45] == Approx(10));
    target.image = folder.write("c.pfm", pfm(1, 4, kPixels));
    CHECK_THROWS_WITH(job::read_observation(target, cameras()),
                      ContainsSubstring("job.toml:2: target 'a': the image is 1 x 4") &&
                          ContainsSubstring("the aspect differs"));
}

TEST_CASE("targets that do not fit the scene are refused with their place") {
    const TemporaryFolder folder;
    const job::TargetEntry good{
        .place = "job.toml:2", .image = folder.write("a.pfm", pfm(2, 2, kPixels)), .name = "a"};
    const auto message = [](const job::TargetEntry& target) -> std::string {
        try {
            static_cast<void>(job::read_observation(target, cameras()));
        } catch (const core::ArgumentError& error) {
            return error.what();
        }
        return "no error";
    };
    job::TargetEntry target = good;
    target.camera = std::string("side");
    CHECK_THAT(message(target), ContainsSubstring("no camera 'side'; there are front, far"));
    target.camera = std::int64_t{2};
    CHECK_THAT(message(target), ContainsSubstring("2 cameras, and none is number 2"));
    target.camera = std::int64_t{1};
    CHECK_THAT(message(target), ContainsSubstring("2 x 2 and camera 'far' sees 4 x 4"));
    target = good;
    target.mask_from = "alpha";
    CHECK_THAT(message(target), ContainsSubstring("alpha channel"));
    target = good;
    target.mask = folder.write("m.pfm", pfm(1, 2, {1, 1}));
    CHECK_THAT(message(target), ContainsSubstring("the mask is 1 x 2, the picture 2 x 2"));
    target = good;
    target.exposure = std::numeric_limits<double>::quiet_NaN();
    CHECK_THAT(message(target), ContainsSubstring("stops"));
    target = good;
    target.image = folder.path() / "absent.pfm";
    CHECK_THAT(message(target), ContainsSubstring("job.toml:2: there is no file"));
}
