// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/api.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace weft::device {

class Device;

/// Where the memory of a buffer lies.
enum class MemoryKind : std::uint8_t {
    device, ///< fastest for kernels
    /// host memory that kernels can write and mapped() can read after wait(). On software devices the host may write
    /// there too while no work that uses the buffer is under way; work submitted later sees it
    readback,
};

/// What Device::create_buffer() takes.
struct BufferDesc {
    std::uint64_t size_bytes = 0; ///< 0 is allowed: address() is then 0
    MemoryKind memory =
        MemoryKind::device; ///< readback: for results that the host reads without a copy
    std::string label{};    ///< shown in out-of-memory reports; interned, keep it short
};

/// Linear device memory. Keeps its Device alive; the memory is reused only after the last command
/// that uses it has finished.
class WEFT_API Buffer : public std::enable_shared_from_this<Buffer> {
public:
    virtual ~Buffer() = default;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    /// As asked for, bytes; 0 and up.
    std::uint64_t size_bytes() const noexcept { return m_size; }
    /// Device address of the first byte, aligned to 256; usable as a Slang pointer. 0 if empty.
    std::uint64_t address() const noexcept { return m_address; }
    /// CUDA's address of the first byte: address() on CUDA, elsewhere that of memory shared by
    /// Device::share_with_cuda(); 0 if there is none.
    std::uint64_t cuda_address() const noexcept { return m_cuda_address; }
    /// Host view of readback memory, size_bytes() long, valid as long as the buffer; nullptr for device memory.
    std::byte* mapped() const noexcept { return m_mapped; }
    /// Whose memory it is; lives as long as the buffer.
    Device& device() const noexcept { return *m_device; }
    /// The same, never null, for what has to keep it alive.
    const std::shared_ptr<Device>& device_ref() const noexcept { return m_device; }
    /// True for memory that is ordered by the stream of each launch (Device::lend), not by the device's queue.
    bool is_lent() const noexcept { return m_is_lent; }

protected:
    explicit Buffer(std::shared_ptr<Device> device) : m_device(std::move(device)) {}
    std::shared_ptr<Device> m_device;
    std::uint64_t m_size = 0;
    std::uint64_t m_address = 0;
    std::uint64_t m_cuda_address = 0;
    std::byte* m_mapped = nullptr;
    bool m_is_lent = false;
};

} // namespace weft::device
