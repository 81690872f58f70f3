// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda_device.hpp"
#include "device_cuda/support.hpp"
#include "support/catch.hpp"

#include <cuda.h>

#include <thread>

using weft::core::ArgumentError;
using weft::core::DeviceError;
using weft::device::Device;
using weft::device::DeviceInfo;
using weft::device::DeviceType;
using namespace weft::test;
namespace cuda = weft::device::cuda;

TEST_CASE("enumeration lists every GPU with its limits and creates no context") {
    FakeCuda& fake = reset_fake_cuda();

    const std::vector<DeviceInfo> devices = cuda::enumerate_devices(*load_fake_driver());

    REQUIRE(devices.size() == 2);
    CHECK(devices[0].type == DeviceType::cuda);
    CHECK(devices[0].name == "Fake GPU 0");
    CHECK(devices[0].driver == "NVIDIA driver for CUDA 13.0");
    CHECK(devices[0].architecture == "sm_90");
    CHECK(devices[1].architecture == "sm_86");
    CHECK(devices[1].adapter == 1);
    CHECK(devices[0].memory_bytes == fake.memory_bytes);
    CHECK(devices[0].limits.max_group_count ==
          std::array<std::uint32_t, 3>{0x7fffffff, 65535, 65535});
    CHECK(devices[0].limits.max_inline_arguments == 4032);
    CHECK(devices[0].features.float16_atomic_add);
    CHECK(devices[0].features.int64_atomics);
    CHECK_FALSE(devices[0].features.is_software);
    CHECK(fake.calls["cuDevicePrimaryCtxRetain"] == 0);
}

TEST_CASE("a missing driver library is named, with the way out") {
    const std::string message =
        message_of<DeviceError>([] { (void)cuda::Driver::load("/nowhere/libcuda.so.1"); });

    CHECK(message.find("create_device: CUDA needs the NVIDIA driver") == 0);
    CHECK(message.find("/nowhere/libcuda.so.1") != std::string::npos);
    CHECK(message.find("install the driver of an NVIDIA GPU, or pass DeviceType.vulkan") !=
          std::string::npos);
}

TEST_CASE("a driver that does not start says why") {
    FakeCuda& fake = reset_fake_cuda();
    fake.failures["cuInit"] = CUDA_ERROR_SYSTEM_DRIVER_MISMATCH;

    try {
        (void)load_fake_driver();
        FAIL("expected an error");
    } catch (const DeviceError& error) {
        CHECK(error.kind() == DeviceError::Kind::unavailable);
        CHECK(error.native_call() == "cuInit");
        CHECK(error.native_code() == CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
        CHECK(std::string(error.what()) ==
              "create_device: expected cuInit to succeed, got CUDA_ERROR_SYSTEM_DRIVER_MISMATCH "
              "(803); the driver's "
              "library and kernel module differ in version: reboot after a driver update");
    }
}

TEST_CASE("an adapter out of range lists the adapters") {
    reset_fake_cuda();
    const auto driver = load_fake_driver();

    CHECK(message_of<ArgumentError>([&] { (void)cuda::create_device(driver, {.adapter = 2}); }) ==
          "create_device: adapter must be one of 0 (Fake GPU 0), 1 (Fake GPU 1), got 2; "
          "enumerate_devices() lists "
          "them");
}

TEST_CASE("a machine without a GPU says so") {
    reset_fake_cuda().device_count = 0;

    const std::string message =
        message_of<DeviceError>([] { (void)cuda::create_device(load_fake_driver(), {}); });

    CHECK(message.find("expected an NVIDIA GPU, the driver reports none") != std::string::npos);
}

TEST_CASE("calls leave another library's context current") {
    FakeDevice device({.adapter = 1});
    const auto& driver = *device.driver();
    CUcontext other = nullptr;
    REQUIRE(driver.cuDevicePrimaryCtxRetain(&other, 0) == CUDA_SUCCESS);
    REQUIRE(driver.cuCtxSetCurrent(other) == CUDA_SUCCESS);

    const auto buffer = device->create_buffer({.size_bytes = 16});
    device->fill(*buffer, 0, 16, 7);
    device->wait();

    CUcontext current = nullptr;
    driver.cuCtxGetCurrent(&current);
    CHECK(current == other);
    CHECK(device->native_context() != reinterpret_cast<std::uintptr_t>(other));
    driver.cuDevicePrimaryCtxRelease(0);
    device.finish();
}

TEST_CASE(
    "the context of GPU 0 stays current in a thread that had none, until the device is closed") {
    FakeDevice device;

    device->wait();

    CUcontext current = nullptr;
    device.driver()->cuCtxGetCurrent(&current);
    CHECK(reinterpret_cast<std::uintptr_t>(current) == device->native_context());
    CHECK(device->native_stream() == reinterpret_cast<std::uintptr_t>(CU_STREAM_LEGACY));
    const auto driver = device.driver();
    device.finish();
    driver->cuCtxGetCurrent(&current);
    CHECK(current == nullptr);
}

TEST_CASE("a device closed by another thread does not end the context that is current here") {
    FakeDevice device;
    device->wait();

    std::thread([&] { device->close(); }).join();

    CUcontext current = nullptr;
    device.driver()->cuCtxGetCurrent(&current);
    CHECK(current != nullptr);
    CHECK(device.cuda().retained[0] == 1);
    CHECK(device.cuda().device_blocks.empty());
}

TEST_CASE("a thread that is not the device's own gets its context back") {
    FakeDevice device;
    CUcontext current = nullptr;

    std::thread([&] {
        device->wait();
        device.driver()->cuCtxGetCurrent(&current);
    }).join();

    CHECK(current == nullptr);
    CHECK(device.cuda().context_depth == 0);
    device.finish();
}
