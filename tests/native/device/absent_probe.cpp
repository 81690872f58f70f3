// SPDX-License-Identifier: Apache-2.0
// Runs where a part of Vulkan is missing (ctest hides it by environment variables) and checks what
// a user is told.
#include "device/device.hpp"

#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

namespace {

using weft::core::DeviceError;
using weft::device::Device;
using weft::device::DeviceType;

struct Expectation {
    std::string_view cause;
    std::string_view remedy;
};

Expectation expected_for(std::string_view part) {
    if (part == "loader") {
        return {"expected a Vulkan loader", "apt install libvulkan1"};
    }
    if (part == "driver") {
        return {"expected a Vulkan driver, found only the loader",
                "apt install mesa-vulkan-drivers"};
    }
    return {"debug=True needs the layer VK_LAYER_KHRONOS_validation",
            "apt install vulkan-validationlayers"};
}

bool is_told(std::string_view part) {
    const Expectation expected = expected_for(part);
    try {
        (void)Device::create({.type = DeviceType::vulkan, .debug = part == "layer"});
    } catch (const DeviceError& error) {
        const std::string message = error.what();
        std::cout << message << '\n';
        return error.kind() == DeviceError::Kind::unavailable &&
               message.find(expected.cause) != std::string::npos &&
               message.find(expected.remedy) != std::string::npos;
    }
    std::cout << "no error\n";
    return false;
}

bool enumerates_no_vulkan() {
    for (const auto& info : Device::enumerate()) {
        if (info.type == DeviceType::vulkan) {
            return false;
        }
    }
    return true;
}

} // namespace

int main(int count, char** arguments) {
    const std::string_view part = count > 1 ? arguments[1] : "";
    const bool is_usable_otherwise = part == "layer" || enumerates_no_vulkan();
    return is_usable_otherwise && is_told(part) ? EXIT_SUCCESS : EXIT_FAILURE;
}
