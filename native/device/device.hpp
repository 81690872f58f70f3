// SPDX-License-Identifier: Apache-2.0
// One device: memory, kernels and one in-order queue. Start here, then buffer.hpp and kernel.hpp;
// vulkan/ and cuda/ hold the same files for each backend.
#pragma once

#include "core/api.hpp"
#include "core/error.hpp"
#include "core/interrupt_poll.hpp"
#include "core/target.hpp"
#include "device/buffer.hpp"
#include "device/kernel.hpp"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weft::device {

/// Which driver a device is used by. Vulkan and CUDA have a backend; automatic chooses, see Device::create().
enum class DeviceType : std::uint8_t { automatic, vulkan, cuda, d3d12, metal, cpu };

/// "vulkan", as the enumerator is called; valid as long as the program runs.
[[nodiscard]] WEFT_API std::string_view to_string(DeviceType type) noexcept;

/// What the driver reports, each at most so much.
struct DeviceLimits {
    std::array<std::uint32_t, 3> max_group_count{}; ///< groups of one dispatch along each axis
    std::array<std::uint32_t, 3> max_group_size{};  ///< threads along each axis
    std::uint32_t max_threads_per_group = 0;        ///< product of the three axes
    std::uint32_t subgroup_size = 0;                ///< threads that run in step: 32 on CUDA
    std::uint32_t max_shared_memory = 0;            ///< bytes a group
    std::uint32_t max_inline_arguments = 0; ///< bytes of arguments that a kernel takes by value
    std::uint64_t max_buffer_size = 0;      ///< bytes of one allocation
    std::uint64_t max_storage_binding = 0;  ///< bytes of one bound storage buffer (Vulkan)
    std::uint32_t storage_binding_alignment = 1; ///< bytes, of BufferUse::offset; a power of two
};

/// What kernels of the device may use; false: compiling or launching such a kernel fails.
struct DeviceFeatures {
    bool is_software = false; ///< runs on the CPU; contiguous tensors are bound as storage buffers
    bool float16 = false;     ///< half, 2 bytes, in memory and in arithmetic
    bool float64 = false;     ///< double, 8 bytes
    bool int8 = false;        ///< integers of 1 byte in memory
    bool int16 = false;       ///< integers of 2 bytes
    bool int64 = false;       ///< integers of 8 bytes
    bool int64_atomics = false;      ///< on words of 8 bytes in device memory
    bool float32_atomic_add = false; ///< on floats of 4 bytes in device memory
    bool float16_atomic_add = false; ///< on halves of 2 bytes
    bool float64_atomic_add = false; ///< on doubles of 8 bytes
    bool subgroup_arithmetic =
        false;                 ///< sums and the like over the threads of a subgroup, without memory
    bool host_memory = false;  ///< wrap_external() takes memory of the process (software Vulkan)
    bool matrix_units = false; ///< PTX's mma.m16n8k16 with halves and bfloat16
    bool ray_query = false;    ///< Device::ray_queries(), and RayQuery in kernels (Vulkan)
};

/// What enumerate() knows without creating the device, and Device::info() repeats.
struct DeviceInfo {
    DeviceType type = DeviceType::vulkan;      ///< never automatic
    core::Target target = core::Target::spirv; ///< the code that its kernels are made of
    std::string name{};                        ///< the driver's, UTF-8
    std::string driver{};                      ///< driver name and version
    std::int32_t adapter = 0;                  ///< index to pass as DeviceDesc::adapter
    std::uint64_t memory_bytes = 0;            ///< of the device's own memory, whoever uses it
    std::string architecture{};                ///< "sm_90" on CUDA, else ""
    DeviceLimits limits{};                     ///< see above
    DeviceFeatures features{};                 ///< see above
};

