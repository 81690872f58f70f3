// SPDX-License-Identifier: Apache-2.0
// File: kMagic, hash of the payload (2 words), payload as vkGetPipelineCacheData gave it. The hash
// is checked before the driver sees the payload, because drivers trust it.
#include "device/vulkan/pipeline_cache.hpp"

#include "core/file.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

#include <array>
#include <cstring>
#include <iomanip>
#include <sstream>
#include <vector>

namespace weft::device::vulkan {
namespace {

constexpr std::uint64_t kMagic = 0x3143504654464557; // "WEFTFPC1"
constexpr std::size_t kHeaderBytes = 3 * sizeof(std::uint64_t);
constexpr std::uint64_t kMaxFileBytes = std::uint64_t{256} << 20;
constexpr std::chrono::seconds kSavePeriod{5};

using Header = std::array<std::uint64_t, 3>;

std::string file_name(const Adapter& adapter) {
    std::ostringstream name;
    name << "vulkan_" << std::hex << std::setfill('0') << adapter.vendor << '_' << adapter.device
         << '_';
    for (const std::uint8_t byte : adapter.pipeline_cache_uuid) {
        name << std::setw(2) << static_cast<unsigned>(byte);
    }
    name << '_' << adapter.driver_version << ".pipelines";
    return std::move(name).str();
}

/// The payload of an intact file, else empty.
std::vector<std::byte> read_payload(const std::filesystem::path& path) {
    const auto file = path.empty() ? std::nullopt : core::try_read_file(path, kMaxFileBytes);
    if (!file || file->size() < kHeaderBytes) {
        return {};
    }
    Header header{};
    std::memcpy(header.data(), file->data(), kHeaderBytes);
    std::vector<std::byte> payload(file->begin() + kHeaderBytes, file->end());
    const core::Hash128 hash = core::hash_bytes(payload);
    const bool is_intact = header == Header{kMagic, hash.low, hash.high};
    return is_intact ? std::move(payload) : std::vector<std::byte>();
}

UniquePipelineCache create_cache(const Context& context, const std::vector<std::byte>& payload) {
    VkPipelineCacheCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                   .pNext = nullptr,
                                   .flags = 0,
                                   .initialDataSize = payload.size(),
                                   .pInitialData = payload.data()};
    VkPipelineCache cache = VK_NULL_HANDLE;
    VkResult result = context.api().vkCreatePipelineCache(context.handle(), &info, nullptr, &cache);
    if (result < VK_SUCCESS && !payload.empty()) {
        info.initialDataSize = 0; // the driver refuses what it wrote itself: start anew
        result = context.api().vkCreatePipelineCache(context.handle(), &info, nullptr, &cache);
    }
    context.check(result, "vkCreatePipelineCache", "create_device");
    return {context, cache};
}

std::vector<std::byte> read_cache(const Context& context, VkPipelineCache cache) {
    std::size_t size = 0;
    if (context.api().vkGetPipelineCacheData(context.handle(), cache, &size, nullptr) !=
        VK_SUCCESS) {
        return {};
    }
    std::vector<std::byte> file(kHeaderBytes + size);
    if (context.api().vkGetPipelineCacheData(context.handle(), cache, &size,
                                             file.data() + kHeaderBytes) != VK_SUCCESS) {
        return {};
    }
    file.resize(kHeaderBytes + size);
    const core::Hash128 hash = core::hash_bytes(std::span(file).subspan(kHeaderBytes));
    const Header header{kMagic, hash.low, hash.high};
    std::memcpy(file.data(), header.data(), kHeaderBytes);
    return file;
}

} // namespace

PipelineCache::PipelineCache(const Context& context, const std::string& directory)
    : m_context(context),
      m_path(directory.empty() ? std::filesystem::path()
                               : core::path_from_utf8(directory) / file_name(context.adapter())),
      m_handle(create_cache(context, read_payload(m_path))),
      m_saved(std::chrono::steady_clock::now()) {}

void PipelineCache::note_pipeline() noexcept {
    bool is_due = false;
    {
        const std::lock_guard lock(m_mutex);
        m_is_dirty = true;
        is_due = std::chrono::steady_clock::now() - m_saved > kSavePeriod;
    }
    if (is_due) {
        save();
    }
}

void PipelineCache::save() noexcept {
    const std::lock_guard lock(m_mutex);
    if (!m_is_dirty || m_path.empty() || !m_context.can_call_driver()) {
        return;
    }
    m_is_dirty = false;
    m_saved = std::chrono::steady_clock::now();
    try {
        const std::vector<std::byte> file = read_cache(m_context, m_handle.get());
        if (!file.empty()) {
            static_cast<void>(core::try_write_file(m_path, file)); // the next start compiles again
        }
    } catch (const std::exception&) {
        m_is_dirty = true;
    }
}

} // namespace weft::device::vulkan
