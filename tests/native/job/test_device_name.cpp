// SPDX-License-Identifier: Apache-2.0
#include "engine/device_name.hpp"

#include "support/catch.hpp"

using namespace weft;
using engine::parse_device_name;

TEST_CASE("a device is named by its type, and by the number of its adapter") {
    const auto plain = parse_device_name("cuda");
    REQUIRE(plain);
    CHECK(plain->type == device::DeviceType::cuda);
    CHECK_FALSE(plain->adapter);

    const auto numbered = parse_device_name("vulkan:12");
    REQUIRE(numbered);
    CHECK(numbered->type == device::DeviceType::vulkan);
    CHECK(numbered->adapter == 12);
}

TEST_CASE("text that names no device is refused") {
    for (const char* const text : {"", "opengl", "Vulkan", "vulkan:", "vulkan:x", "vulkan:1x",
                                   "vulkan:-1", ":1", "cuda:99999999999"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_device_name(text));
    }
}
