// SPDX-License-Identifier: Apache-2.0
// How memory moves on GPUs: vectors of any type, from any address, tiles, stages of several elements.
#include "codegen/pipeline.hpp"
#include "codegen/print.hpp"
#include "kernel_builder.hpp"
#include "support/catch.hpp"

using namespace weft::codegen;
using namespace weft::codegen::testing;
using weft::reflect::ScalarKind;

namespace {

constexpr std::int64_t kMany = 1 << 20;

void set_kind(Operand& operand, ScalarKind kind) {
    operand.type = weft::reflect::scalar_type(kind);
    operand.memory.leaf = operand.type;
}

Kernel add_of(ScalarKind kind, std::int64_t count = kMany) {
    Kernel kernel = add_kernel({count}, {1}, {1});
    for (Operand& operand : kernel.operands) {
        set_kind(operand, kind);
    }
    set_kind(kernel.result, kind);
    return kernel;
}

bool has(const std::string& source, const std::string& part) {
    return source.find(part) != std::string::npos;
}

std::size_t count_of(const std::string& source, const std::string& part) {
    std::size_t count = 0;
    for (auto at = source.find(part); at != std::string::npos; at = source.find(part, at + 1)) {
        ++count;
    }
    return count;
}

} // namespace

TEST_CASE("scalars of every size move 16 bytes at a time") {
    const std::pair<ScalarKind, std::int32_t> kinds[] = {
        {ScalarKind::uint8, 16},  {ScalarKind::int8, 16},   {ScalarKind::bool_, 16},
        {ScalarKind::float16, 8}, {ScalarKind::int16, 8},   {ScalarKind::float32, 4},
        {ScalarKind::int32, 4},   {ScalarKind::float64, 2}, {ScalarKind::int64, 2}};
    for (const auto& [kind, width] : kinds) {
        Kernel kernel = add_of(kind);

        lower(kernel);
        const std::string source = print(kernel);

        CHECK(kernel.width == width);
        CHECK(kernel.operands[0].memory.is_wide);
        CHECK(kernel.result.memory.is_wide);
        CHECK(count_of(source, "loadAligned<16>") == 2);
        CHECK(count_of(source, "storeAligned<16>") == 1);
    }
}

TEST_CASE("halves and bytes are taken out of words and put back") {
    Kernel half = add_of(ScalarKind::float16);
    Kernel bytes = add_of(ScalarKind::int8);

    lower(half);
    lower(bytes);

    CHECK(has(print(half), "weft_a_scalars[3] = bit_cast<half2>(weft_a_vector0[1])[1];"));
    CHECK(
        has(print(half), "bit_cast<uint>(half2(weft_result_scalars[0], weft_result_scalars[1]))"));
    CHECK(has(print(bytes), "weft_a_scalars[5] = int8_t(weft_a_vector0[1] >> 8);"));
    CHECK(has(print(bytes), "(uint(weft_result_scalars[1]) & 0xff) << 8"));
}

TEST_CASE("the largest operand of unequal ones moves 16 bytes, the others as many elements") {
    Kernel kernel = add_kernel({kMany}, {1}, {1});
    set_kind(kernel.operands[0], ScalarKind::uint8);
    set_kind(kernel.operands[1], ScalarKind::float16);

    lower(kernel);
    const std::string source = print(kernel);

    CHECK(kernel.width == 4);
    CHECK(has(source, "loadAligned<4>((uint*)"));
    CHECK(has(source, "loadAligned<8>((uint2*)"));
    CHECK(has(source, "storeAligned<16>((uint4*)"));
}

TEST_CASE("a software device keeps small scalars one a thread") {
    Kernel kernel = add_of(ScalarKind::float16);
    kernel.prefers_storage_bindings = true;

    lower(kernel);

    CHECK(kernel.width == 1);
    CHECK_FALSE(kernel.operands[0].memory.is_wide);
}

TEST_CASE("derivatives take no more than four elements a thread") {
    Kernel kernel = add_of(ScalarKind::uint8);
    kernel.derivative = Derivative::forward;

    lower(kernel);

    CHECK(kernel.width == 4);
}

