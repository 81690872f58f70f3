// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/fork_guard.hpp"

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace weft::dispatch {

class Module;

/// Looks at the source files of modules four times a second and marks a module stale when one changes.
/// The thread starts with the first module that has files and ends with the watcher. A child after fork() has none and
/// watches nothing: hold it by device::share_until_fork().
class Watcher {
public:
    Watcher() = default;
    ~Watcher();
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;

    /// Starts watching the files of `module`, or takes note of its new ones.
    void watch(const std::shared_ptr<Module>& module);

private:
    struct Stamp {
        std::filesystem::path path;
        std::filesystem::file_time_type time;
        std::uintmax_t size = 0;
    };
    struct Entry {
        std::weak_ptr<Module> module;
        std::vector<Stamp> stamps;
    };

    [[nodiscard]] static Stamp stamp_of(const std::filesystem::path& path);
    void run();
    void check_files();

    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::vector<Entry> m_entries;
    bool m_is_stopping = false;
    std::thread m_thread;
    const std::uint32_t m_fork_generation = device::fork_generation();
};

} // namespace weft::dispatch
