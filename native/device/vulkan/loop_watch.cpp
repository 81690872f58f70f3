// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/loop_watch.hpp"

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <atomic>

namespace weft::device::vulkan {
namespace {

constexpr std::size_t kMaxCuts = 256;

} // namespace

LoopWatch::LoopWatch(std::byte* word, std::uint64_t address, std::string device)
    : m_word(word), m_address(address), m_device(std::move(device)) {}

std::uint32_t LoopWatch::mark_of(const std::string& label) {
    // Equal in every process, so that the driver's own cache finds the kernel again.
    const auto mark = static_cast<std::uint32_t>(core::hash_text(label).low) | 1U;
    const std::lock_guard lock(m_mutex);
    m_labels.emplace(mark, label);
    return mark;
}

void LoopWatch::check(std::uint64_t completed, std::uint64_t submitted, std::uint64_t written,
                      std::string_view function) {
    const std::lock_guard lock(m_mutex);
    const std::uint32_t mark =
        std::atomic_ref(*reinterpret_cast<std::uint32_t*>(m_word)).exchange(0);
    if (mark != 0) {
        if (m_cuts.size() == kMaxCuts) { // the oldest two become one
            m_cuts[1].after = m_cuts[0].after;
            m_cuts.erase(m_cuts.begin());
        }
        const auto label = m_labels.find(mark);
        m_cuts.push_back({m_checked, submitted, label == m_labels.end() ? "?" : label->second});
        m_checked = std::max(m_checked, completed);
        fail(m_cuts.back(), function);
    }
    m_checked = std::max(m_checked, completed);
    for (const Cut& cut : m_cuts) {
        if (written > cut.after && written <= cut.last) {
            fail(cut, function);
        }
    }
}

void LoopWatch::fail(const Cut& cut, std::string_view function) const {
    throw core::DeviceError(core::text(
        function, ": '", cut.label, "' has a loop that the driver of '", m_device,
        "' ended early, so its results are wrong: expected at most 65535 rounds a thread, in all "
        "loops "
        "together (eight neighbours count as one); use Mesa 25 or later (Debian 12: apt install -t "
        "bookworm-backports mesa-vulkan-drivers) or a GPU, or split the loop over several calls"));
}

} // namespace weft::device::vulkan
