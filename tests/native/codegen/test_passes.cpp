// SPDX-License-Identifier: Apache-2.0
#include "codegen/passes/classify.hpp"
#include "codegen/passes/collapse.hpp"
#include "codegen/pipeline.hpp"
#include "kernel_builder.hpp"
#include "support/catch.hpp"

using namespace weft::codegen;
using namespace weft::codegen::testing;

namespace {
constexpr std::int64_t kMany = 1 << 20;
using Shape = std::vector<std::int64_t>;
} // namespace

TEST_CASE("collapse merges dimensions that are contiguous in every operand") {
    Kernel kernel = add_kernel({4, 5, 6}, {30, 6, 1}, {30, 6, 1});

    collapse_dimensions(kernel);

    CHECK(kernel.dimensions == Shape{120});
    CHECK(kernel.operands[0].memory.call_strides == Shape{1});
}

TEST_CASE("collapse keeps a dimension that one operand strides differently") {
    Kernel kernel = add_kernel({4, 5, 6}, {30, 6, 1}, {0, 6, 1});

    collapse_dimensions(kernel);

    CHECK(kernel.dimensions == Shape{4, 30});
    CHECK(kernel.operands[1].memory.call_strides == Shape{0, 1});
}

TEST_CASE("collapse drops dimensions of extent 1") {
    Kernel kernel = add_kernel({1, 7, 1}, {7, 1, 1}, {0, 1, 0});

    collapse_dimensions(kernel);

    CHECK(kernel.dimensions == Shape{7});
}

TEST_CASE("collapse leaves the dimensions alone when a grid needs the coordinates") {
    Kernel kernel = add_kernel({4, 5}, {5, 1}, {5, 1});
    Operand grid;
    grid.kind = OperandKind::grid;
    grid.dimensions = {0, 1};
    kernel.operands.push_back(grid);

    collapse_dimensions(kernel);

    CHECK(kernel.dimensions == Shape{4, 5});
    CHECK(kernel.needs_coordinates);
}

TEST_CASE("classify tells one-to-one, broadcast and strided operands apart") {
    Kernel kernel = add_kernel({8, 4}, {0, 0}, {1, 8});

    collapse_dimensions(kernel);
    classify_memory(kernel);

    CHECK(kernel.operands[0].memory.is_uniform);
    CHECK_FALSE(kernel.operands[1].memory.is_linear);
    CHECK(kernel.result.memory.is_linear);
    CHECK(kernel.needs_coordinates);
}

TEST_CASE("contiguous operands of a large call move 16 bytes at a time") {
    Kernel kernel = add_kernel({kMany}, {1}, {1});

    lower(kernel);

    CHECK(kernel.width == 4);
    CHECK(kernel.operands[0].memory.is_wide);
    CHECK(kernel.result.memory.is_wide);
    CHECK(kernel.group_count[0] == kMany / 4 / 256);
}

TEST_CASE("rows of odd length are not widened") {
    Kernel kernel = add_kernel({kMany, 3}, {3, 1}, {0, 1});

    lower(kernel);

    CHECK(kernel.width == 1);
}

TEST_CASE("a transposed operand makes the kernel take tiles") {
    Kernel kernel = add_kernel({1024, 1024}, {1024, 1}, {1, 1024});

    lower(kernel);

    CHECK(kernel.is_tiled);
    CHECK(kernel.width == 1);
    CHECK(kernel.group_count[0] == 32 * 32);
}

TEST_CASE("indices are 32 bits wide up to 2^31 elements and 64 bits beyond") {
    Kernel small = add_kernel({std::int64_t{1} << 30}, {1}, {1});
    Kernel large = add_kernel({std::int64_t{1} << 31}, {1}, {1});

    lower(small);
    lower(large);

    CHECK_FALSE(small.is_index64);
    CHECK(large.is_index64);
}

TEST_CASE("a tensor that reaches past 2^31 words needs 64-bit indices though the call is small") {
    Kernel kernel = add_kernel({16}, {std::int64_t{1} << 28}, {1});
    kernel.operands[0].memory.extent_bytes = std::uint64_t{16} << 30;

    lower(kernel);

    CHECK(kernel.is_index64);
}

