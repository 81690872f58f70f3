// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/result.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

namespace weft::device::vulkan {
namespace {

std::string_view remedy(VkResult result) noexcept {
    switch (result) {
    case VK_ERROR_DEVICE_LOST:
        return "the GPU was reset, most often because a kernel ran too long or wrote outside its "
               "buffers; "
               "create a new device";
    case VK_ERROR_OUT_OF_HOST_MEMORY: return "close other programs or use smaller arrays";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
        return "release arrays that are no longer needed or use smaller ones";
    default: return "update the graphics driver, or choose another device";
    }
}

} // namespace

std::string_view to_string(VkResult result) noexcept {
    switch (result) {
    case VK_SUCCESS: return "VK_SUCCESS";
    case VK_NOT_READY: return "VK_NOT_READY";
    case VK_TIMEOUT: return "VK_TIMEOUT";
    case VK_INCOMPLETE: return "VK_INCOMPLETE";
    case VK_ERROR_OUT_OF_HOST_MEMORY: return "VK_ERROR_OUT_OF_HOST_MEMORY";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY: return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
    case VK_ERROR_INITIALIZATION_FAILED: return "VK_ERROR_INITIALIZATION_FAILED";
    case VK_ERROR_DEVICE_LOST: return "VK_ERROR_DEVICE_LOST";
    case VK_ERROR_MEMORY_MAP_FAILED: return "VK_ERROR_MEMORY_MAP_FAILED";
    case VK_ERROR_LAYER_NOT_PRESENT: return "VK_ERROR_LAYER_NOT_PRESENT";
    case VK_ERROR_EXTENSION_NOT_PRESENT: return "VK_ERROR_EXTENSION_NOT_PRESENT";
    case VK_ERROR_FEATURE_NOT_PRESENT: return "VK_ERROR_FEATURE_NOT_PRESENT";
    case VK_ERROR_INCOMPATIBLE_DRIVER: return "VK_ERROR_INCOMPATIBLE_DRIVER";
    case VK_ERROR_TOO_MANY_OBJECTS: return "VK_ERROR_TOO_MANY_OBJECTS";
    case VK_ERROR_OUT_OF_POOL_MEMORY: return "VK_ERROR_OUT_OF_POOL_MEMORY";
    case VK_ERROR_FRAGMENTATION: return "VK_ERROR_FRAGMENTATION";
    case VK_ERROR_UNKNOWN: return "VK_ERROR_UNKNOWN";
    default: return "an unnamed VkResult";
    }
}

void check(VkResult result, const char* call, std::string_view context) {
    if (result >= VK_SUCCESS) {
        return;
    }
    const bool is_memory =
        result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY;
    throw core::DeviceError(
        core::text(context, ": expected ", call, " to succeed, got ", to_string(result), " (",
                   static_cast<int>(result), "); ", remedy(result)),
        is_memory ? core::DeviceError::Kind::out_of_memory : core::DeviceError::Kind::failure, call,
        result);
}

} // namespace weft::device::vulkan
