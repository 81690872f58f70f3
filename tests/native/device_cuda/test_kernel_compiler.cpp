// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/kernel_compiler.hpp"
#include "device_cuda/support.hpp"
#include "support/catch.hpp"

#include <cstdlib>
#include <fstream>

using weft::core::CompileError;
using weft::core::DeviceError;
using weft::core::InternalError;
using weft::device::KernelDesc;
using namespace weft::test;
namespace cuda = weft::device::cuda;

namespace {

cuda::KernelCompiler::Desc desc(const std::filesystem::path& cache,
                                cuda::Architecture architecture = {9, 0}) {
    return {.architecture = architecture,
            .search = {.directories =
                           {std::filesystem::path(WEFT_TEST_FAKE_NVRTC).parent_path().string()},
                       .driver_version = 13000},
            .cache_directory = cache};
}

cuda::KernelCompiler::Image compile(cuda::KernelCompiler& compiler, const std::string& source) {
    return compiler.compile(
        {.code = std::as_bytes(std::span(source)), .entry_point = "k", .label = "noise"});
}

} // namespace

TEST_CASE("machine code comes from the disk the second time, in another process too") {
    const TemporaryFolder cache;
    take_compile_count();
    cuda::KernelCompiler first(desc(cache.path()));
    cuda::KernelCompiler second(desc(cache.path())); // what another process would make

    const auto compiled = compile(first, "//!kernel k 0\n");
    const auto cached = compile(second, "//!kernel k 0\n");

    CHECK_FALSE(compiled.is_cached);
    CHECK(cached.is_cached);
    CHECK(cached.bytes == compiled.bytes);
    CHECK(take_compile_count() == 1);
}

TEST_CASE("another source, architecture or debug mode is another cache entry") {
    const TemporaryFolder cache;
    auto debug = desc(cache.path());
    debug.is_debug = true;
    cuda::KernelCompiler hopper(desc(cache.path()));
    cuda::KernelCompiler ampere(desc(cache.path(), {8, 0}));
    cuda::KernelCompiler debugging(debug);

    const auto key = compile(hopper, "//!kernel k 0\n").key;

    CHECK(compile(hopper, "//!kernel k 8\n").key != key);
    CHECK(compile(ampere, "//!kernel k 0\n").key != key);
    CHECK(compile(debugging, "//!kernel k 0\n").key != key);
}

#if !defined(_WIN32)
TEST_CASE("WEFT_NVRTC_OPTIONS are given to NVRTC, and make another cache entry") {
    const TemporaryFolder cache;
    cuda::KernelCompiler plain(desc(cache.path()));
    setenv("WEFT_NVRTC_OPTIONS", " --Ofast-compile=mid  -DSMALL=1 ", 1);
    cuda::KernelCompiler other(desc(cache.path()));
    unsetenv("WEFT_NVRTC_OPTIONS");

    const auto key = compile(plain, "//!kernel k 0\n").key;
    CHECK(last_compile_options().find("-DSMALL=1") == std::string::npos);
    CHECK(compile(other, "//!kernel k 0\n").key != key);
    CHECK(last_compile_options().find("--Ofast-compile=mid -DSMALL=1 ") != std::string::npos);
}
#endif

TEST_CASE("fast math is asked for by a kernel, and makes another cache entry") {
    const TemporaryFolder cache;
    cuda::KernelCompiler compiler(desc(cache.path()));
    const std::string source = "//!kernel k 0\n";
    KernelDesc kernel;
    kernel.code = std::as_bytes(std::span(source));

    const auto exact = compiler.compile(kernel).key;
    CHECK(last_compile_options().find("--use_fast_math") == std::string::npos);
    kernel.fast_math = true;
    const auto fast = compiler.compile(kernel);
    CHECK(fast.key != exact);
    CHECK(last_compile_options().find("--use_fast_math") != std::string::npos);
    CHECK(compiler.compile(kernel).is_cached);
}

TEST_CASE("a damaged cache entry is compiled again") {
    FakeDevice device({.has_cache = true});
    const KernelDesc kernel{.entry_point = "k", .label = "k"};
    device.create_kernel(kernel, 0, [](const FakeLaunch&) {}).reset();
    device.create_kernel(kernel, 0, [](const FakeLaunch&) {}).reset();
    CHECK(take_compile_count() == 1);

    device.cuda().failures["cuModuleLoadDataEx"] = CUDA_ERROR_INVALID_IMAGE;
    const std::string message = message_of<DeviceError>(
        [&] { (void)device.create_kernel(kernel, 0, [](const FakeLaunch&) {}); });
    device.cuda().failures.clear();

    CHECK(take_compile_count() == 1); // the entry was dropped and the source compiled once more
    CHECK(message.find("create_kernel: 'k': expected cuModuleLoadDataEx to succeed, got "
                       "CUDA_ERROR_INVALID_IMAGE "
                       "(200); the NVRTC library is newer than the driver") == 0);
    CHECK_NOTHROW(device.create_kernel(kernel, 0, [](const FakeLaunch&) {}));
    CHECK(take_compile_count() == 1); // nothing that the driver refused stayed in the cache
    device.finish();
}

