// SPDX-License-Identifier: Apache-2.0
#include "render/bsdf_tables.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "tensor/transfer.hpp"

#include <span>
#include <string_view>

namespace weft::render {

namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 24U;
/// The magic string, the version 1.0 and the length of the header, which follows.
constexpr std::size_t kPreamble = 10;
constexpr std::string_view kMagic("\x93NUMPY\x01\x00", 8);
constexpr std::string_view kSingles = "'descr': '<f4', 'fortran_order': False";

/// The numbers of an .npy file of little-endian float32; empty: it is none.
std::span<const std::byte> numbers_of(std::span<const std::byte> file) {
    if (file.size() < kPreamble) {
        return {};
    }
    const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
    const std::size_t length =
        std::to_integer<std::size_t>(file[8]) | (std::to_integer<std::size_t>(file[9]) << 8U);
    if (!text.starts_with(kMagic) || kPreamble + length > file.size() ||
        text.substr(kPreamble, length).find(kSingles) == std::string_view::npos) {
        return {};
    }
    return file.subspan(kPreamble + length);
}

} // namespace

tensor::TensorRef load_bsdf_tables(const std::shared_ptr<device::Device>& device,
                                   const std::filesystem::path& path) {
    const auto file = core::try_read_file(path, kMaxBytes);
    const std::span<const std::byte> numbers =
        file ? numbers_of(*file) : std::span<const std::byte>{};
    if (numbers.empty() || numbers.size() % sizeof(float) != 0) {
        throw core::ArgumentError(core::text("load_bsdf_tables: '", core::utf8_path(path), "' ",
                                             file ? "is no table of float32" : "cannot be read",
                                             "; install Weft's files anew"),
                                  core::ArgumentError::Kind::not_found);
    }
    tensor::TensorRef made = tensor::Tensor::create(
        device, {.dtype = reflect::scalar_type(reflect::ScalarKind::float32),
                 .shape = {static_cast<std::int64_t>(numbers.size() / sizeof(float))}});
    tensor::upload(*made, numbers);
    return made;
}

} // namespace weft::render
