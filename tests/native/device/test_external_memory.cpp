// SPDX-License-Identifier: Apache-2.0
// What Vulkan exports, and the book of what CUDA's users hold. CUDA itself needs a GPU: see
// tests/torch_tensors/test_vulkan_beside_cuda.py.
#include "device/external_memory.hpp"

#include "device/null/null_device.hpp"
#include "device/vulkan/external_memory.hpp"
#include "support.hpp"
#include "support/catch.hpp"

#include <cstring>

#if !defined(_WIN32)
#include <unistd.h>
#endif

using namespace weft;
using device::Buffer;
using device::ExternalHandle;
using device::ImportedMemory;
using device::LentMemory;

namespace {

class FakeMemory final : public ImportedMemory {
public:
    FakeMemory(std::uint64_t address, bool& is_gone)
        : ImportedMemory(address), m_is_gone(is_gone) {}
    ~FakeMemory() override { m_is_gone = true; }

private:
    bool& m_is_gone;
};

class FakeBuffer final : public Buffer {
public:
    FakeBuffer(std::uint64_t cuda_address, std::uint64_t size_bytes) : Buffer(nullptr) {
        m_cuda_address = cuda_address;
        m_size = size_bytes;
    }
};

#if !defined(_WIN32)
device::vulkan::UniqueMemory import_memory(const device::vulkan::Context& context,
                                           ExternalHandle& handle,
                                           const device::vulkan::BlockMemory& block,
                                           std::uint32_t type) {
    const VkImportMemoryFdInfoKHR taken{.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
                                        .pNext = nullptr,
                                        .handleType = device::vulkan::kExportedMemory,
                                        .fd = handle.get()};
    const VkMemoryAllocateInfo info{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                    .pNext = &taken,
                                    .allocationSize = block.allocated_bytes,
                                    .memoryTypeIndex = type};
    VkDeviceMemory memory = VK_NULL_HANDLE;
    REQUIRE(context.api().vkAllocateMemory(context.handle(), &info, nullptr, &memory) ==
            VK_SUCCESS);
    handle.release();
    return {context, memory};
}
#endif

constexpr std::uint64_t kBase = 0x10000;

struct Lender {
    Lender() { memory->add(std::make_shared<FakeMemory>(kBase, is_gone)); }

    bool is_gone = false;
    std::shared_ptr<LentMemory> memory = std::make_shared<LentMemory>();
    std::shared_ptr<Buffer> buffer = std::make_shared<FakeBuffer>(kBase + 256, 512);
};

} // namespace

TEST_CASE("a lent buffer is found by every range of CUDA's addresses inside it, and no other") {
    const Lender lender;
    const std::shared_ptr<void> loan = lender.memory->lend(lender.buffer, 0);

    CHECK(lender.memory->find(kBase + 256, 512) == lender.buffer);
    CHECK(lender.memory->find(kBase + 300, 4) == lender.buffer);
    CHECK(lender.memory->find(kBase + 300, 512) == nullptr);
    CHECK(lender.memory->find(kBase + 255, 2) == nullptr);
    CHECK(lender.memory->find(kBase + 768, 1) == nullptr);
}

TEST_CASE("a buffer is found as long as one of its loans lasts") {
    const Lender lender;
    std::shared_ptr<void> first = lender.memory->lend(lender.buffer, 0);
    std::shared_ptr<void> second = lender.memory->lend(lender.buffer, 0);

    first.reset();
    CHECK(lender.memory->find(kBase + 256, 4) == lender.buffer);
    second.reset();
    CHECK(lender.memory->find(kBase + 256, 4) == nullptr);
}

TEST_CASE("a loan does not keep the buffer") {
    Lender lender;
    const std::shared_ptr<void> loan = lender.memory->lend(lender.buffer, 0);

    lender.buffer.reset();

    CHECK(lender.memory->find(kBase + 256, 4) == nullptr);
}

