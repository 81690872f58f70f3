// SPDX-License-Identifier: Apache-2.0
// Prints what the CUDA backend costs beside the driver's own calls: launches into each kind of stream, dispatches,
// graphs, round trips, transfers, starting up. Every figure is the median of several rounds.
#include "device/command_list.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/kernel_compiler.hpp"
#include "device_cuda/gpu_support.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>

using weft::device::Buffer;
using weft::device::CommandList;
using weft::device::Device;
using weft::device::Kernel;
using weft::device::MemoryKind;
using weft::device::cuda::Driver;
using namespace weft::test;

namespace {

using Clock = std::chrono::steady_clock;

/// Microseconds that `work` takes, the median of `rounds`.
template <typename Work>
double median_us(int rounds, const Work& work) {
    std::vector<double> times;
    for (int i = 0; i < rounds; ++i) {
        const auto start = Clock::now();
        work();
        times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    }
    std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
    return times[static_cast<std::size_t>(rounds / 2)];
}

void print(const char* what, double value, const char* unit) {
    std::printf("%-58s %10.2f %s\n", what, value, unit);
}

/// What a measurement works on: small arrays, and the kernel that adds them.
struct Bench {
    std::shared_ptr<Device> device = try_create_gpu();
    std::shared_ptr<Kernel> kernel = device ? create_add(*device) : nullptr;
    std::shared_ptr<Buffer> a = create(4), b = create(4), result = create(4);

    std::shared_ptr<Buffer> create(std::uint64_t size) const {
        auto buffer =
            device ? device->create_buffer({.size_bytes = size, .label = "bench"}) : nullptr;
        if (buffer) {
            device->fill(*buffer, 0, size, 0x3f800000);
        }
        return buffer;
    }
    void add_once() const { add(*device, *kernel, *a, *b, *result); }
};

constexpr int kRounds = 15;
constexpr int kLaunches = 2000;

/// The floor: cuLaunchKernel back to back, without anything of Weft around it.
class RawLauncher {
public:
    explicit RawLauncher(const Bench& bench) : m_driver(Driver::load()) {
        const std::string source =
            "struct Args { float* a; float* b; float* r; unsigned n; };\n"
            "extern \"C\" __global__ void raw(Args args) {\n"
            "if (threadIdx.x < args.n) args.r[0] = args.a[0] + args.b[0]; }\n";
        const std::filesystem::path include = WEFT_TEST_CUDA_INCLUDE_DIR;
        weft::device::cuda::KernelCompiler compiler(
            {.architecture = architecture_of(*bench.device),
             .search = {.directories = {(include.parent_path() / "lib").string(),
                                        (include.parent_path() / "lib64").string()},
                        .driver_version = m_driver->version}});
        const auto image = compiler.compile(
            {.code = std::as_bytes(std::span(source)), .entry_point = "raw", .label = "raw"});
        require(m_driver->cuModuleLoadDataEx(&m_module, image.bytes.data(), 0, nullptr, nullptr));
        require(m_driver->cuModuleGetFunction(&m_function, m_module, "raw"));
        m_arguments = {bench.a->address(), bench.b->address(), bench.result->address(), 1};
    }
    ~RawLauncher() { m_driver->cuModuleUnload(m_module); }
    RawLauncher(const RawLauncher&) = delete;
    RawLauncher& operator=(const RawLauncher&) = delete;

    double launch_us(CUstream stream) {
        void* parameters[] = {&m_arguments};
        return median_us(kRounds,
                         [&] {
                             for (int i = 0; i < kLaunches; ++i) {
                                 require(m_driver->cuLaunchKernel(m_function, 1, 1, 1, 256, 1, 1, 0,
                                                                  stream, parameters, nullptr));
                             }
                             require(m_driver->cuStreamSynchronize(stream));
                         }) /
               kLaunches;
    }

private:
    static weft::device::cuda::Architecture architecture_of(const Device& device) {
        const int number = std::stoi(device.info().architecture.substr(3));
        return {number / 10, number % 10};
    }
    static void require(CUresult result) {
        if (result != CUDA_SUCCESS) {
            throw std::runtime_error("bench_cuda: a driver call failed with " +
                                     std::to_string(result));
        }
    }

