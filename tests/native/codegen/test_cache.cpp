// SPDX-License-Identifier: Apache-2.0
// Gradients of tensors that a function picks elements from: tables and caches in group-shared memory.
#include "codegen/pipeline.hpp"
#include "codegen/print.hpp"
#include "kernel_builder.hpp"
#include "support/catch.hpp"

#include <memory>

using namespace weft::codegen;
using namespace weft::codegen::testing;
using namespace weft;

namespace {

constexpr std::int64_t kCalls = std::int64_t{1} << 22;

/// pick(i, table) backward: the gradient of a tensor of `shape` floats, for `calls` calls.
Kernel gather_kernel(const std::vector<std::int64_t>& shape, std::int64_t calls = kCalls) {
    Kernel kernel = add_kernel({calls}, {1}, {1});
    kernel.derivative = Derivative::backward;
    kernel.shared_bytes = kMaxSharedBytes;
    std::int64_t entries = 1;
    for (const std::int64_t extent : shape) {
        entries *= extent;
    }
    auto info = std::make_shared<reflect::Type>();
    info->kind = reflect::TypeKind::tensor;
    info->full_name = "IDiffTensor<float, 1>";
    info->element = reflect::scalar_type(reflect::ScalarKind::float32);
    info->tensor.is_interface = true;
    info->tensor.is_differentiable = true;
    info->tensor.access = reflect::Access::read;
    Operand& table = kernel.operands[1];
    table = float_operand("weft_t", {0});
    table.kind = OperandKind::tensor;
    table.type = info;
    table.tensor_shape = shape;
    table.tensor_strides = row_major(shape);
    table.tensor_type = "DiffTensor<float, 1>";
    table.primal_type = "Tensor<float, 1>";
    table.gradient_parts = {"AtomicTensor"};
    table.memory.extent_bytes = static_cast<std::uint64_t>(entries) * 4;
    Operand gradient = table;
    gradient.name += "_gradient_out";
    gradient.writes = true;
    gradient.accumulation = Accumulation::plain;
    table.gradient_out.push_back(gradient);
    return kernel;
}

const Operand& gradient_of(const Kernel& kernel) {
    return kernel.operands[1].gradient_out.front();
}

Accumulation accumulation_after(Kernel kernel) {
    lower(kernel);
    return gradient_of(kernel).accumulation;
}

} // namespace

TEST_CASE("tables take what group-shared memory the device has") {
    Kernel small_device = gather_kernel({8192});
    small_device.shared_bytes = kSharedBytes;

    CHECK(accumulation_after(gather_kernel({8192})) == Accumulation::table);
    CHECK(accumulation_after(gather_kernel({2048})) == Accumulation::table);
    CHECK(accumulation_after(small_device) == Accumulation::atomic);
}

TEST_CASE("a large table needs many calls for each entry") {
    CHECK(accumulation_after(gather_kernel({8192}, 1 << 21)) == Accumulation::table);
    CHECK(accumulation_after(gather_kernel({8192}, 1 << 20)) == Accumulation::cache);
}

TEST_CASE("what is added to a large tensor meets in lines of group-shared memory") {
    Kernel flat = gather_kernel({1 << 16});
    Kernel rows = gather_kernel({1 << 10, 1 << 10});

    lower(flat);
    lower(rows);

    CHECK(gradient_of(flat).accumulation == Accumulation::cache);
    CHECK(flat.caches == std::vector<std::int32_t>{32});
    CHECK(rows.caches == std::vector<std::int32_t>{64});
    CHECK(flat.width == 1);
    CHECK(flat.steps == 4);
}

TEST_CASE("additions that a cache would not help go to memory one by one") {
    Kernel few = gather_kernel({1 << 16}, 1 << 16);
    Kernel fixed = gather_kernel({1 << 16});
    fixed.sums = SumPass::fixed;
    Kernel backward = gather_kernel({1 << 16});
    backward.operands[1].gradient_out[0].tensor_strides = {-1};
    Kernel software = gather_kernel({1 << 16});
    software.prefers_storage_bindings = true;

    CHECK(accumulation_after(few) == Accumulation::atomic);
    CHECK(accumulation_after(fixed) == Accumulation::atomic);
    CHECK(accumulation_after(backward) == Accumulation::atomic);
    CHECK(accumulation_after(software) == Accumulation::atomic);
}

TEST_CASE("threads that add where they pick take one element each, whatever the way") {
    Kernel few = gather_kernel({1 << 16}, 1 << 19);
    Kernel fixed = gather_kernel({1 << 16});
    fixed.sums = SumPass::fixed;
    Kernel software = gather_kernel({1 << 16});
    software.prefers_storage_bindings = true;

    lower(few);
    lower(fixed);
    lower(software);

    CHECK(few.width == 1);
    CHECK(fixed.width == 1);
    CHECK(software.width == 4);
}

TEST_CASE("all threads of a group come to the barrier that empties a cache") {
    Kernel kernel = gather_kernel({1 << 16}, kCalls + 1);

    lower(kernel);
    const std::string source = print(kernel);

    CHECK(source.find("groupshared uint weft_cache0_sums[2048];") != std::string::npos);
    CHECK(source.find("GroupDiffTensor<float, 1, weft_cache0>") != std::string::npos);
    CHECK(source.find(">= uint(weft_arguments.weft_count)) break;") != std::string::npos);
    CHECK(source.find("return;\n        uint weft_rest") == std::string::npos);
    CHECK(source.rfind("GroupMemoryBarrierWithGroupSync();") > source.find("bwd_diff("));
}
