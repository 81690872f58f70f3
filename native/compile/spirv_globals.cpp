// SPDX-License-Identifier: Apache-2.0
#include "compile/spirv_globals.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

namespace weft::compile {

namespace {

// Numbers of the SPIR-V specification, version 1.5.
constexpr std::uint32_t kName = 5;
constexpr std::uint32_t kTypeArray = 28;
constexpr std::uint32_t kTypeStruct = 30;
constexpr std::uint32_t kTypePointer = 32;
constexpr std::uint32_t kConstant = 43;
constexpr std::uint32_t kFunction = 54;
constexpr std::uint32_t kVariable = 59;
constexpr std::uint32_t kAccessChain = 65;
constexpr std::uint32_t kInBoundsAccessChain = 66;
constexpr std::uint32_t kDecorate = 71;
constexpr std::uint32_t kMemberDecorate = 72;
constexpr std::uint32_t kArrayStride = 6;
constexpr std::uint32_t kBinding = 33;
constexpr std::uint32_t kDescriptorSet = 34;
constexpr std::uint32_t kOffset = 35;
constexpr std::size_t kHeaderWords = 5;

enum class Storage : std::uint32_t {
    input = 1,
    uniform = 2,
    workgroup = 4,
    private_ = 6,
    function = 7,
    push_constant = 9,
    physical = 5349,
};

// Slang's names for the block of uniforms, and for the parameters of an entry point.
constexpr std::string_view kBlockName = "globalParams";
constexpr std::string_view kParametersName = "entryPointParams";
// What generated code binds: see codegen/print.cpp.
constexpr std::string_view kOwnPrefix = "weft_";
constexpr std::string_view kStorageSuffix = "_storage";

using Words = std::span<const std::uint32_t>;

/// A part of the uniform block that a pointer points to.
struct PointerTarget {
    std::uint32_t type = 0;
    UniformRange range;
};

bool has_memory_of_its_own(Storage storage) {
    return storage == Storage::input || storage == Storage::workgroup ||
           storage == Storage::private_ || storage == Storage::function ||
           storage == Storage::physical;
}

bool is_generated(std::string_view name) {
    return name == kParametersName ||
           (name.starts_with(kOwnPrefix) &&
            (name.ends_with(kStorageSuffix) || name == "weft_arguments"));
}

/// The words of an instruction that may be pointers: other words are numbers, which may equal an id by chance.
struct OperandRange {
    std::size_t first = 0;
    std::size_t end = 0;
};

OperandRange pointer_operands(std::uint32_t operation, std::size_t count) {
    constexpr std::uint32_t kExtInst = 12;
    constexpr std::uint32_t kFunctionCall = 57;
    constexpr std::uint32_t kLoad = 61;
    constexpr std::uint32_t kStore = 62;
    constexpr std::uint32_t kCopyMemory = 63;
    constexpr std::uint32_t kCopyMemorySized = 64;
    constexpr std::uint32_t kPtrAccessChain = 67;
    constexpr std::uint32_t kInBoundsPtrAccessChain = 70;
    constexpr std::uint32_t kCopyObject = 83;
    constexpr std::uint32_t kConvertPtrToU = 117;
    constexpr std::uint32_t kBitcast = 124;
    constexpr std::uint32_t kSelect = 169;
    constexpr std::uint32_t kPhi = 245;
    constexpr std::uint32_t kReturnValue = 254;
    constexpr std::uint32_t kFirstOfExtensions = 4096;
    switch (operation) {
    case kLoad:
    case kPtrAccessChain:
    case kInBoundsPtrAccessChain:
    case kCopyObject:
    case kConvertPtrToU:
    case kBitcast: return {3, 4};
    case kStore:
    case kCopyMemory:
    case kCopyMemorySized: return {1, 3};
    case kExtInst: return {5, count};
    case kFunctionCall: return {4, count};
    case kSelect:
    case kPhi: return {3, count};
    case kReturnValue: return {1, 2};
    default: return operation >= kFirstOfExtensions ? OperandRange{1, count} : OperandRange{};
    }
}

class Reader {
public:
    void read(Words words) {
        for (std::size_t at = kHeaderWords; at < words.size();) {
            const std::size_t length = words[at] >> 16;
            if (length == 0 || length > words.size() - at) {
                return;
            }
            const std::uint32_t operation = words[at] & 0xFFFF;
            m_is_in_function = m_is_in_function || operation == kFunction;
            if (m_is_in_function) {
                read_use(operation, words.subspan(at, length));
            } else {
                read_declaration(operation, words.subspan(at, length));
            }
            at += length;
        }
    }

