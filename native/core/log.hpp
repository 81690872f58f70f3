// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>

namespace weft::core {

enum class LogLevel : std::uint8_t { debug, info, warning, error };

/// "debug", "info", "warning", "error".
[[nodiscard]] std::string_view to_string(LogLevel level) noexcept;

/// Where messages go. Passed to whoever logs (there is no process-wide logger); thread-safe.
class Logger {
public:
    /// Called with the lock held: must not log itself.
    using Sink = std::function<void(LogLevel, std::string_view)>;

    /// An empty sink drops everything.
    explicit Logger(Sink sink = {}, LogLevel threshold = LogLevel::info)
        : m_sink(std::move(sink)), m_threshold(threshold) {}

    /// Writes "weft warning: ..." lines to standard error.
    [[nodiscard]] static Sink standard_error();

    void set_sink(Sink sink);
    void set_threshold(LogLevel threshold);
    /// Hands the message to the sink if its level is at least the threshold. What the sink throws is dropped.
    void log(LogLevel level, std::string_view message) noexcept;

private:
    std::mutex m_mutex;
    Sink m_sink;
    LogLevel m_threshold;
};

} // namespace weft::core
