// SPDX-License-Identifier: Apache-2.0
#include "device_cuda/gpu_support.hpp"

#include "core/error.hpp"
#include "device/cuda/cuda_device.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace weft::test {
namespace {

using device::Device;
using device::Kernel;
using device::KernelDesc;

constexpr const char* kAdd = R"(
struct Args { float* a; float* b; float* r; unsigned n; };
static void body(const Args& args) {
    const unsigned long long i = blockIdx.x * 256ull + threadIdx.x;
    if (i < args.n) args.r[i] = args.a[i] + args.b[i];
}
extern "C" __global__ void add(Args args) { body(args); }
extern "C" __global__ void add_indirect(const Args* args) { body(*args); }
)";

constexpr const char* kScale = R"(
struct Globals { float scale; };
struct Args { float* target; float factor; unsigned unused; };
extern "C" __constant__ Globals SLANG_globalParams;
#define globals (&SLANG_globalParams)
extern "C" __global__ void scale(Args args) { *args.target = __ldg(&globals->scale) * args.factor; }
)";

constexpr const char* kSpin = R"(
struct Args { unsigned* counter; unsigned long long nanoseconds; };
extern "C" __global__ void spin(Args args) {
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do { asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); } while (now - start < args.nanoseconds);
    *args.counter += 1;
}
)";

constexpr const char* kHalfAdd = R"(#ifndef PRELUDE
#define PRELUDE
#ifdef SLANG_CUDA_ENABLE_HALF
#include <cuda_fp16.h>
#endif
#endif
struct Args { float* a; float* b; float* r; unsigned n; };
extern "C" __global__ void half_add(Args args) {
    const unsigned i = threadIdx.x;
    if (i < args.n) { const __half sum = __float2half(args.a[i]) + __float2half(args.b[i]); args.r[i] = __half2float(sum); }
}
)";

constexpr const char* kFault = R"(
extern "C" __global__ void fault() { *(volatile int*)16 = 1; }
)";

std::shared_ptr<Kernel> create(Device& device, const char* source, KernelDesc desc) {
    desc.code = std::as_bytes(std::span(source, std::strlen(source)));
    desc.label = desc.entry_point;
    return device.create_kernel(desc);
}

} // namespace

std::shared_ptr<Device> try_create_gpu(const std::string& cache_directory) {
    if (device::enumerate_cuda().empty()) {
        std::puts("skipped: this machine has no CUDA device");
        return nullptr;
    }
    const std::filesystem::path include = WEFT_TEST_CUDA_INCLUDE_DIR;
    return device::create_cuda_device(
        {.type = device::DeviceType::cuda,
         .cache_directory = cache_directory,
         .library_directories = {(include.parent_path() / "lib").string(),
                                 (include.parent_path() / "lib64").string()}});
}

std::shared_ptr<Kernel> create_add(Device& device, bool by_address) {
    return create(device, kAdd,
                  {.entry_point = by_address ? "add_indirect" : "add",
                   .group_size = {256, 1, 1},
                   .argument_bytes = kAddArgumentBytes,
                   .arguments_by_address = by_address});
}

std::shared_ptr<Kernel> create_scale(Device& device) {
    return create(device, kScale,
                  {.entry_point = "scale",
                   .argument_bytes = sizeof(ScaleArguments),
                   .globals = {.size_bytes = sizeof(float), .cuda_symbol = "SLANG_globalParams"}});
}

std::shared_ptr<Kernel> create_spin(Device& device) {
    return create(device, kSpin, {.entry_point = "spin", .argument_bytes = sizeof(SpinArguments)});
}

std::shared_ptr<Kernel> create_half_add(Device& device) {
    return create(device, kHalfAdd,
                  {.entry_point = "half_add",
                   .group_size = {256, 1, 1},
                   .argument_bytes = kAddArgumentBytes});
}

std::shared_ptr<Kernel> create_fault(Device& device) {
    return create(device, kFault, {.entry_point = "fault"});
}

void add(Device& device, Kernel& kernel, const device::Buffer& a, const device::Buffer& b,
         const device::Buffer& result) {
    const AddArguments arguments{a.address(), b.address(), result.address(),
                                 static_cast<std::uint32_t>(result.size_bytes() / sizeof(float))};
    const std::array uses{device::BufferUse{.buffer = const_cast<device::Buffer*>(&a)},
                          device::BufferUse{.buffer = const_cast<device::Buffer*>(&b)},
                          device::BufferUse{.buffer = const_cast<device::Buffer*>(&result),
                                            .access = device::BufferAccess::write}};
    device.dispatch({.kernel = &kernel,
                     .group_count = {(arguments.count + 255) / 256, 1, 1},
                     .arguments = std::as_bytes(std::span(&arguments, 1)).first(kAddArgumentBytes),
                     .buffers = uses});
}

} // namespace weft::test
