// SPDX-License-Identifier: Apache-2.0
#include "device/external_memory.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "device/cuda/external_memory.hpp"

#include <algorithm>

#if !defined(_WIN32)
#include <unistd.h>
#endif

namespace weft::device {

ExternalHandle::~ExternalHandle() {
#if !defined(_WIN32)
    if (m_descriptor != kNone) {
        ::close(m_descriptor);
    }
#endif
}

#if WEFT_WITH_CUDA
std::shared_ptr<CudaImporter> create_cuda_importer(std::int32_t ordinal, const GpuUuid& uuid,
                                                   std::string_view name,
                                                   std::string_view context) {
    return cuda::create_importer(cuda::load_driver(), {ordinal, uuid, name, context});
}
#else
std::shared_ptr<CudaImporter> create_cuda_importer(std::int32_t, const GpuUuid&, std::string_view,
                                                   std::string_view context) {
    throw core::DeviceError(core::text(context, ": this build of Weft has no CUDA; move the tensor "
                                                "with .cpu()"),
                            core::DeviceError::Kind::unavailable);
}
#endif

/// Memory in the hands of a user of CUDA.
class LentMemory::Loan {
public:
    Loan(std::shared_ptr<LentMemory> lender, std::shared_ptr<const ImportedMemory> memory,
         std::uint64_t cuda_address, std::uint64_t stream) noexcept
        : m_lender(std::move(lender)), m_memory(std::move(memory)), m_address(cuda_address),
          m_stream(stream) {}
    ~Loan() { m_lender->give_back(m_address, m_stream); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

private:
    std::shared_ptr<LentMemory> m_lender;
    std::shared_ptr<const ImportedMemory> m_memory;
    std::uint64_t m_address;
    std::uint64_t m_stream;
};

namespace {

/// The entry with the last start that is not beyond `address`, or end().
template <typename Map>
auto entry_before(Map& map, std::uint64_t address) {
    const auto next = map.upper_bound(address);
    return next == map.begin() ? map.end() : std::prev(next);
}

} // namespace

void LentMemory::add(std::shared_ptr<const ImportedMemory> memory) {
    const std::lock_guard lock(m_mutex);
    m_memory[memory->address()] = std::move(memory);
}

void LentMemory::remove(std::uint64_t address) noexcept {
    const std::lock_guard lock(m_mutex);
    m_memory.erase(address);
}

std::shared_ptr<void> LentMemory::lend(const std::shared_ptr<Buffer>& buffer,
                                       std::uint64_t stream) {
    const std::uint64_t address = buffer->cuda_address();
    const std::lock_guard lock(m_mutex);
    const auto memory = entry_before(m_memory, address);
    if (memory == m_memory.end()) {
        throw core::InternalError("lend: the buffer lies in no memory that CUDA knows");
    }
    Entry& entry = m_lent[address];
    entry.buffer = buffer;
    entry.size_bytes = buffer->size_bytes();
    ++entry.loans;
    return std::make_shared<Loan>(shared_from_this(), memory->second, address, stream);
}

void LentMemory::give_back(std::uint64_t cuda_address, std::uint64_t stream) noexcept {
    const std::lock_guard lock(m_mutex);
    const auto found = m_lent.find(cuda_address);
    if (found != m_lent.end() && --found->second.loans == 0) {
        m_lent.erase(found);
    }
    if (std::ranges::find(m_returned, stream) == m_returned.end()) {
        m_returned.push_back(stream);
    }
}

std::shared_ptr<Buffer> LentMemory::find(std::uint64_t cuda_address,
                                         std::uint64_t size_bytes) const {
    const std::lock_guard lock(m_mutex);
    const auto found = entry_before(m_lent, cuda_address);
    if (found == m_lent.end()) {
        return nullptr;
    }
    const auto& [start, entry] = *found;
    const std::uint64_t offset = cuda_address - start;
    const bool holds = offset <= entry.size_bytes && size_bytes <= entry.size_bytes - offset;
    return holds ? entry.buffer.lock() : nullptr;
}

void LentMemory::forget_returned(std::uint64_t stream) noexcept {
    const std::lock_guard lock(m_mutex);
    std::erase(m_returned, stream);
}

std::vector<std::uint64_t> LentMemory::returned() const {
    const std::lock_guard lock(m_mutex);
    return m_returned;
}

} // namespace weft::device
