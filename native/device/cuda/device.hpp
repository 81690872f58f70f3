// SPDX-License-Identifier: Apache-2.0
// The CUDA device. Layers of this folder, bottom up: driver (the function table), result (errors), context, adapter
// (what is there), command_queue (the stream), memory and upload_ring, nvrtc and kernel_compiler (source to machine
// code), buffer, kernel and replay, device. Start reading at CudaDevice::dispatch, then command_queue.hpp.
#pragma once

#include "device/cuda/adapter.hpp"
#include "device/cuda/buffer.hpp"
#include "device/cuda/kernel.hpp"
#include "device/cuda/kernel_compiler.hpp"
#include "device/cuda/launch_arguments.hpp"
#include "device/cuda/memory.hpp"
#include "device/cuda/replay.hpp"
#include "device/cuda/staging.hpp"
#include "device/cuda/upload_ring.hpp"
#include "device/device.hpp"
#include "device/pinned_memory.hpp"
#include "device/pinned_ranges.hpp"
#include "device/use_gate.hpp"

#include <atomic>
#include <list>
#include <memory>
#include <mutex>

namespace weft::device::cuda {

/// With DeviceDesc::debug every dispatch is waited for, so that an error names the kernel that caused it.
class CudaDevice final : public Device, public MemoryPinning {
public:
    CudaDevice(const std::shared_ptr<const Driver>& driver, const Adapter& adapter,
               const DeviceDesc& desc);
    ~CudaDevice() override;

    MemoryInfo memory_info() const override;
    std::uint64_t trim(const InterruptPoll& poll) override;
    std::uint64_t memory_limit() const noexcept override { return m_limit->bytes(); }
    void set_memory_limit(std::uint64_t bytes) override;
    std::shared_ptr<Buffer> create_buffer(const BufferDesc& desc) override;
    std::shared_ptr<Kernel> create_kernel(const KernelDesc& desc) override;
    void dispatch(const Dispatch& dispatch) override;
    void flush() override;
    void wait(const InterruptPoll& poll) override;
    void upload(Buffer& buffer, std::uint64_t offset, std::span<const std::byte> bytes) override;
    void download(const Buffer& buffer, std::uint64_t offset, std::span<std::byte> bytes,
                  const InterruptPoll& poll) override;
    void copy(Buffer& target, std::uint64_t target_offset, const Buffer& source,
              std::uint64_t source_offset, std::uint64_t size) override;
    void fill(Buffer& buffer, std::uint64_t offset, std::uint64_t size,
              std::uint32_t word) override;
    std::shared_ptr<void> pin(std::span<std::byte> pages) override;
    std::unique_ptr<Replay> create_replay(std::span<const Dispatch> dispatches) override;
    void close() override;
    bool is_closed() const noexcept override { return m_is_closed.load(std::memory_order_acquire); }
    std::shared_ptr<Buffer> wrap_external(std::uint64_t address, std::uint64_t size_bytes,
                                          std::shared_ptr<void> keep_alive) override;
    std::shared_ptr<Buffer> lend(std::uint64_t address, std::uint64_t size_bytes,
                                 std::shared_ptr<void> keep_alive) override;
    std::int32_t cuda_ordinal() const noexcept override { return m_info.adapter; }
    std::uint64_t native_context() const noexcept override;
    std::uint64_t native_stream() const noexcept override;
    void wait_for_stream(std::uint64_t stream) override;
    void make_stream_wait(std::uint64_t stream) override;
    bool is_capturing(std::uint64_t stream) const override;

    /// The kernel is gone; its module follows once the device has finished with it.
    void release_module(std::list<Module>::iterator module) noexcept;
    void launch_graph(Graph& graph);
    /// Waits for the graph's last run, then destroys it.
    void release_graph(std::list<Graph>::iterator graph) noexcept;

private:
    void require_open(std::string_view function) const;
    const CudaBuffer& own(const Buffer& buffer, std::string_view function) const;
    const CudaKernel& own(const Kernel& kernel) const;
    void check_dispatch(const Dispatch& dispatch, const CudaKernel& kernel) const;
    Module load_module(const KernelDesc& desc);
    void launch(const CudaKernel& kernel, const Dispatch& dispatch,
                std::span<const std::byte> arguments, CUstream stream);
    void launch_in_queue(const CudaKernel& kernel, const Dispatch& dispatch);
    void launch_by_address(const CudaKernel& kernel, const Dispatch& dispatch);
    void require_success(const CudaKernel& kernel, CUstream stream) const;
    /// Null for a default stream, which is the queue itself.
    CUstream foreign_stream(std::uint64_t stream) const noexcept;
    /// What the queue has to order of a dispatch, and what to pass instead; "": nothing.
    static std::string reason_for_queue(const CudaKernel& kernel, const Dispatch& dispatch);
    /// What `second` gets from now on runs after what `first` has now.
    void order(CUstream first, CUstream second, std::string_view function);
    void order_streams(std::uint64_t other, bool is_other_first, std::string_view function);
    void queue_upload(CUdeviceptr target, std::span<const std::byte> bytes,
                      std::string_view function);
    void queue_download(std::byte* target, CUdeviceptr source, std::uint64_t size);
    void unpin(std::byte* pages) noexcept;
    bool try_upload_pinned(Buffer& target, std::uint64_t offset, std::span<const std::byte> bytes);
    bool try_download_pinned(const Buffer& source, std::uint64_t offset, std::span<std::byte> bytes,
                             const InterruptPoll& poll);
    Graph create_graph(std::span<const Dispatch> dispatches);
    void drop_retired() noexcept;
    void destroy(const Graph& graph) noexcept;
    void close_with(const InterruptPoll& poll);
    void release_everything() noexcept;

    mutable UseGate m_gate;     ///< entered by calls that use the driver without m_mutex
    std::mutex m_closing;       ///< one close() at a time; taken before m_mutex
    mutable std::mutex m_mutex; ///< launches, the ring, modules and graphs
    std::unique_ptr<Context> m_context;
    std::unique_ptr<CommandQueue> m_queue;
    std::unique_ptr<UploadRing> m_ring;
    std::unique_ptr<Staging> m_staging; ///< of large transfers
    PinnedRanges m_pinned;
    std::unique_ptr<Event> m_order;             ///< null until another stream is ordered with ours
    const std::shared_ptr<MemoryLimit> m_limit; ///< of m_device_pool
    std::unique_ptr<BlockSource> m_device_source;
    std::unique_ptr<BlockSource> m_readback_source;
    std::unique_ptr<MemoryPool> m_device_pool;
    std::unique_ptr<MemoryPool> m_readback_pool;
    KernelCompiler m_compiler;
    std::list<Module> m_modules;
    std::list<Module> m_retired;
    std::list<Graph> m_graphs;
    const InterruptPoll m_poll;
    bool m_is_debug;
    std::atomic<bool> m_is_closed{false};
    std::atomic<bool> m_has_work_elsewhere{false}; ///< since the last wait()
};

} // namespace weft::device::cuda
