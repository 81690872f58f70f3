// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/vulkan/spirv_loops.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace weft::device::vulkan {

/// The word to which kernels report that the driver ended one of their loops (spirv_loops.hpp), and what it means for
/// what they wrote. Thread-safe.
class LoopWatch {
public:
    /// @param word: host-visible and coherent, 0; outlives the watch.
    /// @param device: its name, for messages.
    LoopWatch(std::byte* word, std::uint64_t address, std::string device);

    std::uint64_t address() const noexcept { return m_address; }
    /// What a kernel of this name writes to the word.
    [[nodiscard]] std::uint32_t mark_of(const std::string& label);

    /// To be called when the host has waited for batch `completed`.
    /// @param submitted: the last batch that may have run by now, in part.
    /// @param written: the batch that last wrote what the host is about to read, 0: it reads nothing.
    /// @throws DeviceError that names the kernel if it reported since the last call, or if it may have written what
    ///         is read.
    void check(std::uint64_t completed, std::uint64_t submitted, std::uint64_t written,
               std::string_view function);

private:
    struct Cut {
        std::uint64_t after = 0; ///< batches from after + 1
        std::uint64_t last = 0;
        std::string label;
    };
    [[noreturn]] void fail(const Cut& cut, std::string_view function) const;

    std::byte* m_word;
    std::uint64_t m_address;
    std::string m_device;
    std::mutex m_mutex;
    std::uint64_t m_checked = 0; ///< batches known to be whole, or in m_cuts
    std::vector<Cut> m_cuts;
    std::map<std::uint32_t, std::string> m_labels;
};

} // namespace weft::device::vulkan