/// What Device::create() takes. A plain value.
struct DeviceDesc {
    DeviceType type = DeviceType::automatic; ///< vulkan, cuda, or the best of both
    std::optional<std::int32_t>
        adapter{};      ///< index as enumerate() reports it, 0 and up; nullopt: the best
    bool debug = false; ///< validation layer on Vulkan
    std::uint64_t memory_limit = 0; ///< bytes of device memory; 0: what there is
    std::string cache_directory{};  ///< compiled machine code (cubins, pipeline cache); "": none
    /// CUDA: folders of NVRTC, searched first; the folder ../include beside one may hold CUDA headers
    std::vector<std::string> library_directories{};
    core::InterruptPoll poll{}; ///< of waits whose function takes none, as close()
};

/// Statistics of the pooled allocator, bytes.
struct MemoryInfo {
    std::uint64_t total = 0;     ///< device memory; software: what this process may use
    std::uint64_t available = 0; ///< as the driver (software: system) reports it; 0 if unknown
    std::uint64_t reserved = 0;  ///< held by the pool
    std::uint64_t used = 0;      ///< in live buffers
    std::uint64_t idle = 0;      ///< in blocks without a live buffer: what Device::trim() returns
    std::uint64_t peak_used = 0; ///< largest `used` since creation
    std::uint64_t peak_reserved = 0; ///< largest `reserved` since creation
    std::uint64_t limit = 0;         ///< of reserved, host memory apart; 0: none
    std::uint64_t live_buffers = 0;  ///< number of them, no bytes
    std::uint64_t allocations = 0;   ///< calls of the driver's allocator since creation
};

using core::InterruptPoll;

class RayQueries;

/// A sequence of dispatches that the driver runs in one call. Made by Device::create_replay. The kernels and
/// buffers of the sequence must outlive it (CommandList sees to that).
class WEFT_API Replay {
public:
    virtual ~Replay() = default;
    Replay(const Replay&) = delete;
    Replay& operator=(const Replay&) = delete;
    /// Appends the whole sequence to the device's queue, in order with dispatches. Returns at once.
    /// @throws DeviceError if the device is closed or lost.
    virtual void submit() = 0;

protected:
    Replay() = default;
};

/// Thread-safe: any thread may call any method. Work runs in the order of submission.
class WEFT_API Device : public std::enable_shared_from_this<Device> {
public:
    virtual ~Device() = default;
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    /// Creates a device. automatic prefers a real GPU (CUDA, then Vulkan), then software Vulkan.
    /// @throws DeviceError{unavailable} that names the missing driver or library and how to get it.
    /// @throws ArgumentError for a type that Weft has no backend for, or an adapter out of range.
    [[nodiscard]] static std::shared_ptr<Device> create(const DeviceDesc& desc);
    /// Every usable device of this machine; empty if there is none. Never throws for a missing driver.
    [[nodiscard]] static std::vector<DeviceInfo> enumerate();

    /// Never changes; valid as long as the device, closed or not.
    const DeviceInfo& info() const noexcept { return m_info; }
    /// What create_kernel() takes: the target that modules for this device are loaded for.
    core::Target target() const noexcept { return m_info.target; }
    /// How structures lie in the memory of this device; never LayoutRules::host.
    core::LayoutRules layout_rules() const noexcept { return core::layout_rules(target()); }
    /// As it is now, in bytes; other threads may change it meanwhile.
    [[nodiscard]] virtual MemoryInfo memory_info() const = 0;
    /// Waits for submitted work, then returns all memory to the driver that no live buffer lies in: blocks of the
    /// pools, staging, and what else is made anew when it is needed. Blocks with a live buffer stay whole.
    /// @return bytes.
    virtual std::uint64_t trim(const InterruptPoll& poll = {}) = 0;
    /// Bytes of device memory that live and idle buffers may take; 0: no limit.
    virtual std::uint64_t memory_limit() const noexcept = 0;
    /// Changes it, and returns idle memory where more is held. What lies in live buffers stays, whatever the limit;
    /// create_buffer() throws until there is less of it. @param bytes 0: no limit.
    virtual void set_memory_limit(std::uint64_t bytes) = 0;

