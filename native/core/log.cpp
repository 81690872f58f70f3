// SPDX-License-Identifier: Apache-2.0
#include "core/log.hpp"

#include <iostream>

namespace weft::core {

std::string_view to_string(LogLevel level) noexcept {
    switch (level) {
    case LogLevel::debug: return "debug";
    case LogLevel::info: return "info";
    case LogLevel::warning: return "warning";
    case LogLevel::error: return "error";
    }
    return "unknown";
}

Logger::Sink Logger::standard_error() {
    return [](LogLevel level, std::string_view message) {
        std::cerr << "weft " << to_string(level) << ": " << message << '\n';
    };
}

void Logger::set_sink(Sink sink) {
    const std::scoped_lock lock(m_mutex);
    m_sink = std::move(sink);
}

void Logger::set_threshold(LogLevel threshold) {
    const std::scoped_lock lock(m_mutex);
    m_threshold = threshold;
}

void Logger::log(LogLevel level, std::string_view message) noexcept {
    try {
        const std::scoped_lock lock(m_mutex);
        if (m_sink && level >= m_threshold) {
            m_sink(level, message);
        }
    } catch (...) {
        // Ignored: logging must never turn a working call into a failing one.
    }
}

} // namespace weft::core
