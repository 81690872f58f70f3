// SPDX-License-Identifier: Apache-2.0
#include "device/support.hpp"
#include "support/catch.hpp"

#include <array>
#include <numeric>

using weft::core::ArgumentError;
using weft::core::InternalError;
using weft::device::Buffer;
using weft::device::BufferAccess;
using weft::device::BufferUse;
using namespace weft::test;

namespace {

void scale(weft::device::Device& device, weft::device::Kernel& kernel, const BufferUse& source,
           const BufferUse& target, float factor) {
    struct {
        std::uint32_t count;
        float factor;
    } const arguments{static_cast<std::uint32_t>(source.size / 4), factor};
    const std::array uses{source, target};
    device.dispatch({.kernel = &kernel,
                     .group_count = {(arguments.count + 63) / 64, 1, 1},
                     .arguments = bytes_of(arguments),
                     .buffers = uses});
}

} // namespace

TEST_CASE("a kernel reads and writes through pointers") {
    const CheckedDevice device;
    const auto kernel = create_kernel(*device, TestKernel::add_pointers);
    const auto a = create_filled<float>(*device, {1, 2, 3});
    const auto b = create_filled<float>(*device, {10, 20, 30});
    const auto result = create_filled<float>(*device, {0, 0, 0});
    struct {
        std::uint64_t a, b, result;
        std::uint32_t count;
    } const arguments{a->address(), b->address(), result->address(), 3};
    const std::array uses{BufferUse{.buffer = a.get()}, BufferUse{.buffer = b.get()},
                          BufferUse{.buffer = result.get(), .access = BufferAccess::write}};

    device->dispatch(
        {.kernel = kernel.get(), .arguments = bytes_of(arguments).first(28), .buffers = uses});

    CHECK(read<float>(*device, *result) == std::vector<float>{11, 22, 33});
}

TEST_CASE("a kernel reads and writes bound ranges of storage buffers") {
    const CheckedDevice device;
    const auto kernel = create_kernel(*device, TestKernel::scale_bindings);
    std::vector<float> values(128);
    std::iota(values.begin(), values.end(), 0.F);
    const auto source = create_filled(*device, values);
    const auto target = create_filled(*device, std::vector<float>(128, -1.F));

    scale(*device, *kernel, {.buffer = source.get(), .binding = 0, .offset = 256, .size = 256},
          {.buffer = target.get(),
           .access = BufferAccess::write,
           .binding = 1,
           .offset = 0,
           .size = 256},
          2.F);

    const std::vector<float> result = read<float>(*device, *target);
    CHECK(result[0] == 128.F);
    CHECK(result[63] == 254.F);
    CHECK(result[64] == -1.F);
}

TEST_CASE("hundreds of bindings in one batch each keep their own buffers") {
    const CheckedDevice device;
    const auto kernel = create_kernel(*device, TestKernel::scale_bindings);
    const auto source = create_filled<float>(*device, {1.F});
    std::vector<std::shared_ptr<Buffer>> targets;

    for (int i = 0; i < 1500; ++i) {
        targets.push_back(device->create_buffer({.size_bytes = 4, .label = "target"}));
        scale(*device, *kernel, {.buffer = source.get(), .binding = 0, .size = 4},
              {.buffer = targets.back().get(),
               .access = BufferAccess::write,
               .binding = 1,
               .size = 4},
              static_cast<float>(i));
    }

    for (int i = 0; i < 1500; ++i) {
        REQUIRE(read<float>(*device, *targets[static_cast<std::size_t>(i)]) ==
                std::vector<float>{static_cast<float>(i)});
    }
}

TEST_CASE("arguments beyond the inline limit are taken by address") {
    const CheckedDevice device;
    const auto kernel = create_kernel(*device, TestKernel::store_from_address);
    const auto target = create_filled(*device, std::vector<std::uint32_t>(3, 0));
    struct {
        std::uint64_t target = 0;
        std::uint32_t count = 3;
        std::uint32_t value = 40;
        std::uint32_t padding[60] = {};
    } arguments;
    arguments.target = target->address();
    arguments.padding[59] = 2;
    const std::array uses{BufferUse{.buffer = target.get(), .access = BufferAccess::write}};

    device->dispatch({.kernel = kernel.get(), .arguments = bytes_of(arguments), .buffers = uses});
    arguments.padding[59] = 1000; // the call took a copy

    CHECK(read<std::uint32_t>(*device, *target) == std::vector<std::uint32_t>{42, 42, 42});
}

TEST_CASE("globals reach each dispatch with the bytes given to it") {
    const CheckedDevice device;
    const auto kernel = create_kernel(*device, TestKernel::apply_globals);
    const auto values = create_filled<float>(*device, {1, 2});
    struct {
        std::uint64_t values;
        std::uint32_t count;
    } const arguments{values->address(), 2};
    const std::array uses{BufferUse{.buffer = values.get(), .access = BufferAccess::read_write}};

    for (const float scale : {10.F, 100.F}) {
        const std::array<float, 4> globals{scale, 0.5F, 0, 0};
        device->dispatch({.kernel = kernel.get(),
                          .arguments = bytes_of(arguments).first(12),
                          .buffers = uses,
                          .globals = bytes_of(globals)});
    }

    CHECK(read<float>(*device, *values) == std::vector<float>{1050.5F, 2050.5F});
}

TEST_CASE("dependent dispatches run in order without being told to wait") {
    const CheckedDevice device;
    const auto kernel = create_kernel(*device, TestKernel::double_and_increment);
    const auto a = create_filled(*device, std::vector<std::uint32_t>(5000, 0));
    const auto b = create_filled(*device, std::vector<std::uint32_t>(5000, 0));

    for (int i = 0; i < 15; ++i) { // x -> 2x + 1, 30 times, from one buffer to the other
        double_and_increment(*device, *kernel, *a, *b);
        double_and_increment(*device, *kernel, *b, *a);
    }

    CHECK(read<std::uint32_t>(*device, *a) == std::vector<std::uint32_t>(5000, (1U << 30) - 1));
}

