// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/process.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "tracing.hpp"

namespace weft::render::testing {

/// The best device of this machine, or that of type WEFT_DEVICE (cuda, vulkan), with validation.
struct Fixture {
    std::shared_ptr<device::Device> device =
        device::Device::create({.type = wanted_type(), .debug = true});
    dispatch::Context context = make_context(device, cache_directory());

    ~Fixture() { CHECK(device->validation_message_count() == 0); }

    static device::DeviceType wanted_type() {
        const auto name = core::environment_variable("WEFT_DEVICE");
        return name == "cuda"     ? device::DeviceType::cuda
               : name == "vulkan" ? device::DeviceType::vulkan
                                  : device::DeviceType::automatic;
    }
    /// Compiles each kernel once for all tests of the process.
    static const std::filesystem::path& cache_directory() {
        static const test::TemporaryFolder folder;
        return folder.path();
    }
    /// Kinds that this build and this device have.
    std::vector<TracerKind> kinds() const {
        std::vector<TracerKind> kinds{TracerKind::wide_bvh, TracerKind::bvh};
        if (device->info().features.ray_query) {
            kinds.insert(kinds.begin(), TracerKind::ray_query);
        }
        if (is_available(TracerKind::embree) && device->info().features.is_software) {
            kinds.push_back(TracerKind::embree);
        }
        return kinds;
    }
    /// All of these, and bvh with trees that the device has made.
    std::vector<TracerDesc> tracers() const {
        std::vector<TracerDesc> all{{.kind = TracerKind::bvh, .builder = TreeBuilder::device}};
        for (const TracerKind kind : kinds()) {
            all.push_back({.kind = kind, .builder = TreeBuilder::host});
        }
        return all;
    }
};

} // namespace weft::render::testing