TEST_CASE("more groups than one dimension holds are laid out in rows") {
    Kernel kernel = add_kernel({std::int64_t{1} << 28}, {1}, {1});
    kernel.max_group_count = 65535;

    lower(kernel);

    CHECK(kernel.group_count[0] == 65535);
    CHECK(std::int64_t{kernel.group_count[0]} * kernel.group_count[1] * 256 * kernel.width >=
          (std::int64_t{1} << 28));
}

TEST_CASE("software devices get storage bindings instead of pointers") {
    Kernel kernel = add_kernel({kMany}, {1}, {1});
    kernel.prefers_storage_bindings = true;
    kernel.operands[0].memory.may_bind = false;

    lower(kernel);

    CHECK(kernel.operands[0].memory.binding == -1);
    CHECK(kernel.operands[1].memory.binding == 0);
    CHECK(kernel.result.memory.binding == 1);
}

TEST_CASE("a software device takes four elements a thread far earlier than a GPU") {
    Kernel gpu = add_kernel({1 << 15}, {1}, {1});
    Kernel software = gpu;
    software.prefers_storage_bindings = true;

    lower(gpu);
    lower(software);

    CHECK(gpu.width == 1);
    CHECK(software.width == 4);
}

TEST_CASE("only a count that is no multiple of the width has a tail") {
    Kernel even = add_kernel({kMany}, {1}, {1});
    Kernel odd = add_kernel({kMany + 1}, {1}, {1});

    lower(even);
    lower(odd);

    CHECK_FALSE(even.has_tail);
    CHECK(odd.has_tail);
    CHECK(odd.width == 4);
}

TEST_CASE("a kernel that reads no array takes several elements a thread one after the other") {
    Kernel kernel = add_kernel({1 << 22}, {0}, {0});

    lower(kernel);

    CHECK(kernel.width == 1);
    CHECK(kernel.steps == 4);
    CHECK(kernel.group_count[0] == (1 << 22) / 4 / 256);
}

TEST_CASE("vectors of two take two elements a thread and vectors of four one") {
    Kernel two = vector_kernel(2, kMany);
    Kernel four = vector_kernel(4, kMany);

    lower(two);
    lower(four);

    CHECK(two.width == 2);
    CHECK(four.width == 1);
    CHECK(four.operands[0].memory.is_wide);
    CHECK(two.stages.empty());
    CHECK(four.stages.empty());
}

TEST_CASE("elements of three words pass through one group-shared array in and out") {
    Kernel kernel = vector_kernel(3, kMany);

    lower(kernel);

    CHECK(kernel.stages == std::vector<std::int64_t>{3});
    CHECK(kernel.operands[0].memory.stage == 0);
    CHECK(kernel.result.memory.stage == 0);
}

TEST_CASE("what does not fit in group-shared memory is read where it lies") {
    Kernel kernel = vector_kernel(3, kMany);
    for (int i = 0; i < 8; ++i) {
        kernel.operands.push_back(kernel.operands.front());
    }

    lower(kernel);

    CHECK(kernel.stages.size() == 5);
    CHECK(kernel.operands[4].memory.stage == 4);
    CHECK(kernel.operands[5].memory.stage == -1);
}

TEST_CASE("software devices do not stage") {
    Kernel kernel = vector_kernel(3, kMany);
    kernel.prefers_storage_bindings = true;

    lower(kernel);

    CHECK(kernel.stages.empty());
}

TEST_CASE("argument fields of 8 bytes come first and offsets have no gaps") {
    Kernel kernel = add_kernel({64, 64}, {64, 1}, {1, 64});

    lower(kernel);

    std::uint32_t offset = 0;
    for (const ArgumentField& field : kernel.arguments) {
        CHECK(field.offset == offset);
        offset += field.size;
    }
    CHECK(kernel.argument_bytes >= offset);
}

TEST_CASE("an argument block larger than the device takes by value goes by address") {
    Kernel kernel = add_kernel({64}, {1}, {1});
    kernel.max_inline_arguments = 16;

    lower(kernel);

    CHECK(kernel.arguments_by_address);
}

namespace {

/// scale(a, b) backward: the gradients of both arguments have their strides.
Kernel backward_kernel(std::vector<std::int64_t> shape, std::vector<std::int64_t> a,
                       std::vector<std::int64_t> b) {
    Kernel kernel = add_kernel(std::move(shape), std::move(a), std::move(b));
    kernel.derivative = Derivative::backward;
    for (Operand& operand : kernel.operands) {
        Operand gradient = operand;
        gradient.name += "_gradient_out";
        gradient.writes = true;
        gradient.accumulation = Accumulation::plain;
        operand.gradient_out.push_back(gradient);
    }
    return kernel;
}

} // namespace