TEST_CASE("memory that comes back names its streams until they are waited for") {
    const Lender lender;
    static_cast<void>(lender.memory->lend(lender.buffer, 7));
    static_cast<void>(lender.memory->lend(lender.buffer, 9));
    static_cast<void>(lender.memory->lend(lender.buffer, 7));
    static_cast<void>(lender.memory->lend(lender.buffer, 8));

    lender.memory->forget_returned(8);

    CHECK(lender.memory->returned() == std::vector<std::uint64_t>{7, 9});
    lender.memory->forget_returned(7);
    lender.memory->forget_returned(9);
    CHECK(lender.memory->returned().empty());
}

TEST_CASE("CUDA's view of memory outlives what lent it until the loan ends") {
    const Lender lender;
    std::shared_ptr<void> loan = lender.memory->lend(lender.buffer, 0);

    lender.memory->remove(kBase);
    CHECK_FALSE(lender.is_gone);
    loan.reset();
    CHECK(lender.is_gone);
}

TEST_CASE("memory that CUDA does not know is not lent") {
    const Lender lender;
    const auto stranger = std::make_shared<FakeBuffer>(16, 4);

    CHECK_THROWS_AS(lender.memory->lend(stranger, 0), core::InternalError);
}

TEST_CASE("a device that shares nothing with CUDA knows none of its memory") {
    const test::CheckedDevice device;

    CHECK(device->cuda_ordinal() == -1);
    CHECK(device->find_lent_to_cuda(kBase, 4) == nullptr);
    CHECK(device->create_buffer({.size_bytes = 16})->cuda_address() == 0);
}

TEST_CASE("a device of the CPU does not share memory with CUDA") {
    const test::CheckedDevice device;
    if (device->info().features.is_software) {
        // Without CUDA its driver is what is missing.
        CHECK_THROWS_AS(device->share_with_cuda(0, "twice: argument 'x'"), core::Error);
        CHECK(device->cuda_ordinal() == -1);
    }
}

TEST_CASE("a backend without memory of CUDA says what to do") {
    const std::shared_ptr<device::Device> device = device::create_null_device();

    CHECK(test::message_of<core::ArgumentError>([&] {
              device->share_with_cuda(1, "twice: argument 'x'");
          }).starts_with("twice: argument 'x' lies on cuda:1, whose memory"));
}

#if !defined(_WIN32)
TEST_CASE("another device that imports exported memory sees the same bytes") {
    using namespace device::vulkan;
    const auto instance = Instance::acquire(false);
    const AdapterList list = list_adapters(*instance);
    REQUIRE_FALSE(list.usable.empty());
    const Context context(instance, list.usable.front());
    if (!context.adapter().info.features.is_software) {
        return; // a GPU need not export memory of the host
    }
    const Context other(instance, list.usable.front());
    const std::uint32_t type = context.adapter().memory.readback; // which the host sees, too
    const auto block = try_allocate(context, 4096, type, {.is_exported = true});
    REQUIRE(block);
    REQUIRE(block->mapped != nullptr);
    std::memcpy(block->mapped, "woven", 6);

    ExternalHandle handle = export_memory(context, block->memory.get());
    const UniqueMemory imported = import_memory(other, handle, *block, type);

    void* mapped = nullptr;
    REQUIRE(other.api().vkMapMemory(other.handle(), imported.get(), 0, VK_WHOLE_SIZE, 0, &mapped) ==
            VK_SUCCESS);
    CHECK(std::strcmp(static_cast<const char*>(mapped), "woven") == 0);
}

TEST_CASE("a descriptor is closed with its handle unless somebody took it") {
    int ends[2] = {};
    REQUIRE(::pipe(ends) == 0);
    {
        const ExternalHandle closed(ends[0]);
    }
    {
        ExternalHandle taken(ends[1]);
        taken.release();
    }

    CHECK(::close(ends[0]) == -1);
    CHECK(::close(ends[1]) == 0);
}
#endif
