// SPDX-License-Identifier: Apache-2.0
#include "core/file.hpp"

#include "core/fault.hpp"
#include "core/hash.hpp"

#include <fstream>
#include <random>
#include <string_view>

namespace weft::core {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kTemporaryExtension = ".part";

/// Unique among threads and processes, also after fork(): nothing is carried over from call to call.
std::string random_name() {
    std::random_device device;
    const auto word = [&device] { return (std::uint64_t{device()} << 32) | device(); };
    return Hash128{word(), word()}.to_string();
}

bool write_all(const fs::path& path, std::span<const std::byte> bytes) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    file.close();
    return !file.fail();
}

} // namespace

std::optional<std::vector<std::byte>> try_read_file(const fs::path& path, std::uint64_t limit) {
    std::error_code error;
    if (is_faulty(FaultKind::file) || !fs::is_regular_file(path, error)) {
        return std::nullopt;
    }
    const std::uint64_t size = fs::file_size(path, error);
    if (error || size > limit) {
        return std::nullopt;
    }
    std::ifstream file(path, std::ios::binary);
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file && !file.eof()) {
        return std::nullopt;
    }
    bytes.resize(static_cast<std::size_t>(file.gcount()));
    return bytes;
}

bool try_write_file(const fs::path& path, std::span<const std::byte> bytes) {
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    const fs::path temporary =
        path.parent_path() / (random_name() + std::string(kTemporaryExtension));
    if (write_all(temporary, bytes) && !is_faulty(FaultKind::file)) {
        fs::rename(temporary, path, error);
        if (!error) {
            return true;
        }
    }
    fs::remove(temporary, error);
    return false;
}

bool is_temporary_file(const fs::path& path) {
    return path.extension() == kTemporaryExtension;
}

std::string utf8_path(const fs::path& path) {
    const std::u8string text = path.generic_u8string();
    return {text.begin(), text.end()};
}

fs::path path_from_utf8(const std::string& text) {
    return fs::path(std::u8string(text.begin(), text.end()));
}

} // namespace weft::core