TEST_CASE("a gradient is added to as its elements are shared between calls") {
    Kernel kernel = backward_kernel({64, 32}, {0, 0}, {32, 1});

    lower(kernel);

    CHECK(kernel.operands[0].gradient_out[0].accumulation == Accumulation::group);
    CHECK(kernel.operands[1].gradient_out[0].accumulation == Accumulation::plain);
    CHECK(kernel.is_persistent);
    CHECK(kernel.reduction.dimension == -1);
}

TEST_CASE("threads reduce along the dimension that shares a gradient") {
    Kernel rows = backward_kernel({4096, 32}, {0, 1}, {32, 1});
    Kernel columns = backward_kernel({64, 4096}, {1, 0}, {4096, 1});

    lower(rows);
    lower(columns);

    CHECK(rows.operands[0].gradient_out[0].accumulation == Accumulation::group);
    CHECK(rows.reduction.dimension == 0);
    CHECK(rows.reduction.columns == 32);
    CHECK(rows.reduction.lanes == 8);
    CHECK_FALSE(rows.reduction.is_lane_major);
    CHECK(columns.reduction.dimension == 1);
    CHECK(columns.reduction.lanes == 256);
    CHECK(columns.reduction.is_lane_major);
}

TEST_CASE("a reduction divides the threads of the group that there is") {
    Kernel rows = backward_kernel({4096, 32}, {0, 1}, {32, 1});
    Kernel columns = backward_kernel({64, 4096}, {1, 0}, {4096, 1});
    rows.group_size = columns.group_size = {kTeamGroup, 1, 1};

    lower(rows);
    lower(columns);

    CHECK(rows.reduction.columns * rows.reduction.lanes == kTeamGroup);
    CHECK(columns.reduction.lanes == kTeamGroup);
}

TEST_CASE("of two dimensions that share gradients the threads reduce along one") {
    Kernel kernel = backward_kernel({512, 64}, {0, 1}, {1, 0});

    lower(kernel);

    CHECK(kernel.reduction.dimension == 0);
    CHECK(kernel.operands[0].gradient_out[0].accumulation == Accumulation::group);
    CHECK(kernel.operands[1].gradient_out[0].accumulation == Accumulation::subgroup);
}

TEST_CASE("a reduction over many columns leaves no chunk to a second group") {
    Kernel kernel = backward_kernel({64, 1 << 20}, {0, 1}, {1 << 20, 1});

    lower(kernel);

    CHECK(kernel.reduction.columns == 256);
    CHECK(kernel.reduction.blocks == (1 << 20) / 256);
    CHECK(kernel.reduction.chunks == 1);
}

TEST_CASE("a few calls that share a gradient add one by one") {
    Kernel kernel = backward_kernel({3, 1000}, {0, 1}, {1000, 1});

    lower(kernel);

    CHECK(kernel.operands[0].gradient_out[0].accumulation == Accumulation::atomic);
    CHECK_FALSE(kernel.is_persistent);
}

TEST_CASE("one-to-one gradients move 16 bytes at a time") {
    Kernel kernel = backward_kernel({kMany}, {1}, {1});

    lower(kernel);

    CHECK(kernel.operands[0].gradient_out[0].accumulation == Accumulation::plain);
    CHECK(kernel.operands[0].gradient_out[0].memory.is_wide);
    CHECK_FALSE(kernel.is_persistent);
}

TEST_CASE("a persistent kernel has few groups however many elements there are") {
    Kernel kernel = backward_kernel({std::int64_t{1} << 28}, {0}, {1});

    lower(kernel);

    CHECK(kernel.group_count[0] == 1024);
    CHECK(kernel.group_count[1] == 1);
}

TEST_CASE("gradients that many threads add to are not bound as storage") {
    Kernel kernel = backward_kernel({1 << 20}, {0}, {1});
    kernel.prefers_storage_bindings = true;

    lower(kernel);

    CHECK(kernel.operands[0].gradient_out[0].memory.binding == -1);
    CHECK(kernel.operands[1].gradient_out[0].memory.binding >= 0);
}
