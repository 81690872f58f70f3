// SPDX-License-Identifier: Apache-2.0
#include "device/null/null_device.hpp"

#include "core/text.hpp"
#include "device/checks.hpp"
#include "device/pool.hpp"
#include "device/use_gate.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <mutex>
#include <unordered_map>

namespace weft::device {
namespace {

constexpr std::uint64_t kMemoryBytes = std::uint64_t{1} << 30;

/// Host memory as blocks; work is finished when flushed.
class HostSource final : public MemorySource {
public:
    std::optional<MemoryBlock> allocate_block(std::uint64_t size_bytes) override {
        if (size_bytes > kMemoryBytes - m_held) {
            return std::nullopt;
        }
        auto memory = std::make_unique<Line[]>((size_bytes + sizeof(Line) - 1) / sizeof(Line));
        auto* const bytes = memory[0].bytes;
        const MemoryBlock block{.native = memory.get(),
                                .address = reinterpret_cast<std::uintptr_t>(bytes),
                                .mapped = bytes,
                                .size_bytes = size_bytes};
        m_blocks.emplace(block.native, std::move(memory));
        m_held += size_bytes;
        return block;
    }
    void release_block(const MemoryBlock& block) noexcept override {
        m_held -= block.size_bytes;
        m_blocks.erase(block.native);
    }
    std::uint64_t completed() const noexcept override { return m_completed.load(); }
    void drain() override { finish_all(); }
    Budget budget() const noexcept override {
        return {.total = kMemoryBytes, .available = kMemoryBytes - m_held};
    }

    std::uint64_t open_value() const noexcept { return m_completed.load() + 1; }
    void finish_all() noexcept { m_completed.fetch_add(1); }

private:
    struct alignas(MemoryPool::kAlignment) Line {
        std::byte bytes[MemoryPool::kAlignment];
    };
    std::unordered_map<void*, std::unique_ptr<Line[]>>
        m_blocks; // guarded by the pool's lock, as is m_held
    std::uint64_t m_held = 0;
    std::atomic<std::uint64_t> m_completed{0};
};

class NullBuffer final : public Buffer {
public:
    NullBuffer(std::shared_ptr<Device> device, MemoryPool* pool, const Allocation& allocation,
               bool is_public)
        : Buffer(std::move(device)), m_pool(pool), m_allocation(allocation) {
        m_size = allocation.size_bytes;
        m_address = pool != nullptr ? allocation.address() : 0;
        m_mapped = is_public ? allocation.mapped() : nullptr;
    }
    ~NullBuffer() override {
        if (m_pool != nullptr) {
            m_pool->free(m_allocation, last_use.load());
        }
    }
    std::byte* host() const noexcept { return m_allocation.mapped(); }
    std::string_view label() const noexcept {
        return m_allocation.label ? m_allocation.label->name : "empty";
    }

    std::atomic<std::uint64_t> last_use{0};

private:
    MemoryPool* m_pool;
    Allocation m_allocation;
};

class NullKernel final : public Kernel {
public:
    NullKernel(std::shared_ptr<Device> device, const KernelDesc& desc)
        : owner(std::move(device)), argument_bytes(desc.argument_bytes) {}

    const std::shared_ptr<Device> owner;
    const std::uint32_t argument_bytes;
};

constexpr DeviceFeatures kEverything{.is_software = false,
                                     .float16 = true,
                                     .float64 = true,
                                     .int8 = true,
                                     .int16 = true,
                                     .int64 = true,
                                     .int64_atomics = true,
                                     .float32_atomic_add = true,
                                     .float16_atomic_add = true,
                                     .float64_atomic_add = true,
                                     .subgroup_arithmetic = true,
                                     .ray_query = true};

DeviceInfo null_info(const DeviceFeatures& features) {
    constexpr std::uint32_t kMany = std::numeric_limits<std::int32_t>::max();
    return {.type = DeviceType::cpu,
            .target = core::Target::spirv,
            .name = "null device",
            .driver = "none",
            .adapter = 0,
            .memory_bytes = kMemoryBytes,
            .architecture = {},
            .limits = {.max_group_count = {kMany, 65535, 65535},
                       .max_group_size = {1024, 1024, 64},
                       .max_threads_per_group = 1024,
                       .subgroup_size = 32,
                       .max_shared_memory = 32768,
                       .max_inline_arguments = 256,
                       .max_buffer_size = kMemoryBytes,
                       .max_storage_binding = 0,
                       .storage_binding_alignment = 16},
            .features = features};
}

class NullDeviceImplementation final : public NullDevice {
public:
    explicit NullDeviceImplementation(const DeviceInfo& info)
        : NullDevice(info), m_pool(m_source, {.device_name = info.name, .limit = m_limit}) {}
    NullDeviceImplementation(const DeviceInfo& info, KernelSink sink)
        : NullDevice(info), m_sink(std::move(sink)), m_clears(true),
          m_pool(m_source, {.device_name = info.name, .limit = m_limit}) {}

    MemoryInfo memory_info() const override {
        const UseGate::Use inside(m_gate);
        require_open("memory_info");
        return m_pool.statistics();
    }
    std::uint64_t trim(const InterruptPoll&) override {
        const UseGate::Use inside(m_gate);
        require_open("trim");
        m_source.finish_all();
        return m_pool.trim();
    }
    std::uint64_t memory_limit() const noexcept override { return m_limit->bytes(); }
    void set_memory_limit(std::uint64_t bytes) override {
        const UseGate::Use inside(m_gate);
        require_open("set_memory_limit");
        m_limit->set(bytes);
        if (m_limit->left() == 0) {
            m_source.finish_all();
            m_pool.trim();
        }
    }