TEST_CASE("rows that sixteen does not divide take fewer elements a thread") {
    Kernel kernel = add_kernel({4096, 520}, {520, 1}, {0, 1});
    set_kind(kernel.operands[0], ScalarKind::uint8);
    set_kind(kernel.operands[1], ScalarKind::uint8);
    set_kind(kernel.result, ScalarKind::uint8);

    lower(kernel);

    CHECK(kernel.width == 8);
}

TEST_CASE("what is read from an odd element is shifted into place out of aligned accesses") {
    Kernel kernel = add_of(ScalarKind::float32);
    kernel.operands[0].memory.alignment = 4;

    lower(kernel);
    const std::string source = print(kernel);

    CHECK(kernel.operands[0].memory.is_shifted);
    CHECK_FALSE(kernel.operands[1].memory.is_shifted);
    CHECK_FALSE(kernel.is_peeled);
    CHECK(count_of(source, "loadAligned<16>") == 3);
    CHECK(has(source, "(weft_a_skip & 8) != 0"));
    CHECK_FALSE(has(source, "weft_a_bits"));
}

TEST_CASE("scalars smaller than a word are shifted by bits as well") {
    Kernel kernel = add_of(ScalarKind::uint8);
    kernel.operands[0].memory.alignment = 1;

    lower(kernel);

    CHECK(has(print(kernel), "weft_a_bits = (weft_a_skip & 3) * 8;"));
}

TEST_CASE("rows that start at odd elements are shifted, too") {
    Kernel kernel = add_kernel({1024, 1024}, {1025, 1}, {1024, 1});

    lower(kernel);

    CHECK(kernel.operands[0].memory.is_shifted);
    CHECK(kernel.operands[1].memory.is_wide);
    CHECK_FALSE(kernel.operands[1].memory.is_shifted);
}

TEST_CASE("a result that starts at an odd element peels the first thread") {
    Kernel kernel = add_of(ScalarKind::float32);
    kernel.result.memory.alignment = 4;

    lower(kernel);
    const std::string source = print(kernel);

    CHECK(kernel.is_peeled);
    CHECK(kernel.result.memory.is_peel);
    CHECK(kernel.operands[0].memory.is_shifted);
    CHECK(kernel.group_count[0] == kMany / 4 / 256 + 1);
    CHECK(has(source, "const uint weft_before = (uint(uint64_t("));
    CHECK(has(source, "weft_is_whole"));
}

TEST_CASE("elements that no shift of whole ones aligns are not peeled") {
    Kernel kernel = vector_kernel(2, kMany);
    kernel.result.memory.alignment = 4;

    lower(kernel);

    CHECK_FALSE(kernel.is_peeled);
    CHECK_FALSE(kernel.result.memory.is_wide);
}

TEST_CASE("software devices neither shift nor peel") {
    Kernel kernel = add_of(ScalarKind::float32);
    kernel.prefers_storage_bindings = true;
    kernel.operands[0].memory.alignment = kernel.result.memory.alignment = 4;

    lower(kernel);

    CHECK_FALSE(kernel.operands[0].memory.is_shifted);
    CHECK_FALSE(kernel.is_peeled);
}

TEST_CASE("transposed operands pass through tiles in group-shared memory") {
    Kernel kernel = add_kernel({1024, 1024}, {1024, 1}, {1, 1024});

    lower(kernel);
    const std::string source = print(kernel);

    CHECK(kernel.tile_dimension == 0);
    CHECK(kernel.operands[0].memory.tile == -1);
    CHECK(kernel.operands[0].memory.is_ahead);
    CHECK(kernel.operands[1].memory.tile == 0);
    CHECK(has(source, "groupshared uint weft_tile0[1056];"));
    const auto barrier = source.find("GroupMemoryBarrierWithGroupSync();");
    CHECK(source.find("weft_a_words[weft_lane] = ") < barrier);
    CHECK(source.find("weft_tile0[") < barrier);
    CHECK(barrier < source.find("= add("));
}

TEST_CASE("the dimension of the tiles is the one along which memory runs") {
    Kernel kernel = add_kernel({64, 48, 4096}, {1, 64, 64 * 48}, {48 * 4096, 4096, 1});

    lower(kernel);

    CHECK(kernel.is_tiled);
    CHECK(kernel.tile_dimension == 0);
    CHECK(kernel.group_count[0] == 2 * 48 * 128);
}

