// SPDX-License-Identifier: Apache-2.0
#include "core/kernel_images.hpp"

#include "core/archive.hpp"

#include <algorithm>
#include <cstring>

namespace weft::core {

template <class Archive>
void transfer(Archive& archive, KernelImage& image) {
    archive(image.architecture, image.is_ptx, image.bytes);
}

namespace {

/// No source begins so.
constexpr std::string_view kMark = "\1weft images\n";
constexpr std::size_t kHeadBytes = kMark.size() + sizeof(std::uint64_t);

} // namespace

std::vector<std::byte> pack_images(const std::vector<KernelImage>& images) {
    return to_archive(images);
}

std::vector<std::byte> join_images(std::span<const std::byte> source,
                                   std::span<const std::byte> images) {
    ArchiveWriter writer;
    writer.put_bytes(std::as_bytes(std::span(kMark)));
    writer(static_cast<std::uint64_t>(images.size()));
    writer.put_bytes(images);
    writer.put_bytes(source);
    return writer.take();
}

const KernelImage* SplitImages::find(std::int32_t architecture) const noexcept {
    const auto own = std::ranges::find_if(images, [&](const KernelImage& image) {
        return !image.is_ptx && image.architecture == architecture;
    });
    if (own != images.end()) {
        return &*own;
    }
    const auto portable = std::ranges::find_if(images, [&](const KernelImage& image) {
        return image.is_ptx && image.architecture <= architecture;
    });
    return portable == images.end() ? nullptr : &*portable;
}

SplitImages split_images(std::span<const std::byte> code) {
    SplitImages split{.source = code, .images = {}};
    if (code.size() < kHeadBytes || std::memcmp(code.data(), kMark.data(), kMark.size()) != 0) {
        return split;
    }
    const auto size =
        from_archive<std::uint64_t>(code.subspan(kMark.size(), sizeof(std::uint64_t)));
    const auto rest = code.subspan(kHeadBytes);
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(size, rest.size()));
    split.source = rest.subspan(length);
    try {
        split.images = from_archive<std::vector<KernelImage>>(rest.first(length));
    } catch (const ArchiveError&) {
        split.images.clear(); // the source is there
    }
    return split;
}

} // namespace weft::core