TEST_CASE("the GPU's own architecture is compiled for, and a newer GPU gets portable code") {
    take_compile_count();
    cuda::KernelCompiler hopper(desc({}));
    cuda::KernelCompiler future(desc({}, {20, 1}));

    compile(hopper, "//!kernel k 0\n");
    CHECK(last_compile_options().find("--gpu-architecture=sm_90 --std=c++17 "
                                      "--device-as-default-execution-space") == 0);
    compile(future, "//!kernel k 0\n");
    CHECK(last_compile_options().find("--gpu-architecture=compute_90 ") == 0);
}

TEST_CASE("a GPU older than NVRTC supports is told which NVRTC to install") {
    cuda::KernelCompiler old(desc({}, {6, 1}));

    CHECK(message_of<DeviceError>([&] { compile(old, "//!kernel k 0\n"); }) ==
          "create_kernel: NVRTC 13.0 no longer compiles for sm_61; install an older one: 'pip "
          "install "
          "nvidia-cuda-nvrtc-cu12'");
}

TEST_CASE("a half type in the kernel, not in the prelude, asks for its header") {
    const TemporaryFolder toolkit;
    toolkit.write("include/cuda_fp16.h", "");
    std::filesystem::create_directories(toolkit.path() / "lib");
    auto with_headers = desc({});
    with_headers.search.directories.push_back((toolkit.path() / "lib").string());
    cuda::KernelCompiler compiler(with_headers);
    const std::string prelude = "#ifndef P\nstruct __half;\n#endif\n";

    compile(compiler, prelude + "//!kernel k 0\n");
    CHECK(last_compile_options().find("HALF") == std::string::npos);
    compile(compiler, prelude + "//!kernel k 0\n__half x;\n");
    CHECK(last_compile_options().find("-DSLANG_CUDA_ENABLE_HALF=1") != std::string::npos);
    CHECK(last_compile_options().find("--include-path=" + (toolkit.path() / "include").string()) !=
          std::string::npos);
}

TEST_CASE("a rejected source is a CompileError with file and line") {
    cuda::KernelCompiler compiler(desc({}));

    try {
        compile(compiler, "mistake");
        FAIL("expected an error");
    } catch (const CompileError& error) {
        REQUIRE(error.diagnostics().size() == 1);
        CHECK(error.diagnostics()[0].file == "noise.slang");
        CHECK(error.diagnostics()[0].line == 3);
        CHECK(error.diagnostics()[0].message == "identifier \"mistake\" is undefined");
        CHECK(std::string(error.what())
                  .find("create_kernel: NVRTC rejected the CUDA source of 'noise'") == 0);
    }
}

TEST_CASE("an entry point that the machine code lacks is a bug of Weft") {
    FakeDevice device;
    const std::string source = "//!kernel other 0\n";

    CHECK_THROWS_AS(
        device->create_kernel(
            {.code = std::as_bytes(std::span(source)), .entry_point = "k", .label = "k"}),
        InternalError);
    CHECK(device.cuda().live_modules == 0);
    device.finish();
}

TEST_CASE("NVRTC is looked for under the names that the driver can use") {
    CHECK(cuda::nvrtc_names(12040) == std::vector<std::string>{"libnvrtc.so.12"});
    CHECK(cuda::nvrtc_names(13000) == std::vector<std::string>{"libnvrtc.so.13", "libnvrtc.so.12"});
}

TEST_CASE("a library that is no NVRTC is refused by name") {
    const TemporaryFolder folder;
    folder.write("libnvrtc.so.13", "not a library");
    auto broken = desc({});
    broken.search.directories = {folder.path().string()};
    cuda::KernelCompiler compiler(broken);

    const std::string message =
        message_of<DeviceError>([&] { compile(compiler, "//!kernel k 0\n"); });

    CHECK(message.find("create_kernel: compiling for CUDA needs NVRTC, and '") == 0);
    CHECK(message.find("pip install nvidia-cuda-nvrtc") != std::string::npos);
}
