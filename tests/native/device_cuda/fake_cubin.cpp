// SPDX-License-Identifier: Apache-2.0
#include "device_cuda/fake_cubin.hpp"

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace weft::test {
namespace {

constexpr std::string_view kText = ".text.";
constexpr std::string_view kInfo = ".nv.info.";
constexpr std::uint32_t kSymbolTable = 2;

/// Entries of .nv.info: a format byte, an attribute byte, and 2 bytes that are the value, or the size of what follows.
constexpr std::byte kValueFormat{0x03};
constexpr std::byte kSizedFormat{0x04};
constexpr std::byte kParameterBytes{0x19};

struct Section {
    std::string name;
    std::uint32_t type = 0;
    const std::byte* data = nullptr;
    std::size_t size = 0;
    std::uint32_t link = 0;
};

template <typename T>
T read(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

std::vector<Section> sections_of(const std::byte* file) {
    const auto* const table = file + read<std::uint64_t>(file + 0x28);
    const auto count = read<std::uint16_t>(file + 0x3c);
    const auto name_section = read<std::uint16_t>(file + 0x3e);
    const auto header = [&](std::size_t index) { return table + index * 64; };
    const auto* const names = file + read<std::uint64_t>(header(name_section) + 0x18);
    std::vector<Section> sections;
    for (std::size_t i = 0; i < count; ++i) {
        const std::byte* const entry = header(i);
        sections.push_back(
            {.name = reinterpret_cast<const char*>(names + read<std::uint32_t>(entry)),
             .type = read<std::uint32_t>(entry + 4),
             .data = file + read<std::uint64_t>(entry + 0x18),
             .size = read<std::uint64_t>(entry + 0x20),
             .link = read<std::uint32_t>(entry + 0x28)});
    }
    return sections;
}

std::size_t parameter_bytes(const Section& info) {
    for (const std::byte* at = info.data; at + 4 <= info.data + info.size;) {
        const auto value = read<std::uint16_t>(at + 2);
        if (at[0] == kValueFormat && at[1] == kParameterBytes) {
            return value;
        }
        at += at[0] == kSizedFormat ? 4 + value : 4;
    }
    return 0;
}

} // namespace

bool is_cubin(const void* image) {
    return std::memcmp(image, "\177ELF", 4) == 0;
}

CubinContents read_cubin(const void* image) {
    CubinContents contents;
    const std::vector<Section> sections = sections_of(static_cast<const std::byte*>(image));
    for (const Section& section : sections) {
        if (section.name.rfind(kText, 0) == 0) {
            contents.kernels.emplace(section.name.substr(kText.size()), 0);
        }
    }
    for (const Section& section : sections) {
        if (section.name.rfind(kInfo, 0) == 0) {
            contents.kernels[section.name.substr(kInfo.size())] = parameter_bytes(section);
        }
        for (std::size_t at = 0; section.type == kSymbolTable && at + 24 <= section.size;
             at += 24) {
            const std::byte* const symbol = section.data + at;
            const bool is_object = (read<std::uint8_t>(symbol + 4) & 0xf) == 1;
            const char* const name = reinterpret_cast<const char*>(sections[section.link].data +
                                                                   read<std::uint32_t>(symbol));
            if (is_object) {
                contents.globals[name] = read<std::uint64_t>(symbol + 16);
            }
        }
    }
    return contents;
}

} // namespace weft::test
