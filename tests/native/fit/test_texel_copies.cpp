// SPDX-License-Identifier: Apache-2.0
// What steps of textures copy between host and device. The linker puts the functions below in place of tensor::upload() and
// tensor::download() for all callers (see CMakeLists.txt); should their names change, nothing is counted at the end either.
#include "board_fixture.hpp"
#include "fit/best_texels.hpp"
#include "tensor/transfer.hpp"

#include <atomic>
#include <vector>

namespace weft::fit {
namespace {

constexpr std::size_t kSide = 64;
constexpr std::size_t kFloats = 3 * kSide * kSide; ///< of the texture; pictures have fewer pixels
std::atomic<std::size_t> uploads;                  ///< of as many bytes, or more
std::atomic<std::size_t> downloads;

void note(std::atomic<std::size_t>& count, std::size_t bytes) {
    count += bytes >= kFloats * sizeof(float) ? 1 : 0;
}

} // namespace

#define WEFT_UPLOAD "_ZN4weft6tensor6uploadERNS0_6TensorESt4spanIKSt4byteLm18446744073709551615EE"
#define WEFT_DOWNLOAD                                                                              \
    "_ZN4weft6tensor8downloadERKNS0_6TensorESt4spanISt4byteLm18446744073709551615EERKSt8function"  \
    "IFvvEE"

using Poll = device::InterruptPoll;
void real_upload(tensor::Tensor& tensor,
                 std::span<const std::byte> bytes) __asm__("__real_" WEFT_UPLOAD);
void counted_upload(tensor::Tensor& tensor,
                    std::span<const std::byte> bytes) __asm__("__wrap_" WEFT_UPLOAD);
void real_download(const tensor::Tensor& tensor, std::span<std::byte> bytes,
                   const Poll& poll) __asm__("__real_" WEFT_DOWNLOAD);
void counted_download(const tensor::Tensor& tensor, std::span<std::byte> bytes,
                      const Poll& poll) __asm__("__wrap_" WEFT_DOWNLOAD);

void counted_upload(tensor::Tensor& tensor, std::span<const std::byte> bytes) {
    note(uploads, bytes.size());
    real_upload(tensor, bytes);
}

void counted_download(const tensor::Tensor& tensor, std::span<std::byte> bytes, const Poll& poll) {
    note(downloads, bytes.size());
    real_download(tensor, bytes, poll);
}

namespace {

using namespace testing;

TEST_CASE_METHOD(BoardFixture, "a step of a texture copies no texels") {
    const auto large = [] {
        return scene::texture(std::vector<float>(kFloats, 0.5F), kSide, kSide, 3);
    };
    const scene::Numbers paint{0.7, 0.3, 0.2};
    Models own(*this, {.scene = painted_board(large(), paint),
                       .observations = {photo(painted_board(image(), paint))}});
    own.textures.replay().select_pixels();
    own.textures.weigh_by_noise(1);
    BestTexels best(own.textures, 6);
    uploads = downloads = 0;

    for (std::size_t iteration = 0; iteration < 6; ++iteration) {
        own.step_textures(iteration, 6);
        static_cast<void>(best.note());
    }
    own.textures.write_result();
    CHECK(uploads == 0);
    CHECK(downloads == 0);

    const FittedTexture found = own.textures.result().front();
    CHECK(downloads > 0); // at the end
    CHECK(found.pixels.front() != 0.5F);
    own.textures.restore(own.textures.save());
    CHECK(uploads > 0);
}

} // namespace
} // namespace weft::fit
