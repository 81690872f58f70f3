// SPDX-License-Identifier: Apache-2.0
// Kernels in CUDA C++ for tests and measurements on a real GPU, in the shape that Slang gives them.
#pragma once

#include "device/device.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace weft::test {

/// A CUDA device of this machine, or null (with a line that says so).
std::shared_ptr<device::Device> try_create_gpu(const std::string& cache_directory = {});

struct AddArguments {
    std::uint64_t a = 0, b = 0, result = 0; ///< addresses of floats
    std::uint32_t count = 0;
};
inline constexpr std::uint32_t kAddArgumentBytes = 28; ///< without the tail padding that C++ adds

/// result = a + b, groups of 256.
std::shared_ptr<device::Kernel> create_add(device::Device& device, bool by_address = false);
/// *target = scale * factor; scale is a global, target and factor are arguments.
struct ScaleArguments {
    std::uint64_t target = 0;
    float factor = 0;
    std::uint32_t unused = 0;
};
std::shared_ptr<device::Kernel> create_scale(device::Device& device);
/// Adds 1 to the counter after `nanoseconds` have passed; one thread.
struct SpinArguments {
    std::uint64_t counter = 0;
    std::uint64_t nanoseconds = 0;
};
std::shared_ptr<device::Kernel> create_spin(device::Device& device);
/// result = float(half(a) + half(b)), through 16-bit arithmetic; one group of 256.
std::shared_ptr<device::Kernel> create_half_add(device::Device& device);
/// Writes to address 16, which no buffer has.
std::shared_ptr<device::Kernel> create_fault(device::Device& device);

void add(device::Device& device, device::Kernel& kernel, const device::Buffer& a,
         const device::Buffer& b, const device::Buffer& result);

} // namespace weft::test
