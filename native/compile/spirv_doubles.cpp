// SPDX-License-Identifier: Apache-2.0
#include "compile/spirv_doubles.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace weft::compile {

namespace {

// Numbers of the SPIR-V specification, version 1.5.
constexpr std::uint32_t kMagic = 0x07230203;
constexpr std::size_t kHeaderWords = 5;
constexpr std::uint32_t kExtInstImport = 11;
constexpr std::uint32_t kExtInst = 12;
constexpr std::uint32_t kTypeFloat = 22;
constexpr std::uint32_t kTypeVector = 23;
constexpr std::uint32_t kDoubleBits = 64;
constexpr std::string_view kFunctionSet = "GLSL.std.450";

// Those whose operands that set's specification restricts to 16 and 32 bits, from its number 11 on.
constexpr std::uint32_t kFirstFunction = 11;
constexpr std::array<std::string_view, 20> kFunctions{
    "radians", "degrees", "sin",   "cos",   "tan",   "asin", "acos", "atan", "sinh", "cosh",
    "tanh",    "asinh",   "acosh", "atanh", "atan2", "pow",  "exp",  "log",  "exp2", "log2"};

using Words = std::span<const std::uint32_t>;

/// Follows declarations until a call comes that cannot be.
class Reader {
public:
    /// The function that the instruction calls of doubles, "" if it does not.
    std::string_view read(Words instruction) {
        const std::uint32_t operation = instruction[0] & 0xFFFF;
        const std::size_t length = instruction.size();
        if (operation == kExtInstImport && length > 2) {
            read_set(instruction);
        } else if (declares_double(instruction)) {
            m_doubles.push_back(instruction[1]);
        } else if (operation == kExtInst && length > 4 && instruction[3] == m_set &&
                   is_double(instruction[1])) {
            const std::uint32_t function = instruction[4] - kFirstFunction;
            return function < kFunctions.size() ? kFunctions[function] : "";
        }
        return "";
    }

private:
    void read_set(Words import) {
        const Words literal = import.subspan(2);
        if (literal.size_bytes() > kFunctionSet.size() &&
            std::memcmp(literal.data(), kFunctionSet.data(), kFunctionSet.size()) == 0) {
            m_set = import[1];
        }
    }

    bool declares_double(Words instruction) const {
        const std::uint32_t operation = instruction[0] & 0xFFFF;
        const std::size_t length = instruction.size();
        return (operation == kTypeFloat && length > 2 && instruction[2] == kDoubleBits) ||
               (operation == kTypeVector && length > 3 && is_double(instruction[2]));
    }

    bool is_double(std::uint32_t type) const {
        return std::find(m_doubles.begin(), m_doubles.end(), type) != m_doubles.end();
    }

    std::uint32_t m_set = 0; ///< no id is 0
    std::vector<std::uint32_t> m_doubles;
};

} // namespace

std::string_view find_double_function(std::span<const std::byte> code) {
    std::vector<std::uint32_t> words(code.size() / sizeof(std::uint32_t));
    if (words.size() < kHeaderWords) {
        return "";
    }
    std::memcpy(words.data(), code.data(), words.size() * sizeof(std::uint32_t));
    if (words[0] != kMagic) {
        return "";
    }
    Reader reader;
    for (std::size_t at = kHeaderWords; at < words.size();) {
        const std::size_t length = words[at] >> 16;
        if (length == 0 || length > words.size() - at) {
            return "";
        }
        const std::string_view function = reader.read(Words(words).subspan(at, length));
        if (!function.empty()) {
            return function;
        }
        at += length;
    }
    return "";
}

} // namespace weft::compile
