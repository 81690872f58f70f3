// SPDX-License-Identifier: Apache-2.0
#include "core/archive.hpp"

namespace weft::core {

void ArchiveWriter::put_bytes(std::span<const std::byte> bytes) {
    m_bytes.insert(m_bytes.end(), bytes.begin(), bytes.end());
}

void ArchiveWriter::put_word(std::uint64_t word, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
        m_bytes.push_back(static_cast<std::byte>((word >> (8 * i)) & 255));
    }
}

void ArchiveWriter::put(const std::string& value) {
    put_word(value.size(), 4);
    put_bytes(std::as_bytes(std::span(value)));
}

void ArchiveWriter::put(const std::vector<std::byte>& value) {
    put_word(value.size(), 4);
    put_bytes(value);
}

std::span<const std::byte> ArchiveReader::get_bytes(std::size_t size) {
    if (size > m_bytes.size()) {
        throw ArchiveError("archive: cut short");
    }
    const std::span<const std::byte> result = m_bytes.first(size);
    m_bytes = m_bytes.subspan(size);
    return result;
}

void ArchiveReader::expect_end() const {
    if (!m_bytes.empty()) {
        throw ArchiveError("archive: bytes left over");
    }
}

std::uint64_t ArchiveReader::get_word(std::size_t size) {
    const std::span<const std::byte> bytes = get_bytes(size);
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < size; ++i) {
        word |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
    }
    return word;
}

std::size_t ArchiveReader::get_count() {
    const std::size_t count = static_cast<std::size_t>(get_word(4));
    if (count > m_bytes.size()) {
        throw ArchiveError("archive: cut short");
    }
    return count;
}

void ArchiveReader::get(std::string& value) {
    const std::span<const std::byte> bytes = get_bytes(static_cast<std::size_t>(get_word(4)));
    value.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void ArchiveReader::get(std::vector<std::byte>& value) {
    const std::span<const std::byte> bytes = get_bytes(static_cast<std::size_t>(get_word(4)));
    value.assign(bytes.begin(), bytes.end());
}

std::shared_ptr<const void> ArchiveReader::find_object(std::size_t index,
                                                       std::type_index type) const {
    if (index >= m_objects.size() || m_objects[index].first != type || !m_objects[index].second) {
        throw ArchiveError("archive: reference to an unknown object");
    }
    return m_objects[index].second;
}

} // namespace weft::core
