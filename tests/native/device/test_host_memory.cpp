// SPDX-License-Identifier: Apache-2.0
// Memory of the process that a software device uses where it is.
#include "device/support.hpp"
#include "support/catch.hpp"

#include <vector>

using weft::core::ArgumentError;
using namespace weft::test;

namespace {

std::shared_ptr<weft::device::Buffer> wrap(weft::device::Device& device,
                                           std::vector<std::uint32_t>& values,
                                           std::shared_ptr<void> owner = nullptr) {
    return device.wrap_external(reinterpret_cast<std::uintptr_t>(values.data()),
                                values.size() * sizeof(values[0]), std::move(owner));
}

/// False on a GPU, once it was seen to refuse.
bool takes_host_memory(weft::device::Device& device) {
    std::vector<std::uint32_t> values(1);
    if (!device.info().features.is_software) {
        CHECK(message_of<ArgumentError>([&] {
                  (void)wrap(device, values);
              }).find("cannot use memory of another library in place") != std::string::npos);
        return false;
    }
    return true;
}

} // namespace

TEST_CASE("a software device works on memory of the host, and leaves the rest of its pages alone") {
    const CheckedDevice device;
    if (!takes_host_memory(*device)) {
        return;
    }
    const auto kernel = create_kernel(*device, TestKernel::spin);
    std::vector<std::uint32_t> all(5000, 7);
    std::vector<std::uint32_t> expected(all);
    expected[1234] = spun(7, 100);

    const auto buffer = device->wrap_external(reinterpret_cast<std::uintptr_t>(&all[1234]),
                                              sizeof(all[0]), nullptr);
    spin(*device, *kernel, *buffer, 100);
    device->wait();

    CHECK(buffer->size_bytes() == sizeof(all[0]));
    CHECK(all == expected);
    CHECK(read<std::uint32_t>(*device, *buffer) == std::vector{expected[1234]});
}

TEST_CASE("the owner of host memory is kept until the work that uses it is done") {
    const CheckedDevice device;
    if (!takes_host_memory(*device)) {
        return;
    }
    const auto kernel = create_kernel(*device, TestKernel::spin);
    const auto busy = keep_busy(*device, *kernel);
    auto owner = std::make_shared<std::vector<std::uint32_t>>(1, 7U);
    const std::weak_ptr<void> watched = owner;
    std::vector<std::uint32_t>& values = *owner;
    auto buffer = wrap(*device, values, std::move(owner));

    spin(*device, *kernel, *buffer, 100);
    buffer.reset();
    CHECK_FALSE(watched.expired());
    device->wait();
    CHECK(values[0] == spun(7, 100));

    std::vector<std::uint32_t> next(1);
    (void)wrap(*device, next);
    CHECK(watched.expired());
}

TEST_CASE("host memory that nothing uses any more is let go of with its buffer") {
    const CheckedDevice device;
    if (!takes_host_memory(*device)) {
        return;
    }
    auto owner = std::make_shared<std::vector<std::uint32_t>>(1, 7U);
    const std::weak_ptr<void> watched = owner;
    std::vector<std::uint32_t>& values = *owner;
    auto buffer = wrap(*device, values, std::move(owner));

    buffer.reset();

    CHECK(watched.expired());
}

TEST_CASE("a device that closes lets go of host memory, used or not") {
    CheckedDevice device;
    if (!takes_host_memory(*device)) {
        return;
    }
    const auto kernel = create_kernel(*device, TestKernel::spin);
    auto owner = std::make_shared<std::vector<std::uint32_t>>(1, 7U);
    const std::weak_ptr<void> watched = owner;
    std::vector<std::uint32_t>& values = *owner;
    const auto buffer = wrap(*device, values, owner);
    spin(*device, *kernel, *buffer, 100);

    device->close();

    CHECK(values[0] == spun(7, 100));
    owner.reset();
    CHECK(watched.expired());
}