TEST_CASE("tiles take what fits in group-shared memory") {
    Kernel kernel = add_kernel({1024, 1024}, {1, 1024}, {1, 1024});
    set_kind(kernel.operands[0], ScalarKind::float64);
    set_kind(kernel.operands[1], ScalarKind::float64);

    lower(kernel);

    CHECK(kernel.operands[0].memory.tile == 0);
    CHECK(kernel.operands[1].memory.tile == -1);
    CHECK(has(print(kernel), "groupshared double weft_tile0[1056];"));
}

TEST_CASE("large calls stage several elements a thread, whose loads come first") {
    Kernel small = vector_kernel(3, kMany);
    Kernel large = vector_kernel(3, kMany * 16);
    Kernel two = large;
    two.operands.push_back(two.operands.front());
    two.operands[1].name = "weft_b";

    lower(small);
    lower(large);
    lower(two);
    const std::string source = print(two);

    CHECK(small.turns == 1);
    CHECK(large.turns == 4);
    CHECK(two.turns == 2);
    CHECK(two.group_count[0] * two.group_count[1] == kMany * 16 / 512);
    CHECK(source.find("weft_b_words[weft_step] = ") < source.find("weft_stage0[weft_word] = "));
}

TEST_CASE("kernels that sum a gradient in the group stage, too") {
    Kernel kernel = vector_kernel(3, kMany * 16);
    kernel.derivative = Derivative::backward;
    Operand factor = float_operand("weft_factor", {0});
    Operand gradient = float_operand("weft_factor_gradient_out", {0}, true);
    gradient.reads = true;
    gradient.accumulation = Accumulation::plain;
    factor.gradient_out.push_back(gradient);
    factor.is_differentiated = true;
    kernel.operands.push_back(factor);

    lower(kernel);
    const std::string source = print(kernel);

    CHECK(kernel.is_persistent);
    CHECK(kernel.stages.size() == 1);
    CHECK(source.find("[loop]") < source.find("GroupMemoryBarrierWithGroupSync();"));
    CHECK(has(source, "weft_block += uint(weft_arguments.weft_span)"));
}

TEST_CASE("threads that reduce read four turns before the first is computed") {
    Kernel kernel = add_kernel({4096, 512}, {0, 1}, {512, 1});
    kernel.derivative = Derivative::backward;
    for (Operand& operand : kernel.operands) {
        Operand gradient = operand;
        gradient.name += "_gradient_out";
        gradient.writes = true;
        gradient.accumulation = Accumulation::plain;
        operand.gradient_out.push_back(gradient);
        operand.is_differentiated = true;
    }
    Kernel software = kernel;
    software.prefers_storage_bindings = true;

    lower(kernel);
    lower(software);
    const std::string source = print(kernel);

    CHECK(kernel.reduction.dimension == 0);
    CHECK(kernel.steps == 4);
    CHECK(kernel.operands[1].memory.is_ahead);
    CHECK_FALSE(kernel.operands[0].memory.is_ahead);
    CHECK(kernel.operands[1].gradient_out[0].memory.is_ahead);
    CHECK(has(source, "weft_b_words[weft_lane] = "));
    CHECK(has(source, "= weft_b_gradient_out_words[weft_lane];"));
    CHECK(software.steps == 1);
    CHECK_FALSE(software.operands[1].memory.is_ahead);
}

TEST_CASE("a reduction of a few turns reads one after the other") {
    Kernel kernel = add_kernel({12, 64}, {0, 1}, {64, 1});
    kernel.operands[0].writes = true;
    kernel.operands[0].accumulation = Accumulation::plain;

    lower(kernel);

    CHECK(kernel.reduction.dimension == 0);
    CHECK(kernel.steps == 1);
    CHECK_FALSE(kernel.operands[1].memory.is_ahead);
}

TEST_CASE("threads that reduce along rows leave each other four turns") {
    Kernel kernel = add_kernel({8192, 512}, {1, 0}, {512, 1});
    kernel.operands[0].writes = true;
    kernel.operands[0].accumulation = Accumulation::plain;
    Kernel software = kernel;
    software.prefers_storage_bindings = true;

    lower(kernel);
    lower(software);

    CHECK(kernel.reduction.is_lane_major);
    CHECK(kernel.reduction.lanes == 128);
    CHECK(kernel.reduction.columns == 2);
    CHECK(kernel.steps == 4);
    CHECK(software.reduction.lanes == 256);
}
