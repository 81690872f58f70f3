// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/spirv.hpp"
#include "support/catch.hpp"

#include <vector>

using weft::device::vulkan::read_spirv;
using weft::device::vulkan::SpirvCode;

namespace {

constexpr std::uint32_t kMagic = 0x07230203;

/// A header, "OpSource <language> 0" and "OpEntryPoint GLCompute %1 "go"".
std::vector<std::uint32_t> minimal_code(std::uint32_t language) {
    return {kMagic, 0x00010500,    0, 2, 0, (3U << 16) | 3, language, 0, (4U << 16) | 15, 5,
            1,      'g' | 'o' << 8};
}

auto read(const std::vector<std::uint32_t>& words) {
    return read_spirv(std::as_bytes(std::span(words)));
}

} // namespace

TEST_CASE("read_spirv finds the entry point and keeps every other word") {
    const std::vector<std::uint32_t> code = minimal_code(0);

    const std::optional<SpirvCode> result = read(code);

    REQUIRE(result.has_value());
    CHECK(result->entry_point == "go");
    CHECK(result->words == code);
}

TEST_CASE("read_spirv clears the source language that old validation layers reject") {
    const std::optional<SpirvCode> result = read(minimal_code(11));

    REQUIRE(result.has_value());
    CHECK(result->words == minimal_code(0));
}

TEST_CASE("read_spirv refuses what is no SPIR-V") {
    std::vector<std::uint32_t> truncated = minimal_code(0);
    truncated.pop_back();
    std::vector<std::uint32_t> endless = minimal_code(0);
    endless[5] = 3; // an instruction of no words
    std::vector<std::uint32_t> other_order = minimal_code(0);
    other_order[0] = 0x03022307;
    std::vector<std::uint32_t> no_entry_point = minimal_code(0);
    no_entry_point.resize(8);
    const std::vector<std::uint32_t> code = minimal_code(0);

    CHECK_FALSE(read({}));
    CHECK_FALSE(read({kMagic}));
    CHECK_FALSE(read(truncated));
    CHECK_FALSE(read(endless));
    CHECK_FALSE(read(other_order));
    CHECK_FALSE(read(no_entry_point));
    CHECK_FALSE(read_spirv(std::as_bytes(std::span(code)).first(46)));
}
