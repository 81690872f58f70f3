// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/vulkan/context.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <string>

namespace weft::device::vulkan {

/// The driver's compiled pipelines, kept in one file a device and driver version. A damaged or
/// foreign file is ignored and replaced. Thread-safe.
class PipelineCache {
public:
    /// @param directory UTF-8; "" keeps the cache in memory only.
    PipelineCache(const Context& context, const std::string& directory);

    VkPipelineCache handle() const noexcept { return m_handle.get(); }
    /// Call after a pipeline was created: saves now and then.
    void note_pipeline() noexcept;
    /// Writes the file if pipelines were created since the last time. Failing to write is no error.
    void save() noexcept;

private:
    const Context& m_context;
    std::filesystem::path m_path; ///< empty: none
    UniquePipelineCache m_handle;
    std::mutex m_mutex;
    bool m_is_dirty = false;
    std::chrono::steady_clock::time_point m_saved;
};

} // namespace weft::device::vulkan
