// SPDX-License-Identifier: Apache-2.0
#include "device/support.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <vector>

#if !defined(_WIN32)
#include <sys/wait.h>
#include <unistd.h>
#endif

using weft::core::ArgumentError;
using weft::core::DeviceError;
using weft::device::Device;
using weft::device::DeviceType;
using namespace weft::test;

TEST_CASE("every method of a closed device says that it is closed") {
    CheckedDevice device;
    const auto kernel = create_kernel(*device, TestKernel::spin);
    const auto buffer = create_filled<std::uint32_t>(*device, {1});
    CHECK(device->validation_message_count() == 0);

    device->close();
    device->close();

    std::array<std::byte, 4> bytes{};
    const auto says_closed = [&](std::string_view function, auto&& call) {
        const std::string message = message_of<DeviceError>(call);
        CHECK(message == std::string(function) + ": device '" + device->info().name +
                             "' is closed; create a new one with create_device()");
    };
    CHECK(device->is_closed());
    says_closed("create_buffer", [&] { (void)device->create_buffer({.size_bytes = 4}); });
    says_closed("create_kernel", [&] { (void)create_kernel(*device, TestKernel::spin); });
    says_closed("dispatch", [&] { spin(*device, *kernel, *buffer, 1); });
    says_closed("flush", [&] { device->flush(); });
    says_closed("wait", [&] { device->wait(); });
    says_closed("upload", [&] { device->upload(*buffer, 0, bytes); });
    says_closed("download", [&] { device->download(*buffer, 0, bytes); });
    says_closed("copy", [&] { device->copy(*buffer, 0, *buffer, 0, 4); });
    says_closed("fill", [&] { device->fill(*buffer, 0, 4, 0); });
    says_closed("memory_info", [&] { (void)device->memory_info(); });
}

TEST_CASE("close finishes the work that was recorded") {
    CheckedDevice device;
    const auto kernel = create_kernel(*device, TestKernel::spin);
    const auto buffer = create_filled<std::uint32_t>(*device, {1});

    for (int i = 0; i < 100; ++i) {
        spin(*device, *kernel, *buffer, 1000);
    }

    device->close();
    CHECK(device->is_closed());
}

TEST_CASE("buffers and kernels keep their device alive") {
    std::weak_ptr<Device> watched;
    std::shared_ptr<weft::device::Kernel> kernel;
    std::shared_ptr<weft::device::Buffer> buffer;
    {
        CheckedDevice device;
        watched = device.ref();
        kernel = create_kernel(*device, TestKernel::spin);
        buffer = create_filled<std::uint32_t>(*device, {1});
        spin(*device, *kernel, *buffer, 100);
    }

    CHECK_FALSE(watched.expired());
    kernel.reset();
    CHECK_FALSE(watched.expired());
    buffer.reset();
    CHECK(watched.expired());
}

