// SPDX-License-Identifier: Apache-2.0
// Ends with a device in one of the states that a process can end with. The exit status is the test.
#include "device/device.hpp"

#include <iostream>
#include <string_view>

namespace {

using weft::device::Buffer;
using weft::device::Device;

struct Work {
    std::shared_ptr<Device> device;
    std::shared_ptr<Buffer> buffer;
};

Work start_work(bool debug) {
    const std::shared_ptr<Device> device =
        Device::create({.type = weft::device::DeviceType::vulkan, .debug = debug});
    const std::shared_ptr<Buffer> buffer =
        device->create_buffer({.size_bytes = 4096, .label = "probe"});
    device->fill(*buffer, 0, buffer->size_bytes(), 1);
    device->flush();
    return {device, buffer};
}

/// Destroyed after everything that the driver made while it was loaded.
Work& early_static() {
    static Work work;
    return work;
}

/// Destroyed before.
Work& late_static(const Work& work) {
    static Work kept = work;
    return kept;
}

/// A cycle: never destroyed, as an object that an interpreter still holds at its end.
void leak(Work work) {
    struct Cycle {
        Work work;
        std::shared_ptr<Cycle> self;
    };
    const auto cycle = std::make_shared<Cycle>(Cycle{std::move(work), nullptr});
    cycle->self = cycle;
}

int run(std::string_view state, bool debug) {
    Work& early = early_static();
    Work work = start_work(debug);
    if (state == "early_static") {
        early = work;
    } else if (state == "late_static") {
        late_static(work);
    } else if (state == "leaked") {
        leak(work);
    } else if (state == "closed") {
        work.device->close();
        early = work;
    } else {
        std::cerr << "expected early_static, late_static, leaked or closed, got " << state << '\n';
        return 2;
    }
    return 0;
}

} // namespace

int main(int count, char** arguments) {
    const std::string_view state = count > 1 ? arguments[1] : "";
    const bool debug = count > 2 && std::string_view(arguments[2]) == "debug";
    return run(state, debug);
}
