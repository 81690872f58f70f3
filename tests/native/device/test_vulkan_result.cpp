// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "device/vulkan/result.hpp"
#include "support/catch.hpp"

using weft::core::DeviceError;
using weft::device::vulkan::check;

namespace {

DeviceError error_of(VkResult result) {
    try {
        check(result, "vkQueueSubmit", "flush");
    } catch (const DeviceError& error) {
        return error;
    }
    throw std::runtime_error("expected a DeviceError, but nothing was thrown");
}

} // namespace

TEST_CASE("a failed Vulkan call names Weft's function, the call, its result and a remedy") {
    const DeviceError error = error_of(VK_ERROR_DEVICE_LOST);

    CHECK(std::string(error.what()) ==
          "flush: expected vkQueueSubmit to succeed, got VK_ERROR_DEVICE_LOST (-4); the GPU was "
          "reset, most often "
          "because a kernel ran too long or wrote outside its buffers; create a new device");
    CHECK(error.kind() == DeviceError::Kind::failure);
    CHECK(error.native_call() == "vkQueueSubmit");
    CHECK(error.native_code() == VK_ERROR_DEVICE_LOST);
}

TEST_CASE("a Vulkan call without memory is out of memory") {
    CHECK(error_of(VK_ERROR_OUT_OF_DEVICE_MEMORY).kind() == DeviceError::Kind::out_of_memory);
    CHECK(error_of(VK_ERROR_OUT_OF_HOST_MEMORY).kind() == DeviceError::Kind::out_of_memory);
}

TEST_CASE("codes that are no errors pass") {
    for (const VkResult result : {VK_SUCCESS, VK_TIMEOUT, VK_INCOMPLETE}) {
        CHECK_NOTHROW(check(result, "vkWaitSemaphores", "wait"));
    }
}