TEST_CASE("a buffer and a kernel dropped while the device uses them do no harm") {
    const CheckedDevice device;
    const auto result = create_filled<std::uint32_t>(*device, {0});
    {
        const auto spinner = create_kernel(*device, TestKernel::spin);
        const auto adder = create_kernel(*device, TestKernel::double_and_increment);
        const auto buffer = create_filled<std::uint32_t>(*device, {1});
        spin(*device, *spinner, *buffer, 60'000);
        double_and_increment(*device, *adder, *buffer, *result);
        device->flush();
    }
    const auto other = create_filled<std::uint32_t>(*device, {77});

    CHECK(read<std::uint32_t>(*device, *result) ==
          std::vector<std::uint32_t>{2 * spun(1, 60'000) + 1});
    CHECK(read<std::uint32_t>(*device, *other) == std::vector<std::uint32_t>{77});
}

TEST_CASE("memory and kernels of another device are refused by name") {
    const CheckedDevice device;
    const CheckedDevice other;
    const auto kernel = create_kernel(*device, TestKernel::spin);
    const auto foreign_kernel = create_kernel(*other, TestKernel::spin);
    const auto buffer = create_filled<std::uint32_t>(*device, {1});
    const auto foreign = create_filled<std::uint32_t>(*other, {1});
    const std::string expected =
        "expected memory of device '" + device->info().name + "', got memory of another";

    const std::string dispatch =
        message_of<ArgumentError>([&] { spin(*device, *kernel, *foreign, 1); });
    const std::string upload = message_of<ArgumentError>([&] { device->upload(*foreign, 0, {}); });
    const std::string copy =
        message_of<ArgumentError>([&] { device->copy(*buffer, 0, *foreign, 0, 4); });
    const std::string launch =
        message_of<ArgumentError>([&] { spin(*device, *foreign_kernel, *buffer, 1); });

    CHECK(dispatch.find("dispatch: " + expected) == 0);
    CHECK(upload.find("upload: " + expected) == 0);
    CHECK(copy.find("copy: " + expected) == 0);
    CHECK(launch.find("dispatch: expected a kernel of device '" + device->info().name + "'") == 0);
}

TEST_CASE("two devices work side by side and close in either order") {
    CheckedDevice first;
    CheckedDevice second;
    const auto a = create_filled<std::uint32_t>(*first, {1, 2});
    const auto b = create_filled<std::uint32_t>(*second, {3, 4});

    CHECK(read<std::uint32_t>(*first, *a) == std::vector<std::uint32_t>{1, 2});
    first->close();
    CHECK(read<std::uint32_t>(*second, *b) == std::vector<std::uint32_t>{3, 4});
    second->close();
}

TEST_CASE("devices with and without the validation layer live together") {
    const CheckedDevice checked;
    const std::shared_ptr<Device> plain = Device::create({.type = DeviceType::vulkan});

    const auto a = create_filled<std::uint32_t>(*checked, {1});
    const auto b = create_filled<std::uint32_t>(*plain, {2});

    CHECK(read<std::uint32_t>(*checked, *a) == std::vector<std::uint32_t>{1});
    CHECK(read<std::uint32_t>(*plain, *b) == std::vector<std::uint32_t>{2});
    CHECK(plain->validation_message_count() == 0);
}

TEST_CASE("the validation layer's messages are counted and kept") {
    const std::shared_ptr<Device> device =
        Device::create({.type = DeviceType::vulkan, .debug = true});
    CHECK(device->validation_message_count() == 0);

    const auto kernel = create_misdescribed_kernel(*device);

    REQUIRE(device->validation_message_count() > 0);
    REQUIRE_FALSE(device->validation_messages().empty());
    CHECK(device->validation_messages()[0].find("VkComputePipelineCreateInfo") !=
          std::string::npos);
}

TEST_CASE("a wait is interrupted by its poll and the device works on") {
    const CheckedDevice device;
    const auto kernel = create_kernel(*device, TestKernel::spin);
    const auto busy = keep_busy(*device, *kernel);

    CHECK_THROWS_AS(device->wait([] { throw weft::core::Interrupted(); }), weft::core::Interrupted);

    const auto buffer = create_filled<std::uint32_t>(*device, {1});
    spin(*device, *kernel, *buffer, 10);
    CHECK(read<std::uint32_t>(*device, *buffer) == std::vector<std::uint32_t>{spun(1, 10)});
}

TEST_CASE("the pipeline cache is written, read back, and replaced when it is damaged") {
    const TemporaryFolder folder;
    const auto use_device = [&] {
        CheckedDevice device(Device::create({.type = DeviceType::vulkan,
                                             .debug = true,
                                             .cache_directory = folder.path().string()}));
        const auto kernel = create_kernel(*device, TestKernel::spin);
        const auto buffer = create_filled<std::uint32_t>(*device, {1});
        spin(*device, *kernel, *buffer, 1);
        CHECK(read<std::uint32_t>(*device, *buffer) == std::vector<std::uint32_t>{spun(1, 1)});
        device->close();
    };
    const auto files = [&] {
        std::vector<std::filesystem::path> paths;
        for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
            paths.push_back(entry.path());
        }
        return paths;
    };

    use_device();
    REQUIRE(files().size() == 1);
    const auto intact_size = std::filesystem::file_size(files()[0]);
    use_device();
    std::ofstream(files()[0], std::ios::binary)
        << "this is no cache, but it is long enough to look like one";
    use_device();

    REQUIRE(files().size() == 1);
    CHECK(std::filesystem::file_size(files()[0]) == intact_size);
}

#if !defined(_WIN32)

TEST_CASE("a child after fork gets one clear error and exits cleanly") {
    const CheckedDevice device;
    const auto kernel = create_kernel(*device, TestKernel::spin);
    const auto buffer = create_filled<std::uint32_t>(*device, {1});
    device->wait();

    const pid_t child = fork();
    if (child == 0) {
        const auto is_clear = [](const std::string& message) {
            return message.find("fork") != std::string::npos &&
                   message.find("'spawn'") != std::string::npos;
        };
        std::array<std::byte, 4> bytes{};
        const bool all_clear =
            is_clear(message_of<DeviceError>([&] { spin(*device, *kernel, *buffer, 1); })) &&
            is_clear(message_of<DeviceError>([&] { device->wait(); })) &&
            is_clear(message_of<DeviceError>([&] { device->download(*buffer, 0, bytes); })) &&
            is_clear(
                message_of<DeviceError>([&] { (void)device->create_buffer({.size_bytes = 4}); })) &&
            is_clear(message_of<DeviceError>(
                [&] { (void)Device::create({.type = DeviceType::vulkan, .debug = true}); }));
        device->close();
        _exit(all_clear && device->is_closed() ? 0 : 1);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);

    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(read<std::uint32_t>(*device, *buffer) == std::vector<std::uint32_t>{1});
}

#endif
