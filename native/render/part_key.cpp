// SPDX-License-Identifier: Apache-2.0
#include "render/part_key.hpp"

#include "core/hash.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace weft::render {

namespace {

std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

} // namespace

PartKey::PartKey(std::string_view name) {
    begin(Kind::name, name.size());
    m_bytes += name;
}

void PartKey::begin(Kind kind, std::size_t size) {
    m_bytes += static_cast<char>(kind);
    const auto count = static_cast<std::uint64_t>(size);
    m_bytes += text_of(std::as_bytes(std::span<const std::uint64_t, 1>(&count, 1)));
}

PartKey& PartKey::add_identity(std::shared_ptr<const void> object) {
    begin(Kind::identity, 0);
    m_objects.push_back(std::move(object));
    return *this;
}

PartKey& PartKey::add_bytes(std::span<const std::byte> bytes) {
    begin(Kind::bytes, bytes.size());
    m_bytes += text_of(bytes);
    return *this;
}

PartKey& PartKey::add_content(std::span<const std::byte> bytes) {
    begin(Kind::content, bytes.size());
    const core::Hash128 hash = core::hash_bytes(bytes);
    m_bytes += text_of(std::as_bytes(std::span<const core::Hash128, 1>(&hash, 1)));
    return *this;
}

PartKey& PartKey::add(std::string_view text) {
    begin(Kind::text, text.size());
    m_bytes += text;
    return *this;
}

PartKey& PartKey::add(const PartKey& key) {
    begin(Kind::key, key.m_bytes.size());
    m_bytes += key.m_bytes;
    m_objects.insert(m_objects.end(), key.m_objects.begin(), key.m_objects.end());
    return *this;
}

bool PartKey::operator==(const PartKey& other) const noexcept {
    return m_bytes == other.m_bytes && m_objects == other.m_objects;
}

std::size_t PartKey::hash() const noexcept {
    std::size_t hash = std::hash<std::string_view>()(m_bytes);
    for (const std::shared_ptr<const void>& object : m_objects) {
        hash = hash * 0x9E3779B97F4A7C15U ^ std::hash<const void*>()(object.get());
    }
    return hash;
}

} // namespace weft::render
