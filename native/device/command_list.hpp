// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace weft::device {

/// Dispatches that were recorded once and can be submitted many times, in the order of recording. Keeps device,
/// kernels and buffers alive. From the second submit() on it asks the device for a Replay, which one call of the
/// driver runs. Not thread-safe: use it from one thread at a time.
class CommandList {
public:
    explicit CommandList(std::shared_ptr<Device> device) noexcept : m_device(std::move(device)) {}

    /// Copies arguments and globals, keeps the kernel and the buffers. Checked when it is submitted.
    /// Kernel and buffers must be owned by a shared_ptr.
    void record(const Dispatch& dispatch);
    /// Appends all dispatches to the device's queue. @throws what Device::dispatch throws.
    void submit();
    /// Forgets everything recorded.
    void clear() noexcept;

    std::size_t size() const noexcept { return m_commands.size(); }
    const std::shared_ptr<Device>& device() const noexcept { return m_device; }

private:
    struct Command {
        std::shared_ptr<Kernel> kernel;
        std::array<std::uint32_t, 3> group_count{};
        std::size_t first_byte = 0; ///< arguments, then globals, in m_bytes
        std::size_t argument_bytes = 0;
        std::size_t global_bytes = 0;
        std::size_t first_use = 0; ///< in m_uses
        std::size_t use_count = 0;
    };

    void prepare();

    std::shared_ptr<Device> m_device;
    std::vector<Command> m_commands;
    std::vector<std::byte> m_bytes;
    std::vector<BufferUse> m_uses;
    std::vector<std::shared_ptr<Buffer>> m_buffers;
    std::vector<Dispatch>
        m_dispatches; ///< views of the above, made by the first submit() after a record()
    std::uint32_t m_submissions = 0;  ///< since the last record()
    std::unique_ptr<Replay> m_replay; // last: it goes first, while kernels and buffers are there
};

} // namespace weft::device
