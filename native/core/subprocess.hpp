// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/interrupt.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weft::core {

enum class PipeStatus : std::uint8_t {
    ok,
    closed,    ///< the child ended or closed its side
    timed_out, ///< the deadline passed; part of the bytes may have been moved
};

/// A child process whose standard input and output are pipes to this object; its standard error is
/// dropped. Use by one thread at a time. The child is killed when the object dies, and on Windows when this
/// process ends in whatever way (elsewhere the child itself looks after that: compile/helper/platform.hpp); in a
/// process forked from the one that started it the object only closes its pipes and leaves the child alone.
class Subprocess {
public:
    using Clock = std::chrono::steady_clock;

    struct Desc {
        std::filesystem::path executable;
        std::vector<std::string> arguments; ///< without the program's name
        InterruptPoll poll{}; ///< called while a write or read waits; what it throws ends the wait
    };

    /// @throws DeviceError{unavailable} naming the executable if it cannot be started.
    [[nodiscard]] static std::unique_ptr<Subprocess> start(const Desc& desc);
    virtual ~Subprocess() = default;
    Subprocess(const Subprocess&) = delete;
    Subprocess& operator=(const Subprocess&) = delete;

    /// Sends all of `bytes` before `deadline`.
    [[nodiscard]] virtual PipeStatus write(std::span<const std::byte> bytes,
                                           Clock::time_point deadline) = 0;
    /// Fills all of `bytes` before `deadline`.
    [[nodiscard]] virtual PipeStatus read(std::span<std::byte> bytes,
                                          Clock::time_point deadline) = 0;
    /// Waits until there is something to read, or the child has closed its side, but not past `deadline`.
    [[nodiscard]] virtual PipeStatus wait_for_output(Clock::time_point deadline) = 0;
    /// Processor time that the child has used so far; nullopt if it has ended or the system does not tell.
    [[nodiscard]] virtual std::optional<Clock::duration> processor_time() const noexcept = 0;
    /// Ends the child and says how it ended: "was killed by signal 11 (Segmentation fault)", "exited with
    /// status 3". A child that is ending by itself gets 100 ms to do so and is described by its own end.
    [[nodiscard]] virtual std::string finish() = 0;

protected:
    Subprocess() = default;
};

} // namespace weft::core