    /// Linear memory, its content undefined. Never null; the buffer keeps the device alive.
    /// @throws DeviceError{out_of_memory}: what was asked, what is free, who holds how much (by label).
    [[nodiscard]] virtual std::shared_ptr<Buffer> create_buffer(const BufferDesc& desc) = 0;
    /// Makes code of target() ready to run; `desc` is copied. Never null; may be used by any thread.
    /// @throws ArgumentError for groups larger than DeviceLimits has; DeviceError if the driver refuses the code.
    [[nodiscard]] virtual std::shared_ptr<Kernel> create_kernel(const KernelDesc& desc) = 0;

    /// Appends one dispatch to the queue. May be submitted later (flush). Keeps every buffer in
    /// `dispatch.buffers` and the kernel alive until the device has finished with them.
    /// @throws ArgumentError for a kernel or a buffer of another device, or more groups than DeviceLimits has; DeviceError
    ///         if the device is closed or lost.
    virtual void dispatch(const Dispatch& dispatch) = 0;
    /// Submits what was recorded. Cheap if nothing was.
    virtual void flush() = 0;
    /// Flushes and blocks until the queue is empty, and what went into streams of others (Dispatch::stream) is done.
    /// @throws DeviceError for a fault of a kernel, whatever `poll` throws; the work goes on then.
    virtual void wait(const InterruptPoll& poll = {}) = 0;

    /// Copies to [offset, offset + bytes.size()) of the buffer, bytes. Ordered with dispatches. `bytes` may be reused at
    /// return. @throws ArgumentError if the range is not in the buffer.
    virtual void upload(Buffer& buffer, std::uint64_t offset, std::span<const std::byte> bytes) = 0;
    /// Flushes, waits for work that writes the buffer, copies [offset, offset + bytes.size()) of it, bytes.
    /// @throws ArgumentError if the range is not in the buffer, what `poll` throws; `bytes` are undefined then.
    virtual void download(const Buffer& buffer, std::uint64_t offset, std::span<std::byte> bytes,
                          const InterruptPoll& poll = {}) = 0;
    /// Copies `size` bytes between buffers of this device. Ordered with dispatches.
    /// @throws ArgumentError if a range is not in its buffer, or both overlap.
    virtual void copy(Buffer& target, std::uint64_t target_offset, const Buffer& source,
                      std::uint64_t source_offset, std::uint64_t size) = 0;
    /// Fills [offset, offset + size), bytes, with a repeated 32-bit word; both are multiples of 4. Ordered with dispatches.
    /// @throws ArgumentError if they are not, or the range is not in the buffer.
    virtual void fill(Buffer& buffer, std::uint64_t offset, std::uint64_t size,
                      std::uint32_t word) = 0;

    /// nullptr if the backend has nothing faster than one dispatch after the other. Arguments are
    /// copied.
    /// @throws what dispatch() throws.
    [[nodiscard]] virtual std::unique_ptr<Replay> create_replay(std::span<const Dispatch>) {
        return nullptr;
    }

    /// Acceleration structures of the driver; lives as long as the device. nullptr without DeviceFeatures::ray_query.
    [[nodiscard]] virtual RayQueries* ray_queries() { return nullptr; }

    /// Refuses new calls at once with DeviceError "... is closed", lets those under way end, waits for
    /// submitted work, then releases everything. Idempotent. DeviceDesc::poll may interrupt it: then the
    /// device stays closed to other calls, and the next close() goes on.
    virtual void close() = 0;
    /// True once close() has released everything.
    virtual bool is_closed() const noexcept = 0;

    /// What the validation layer has said since it was switched on (debug); 0 without one.
    virtual std::uint64_t validation_message_count() const noexcept { return 0; }
    /// The first of those messages, oldest first; empty without a validation layer.
    virtual std::vector<std::string> validation_messages() const { return {}; }

