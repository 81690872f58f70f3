// SPDX-License-Identifier: Apache-2.0
#include "support/temporary_folder.hpp"

#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>

namespace weft::test {

namespace {

std::filesystem::path create_unique_folder() {
    std::random_device random;
    const std::filesystem::path parent = std::filesystem::temp_directory_path();
    for (int attempt = 0; attempt < 100; ++attempt) {
        const std::filesystem::path path = parent / ("weft-test-" + std::to_string(random()));
        if (std::filesystem::create_directory(path)) {
            return path;
        }
    }
    throw std::runtime_error("TemporaryFolder: no free name in " + parent.string());
}

} // namespace

TemporaryFolder::TemporaryFolder() : m_path(create_unique_folder()) {}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(m_path, ignored);
}

std::filesystem::path TemporaryFolder::write(const std::filesystem::path& name,
                                             std::string_view text) const {
    const std::filesystem::path path = m_path / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream file(path, std::ios::binary);
    file << text;
    if (!file.flush()) {
        throw std::runtime_error("TemporaryFolder: cannot write " + path.string());
    }
    return path;
}

} // namespace weft::test
