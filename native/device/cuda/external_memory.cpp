// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/external_memory.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "device/cuda/context.hpp"
#include "device/cuda/stream_order.hpp"

#include <cstring>

namespace weft::device::cuda {
namespace {

constexpr std::string_view kSharing = "share_with_cuda";

/// The driver with the GPU's primary context. What is imported keeps it.
struct Access {
    Access(const std::shared_ptr<const Driver>& driver, CUdevice device)
        : context(driver, device) {}

    const Driver& driver() const noexcept { return context.driver(); }

    Context context;
};

class CudaMemory final : public ImportedMemory {
public:
    CudaMemory(std::shared_ptr<const Access> access, CUexternalMemory memory,
               CUdeviceptr address) noexcept
        : ImportedMemory(address), m_access(std::move(access)), m_memory(memory) {}
    ~CudaMemory() override {
        if (!m_access->context.is_usable()) {
            return; // a forked child: the memory belongs to the parent
        }
        try {
            const CurrentContext current(m_access->context);
            const BesideCapture unhindered(m_access->driver());
            m_access->driver().cuCtxSynchronize(); // some stream may use it still
            m_access->driver().cuMemFree(m_address);
            m_access->driver().cuDestroyExternalMemory(m_memory);
        } catch (const std::exception&) {
            // Ignored: no context to enter; the driver is shutting down and has freed the memory with it.
        }
    }

private:
    std::shared_ptr<const Access> m_access;
    CUexternalMemory m_memory;
};

class CudaSemaphore final : public ImportedSemaphore {
public:
    CudaSemaphore(std::shared_ptr<const Access> access, CUexternalSemaphore semaphore) noexcept
        : m_access(std::move(access)), m_semaphore(semaphore) {}
    ~CudaSemaphore() override {
        if (!m_access->context.is_usable()) {
            return;
        }
        try {
            const CurrentContext current(m_access->context);
            m_access->driver().cuDestroyExternalSemaphore(m_semaphore);
        } catch (const std::exception&) {
            // Ignored: no context to enter, as the driver is shutting down.
        }
    }
    CUexternalSemaphore get() const noexcept { return m_semaphore; }

private:
    std::shared_ptr<const Access> m_access;
    CUexternalSemaphore m_semaphore;
};

class Importer final : public CudaImporter {
public:
    Importer(const std::shared_ptr<const Driver>& driver, CUdevice device, std::int32_t ordinal)
        : m_access(std::make_shared<Access>(driver, device)), m_ordinal(ordinal) {}

    std::int32_t ordinal() const noexcept override { return m_ordinal; }

    std::shared_ptr<const ImportedMemory> import_memory(ExternalHandle memory,
                                                        std::uint64_t size_bytes) override {
        const CurrentContext current(m_access->context);
        const Driver& driver = m_access->driver();
        const BesideCapture unhindered(driver);
        CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc{};
        desc.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
        desc.handle.fd = memory.get();
        desc.size = size_bytes;
        desc.flags = CUDA_EXTERNAL_MEMORY_DEDICATED;
        CUexternalMemory imported = nullptr;
        const CUresult code = driver.cuImportExternalMemory(&imported, &desc);
        if (code == CUDA_ERROR_OUT_OF_MEMORY) {
            return nullptr;
        }
        check(driver, code, "cuImportExternalMemory", "create_buffer");
        memory.release();
        CUDA_EXTERNAL_MEMORY_BUFFER_DESC range{};
        range.size = size_bytes;
        CUdeviceptr address = 0;
        const CUresult mapped = driver.cuExternalMemoryGetMappedBuffer(&address, imported, &range);
        if (mapped != CUDA_SUCCESS) {
            driver.cuDestroyExternalMemory(imported);
            if (mapped == CUDA_ERROR_OUT_OF_MEMORY) {
                return nullptr;
            }
            fail(driver, mapped, "cuExternalMemoryGetMappedBuffer", "create_buffer");
        }
        return std::make_shared<CudaMemory>(m_access, imported, address);
    }

    std::shared_ptr<const ImportedSemaphore> import_semaphore(ExternalHandle semaphore) override {
        const CurrentContext current(m_access->context);
        CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC desc{};
        desc.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
        desc.handle.fd = semaphore.get();
        CUexternalSemaphore imported = nullptr;
        check(m_access->driver(), m_access->driver().cuImportExternalSemaphore(&imported, &desc),
              "cuImportExternalSemaphore", kSharing);
        semaphore.release();
        return std::make_shared<CudaSemaphore>(m_access, imported);
    }

