// SPDX-License-Identifier: Apache-2.0
// Zip archives: those of strangers within a budget of bytes, and new ones.
#pragma once

#include "scene_files/number_array.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft::scene_files {

/// Members of an archive. Every array that is read takes from a budget of 4 GiB, or 100 times the size of the file if that is
/// more. All throw std::runtime_error. One thread at a time.
class ArchiveReader {
public:
    /// @param trust there is no budget.
    ArchiveReader(const std::filesystem::path& path, bool trust);
    ~ArchiveReader();
    ArchiveReader(const ArchiveReader&) = delete;
    ArchiveReader& operator=(const ArchiveReader&) = delete;

    /// Of all members.
    [[nodiscard]] std::vector<std::string> names() const;
    /// A member as text. @throws if there is none, or it has more than `most` bytes.
    [[nodiscard]] std::string text(const std::string& name, std::uint64_t most);
    /// A member in numpy's format. @throws if there is none, it is damaged, or the budget does not suffice.
    [[nodiscard]] NumberArray array(const std::string& name);

private:
    struct Member;
    [[nodiscard]] Member find(const std::string& name) const;
    void read(const Member& member, std::span<std::byte> into) const;

    struct Zip;
    std::unique_ptr<Zip> m_zip;
    std::uint64_t m_file_size = 0;
    double m_most = 0;
    double m_taken = 0;
};

/// A member of a new archive.
struct NewMember {
    std::string name;
    std::string head;                    ///< begins the member
    std::span<const std::byte> bytes{};  ///< follow
    std::shared_ptr<const void> owner{}; ///< keeps the bytes; null: the caller does
};

/// Writes an archive; an existing file is replaced in one step. The same members give the same file.
/// @throws std::runtime_error with the reason; the file is as it was.
void write_archive(const std::filesystem::path& path, const std::vector<NewMember>& members);

} // namespace weft::scene_files
