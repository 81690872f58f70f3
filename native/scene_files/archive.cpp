// SPDX-License-Identifier: Apache-2.0
#include "scene_files/archive.hpp"

#include "core/file.hpp"
#include "core/text.hpp"

#include <zip.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <system_error>

namespace weft::scene_files {

namespace fs = std::filesystem;

namespace {

constexpr double kFreeBytes = 4.0 * (1ULL << 30U); ///< what any file may unpack to
constexpr double kMaxRatio = 100;                  ///< larger ones: times the size of the file
/// Deflate does not do better.
constexpr std::uint64_t kMaxDeflated = 1032;

struct CloseFile {
    void operator()(zip_file_t* file) const noexcept { zip_fclose(file); }
};

} // namespace

struct ArchiveReader::Zip {
    zip_t* handle = nullptr;

    Zip() = default;
    ~Zip() {
        if (handle != nullptr) {
            zip_discard(handle);
        }
    }
    Zip(const Zip&) = delete;
    Zip& operator=(const Zip&) = delete;
};

struct ArchiveReader::Member {
    std::string_view name;
    std::uint64_t index = 0;
    std::uint64_t size = 0;
};

ArchiveReader::ArchiveReader(const fs::path& path, bool trust)
    : m_zip(std::make_unique<Zip>()), m_file_size(fs::file_size(path)) {
    int code = 0;
    m_zip->handle = zip_open(core::utf8_path(path).c_str(), ZIP_RDONLY, &code);
    if (m_zip->handle == nullptr) {
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        const std::string reason = code == ZIP_ER_NOZIP || m_file_size == 0
                                       ? "File is not a zip file"
                                       : zip_error_strerror(&error);
        zip_error_fini(&error);
        throw std::runtime_error(reason);
    }
    m_most = trust ? std::numeric_limits<double>::infinity()
                   : std::max(kFreeBytes, kMaxRatio * static_cast<double>(m_file_size));
}

ArchiveReader::~ArchiveReader() = default;

std::vector<std::string> ArchiveReader::names() const {
    std::vector<std::string> out;
    const zip_int64_t count = zip_get_num_entries(m_zip->handle, 0);
    for (zip_int64_t number = 0; number < count; ++number) {
        const char* const name = zip_get_name(m_zip->handle, static_cast<zip_uint64_t>(number), 0);
        if (name == nullptr) {
            throw std::runtime_error(zip_strerror(m_zip->handle));
        }
        out.emplace_back(name);
    }
    return out;
}

ArchiveReader::Member ArchiveReader::find(const std::string& name) const {
    zip_stat_t stat;
    zip_stat_init(&stat);
    if (zip_stat(m_zip->handle, name.c_str(), 0, &stat) != 0) {
        throw std::runtime_error(
            core::text("\"There is no item named '", name, "' in the archive\""));
    }
    constexpr zip_uint64_t kNeeded =
        ZIP_STAT_INDEX | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    const bool is_plain =
        (stat.valid & kNeeded) == kNeeded &&
        ((stat.valid & ZIP_STAT_ENCRYPTION_METHOD) == 0 || stat.encryption_method == ZIP_EM_NONE) &&
        (stat.comp_method == ZIP_CM_STORE || stat.comp_method == ZIP_CM_DEFLATE);
    if (!is_plain) {
        throw std::runtime_error(core::text(name, " is packed in another way than scenes are"));
    }
    // Before memory is made for what a header says.
    const std::uint64_t most =
        stat.comp_method == ZIP_CM_STORE
            ? stat.comp_size
            : kMaxDeflated * std::min(stat.comp_size, m_file_size) + kMaxDeflated;
    if (stat.comp_size > m_file_size || stat.size > most) {
        throw std::runtime_error(core::text(name, " is not of the size that the archive says"));
    }
    return {.name = name, .index = stat.index, .size = stat.size};
}

void ArchiveReader::read(const Member& member, std::span<std::byte> into) const {
    const std::unique_ptr<zip_file_t, CloseFile> file(
        zip_fopen_index(m_zip->handle, member.index, 0));
    if (!file) {
        throw std::runtime_error(core::text(member.name, ": ", zip_strerror(m_zip->handle)));
    }
    std::size_t done = 0;
    while (done < into.size()) {
        const zip_int64_t count = zip_fread(file.get(), into.data() + done, into.size() - done);
        if (count <= 0) {
            throw std::runtime_error(
                core::text(member.name, ": ",
                           count == 0 ? "it ends too early" : zip_file_strerror(file.get())));
        }
        done += static_cast<std::size_t>(count);
    }
    std::byte beyond{}; // the sum of all bytes is compared at the end
    if (const zip_int64_t count = zip_fread(file.get(), &beyond, 1); count != 0) {
        throw std::runtime_error(core::text(
            member.name, ": ", count > 0 ? "it goes on" : zip_file_strerror(file.get())));
    }
}

std::string ArchiveReader::text(const std::string& name, std::uint64_t most) {
    const Member member = find(name);
    if (member.size > most) {
        throw std::runtime_error(
            core::text("its ", name, " has ", member.size, " bytes, of at most ", most));
    }
    std::string content(member.size, '\0');
    read(member, std::as_writable_bytes(std::span(content)));
    return content;
}

NumberArray ArchiveReader::array(const std::string& name) {
    const Member member = find(name);
    m_taken += static_cast<double>(member.size);
    if (m_taken > m_most) {
        constexpr double kGiB = 1ULL << 30U;
        throw std::runtime_error(core::text("its arrays unpack to more than ",
                                            std::llround(m_most / kGiB),
                                            " GB, which a file of this size has no need for"));
    }
    const std::shared_ptr<std::byte[]> bytes(new std::byte[member.size]);
    read(member, {bytes.get(), member.size});
    return parse_npy(name, {bytes.get(), member.size}, bytes);
}

namespace {

/// An archive that is written when it is closed, and not at all if it is not.
struct Discard {
    void operator()(zip_t* zip) const noexcept { zip_discard(zip); }
};

void add(zip_t* zip, const NewMember& member) {
    std::array<zip_buffer_fragment_t, 2> parts{};
    // zip.h takes pointers to what it only reads.
    parts[0] = {const_cast<zip_uint8_t*>(reinterpret_cast<const zip_uint8_t*>(member.head.data())),
                member.head.size()};
    parts[1] = {const_cast<zip_uint8_t*>(reinterpret_cast<const zip_uint8_t*>(member.bytes.data())),
                member.bytes.size()};
    const zip_uint64_t count = member.bytes.empty() ? 1 : parts.size();
    zip_source_t* const source = zip_source_buffer_fragment(zip, parts.data(), count, 0);
    const zip_int64_t index =
        source == nullptr ? -1 : zip_file_add(zip, member.name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
        zip_source_free(source);
        throw std::runtime_error(zip_strerror(zip));
    }
    constexpr zip_uint16_t kFirstDay = 1U << 5U | 1U; // 1980-01-01: equal scenes make equal files
    const auto at = static_cast<zip_uint64_t>(index);
    if (zip_set_file_compression(zip, at, ZIP_CM_DEFLATE, 1) != 0 ||
        zip_file_set_dostime(zip, at, 0, kFirstDay, 0) != 0) {
        throw std::runtime_error(zip_strerror(zip));
    }
}

} // namespace

void write_archive(const fs::path& path, const std::vector<NewMember>& members) {
    int code = 0;
    std::unique_ptr<zip_t, Discard> zip(
        zip_open(core::utf8_path(path).c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
    if (!zip) {
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        const std::string reason = zip_error_strerror(&error);
        zip_error_fini(&error);
        throw std::runtime_error(reason);
    }
    for (const NewMember& member : members) {
        add(zip.get(), member);
    }
    if (zip_close(zip.get()) != 0) {
        throw std::runtime_error(zip_strerror(zip.get()));
    }
    static_cast<void>(zip.release());
}

} // namespace weft::scene_files