    void require_not_captured(std::uint64_t stream, std::string_view function) override {
        m_access->context.require_usable(function);
        const CurrentContext current(m_access->context);
        cuda::require_not_captured(m_access->driver(), to_handle(stream), function,
                                   "calls of a Vulkan device cannot be part of it; load the module "
                                   "on a CUDA device");
    }

    void signal(std::uint64_t stream, const ImportedSemaphore& semaphore,
                std::uint64_t value) override {
        const Driver& driver = m_access->driver();
        order<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>(
            driver.cuSignalExternalSemaphoresAsync,
            {"cuSignalExternalSemaphoresAsync", "wait_for_stream"}, stream, semaphore, value);
    }

    void wait(std::uint64_t stream, const ImportedSemaphore& semaphore,
              std::uint64_t value) override {
        const Driver& driver = m_access->driver();
        order<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>(
            driver.cuWaitExternalSemaphoresAsync,
            {"cuWaitExternalSemaphoresAsync", "make_stream_wait"}, stream, semaphore, value);
    }

    void finish() noexcept override {
        if (!m_access->context.is_usable()) {
            return;
        }
        try {
            const CurrentContext current(m_access->context);
            const BesideCapture unhindered(m_access->driver());
            m_access->driver().cuCtxSynchronize();
        } catch (const std::exception&) {
            // Ignored: no context to enter, as the driver is shutting down.
        }
    }

private:
    /// Names for the message of an error.
    struct Doing {
        const char* call;
        std::string_view function;
    };

    /// Puts one use of a semaphore into a stream.
    template <typename Parameters, typename Call>
    void order(Call call, const Doing& doing, std::uint64_t stream,
               const ImportedSemaphore& semaphore, std::uint64_t value) {
        const CurrentContext current(m_access->context);
        const CUexternalSemaphore handle = static_cast<const CudaSemaphore&>(semaphore).get();
        Parameters parameters{};
        parameters.params.fence.value = value;
        check(m_access->driver(), call(&handle, &parameters, 1, to_handle(stream)), doing.call,
              doing.function);
    }

    std::shared_ptr<const Access> m_access;
    std::int32_t m_ordinal;
};

void require_functions(const Driver& driver, std::string_view context) {
    const bool has_all = driver.cuImportExternalMemory && driver.cuExternalMemoryGetMappedBuffer &&
                         driver.cuDestroyExternalMemory && driver.cuImportExternalSemaphore &&
                         driver.cuDestroyExternalSemaphore &&
                         driver.cuSignalExternalSemaphoresAsync &&
                         driver.cuWaitExternalSemaphoresAsync && driver.cuDeviceGetUuid;
    if (!has_all) {
        throw core::DeviceError(
            core::text(context, ": the NVIDIA driver is too old to share memory with Vulkan; "
                                "update it, move the tensor with .cpu(), or use a CUDA device"),
            core::DeviceError::Kind::unavailable);
    }
}

std::string name_of(const Driver& driver, CUdevice device) {
    std::array<char, 256> name{};
    check(driver, driver.cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device),
          "cuDeviceGetName", kSharing);
    return name.data();
}

} // namespace

std::shared_ptr<const Driver> load_driver() {
    return Driver::load();
}

std::shared_ptr<CudaImporter> create_importer(const std::shared_ptr<const Driver>& driver,
                                              const ImporterDesc& desc) {
    require_functions(*driver, desc.context);
    CUdevice device = 0;
    check(*driver, driver->cuDeviceGet(&device, desc.ordinal), "cuDeviceGet", desc.context);
    CUuuid theirs{};
    check(*driver, driver->cuDeviceGetUuid(&theirs, device), "cuDeviceGetUuid", desc.context);
    if (std::memcmp(theirs.bytes, desc.uuid.data(), desc.uuid.size()) != 0) {
        throw core::ArgumentError(
            core::text(desc.context, " lies on cuda:", desc.ordinal, " (", name_of(*driver, device),
                       "), the Vulkan device is another one (", desc.name,
                       "); pass a tensor of its GPU, move this one with .cpu(), or use a CUDA "
                       "device"));
    }
    return std::make_shared<Importer>(driver, device, desc.ordinal);
}

} // namespace weft::device::cuda
