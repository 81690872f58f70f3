// SPDX-License-Identifier: Apache-2.0
// A kernel for CUDA as its source together with what that was compiled to: Weft ships such ones, so that NVRTC need not run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace weft::core {

/// Machine code of one architecture, or PTX, which later ones take as well.
struct KernelImage {
    std::int32_t architecture = 0; ///< 90: sm_90; of PTX the oldest that takes it
    bool is_ptx = false;
    std::vector<std::byte> bytes{}; ///< for cuModuleLoadDataEx
};

/// The kind of the cache entries that hold pack_images(), with the hash of the source as key.
inline constexpr std::string_view kImageEntry = "image";

/// The images of one source as bytes.
[[nodiscard]] std::vector<std::byte> pack_images(const std::vector<KernelImage>& images);
/// Code that split_images() tells from a source alone. @param images: of pack_images().
[[nodiscard]] std::vector<std::byte> join_images(std::span<const std::byte> source,
                                                 std::span<const std::byte> images);

struct SplitImages {
    std::span<const std::byte> source; ///< CUDA C++, within the code
    std::vector<KernelImage> images;   ///< empty if the code is a source alone

    /// What a GPU takes: machine code of its own architecture, else PTX; null if there is neither.
    [[nodiscard]] const KernelImage* find(std::int32_t architecture) const noexcept;
};
/// Images that are damaged are left out. @param code: must outlive the result.
[[nodiscard]] SplitImages split_images(std::span<const std::byte> code);

} // namespace weft::core
