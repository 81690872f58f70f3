// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/api.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace weft::render {

/// What a part of a scene's tables was made from: large things by identity, everything else by value. Equal keys stand for
/// equal parts. A key keeps what it names by identity alive, so that nothing else takes its place.
class WEFT_API PartKey {
public:
    /// @param name of the part: "box".
    explicit PartKey(std::string_view name);

    /// An object by identity: equal to itself only, whatever it holds.
    PartKey& add_identity(std::shared_ptr<const void> object);
    /// Equal for the same bytes.
    PartKey& add_bytes(std::span<const std::byte> bytes);
    /// As add_bytes(), of many bytes: a 128-bit hash stands for them.
    PartKey& add_content(std::span<const std::byte> bytes);
    PartKey& add(std::string_view text);
    PartKey& add(const PartKey& key);
    /// A number by its bits; those of another type are others.
    template <typename T>
        requires std::is_arithmetic_v<T>
    PartKey& add(T number) {
        return add_bytes(std::as_bytes(std::span<const T, 1>(&number, 1)));
    }

    bool operator==(const PartKey& other) const noexcept;
    [[nodiscard]] std::size_t hash() const noexcept;

private:
    enum class Kind : std::uint8_t { name, identity, bytes, content, text, key };
    void begin(Kind kind, std::size_t size);

    std::string
        m_bytes; ///< kind and size before each entry, so that no two lists of entries look alike
    std::vector<std::shared_ptr<const void>> m_objects;
};

} // namespace weft::render

template <>
struct std::hash<weft::render::PartKey> {
    std::size_t operator()(const weft::render::PartKey& key) const noexcept { return key.hash(); }
};
