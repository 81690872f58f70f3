// SPDX-License-Identifier: Apache-2.0
#include "compile/spirv_globals.hpp"

#include <cstring>
#include <map>
#include <utility>
#include <vector>

namespace weft::compile {

namespace {

// Numbers of the SPIR-V specification, version 1.5.
constexpr std::uint32_t kTypePointer = 32;
constexpr std::uint32_t kConstant = 43;
constexpr std::uint32_t kVariable = 59;
constexpr std::uint32_t kLoad = 61;
constexpr std::uint32_t kAccessChain = 65;
constexpr std::uint32_t kInBoundsAccessChain = 66;
constexpr std::uint32_t kDecorate = 71;
constexpr std::uint32_t kMemberDecorate = 72;
constexpr std::uint32_t kUniformStorage = 2;
constexpr std::uint32_t kBinding = 33;
constexpr std::uint32_t kDescriptorSet = 34;
constexpr std::uint32_t kOffset = 35;
constexpr std::size_t kHeaderWords = 5;

using Words = std::span<const std::uint32_t>;

/// What the instructions before the functions say, by id.
class Reader {
public:
    void read(Words words) {
        for (std::size_t at = kHeaderWords; at < words.size();) {
            const std::size_t length = words[at] >> 16;
            if (length == 0 || length > words.size() - at) {
                return;
            }
            read_instruction(words[at] & 0xFFFF, words.subspan(at, length));
            at += length;
        }
    }

    SpirvGlobals result;

private:
    void read_instruction(std::uint32_t operation, Words words) {
        if (operation == kDecorate && words.size() > 3) {
            m_decorations[{words[1], words[2]}] = words[3];
        } else if (operation == kMemberDecorate && words.size() > 4 && words[3] == kOffset) {
            m_member_offsets[{words[1], words[2]}] = words[4];
        } else if (operation == kTypePointer && words.size() > 3) {
            m_pointees[words[1]] = words[3];
        } else if (operation == kConstant && words.size() > 3) {
            m_constants[words[2]] = words[3];
        } else if (operation == kVariable && words.size() > 3 && words[3] == kUniformStorage) {
            m_block = words[2];
            m_type = m_pointees[words[1]];
            result.set = m_decorations[{m_block, kDescriptorSet}];
            result.binding = m_decorations[{m_block, kBinding}];
        } else if (m_block != 0 && words.size() > 3 && words[3] == m_block) {
            read_use(operation, words);
        }
    }

    void read_use(std::uint32_t operation, Words words) {
        const bool is_chain = operation == kAccessChain || operation == kInBoundsAccessChain;
        if (!is_chain && operation != kLoad) {
            return;
        }
        result.is_used = true;
        const auto index =
            is_chain && words.size() > 4 ? m_constants.find(words[4]) : m_constants.end();
        if (index == m_constants.end()) {
            result.reads_all = true;
        } else {
            result.offsets.insert(m_member_offsets[{m_type, index->second}]);
        }
    }

    std::uint32_t m_block = 0; ///< the variable
    std::uint32_t m_type = 0;  ///< its structure
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>
        m_decorations; ///< (id, decoration)
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>
        m_member_offsets; ///< (structure, member)
    std::map<std::uint32_t, std::uint32_t> m_pointees;
    std::map<std::uint32_t, std::uint32_t> m_constants;
};

} // namespace

SpirvGlobals read_spirv_globals(std::span<const std::byte> code) {
    std::vector<std::uint32_t> words(code.size() / sizeof(std::uint32_t));
    if (!words.empty()) {
        std::memcpy(words.data(), code.data(), words.size() * sizeof(std::uint32_t));
    }
    Reader reader;
    reader.read(words);
    return reader.result;
}

} // namespace weft::compile
