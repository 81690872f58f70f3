// SPDX-License-Identifier: Apache-2.0
// A compact binary form of plain data, little-endian. One function describes a structure for both
// directions: `template <class Archive> void transfer(Archive& archive, Point& p) { archive(p.x, p.y); }`
// is found by argument-dependent lookup. Objects behind shared_ptr<const T> are written once and
// shared again by the reader; they must not form cycles.
#pragma once

#include "core/hash.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <typeindex>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace weft::core {

/// The bytes are no archive of the expected shape: cut short, or a field is out of range. Callers
/// turn it into a cache miss or a failed request; it never crosses a public boundary.
class ArchiveError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Appends values to a growing block of bytes.
class ArchiveWriter {
public:
    static constexpr bool is_reading = false;

    template <typename... Values>
    void operator()(const Values&... values) {
        (put(values), ...);
    }
    void put_bytes(std::span<const std::byte> bytes);
    [[nodiscard]] std::vector<std::byte> take() noexcept { return std::move(m_bytes); }

private:
    void put_word(std::uint64_t word, std::size_t size);
    void put(const std::string& value);
    void put(const std::vector<std::byte>& value);
    void put(double value) { put_word(std::bit_cast<std::uint64_t>(value), 8); }
    void put(const Hash128& value) { (*this)(value.low, value.high); }

    template <typename T>
        requires std::is_integral_v<T> || std::is_enum_v<T>
    void put(const T& value) {
        put_word(static_cast<std::uint64_t>(value), sizeof(T));
    }
    template <typename T>
    void put(const std::vector<T>& values) {
        put_word(values.size(), 4);
        for (const T& value : values) {
            put(value);
        }
    }
    template <typename T, std::size_t N>
    void put(const std::array<T, N>& values) {
        for (const T& value : values) {
            put(value);
        }
    }
    template <typename A, typename B>
    void put(const std::pair<A, B>& value) {
        (*this)(value.first, value.second);
    }
    template <typename T>
    void put(const std::optional<T>& value) {
        put(value.has_value());
        if (value) {
            put(*value);
        }
    }
    template <typename... Ts>
    void put(const std::variant<Ts...>& value) {
        put_word(value.index(), 1);
        std::visit([this](const auto& alternative) { this->put(alternative); }, value);
    }
    template <typename T>
    void put(const std::shared_ptr<const T>& object) {
        const auto next = static_cast<std::uint32_t>(m_objects.size() + 1);
        const std::uint32_t id =
            object ? m_objects.try_emplace(object.get(), next).first->second : 0;
        put(id);
        if (object && id == next) {
            put(*object);
        }
    }
    // Structures: transfer() takes a mutable reference because it also serves the reader.
    template <typename T>
        requires std::is_class_v<T>
    void put(const T& value) {
        transfer(*this, const_cast<T&>(value));
    }

    std::vector<std::byte> m_bytes;
    std::unordered_map<const void*, std::uint32_t> m_objects;
};

/// Reads what ArchiveWriter wrote. Every access is checked: @throws ArchiveError.
class ArchiveReader {
public:
    static constexpr bool is_reading = true;

    /// `bytes` must outlive the reader.
    explicit ArchiveReader(std::span<const std::byte> bytes) noexcept : m_bytes(bytes) {}

    template <typename... Values>
    void operator()(Values&... values) {
        (get(values), ...);
    }
    /// The next `size` bytes, a view into the archive.
    [[nodiscard]] std::span<const std::byte> get_bytes(std::size_t size);
    /// @throws ArchiveError unless everything was read.
    void expect_end() const;

private:
    std::uint64_t get_word(std::size_t size);
    /// A length prefix; every element takes at least one byte, so a larger one is corrupt.
    std::size_t get_count();
    void get(std::string& value);
    void get(std::vector<std::byte>& value);
    void get(double& value) { value = std::bit_cast<double>(get_word(8)); }
    void get(Hash128& value) { (*this)(value.low, value.high); }

    template <typename T>
        requires std::is_integral_v<T> || std::is_enum_v<T>
    void get(T& value) {
        value = static_cast<T>(get_word(sizeof(T)));
    }
    template <typename T>
    void get(std::vector<T>& values) {
        values.resize(get_count());
        for (T& value : values) {
            get(value);
        }
    }
    template <typename T, std::size_t N>
    void get(std::array<T, N>& values) {
        for (T& value : values) {
            get(value);
        }
    }
    template <typename A, typename B>
    void get(std::pair<A, B>& value) {
        (*this)(value.first, value.second);
    }
    template <typename T>
    void get(std::optional<T>& value) {
        value.reset();
        bool has_value = false;
        get(has_value);
        if (has_value) {
            get(value.emplace());
        }
    }
    template <typename... Ts>
    void get(std::variant<Ts...>& value) {
        get_alternative(value, get_word(1), std::index_sequence_for<Ts...>{});
    }
    template <typename... Ts, std::size_t... Is>
    void get_alternative(std::variant<Ts...>& value, std::uint64_t index,
                         std::index_sequence<Is...>) {
        const bool known = ((Is == index && (get(value.template emplace<Is>()), true)) || ...);
        if (!known) {
            throw ArchiveError("archive: unknown alternative of a variant");
        }
    }
    template <typename T>
    void get(std::shared_ptr<const T>& object) {
        std::uint32_t id = 0;
        get(id);
        object.reset();
        if (id == m_objects.size() + 1) {
            object = read_object<T>();
        } else if (id != 0) {
            object = std::static_pointer_cast<const T>(find_object(id - 1, typeid(T)));
        }
    }
    template <typename T>
    std::shared_ptr<const T> read_object() {
        if (++m_depth > kMaxDepth) {
            throw ArchiveError("archive: objects are nested too deeply");
        }
        const std::size_t slot = m_objects.size();
        m_objects.emplace_back(typeid(T), nullptr);
        auto object = std::make_shared<T>();
        get(*object);
        m_objects[slot].second = object;
        --m_depth;
        return object;
    }
    std::shared_ptr<const void> find_object(std::size_t index, std::type_index type) const;
    template <typename T>
        requires std::is_class_v<T>
    void get(T& value) {
        transfer(*this, value);
    }

    static constexpr int kMaxDepth = 256;

    std::span<const std::byte> m_bytes;
    std::vector<std::pair<std::type_index, std::shared_ptr<const void>>> m_objects;
    int m_depth = 0;
};

/// The archive of one value.
template <typename T>
[[nodiscard]] std::vector<std::byte> to_archive(const T& value) {
    ArchiveWriter writer;
    writer(value);
    return writer.take();
}

/// @throws ArchiveError if `bytes` is not exactly the archive of one T.
template <typename T>
[[nodiscard]] T from_archive(std::span<const std::byte> bytes) {
    ArchiveReader reader(bytes);
    T value{};
    reader(value);
    reader.expect_end();
    return value;
}

} // namespace weft::core
