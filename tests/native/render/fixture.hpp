// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "tracing.hpp"

namespace weft::render::testing {

/// The best device of this machine, with validation.
struct Fixture {
    std::shared_ptr<device::Device> device =
        device::Device::create({.type = device::DeviceType::automatic, .debug = true});
    dispatch::Context context = make_context(device, cache_directory());

    ~Fixture() { CHECK(device->validation_message_count() == 0); }

    /// Compiles each kernel once for all tests of the process.
    static const std::filesystem::path& cache_directory() {
        static const test::TemporaryFolder folder;
        return folder.path();
    }
    /// Kinds that this build and this device have.
    std::vector<TracerKind> kinds() const {
        std::vector<TracerKind> kinds{TracerKind::bvh};
        if (is_available(TracerKind::embree) && device->info().features.is_software) {
            kinds.push_back(TracerKind::embree);
        }
        return kinds;
    }
};

} // namespace weft::render::testing
