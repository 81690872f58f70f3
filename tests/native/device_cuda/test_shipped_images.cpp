// SPDX-License-Identifier: Apache-2.0
// Kernels for CUDA that come compiled with Weft.
#include "core/kernel_images.hpp"
#include "device/cuda/kernel_compiler.hpp"
#include "device_cuda/support.hpp"
#include "support/catch.hpp"

using weft::device::KernelDesc;
using namespace weft::test;
namespace core = weft::core;
namespace cuda = weft::device::cuda;

namespace {

constexpr std::string_view kSource = "//!kernel k 0\n";

cuda::KernelCompiler::Desc desc(cuda::Architecture architecture = {9, 0}) {
    return {.architecture = architecture,
            .search = {
                .directories = {std::filesystem::path(WEFT_TEST_FAKE_NVRTC).parent_path().string()},
                .driver_version = 13000}};
}

KernelDesc kernel(std::span<const std::byte> code) {
    return {.code = code, .entry_point = "k", .label = "noise"};
}

/// The kernel as Weft would ship it.
std::vector<std::byte> shipped_code() {
    cuda::KernelCompiler maker(desc());
    const auto source = std::as_bytes(std::span(kSource));
    auto code = core::join_images(source, core::pack_images(maker.compile_all(kernel(source))));
    take_compile_count();
    return code;
}

} // namespace

TEST_CASE("a shipped kernel needs no NVRTC: machine code where it fits, PTX elsewhere") {
    const auto code = shipped_code();
    cuda::KernelCompiler hopper(desc());
    cuda::KernelCompiler ada(desc({8, 9}));

    const auto own = hopper.compile(kernel(code));
    const auto portable = ada.compile(kernel(code));

    CHECK(own.is_shipped);
    CHECK(portable.is_shipped);
    CHECK_FALSE(core::split_images(code).find(90)->is_ptx);
    CHECK(core::split_images(code).find(89)->is_ptx);
    CHECK(take_compile_count() == 0);
}

TEST_CASE("what is shipped is not taken with fast math, with source lines, or on older GPUs") {
    const auto code = shipped_code();
    auto debug = desc();
    debug.is_debug = true;
    cuda::KernelCompiler hopper(desc());
    cuda::KernelCompiler debugging(debug);
    KernelDesc fast = kernel(code);
    fast.fast_math = true;

    CHECK_FALSE(hopper.compile(fast).is_shipped);
    CHECK_FALSE(debugging.compile(kernel(code)).is_shipped);
    CHECK(core::split_images(code).find(70) == nullptr);
}

TEST_CASE("a driver that refuses a shipped kernel gets it, and all others, from NVRTC") {
    const auto code = shipped_code();
    cuda::KernelCompiler compiler(desc());
    const auto refused = compiler.compile(kernel(code));
    REQUIRE(refused.is_shipped);

    compiler.forget(refused);
    const auto own = compiler.compile(kernel(code));

    CHECK_FALSE(own.is_shipped);
    CHECK(own.bytes == refused.bytes); // both are of this GPU's architecture
    CHECK(take_compile_count() == 1);
}

TEST_CASE("damaged images leave the source") {
    auto code = shipped_code();
    code[30] = std::byte{0xff};
    cuda::KernelCompiler compiler(desc());

    CHECK_FALSE(compiler.compile(kernel(code)).bytes.empty());
}