    std::shared_ptr<const Driver> m_driver;
    CUmodule m_module = nullptr;
    CUfunction m_function = nullptr;
    AddArguments m_arguments;
};

void measure_streams(const Bench& bench) {
    using Create = std::remove_pointer_t<decltype(&::cuStreamCreate)>;
    using Destroy = std::remove_pointer_t<decltype(&::cuStreamDestroy)>;
    RawLauncher raw(bench);
#if defined(_WIN32)
    const auto library = weft::core::SharedLibrary::load("nvcuda.dll");
#else
    const auto library = weft::core::SharedLibrary::load("libcuda.so.1");
#endif
    print("cuLaunchKernel, stream 0 (legacy)", raw.launch_us(nullptr), "us");
    print("cuLaunchKernel, CU_STREAM_LEGACY", raw.launch_us(CU_STREAM_LEGACY), "us");
    auto* const create = library.try_function<Create>("cuStreamCreate");
    auto* const destroy = library.try_function<Destroy>("cuStreamDestroy_v2");
    for (const unsigned flags : {CU_STREAM_DEFAULT, CU_STREAM_NON_BLOCKING}) {
        CUstream stream = nullptr;
        if (create != nullptr && destroy != nullptr && create(&stream, flags) == CUDA_SUCCESS) {
            print(flags == CU_STREAM_DEFAULT ? "cuLaunchKernel, created blocking stream"
                                             : "cuLaunchKernel, created non-blocking stream",
                  raw.launch_us(stream), "us");
            destroy(stream);
        }
    }
}

void measure_dispatch(const Bench& bench) {
    print("Device::dispatch, back to back",
          median_us(kRounds,
                    [&] {
                        for (int i = 0; i < kLaunches; ++i) {
                            bench.add_once();
                        }
                        bench.device->wait();
                    }) /
              kLaunches,
          "us");
    const double host = median_us(kRounds, [&] {
        for (int i = 0; i < 200; ++i) { // fewer than the driver's queue holds
            bench.add_once();
        }
    });
    bench.device->wait();
    print("Device::dispatch, host time only", host / 200, "us");
    print("create_buffer and release",
          median_us(kRounds,
                    [&] {
                        for (int i = 0; i < kLaunches; ++i) {
                            (void)bench.device->create_buffer({.size_bytes = 4, .label = "bench"});
                        }
                    }) /
              kLaunches,
          "us");
    CommandList list(bench.device);
    const AddArguments arguments{bench.a->address(), bench.b->address(), bench.result->address(),
                                 1};
    for (int i = 0; i < 20; ++i) {
        list.record(
            {.kernel = bench.kernel.get(),
             .arguments = std::as_bytes(std::span(&arguments, 1)).first(kAddArgumentBytes)});
    }
    list.submit();
    list.submit();
    print("CommandList of 20 as a graph, a dispatch",
          median_us(kRounds,
                    [&] {
                        for (int i = 0; i < 100; ++i) {
                            list.submit();
                        }
                        bench.device->wait();
                    }) /
              2000,
          "us");
}

void measure_round_trips(const Bench& bench) {
    const auto mapped =
        bench.device->create_buffer({.size_bytes = 4, .memory = MemoryKind::readback});
    print("dispatch, wait, read mapped memory",
          median_us(1000,
                    [&] {
                        add(*bench.device, *bench.kernel, *bench.a, *bench.b, *mapped);
                        bench.device->wait();
                    }),
          "us");
    float value = 0;
    print("dispatch, download 4 bytes",
          median_us(1000,
                    [&] {
                        bench.add_once();
                        bench.device->download(*bench.result, 0,
                                               std::as_writable_bytes(std::span(&value, 1)));
                    }),
          "us");
    print(
        "upload 4 bytes",
        median_us(1000,
                  [&] { bench.device->upload(*bench.a, 0, std::as_bytes(std::span(&value, 1))); }),
        "us");
    bench.device->wait();
}

void measure_transfers(const Bench& bench) {
    for (const std::uint64_t mib : {std::uint64_t{1}, std::uint64_t{256}}) {
        const std::uint64_t size = mib << 20;
        std::vector<std::byte> host(size, std::byte{1});
        const auto buffer = bench.create(size);
        const double up = median_us(9, [&] {
            bench.device->upload(*buffer, 0, host);
            bench.device->wait();
        });
        const double down = median_us(9, [&] { bench.device->download(*buffer, 0, host); });
        std::printf("upload, download of %3llu MiB %39.2f GB/s %8.2f GB/s\n",
                    static_cast<unsigned long long>(mib), static_cast<double>(size) / up / 1e3,
                    static_cast<double>(size) / down / 1e3);
    }
}

void measure_bandwidth(const Bench& bench) {
    for (const int log_size : {20, 26, 28}) {
        const std::uint64_t bytes = (std::uint64_t{1} << log_size) * sizeof(float);
        const auto a = bench.create(bytes);
        const auto b = bench.create(bytes);
        const auto result = bench.create(bytes);
        const int repeats = log_size > 24 ? 10 : 200;
        const double us = median_us(9,
                                    [&] {
                                        for (int i = 0; i < repeats; ++i) {
                                            add(*bench.device, *bench.kernel, *a, *b, *result);
                                        }
                                        bench.device->wait();
                                    }) /
                          repeats;
        std::printf("one float a thread, add of 2^%d %34.2f us %8.0f GB/s\n", log_size, us,
                    static_cast<double>(3 * bytes) / us / 1e3);
    }
}

} // namespace

int main() { // NOLINT(bugprone-exception-escape): an error ends the benchmark with its text
    const auto start = Clock::now();
    const Bench bench;
    if (!bench.device) {
        return 0;
    }
    bench.device->wait();
    print("driver, context, first kernel without a cache",
          std::chrono::duration<double, std::milli>(Clock::now() - start).count(), "ms");
    std::printf("%s, %s\n", bench.device->info().name.c_str(), bench.device->info().driver.c_str());
    bench.add_once();
    measure_streams(bench);
    measure_dispatch(bench);
    measure_round_trips(bench);
    measure_transfers(bench);
    measure_bandwidth(bench);
    return 0;
}
