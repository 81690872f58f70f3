// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dispatch/module.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::engine {

/// What an Engine's modules and functions share. Thread-safe.
class Runtime {
public:
    using Message = std::function<void(std::string_view)>;

    struct Settings {
        std::vector<std::string> include_paths;
        compile::Definitions defines;
        bool hot_reload = false;
        std::filesystem::path root{}; ///< holds bin, lib and shaders
    };

    Runtime(dispatch::Context context, Settings settings, Message message)
        : m_context(std::move(context)), m_settings(std::move(settings)),
          m_message(std::move(message)) {}

    const dispatch::Context& context() const noexcept { return m_context; }
    const Settings& settings() const noexcept { return m_settings; }

    /// Hands on what it has not handed on before.
    void warn(const std::vector<std::string>& warnings) const;

private:
    dispatch::Context m_context;
    Settings m_settings;
    Message m_message;
    mutable std::mutex m_mutex;
    mutable std::set<std::string> m_shown;
};

} // namespace weft::engine
