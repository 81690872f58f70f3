// SPDX-License-Identifier: Apache-2.0
// The real NVRTC, which needs no GPU. Every case says so and passes where the library is not installed.
#include "device/cuda/kernel_compiler.hpp"
#include "device_cuda/support.hpp"
#include "support/catch.hpp"

#include <cstdlib>
#include <thread>

using weft::core::CompileError;
using weft::core::DeviceError;
using namespace weft::test;
namespace cuda = weft::device::cuda;

namespace {

cuda::CudaSearch search() {
    const std::filesystem::path include = WEFT_TEST_CUDA_INCLUDE_DIR;
    return {.directories = {(include.parent_path() / "lib").string(),
                            (include.parent_path() / "lib64").string()},
            .driver_version = 13000};
}

bool has_nvrtc() {
    const auto found = cuda::find_nvrtc(search());
    if (found && found->library.is_absolute()) {
        return true;
    }
    WARN("skipped: NVRTC is not installed (pip install nvidia-cuda-nvrtc)");
    return false;
}

std::vector<std::byte> compile(const std::string& source,
                               cuda::Architecture architecture = {9, 0}) {
    cuda::KernelCompiler compiler({.architecture = architecture, .search = search()});
    return compiler
        .compile({.code = std::as_bytes(std::span(source)), .entry_point = "k", .label = "k"})
        .bytes;
}

bool is_elf(const std::vector<std::byte>& image) {
    return image.size() > 4 && std::memcmp(image.data(), "\177ELF", 4) == 0;
}

constexpr const char* kHalfPrelude = R"(#ifndef PRELUDE
#define PRELUDE
#ifdef SLANG_CUDA_ENABLE_HALF
#include <cuda_fp16.h>
#endif
#endif
)";

} // namespace

TEST_CASE("NVRTC makes machine code for this GPU from a kernel with a struct of arguments") {
    if (!has_nvrtc()) {
        return;
    }
    CHECK(is_elf(
        compile("struct Args { float* r; unsigned n; };\n"
                "float twice(float x) { return 2 * x; }\n" // functions need no __device__
                "extern \"C\" __global__ void k(Args args) { args.r[0] = twice(args.n); }\n")));
}

TEST_CASE("machine code of NVRTC declares the parameters and globals that Weft packs") {
    if (!has_nvrtc()) {
        return;
    }
    FakeDevice device({.nvrtc_directories = search().directories});
    const std::string source = "struct Args { float* r; unsigned n; };\n"
                               "struct Globals { float scale[3]; };\n"
                               "extern \"C\" __constant__ Globals SLANG_globalParams;\n"
                               "#define globals (&SLANG_globalParams)\n"
                               "extern \"C\" __global__ void k(Args args) {\n"
                               "args.r[args.n] = __ldg(&globals->scale[args.n]); }\n";
    const weft::device::KernelDesc desc{
        .code = std::as_bytes(std::span(source)),
        .entry_point = "k",
        .argument_bytes = 12,
        .globals = {.size_bytes = 12, .cuda_symbol = "SLANG_globalParams"},
        .label = "k"};
    std::vector<std::byte> seen;
    device.cuda().kernels["k"] = [&](const FakeLaunch& launch) { seen = launch.parameters; };

    const auto kernel = device->create_kernel(desc);
    const std::array<std::uint32_t, 3> words{1, 2, 3};
    device->dispatch(
        {.kernel = kernel.get(), .arguments = bytes_of(words), .globals = bytes_of(words)});
    device->wait();

    REQUIRE(seen.size() == 16);
    CHECK(std::memcmp(seen.data(), words.data(), 12) == 0);
    device.finish();
}

TEST_CASE("NVRTC makes portable code for a GPU that it does not know yet") {
    if (!has_nvrtc()) {
        return;
    }
    const std::vector<std::byte> ptx = compile("extern \"C\" __global__ void k() {}\n", {99, 0});

    CHECK_FALSE(is_elf(ptx));
    CHECK(std::string(reinterpret_cast<const char*>(ptx.data()), ptx.size())
              .find(".visible .entry k") != std::string::npos);
    CHECK(ptx.back() == std::byte{0}); // the driver reads text up to its end
}

TEST_CASE("NVRTC finds the half type's header where a kernel uses it") {
    if (!has_nvrtc()) {
        return;
    }
    CHECK(is_elf(compile(std::string(kHalfPrelude) +
                         "extern \"C\" __global__ void k(__half* r) { r[0] = r[1] + r[2]; }\n")));
}

TEST_CASE("NVRTC's errors carry the lines of the Slang file") {
    if (!has_nvrtc()) {
        return;
    }
    try {
        compile("#line 12 \"my noise.slang\"\nextern \"C\" __global__ void k() { absent(); }\n");
        FAIL("expected an error");
    } catch (const CompileError& error) {
        REQUIRE(error.diagnostics().size() == 1);
        CHECK(error.diagnostics()[0].file == "my noise.slang");
        CHECK(error.diagnostics()[0].line == 12);
        CHECK(error.diagnostics()[0].message == "identifier \"absent\" is undefined");
    }
}

TEST_CASE("a name that a kernel makes with a macro of its own is found in the prelude") {
    if (!has_nvrtc()) {
        return;
    }
    CHECK(is_elf(compile("#ifndef SLANG_CUDA_PRELUDE_H\n#define SLANG_CUDA_PRELUDE_H\n"
                         "inline int hidden(int x) { return x + 1; }\n#endif\n"
                         "#define MAKE(x) hid##x\n"
                         "extern \"C\" __global__ void k(int* r) { r[0] = MAKE(den)(1); }\n")));
}

TEST_CASE("several threads compile at once") {
    if (!has_nvrtc()) {
        return;
    }
    cuda::KernelCompiler compiler({.architecture = {9, 0}, .search = search()});
    std::vector<std::vector<std::byte>> images(3);
    std::vector<std::thread> threads;

    for (std::size_t i = 0; i < images.size(); ++i) {
        threads.emplace_back([&, i] {
            const std::string source =
                "extern \"C\" __global__ void k(int* r) { r[0] = " + std::to_string(i) + "; }\n";
            images[i] = compiler
                            .compile({.code = std::as_bytes(std::span(source)),
                                      .entry_point = "k",
                                      .label = "k"})
                            .bytes;
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }

    for (const auto& image : images) {
        CHECK(is_elf(image));
    }
}

#if !defined(_WIN32)
TEST_CASE("WEFT_NVRTC that points nowhere is an error that names it") {
    setenv("WEFT_NVRTC", "/nowhere", 1);
    const std::string message =
        message_of<DeviceError>([] { compile("extern \"C\" __global__ void k() {}\n"); });
    unsetenv("WEFT_NVRTC");

    CHECK(message == "create_kernel: expected libnvrtc.so.13 or libnvrtc.so.12 where WEFT_NVRTC "
                     "points, found none; "
                     "unset WEFT_NVRTC, or set it to the library's path");
}
#endif
