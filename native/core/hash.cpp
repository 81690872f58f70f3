// SPDX-License-Identifier: Apache-2.0
#include "core/hash.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace weft::core {

namespace {

constexpr std::uint64_t kFactorLow = 0x87c37b91114253d5;
constexpr std::uint64_t kFactorHigh = 0x4cf5ad432745937f;

std::uint64_t load_word(const std::byte* bytes) noexcept {
    std::uint64_t word = 0;
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(&word, bytes, sizeof word);
    } else {
        for (unsigned i = 0; i < sizeof word; ++i) {
            word |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
        }
    }
    return word;
}

constexpr std::uint64_t scramble_low(std::uint64_t word) noexcept {
    return std::rotl(word * kFactorLow, 31) * kFactorHigh;
}

constexpr std::uint64_t scramble_high(std::uint64_t word) noexcept {
    return std::rotl(word * kFactorHigh, 33) * kFactorLow;
}

constexpr std::uint64_t avalanche(std::uint64_t word) noexcept {
    word ^= word >> 33;
    word *= 0xff51afd7ed558ccd;
    word ^= word >> 33;
    word *= 0xc4ceb9fe1a85ec53;
    return word ^ (word >> 33);
}

} // namespace

std::string Hash128::to_string() const {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string result(32, '0');
    for (unsigned i = 0; i < 16; ++i) {
        result[i] = kDigits[(high >> (60 - 4 * i)) & 15];
        result[16 + i] = kDigits[(low >> (60 - 4 * i)) & 15];
    }
    return result;
}

Hash128 hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed) {
    std::uint64_t low = seed;
    std::uint64_t high = seed;
    const std::size_t tail = bytes.size() & ~std::size_t{15};
    for (std::size_t i = 0; i < tail; i += 16) {
        low ^= scramble_low(load_word(bytes.data() + i));
        low = (std::rotl(low, 27) + high) * 5 + 0x52dce729;
        high ^= scramble_high(load_word(bytes.data() + i + 8));
        high = (std::rotl(high, 31) + low) * 5 + 0x38495ab5;
    }
    if (tail < bytes.size()) {
        std::array<std::byte, 16> last{};
        std::memcpy(last.data(), bytes.data() + tail, bytes.size() - tail);
        high ^= scramble_high(load_word(last.data() + 8));
        low ^= scramble_low(load_word(last.data()));
    }
    low ^= bytes.size();
    high ^= bytes.size();
    low += high;
    high += low;
    low = avalanche(low);
    high = avalanche(high);
    low += high;
    high += low;
    return {low, high};
}

Hash128 hash_text(std::string_view text, std::uint64_t seed) {
    return hash_bytes(std::as_bytes(std::span(text.data(), text.size())), seed);
}

Hasher& Hasher::add(std::string_view text) {
    add_word(text.size());
    m_bytes.append(text);
    return *this;
}

Hasher& Hasher::add(const Hash128& hash) {
    return add_word(hash.low).add_word(hash.high);
}

Hasher& Hasher::add_word(std::uint64_t word) {
    std::array<char, sizeof word> bytes{};
    for (unsigned i = 0; i < sizeof word; ++i) {
        bytes[i] = static_cast<char>((word >> (8 * i)) & 255);
    }
    m_bytes.append(bytes.data(), bytes.size());
    return *this;
}

Hash128 Hasher::finish() const {
    return hash_text(m_bytes);
}

} // namespace weft::core
