// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/vulkan_device.hpp"

#include "core/text.hpp"
#include "device/vulkan/device.hpp"

namespace weft::device {
namespace {

core::DeviceError no_device(const vulkan::AdapterList& list) {
    const std::string found =
        list.refused.empty() ? "the driver offers none" : core::join(list.refused, "; ");
    return core::DeviceError(
        core::text("create_device: expected a Vulkan device that Weft can use, but ", found,
                   "; update the driver, or install a software driver (Debian, Ubuntu: 'apt "
                   "install mesa-vulkan-drivers')"),
        core::DeviceError::Kind::unavailable);
}

std::string names_of(const vulkan::AdapterList& list) {
    std::vector<std::string> names;
    names.reserve(list.usable.size());
    for (const vulkan::Adapter& adapter : list.usable) {
        names.push_back(core::text(adapter.info.adapter, " (", adapter.info.name, ")"));
    }
    return core::join(names, ", ");
}

} // namespace

std::vector<DeviceInfo> enumerate_vulkan() {
    try {
        const std::shared_ptr<vulkan::Instance> instance = vulkan::Instance::acquire(false);
        std::vector<DeviceInfo> devices;
        for (const vulkan::Adapter& adapter : vulkan::list_adapters(*instance).usable) {
            devices.push_back(adapter.info);
        }
        return devices;
    } catch (const core::DeviceError&) {
        return {}; // creating a device says why
    }
}

std::shared_ptr<Device> create_vulkan_device(const DeviceDesc& desc) {
    const std::shared_ptr<vulkan::Instance> instance = vulkan::Instance::acquire(desc.debug);
    const vulkan::AdapterList list = vulkan::list_adapters(*instance);
    if (list.usable.empty()) {
        throw no_device(list);
    }
    const std::int32_t index = desc.adapter.value_or(0);
    if (index < 0 || static_cast<std::size_t>(index) >= list.usable.size()) {
        throw core::ArgumentError(core::text("create_device: adapter must be one of ",
                                             names_of(list), ", got ", index,
                                             "; enumerate_devices() lists them"));
    }
    return std::make_shared<vulkan::VulkanDevice>(
        instance, list.usable[static_cast<std::size_t>(index)], desc);
}

} // namespace weft::device
