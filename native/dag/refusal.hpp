// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/error.hpp"
#include "core/text.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace weft::dag {

/// Where an operation stands in a source, as far as the code tells: it does if it was compiled with lines.
struct SourcePosition {
    std::uint32_t file = 0; ///< number in SpirvModule::files
    std::uint32_t line = 0; ///< from 1 on; 0: not known

    [[nodiscard]] bool operator==(const SourcePosition&) const = default;
};

/// What cannot be lowered, with the line of the expression.
class Refusal : public core::ArgumentError {
public:
    Refusal(const std::string& what, std::string file, std::uint32_t line)
        : core::ArgumentError(what), m_file(std::move(file)), m_line(line) {}

    [[nodiscard]] const std::string& file() const noexcept { return m_file; } ///< path or name
    [[nodiscard]] std::uint32_t line() const noexcept { return m_line; }

private:
    std::string m_file;
    std::uint32_t m_line;
};

/// Throws what is being handled again, with its position if that is known.
[[noreturn]] inline void refuse_at(const core::ArgumentError& error, SourcePosition position,
                                   const std::vector<std::string>& files) {
    const bool has_position = dynamic_cast<const Refusal*>(&error) != nullptr;
    if (has_position || position.line == 0 || position.file >= files.size()) {
        throw;
    }
    throw Refusal(error.what(), files[position.file], position.line);
}

/// @throws core::ArgumentError "lower: <what>".
[[noreturn]] inline void refuse(const std::string& what) {
    throw core::ArgumentError(core::text("lower: ", what));
}

} // namespace weft::dag