TEST_CASE("copies, fills and dispatches on the same memory run in order") {
    const CheckedDevice device;
    const auto kernel = create_kernel(*device, TestKernel::double_and_increment);
    const auto a = device->create_buffer({.size_bytes = 4096, .label = "a"});
    const auto b = device->create_buffer({.size_bytes = 4096, .label = "b"});

    device->fill(*a, 0, 4096, 3);
    double_and_increment(*device, *kernel, *a, *b);
    device->copy(*a, 0, *b, 0, 4096);
    device->fill(*b, 0, 4096, 100);
    double_and_increment(*device, *kernel, *a, *b);
    device->fill(*a, 0, 4096, 1);

    CHECK(read<std::uint32_t>(*device, *b) == std::vector<std::uint32_t>(1024, 15));
    CHECK(read<std::uint32_t>(*device, *a) == std::vector<std::uint32_t>(1024, 1));
}

TEST_CASE("memory that is freed and handed out again is not overwritten too early") {
    const CheckedDevice device;
    const auto kernel = create_kernel(*device, TestKernel::double_and_increment);
    const auto source = create_filled(*device, std::vector<std::uint32_t>(5000, 1));
    const auto sum = create_filled(*device, std::vector<std::uint32_t>(5000, 0));

    for (std::uint32_t i = 0; i < 100; ++i) {
        const auto temporary = device->create_buffer({.size_bytes = 20000, .label = "temporary"});
        device->fill(*temporary, 0, 20000, i);
        double_and_increment(*device, *kernel, *temporary, *sum);
    }

    CHECK(read<std::uint32_t>(*device, *sum) == std::vector<std::uint32_t>(5000, 199));
    CHECK(device->memory_info().reserved <= (std::uint64_t{32} << 20));
}

TEST_CASE("a thousand dispatches are batched and all run") {
    const CheckedDevice device;
    const auto kernel = create_kernel(*device, TestKernel::double_and_increment);
    const auto source = create_filled<std::uint32_t>(*device, {5});
    const auto target = device->create_buffer({.size_bytes = 4, .label = "target"});
    const auto counter = create_filled<std::uint32_t>(*device, {1});
    const auto spinner = create_kernel(*device, TestKernel::spin);

    for (int i = 0; i < 1000; ++i) {
        double_and_increment(*device, *kernel, *source, *target);
        spin(*device, *spinner, *counter, 1);
    }

    CHECK(read<std::uint32_t>(*device, *counter) == std::vector<std::uint32_t>{spun(1, 1000)});
    CHECK(read<std::uint32_t>(*device, *target) == std::vector<std::uint32_t>{11});
}

TEST_CASE("a dispatch of no groups does nothing") {
    const CheckedDevice device;
    const auto kernel = create_kernel(*device, TestKernel::spin);
    const auto target = create_filled<std::uint32_t>(*device, {5});
    struct {
        std::uint64_t target;
        std::uint32_t rounds;
    } const arguments{target->address(), 1};
    const std::array uses{BufferUse{.buffer = target.get(), .access = BufferAccess::read_write}};

    device->dispatch({.kernel = kernel.get(),
                      .group_count = {0, 1, 1},
                      .arguments = bytes_of(arguments).first(12),
                      .buffers = uses});

    CHECK(read<std::uint32_t>(*device, *target) == std::vector<std::uint32_t>{5});
}

TEST_CASE("dispatch refuses more groups than the device has") {
    const CheckedDevice device;
    const auto kernel = create_kernel(*device, TestKernel::spin);
    const std::array<std::byte, 12> arguments{};

    const std::string message = message_of<ArgumentError>([&] {
        device->dispatch({.kernel = kernel.get(),
                          .group_count = {1, device->info().limits.max_group_count[1] + 1, 1},
                          .arguments = arguments});
    });

    CHECK(message.find("dispatch: 'spin' needs") == 0);
    CHECK(message.find("along axis 1") != std::string::npos);
}

TEST_CASE("dispatch reports arguments and bindings that do not fit the kernel as a bug") {
    const CheckedDevice device;
    const auto kernel = create_kernel(*device, TestKernel::scale_bindings);
    const auto buffer = create_filled<float>(*device, {1});
    const std::array<std::byte, 8> arguments{};
    const std::array one_binding{BufferUse{.buffer = buffer.get(), .binding = 0, .size = 4}};
    const std::array too_long{BufferUse{.buffer = buffer.get(), .binding = 0, .size = 8}};

    const auto dispatch = [&](std::span<const std::byte> bytes, std::span<const BufferUse> uses) {
        device->dispatch({.kernel = kernel.get(), .arguments = bytes, .buffers = uses});
    };

    CHECK_THROWS_AS(dispatch(std::span(arguments).first(4), one_binding), InternalError);
    CHECK_THROWS_AS(dispatch(arguments, one_binding), InternalError);
    CHECK_THROWS_AS(dispatch(arguments, too_long), InternalError);
}

TEST_CASE("create_kernel refuses bytes that are no SPIR-V and groups that are too large") {
    const CheckedDevice device;
    const std::array<std::byte, 64> zeros{};

    CHECK_THROWS_AS(device->create_kernel({.code = zeros, .label = "zeros"}), InternalError);
    CHECK_THROWS_AS(
        device->create_kernel({.code = zeros, .group_size = {65536, 1, 1}, .label = "large"}),
        ArgumentError);
}
