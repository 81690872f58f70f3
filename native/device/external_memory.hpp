// SPDX-License-Identifier: Apache-2.0
// Memory that CUDA and another API both know, on one GPU: the other API exports what it allocated, CUDA imports it.
// vulkan/external_memory.hpp is the exporting half, cuda/external_memory.hpp the importing one, and neither
// includes the other. Order between the two comes from semaphores that count up, exported alike.
#pragma once

#include "device/buffer.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::device {

/// What drivers of both APIs call one GPU.
using GpuUuid = std::array<std::uint8_t, 16>;

/// An object of the driver on its way from one API to the other: a file descriptor, closed unless release() took it.
/// A handle of Windows would be a second kind beside it: nothing exports one yet.
class ExternalHandle {
public:
    explicit ExternalHandle(int descriptor) noexcept : m_descriptor(descriptor) {}
    ExternalHandle(ExternalHandle&& other) noexcept
        : m_descriptor(std::exchange(other.m_descriptor, kNone)) {}
    ExternalHandle& operator=(ExternalHandle&& other) noexcept {
        std::swap(m_descriptor, other.m_descriptor);
        return *this;
    }
    ExternalHandle(const ExternalHandle&) = delete;
    ExternalHandle& operator=(const ExternalHandle&) = delete;
    ~ExternalHandle();

    int get() const noexcept { return m_descriptor; }
    /// To be called once the other API owns the descriptor.
    void release() noexcept { m_descriptor = kNone; }

private:
    static constexpr int kNone = -1;
    int m_descriptor;
};

/// Memory of the other API as CUDA sees it, until it is destroyed.
class ImportedMemory {
public:
    virtual ~ImportedMemory() = default;
    ImportedMemory(const ImportedMemory&) = delete;
    ImportedMemory& operator=(const ImportedMemory&) = delete;
    /// CUDA's address of the first byte.
    std::uint64_t address() const noexcept { return m_address; }

protected:
    explicit ImportedMemory(std::uint64_t address) noexcept : m_address(address) {}
    std::uint64_t m_address;
};

/// A counting semaphore of the other API in CUDA's hands.
class ImportedSemaphore {
public:
    virtual ~ImportedSemaphore() = default;
    ImportedSemaphore(const ImportedSemaphore&) = delete;
    ImportedSemaphore& operator=(const ImportedSemaphore&) = delete;

protected:
    ImportedSemaphore() = default;
};

/// CUDA on the GPU of a device of another API. Thread-safe. Streams are CUstreams, 0 the default one.
class CudaImporter {
public:
    virtual ~CudaImporter() = default;
    CudaImporter(const CudaImporter&) = delete;
    CudaImporter& operator=(const CudaImporter&) = delete;

    /// CUDA's index of the GPU.
    [[nodiscard]] virtual std::int32_t ordinal() const noexcept = 0;
    /// @param size_bytes of the whole allocation. @return null if CUDA has no room for it.
    [[nodiscard]] virtual std::shared_ptr<const ImportedMemory>
    import_memory(ExternalHandle memory, std::uint64_t size_bytes) = 0;
    [[nodiscard]] virtual std::shared_ptr<const ImportedSemaphore>
    import_semaphore(ExternalHandle semaphore) = 0;
    /// @throws ArgumentError while the stream is captured: the order cannot be part of a graph.
    virtual void require_not_captured(std::uint64_t stream, std::string_view function) = 0;
    /// The stream sets the semaphore to `value` once it has done what it has now.
    virtual void signal(std::uint64_t stream, const ImportedSemaphore& semaphore,
                        std::uint64_t value) = 0;
    /// What the stream gets from now on waits until the semaphore has reached `value`.
    virtual void wait(std::uint64_t stream, const ImportedSemaphore& semaphore,
                      std::uint64_t value) = 0;
    /// Blocks until CUDA has done all that it has. Ignores errors.
    virtual void finish() noexcept = 0;

protected:
    CudaImporter() = default;
};

/// @param ordinal CUDA's index of the GPU whose memory is to be shared. @param uuid of the GPU that exports.
/// @param name of the device that exports; @param context begins messages.
/// @throws ArgumentError if the two are not one GPU; DeviceError{unavailable} without a driver that can do it.
[[nodiscard]] std::shared_ptr<CudaImporter> create_cuda_importer(std::int32_t ordinal,
                                                                 const GpuUuid& uuid,
                                                                 std::string_view name,
                                                                 std::string_view context);

/// Which memory CUDA knows and which buffers are in the hands of its users. Thread-safe; outlives the device where
/// those users do.
class LentMemory : public std::enable_shared_from_this<LentMemory> {
public:
    void add(std::shared_ptr<const ImportedMemory> memory);
    /// CUDA keeps what is lent; the rest is gone.
    void remove(std::uint64_t address) noexcept;

    /// For who uses Buffer::cuda_address(): keeps CUDA's view of the memory, even beyond the device. When it goes,
    /// returned() will name the stream. Keeps no buffer.
    [[nodiscard]] std::shared_ptr<void> lend(const std::shared_ptr<Buffer>& buffer,
                                             std::uint64_t stream);
    /// The lent buffer that holds these bytes of CUDA's memory, or null.
    [[nodiscard]] std::shared_ptr<Buffer> find(std::uint64_t cuda_address,
                                               std::uint64_t size_bytes) const;
    /// The streams that may still use memory that came back.
    [[nodiscard]] std::vector<std::uint64_t> returned() const;
    /// Takes out one of them, which is waited for.
    void forget_returned(std::uint64_t stream) noexcept;

private:
    class Loan;
    struct Entry {
        std::weak_ptr<Buffer> buffer;
        std::uint64_t size_bytes = 0;
        std::uint32_t loans = 0;
    };

    void give_back(std::uint64_t cuda_address, std::uint64_t stream) noexcept;

    mutable std::mutex m_mutex;
    std::map<std::uint64_t, std::shared_ptr<const ImportedMemory>> m_memory; ///< by CUDA's address
    std::map<std::uint64_t, Entry> m_lent;                                   ///< likewise
    std::vector<std::uint64_t> m_returned;
};

} // namespace weft::device