    std::shared_ptr<Buffer> create_buffer(const BufferDesc& desc) override {
        const UseGate::Use inside(m_gate);
        require_open("create_buffer");
        const bool is_empty = desc.size_bytes == 0;
        const Allocation allocation =
            is_empty ? Allocation{} : m_pool.allocate(desc.size_bytes, desc.label);
        if (m_clears && !is_empty) {
            std::memset(allocation.mapped(), 0, desc.size_bytes);
        }
        return std::make_shared<NullBuffer>(shared_from_this(), is_empty ? nullptr : &m_pool,
                                            allocation, desc.memory == MemoryKind::readback);
    }

    std::shared_ptr<Kernel> create_kernel(const KernelDesc& desc) override {
        const UseGate::Use inside(m_gate);
        require_open("create_kernel");
        if (m_sink) {
            m_sink(desc);
        }
        return std::make_shared<NullKernel>(shared_from_this(), desc);
    }

    void dispatch(const Dispatch& dispatch) override {
        const UseGate::Use inside(m_gate);
        require_open("dispatch");
        const auto& kernel = dynamic_cast<const NullKernel&>(*dispatch.kernel);
        if (dispatch.arguments.size() != kernel.argument_bytes) {
            throw core::InternalError(core::text("dispatch: expected ", kernel.argument_bytes,
                                                 " bytes of arguments, got ",
                                                 dispatch.arguments.size()));
        }
        for (const BufferUse& use : dispatch.buffers) {
            own(*use.buffer, "dispatch").last_use.store(m_source.open_value());
        }
        m_dispatches.fetch_add(1);
    }

    void flush() override {
        const UseGate::Use inside(m_gate);
        require_open("flush");
        m_flushes.fetch_add(1);
        m_source.finish_all();
    }
    void wait(const InterruptPoll&) override { flush(); }

    void upload(Buffer& buffer, std::uint64_t offset, std::span<const std::byte> bytes) override {
        const UseGate::Use inside(m_gate);
        std::byte* const target = range(buffer, offset, bytes.size(), "upload");
        const std::lock_guard lock(m_mutex);
        std::copy(bytes.begin(), bytes.end(), target);
    }
    void download(const Buffer& buffer, std::uint64_t offset, std::span<std::byte> bytes,
                  const InterruptPoll&) override {
        const UseGate::Use inside(m_gate);
        const std::byte* const source = range(buffer, offset, bytes.size(), "download");
        const std::lock_guard lock(m_mutex);
        std::copy_n(source, bytes.size(), bytes.data());
    }
    void copy(Buffer& target, std::uint64_t target_offset, const Buffer& source,
              std::uint64_t source_offset, std::uint64_t size) override {
        const UseGate::Use inside(m_gate);
        std::byte* const to = range(target, target_offset, size, "copy");
        const std::byte* const from = range(source, source_offset, size, "copy");
        const std::lock_guard lock(m_mutex);
        std::memmove(to, from, size);
    }
    void fill(Buffer& buffer, std::uint64_t offset, std::uint64_t size,
              std::uint32_t word) override {
        const UseGate::Use inside(m_gate);
        std::byte* const target = range(buffer, offset, size, "fill");
        const std::lock_guard lock(m_mutex);
        for (std::uint64_t i = 0; i + sizeof word <= size; i += sizeof word) {
            std::memcpy(target + i, &word, sizeof word);
        }
    }

    NullRayQueries* ray_queries() override {
        return m_info.features.ray_query ? &m_ray_queries : nullptr;
    }

    void close() override {
        m_gate.close({});
        m_pool.close();
    }
    bool is_closed() const noexcept override { return m_gate.is_closed(); }
    std::uint64_t dispatch_count() const noexcept override { return m_dispatches.load(); }
    std::uint64_t flush_count() const noexcept override { return m_flushes.load(); }

private:
    void require_open(std::string_view function) const {
        if (is_closed()) {
            fail_closed(*this, function);
        }
    }
    NullBuffer& own(const Buffer& buffer, std::string_view function) const {
        if (&buffer.device() != this) {
            fail_foreign_buffer(*this, buffer, function);
        }
        return const_cast<NullBuffer&>(static_cast<const NullBuffer&>(buffer));
    }
    std::byte* range(const Buffer& buffer, std::uint64_t offset, std::uint64_t size,
                     std::string_view function) const {
        require_open(function);
        const NullBuffer& owned = own(buffer, function);
        require_range(buffer, owned.label(), offset, size, function);
        return size == 0 ? nullptr : owned.host() + offset;
    }

    KernelSink m_sink;
    bool m_clears =
        false; ///< memory that was used before: what no kernel writes is read as results
    HostSource m_source;
    const std::shared_ptr<MemoryLimit> m_limit = std::make_shared<MemoryLimit>();
    MemoryPool m_pool;
    mutable UseGate m_gate;
    std::mutex m_mutex; // buffer contents
    NullRayQueries m_ray_queries{*this};
    std::atomic<std::uint64_t> m_dispatches{0};
    std::atomic<std::uint64_t> m_flushes{0};
};

} // namespace

std::shared_ptr<NullDevice> create_null_device() {
    return create_null_device(kEverything);
}

std::shared_ptr<NullDevice> create_null_device(const DeviceFeatures& features) {
    return std::make_shared<NullDeviceImplementation>(null_info(features));
}

std::shared_ptr<NullDevice> create_null_device(const DeviceInfo& info, KernelSink sink) {
    return std::make_shared<NullDeviceImplementation>(info, std::move(sink));
}

} // namespace weft::device