    SpirvGlobals result;

private:
    void read_declaration(std::uint32_t operation, Words words) {
        if (operation == kName && words.size() > 2) {
            const auto* const text = reinterpret_cast<const char*>(words.data() + 2);
            const std::size_t most = (words.size() - 2) * sizeof(std::uint32_t);
            m_names[words[1]] = std::string(text, std::find(text, text + most, '\0'));
        } else if (operation == kDecorate && words.size() > 3) {
            m_decorations[{words[1], words[2]}] = words[3];
        } else if (operation == kMemberDecorate && words.size() > 4 && words[3] == kOffset) {
            m_member_offsets[{words[1], words[2]}] = words[4];
        } else if (operation == kTypeArray && words.size() > 2) {
            m_elements[words[1]] = words[2];
        } else if (operation == kTypeStruct && words.size() > 1) {
            m_members[words[1]].assign(words.begin() + 2, words.end());
        } else if (operation == kTypePointer && words.size() > 3) {
            m_pointees[words[1]] = words[3];
        } else if (operation == kConstant && words.size() > 3) {
            m_constants[words[2]] = words[3];
        } else if (operation == kVariable && words.size() > 3) {
            read_variable(words[2], words[1], static_cast<Storage>(words[3]));
        }
    }

    void read_variable(std::uint32_t id, std::uint32_t type, Storage storage) {
        const std::string& name = m_names[id];
        const std::uint32_t set = m_decorations[{id, kDescriptorSet}];
        const std::uint32_t binding = m_decorations[{id, kBinding}];
        if (storage == Storage::uniform && name == kBlockName) {
            result.set = set;
            result.binding = binding;
            m_targets[id] = {m_pointees[type], {0, std::numeric_limits<std::uint32_t>::max()}};
        } else if (!has_memory_of_its_own(storage) && !is_generated(name)) {
            result.resources.push_back({name, set, binding});
        }
    }

    void read_use(std::uint32_t operation, Words words) {
        const bool is_chain = operation == kAccessChain || operation == kInBoundsAccessChain;
        const auto base = is_chain && words.size() > 3 ? m_targets.find(words[3]) : m_targets.end();
        if (base != m_targets.end()) {
            PointerTarget target = base->second;
            for (std::size_t i = 4; i < words.size() && target.type != 0; ++i) {
                enter(target, words[i]);
            }
            m_targets[words[2]] = target;
            return;
        }
        const OperandRange operands = pointer_operands(operation, words.size());
        for (std::size_t i = operands.first; i < operands.end && i < words.size(); ++i) {
            if (const auto used = m_targets.find(words[i]); used != m_targets.end()) {
                result.is_used = true;
                result.ranges.push_back(used->second.range);
            }
        }
    }

    /// Narrows `target` to a member or element; what is picked at run time may be any element.
    void enter(PointerTarget& target, std::uint32_t index_id) {
        const auto index = m_constants.find(index_id);
        const auto members = m_members.find(target.type);
        const auto element = m_elements.find(target.type);
        if (index != m_constants.end() && members != m_members.end() &&
            index->second < members->second.size()) {
            enter_member(target, index->second, members->second);
        } else if (index != m_constants.end() && element != m_elements.end()) {
            const std::uint32_t stride = m_decorations[{target.type, kArrayStride}];
            target.range.begin += index->second * stride;
            target.range.end = std::min(target.range.end, target.range.begin + stride);
            target.type = element->second;
        } else {
            target.type = 0;
        }
    }

    void enter_member(PointerTarget& target, std::uint32_t member,
                      const std::vector<std::uint32_t>& types) {
        const std::uint32_t base = target.range.begin;
        const std::uint32_t offset = m_member_offsets[{target.type, member}];
        for (std::uint32_t other = 0; other < types.size(); ++other) {
            const std::uint32_t next = m_member_offsets[{target.type, other}];
            target.range.end =
                next > offset ? std::min(target.range.end, base + next) : target.range.end;
        }
        target.range.begin = base + offset;
        target.type = types[member];
    }

    bool m_is_in_function = false;
    std::map<std::uint32_t, PointerTarget> m_targets; ///< pointers into the block
    std::map<std::uint32_t, std::string> m_names;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>
        m_decorations; ///< (id, decoration)
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>
        m_member_offsets; ///< (structure, member)
    std::map<std::uint32_t, std::vector<std::uint32_t>> m_members;
    std::map<std::uint32_t, std::uint32_t> m_elements;
    std::map<std::uint32_t, std::uint32_t> m_pointees;
    std::map<std::uint32_t, std::uint32_t> m_constants;
};

} // namespace

bool SpirvGlobals::reads(std::uint32_t offset, std::uint32_t size) const noexcept {
    return std::ranges::any_of(ranges, [&](const UniformRange& range) {
        return range.begin < offset + size && offset < range.end;
    });
}

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
