// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace weft::core {

/// A 128-bit content hash (MurmurHash3 x64/128, Appleby 2011; the same on every machine). Not
/// cryptographic.
struct Hash128 {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    auto operator<=>(const Hash128&) const = default;
    /// 32 lower-case hexadecimal digits.
    [[nodiscard]] std::string to_string() const;
};

[[nodiscard]] Hash128 hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed = 0);
[[nodiscard]] Hash128 hash_text(std::string_view text, std::uint64_t seed = 0);

/// Hashes a sequence of fields; every field is length-prefixed, so ("ab","c") differs from ("a","bc").
class Hasher {
public:
    Hasher& add(std::string_view text);
    Hasher& add(const Hash128& hash);
    template <typename T>
        requires std::is_integral_v<T> || std::is_enum_v<T>
    Hasher& add(T value) {
        return add_word(static_cast<std::uint64_t>(value));
    }
    [[nodiscard]] Hash128 finish() const;

private:
    Hasher& add_word(std::uint64_t word);
    std::string m_bytes;
};

} // namespace weft::core

template <>
struct std::hash<weft::core::Hash128> {
    std::size_t operator()(const weft::core::Hash128& key) const noexcept {
        return static_cast<std::size_t>(key.low);
    }
};
