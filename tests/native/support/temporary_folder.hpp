// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

namespace weft::test {

/// A fresh, empty folder that is removed with everything in it when this object goes.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const noexcept { return m_path; }

    /// Writes `text` to the file `name` (folders between are made) and returns its path.
    std::filesystem::path write(const std::filesystem::path& name, std::string_view text) const;

private:
    std::filesystem::path m_path;
};

} // namespace weft::test