    /// CUcontext / CUstream of a CUDA device as integers, 0 elsewhere (to share with torch).
    virtual std::uint64_t native_context() const noexcept { return 0; }
    /// The stream that dispatches go into, as native_context(); 0: there is none.
    virtual std::uint64_t native_stream() const noexcept { return 0; }

    /// Orders this device with a CUDA stream of somebody else, by events: what is queued here from now on runs after
    /// what the stream has now. `stream` is a CUstream; the default streams need no order. Nothing to do elsewhere.
    /// @throws ArgumentError while the stream is captured: the order cannot be part of a graph.
    virtual void wait_for_stream(std::uint64_t /*stream*/) {}
    /// The other way round: what the stream gets from now on runs after what is queued here now. @throws as above.
    virtual void make_stream_wait(std::uint64_t /*stream*/) {}

    /// Whether the CUstream of somebody else is being captured into a graph; false elsewhere than on CUDA.
    virtual bool is_capturing(std::uint64_t /*stream*/) const { return false; }

    /// Lets CUDA of the same GPU use memory of this device: buffers that are created from now on have a
    /// cuda_address(), and the two functions above order this device with CUDA's streams, 0 being the default one.
    /// Waits for the device the first time. CUDA devices share without it.
    /// @param ordinal CUDA's index of the GPU. @param context begins messages: "f: argument 'x'".
    /// @throws ArgumentError for another GPU or backend; DeviceError{unavailable} for drivers that cannot.
    virtual void share_with_cuda(std::int32_t ordinal, std::string_view context);
    /// CUDA's index of the GPU whose memory this device takes in place: of a CUDA device its own, of others that of
    /// share_with_cuda(); -1: there is none.
    virtual std::int32_t cuda_ordinal() const noexcept { return -1; }
    /// To be kept by whoever uses the cuda_address() of a buffer of this device, beside the buffer, and dropped before
    /// it, on any thread: then the next owner of the memory waits for what `stream` has. CUDA's view of the memory
    /// lives as long, even if the device is closed.
    [[nodiscard]] virtual std::shared_ptr<void> lend_to_cuda(const std::shared_ptr<Buffer>& buffer,
                                                             std::uint64_t stream);
    /// The lent buffer that holds these bytes of CUDA's memory; null if none does.
    [[nodiscard]] virtual std::shared_ptr<Buffer>
    find_lent_to_cuda(std::uint64_t /*cuda_address*/, std::uint64_t /*size_bytes*/) const {
        return nullptr;
    }

    /// A buffer over memory that somebody else allocated and this device can address (CUDA: same
    /// context). `keep_alive` is released with the buffer, on any thread; commands that use it may still
    /// be queued then, ahead of all that its owner does on native_stream() afterwards.
    /// @throws ArgumentError where the backend cannot address it (Vulkan, but for host memory in software).
    [[nodiscard]] virtual std::shared_ptr<Buffer> wrap_external(std::uint64_t address,
                                                                std::uint64_t size_bytes,
                                                                std::shared_ptr<void> keep_alive);

    /// The same for memory that the owner uses in the order of streams of his own: nothing orders it but
    /// Dispatch::stream, which launches that use it have to name.
    /// @throws as wrap_external().
    [[nodiscard]] virtual std::shared_ptr<Buffer>
    lend(std::uint64_t address, std::uint64_t size_bytes, std::shared_ptr<void> keep_alive);

    /// Whatever the layer that created the device wants to find again from it. Set once, before the
    /// device is shared between threads; must not keep the device alive.
    const std::shared_ptr<void>& attachment() const noexcept { return m_attachment; }
    /// Null: nothing. See attachment().
    void attach(std::shared_ptr<void> attachment) noexcept { m_attachment = std::move(attachment); }

protected:
    explicit Device(DeviceInfo info) : m_info(std::move(info)) {}
    DeviceInfo m_info;

private:
    std::shared_ptr<void> m_attachment;
};

} // namespace weft::device
