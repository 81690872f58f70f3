// SPDX-License-Identifier: Apache-2.0
#include "dispatch/watcher.hpp"

#include "dispatch/module.hpp"

#include <algorithm>
#include <chrono>

namespace weft::dispatch {

namespace {
constexpr std::chrono::milliseconds kPeriod{200};
} // namespace

Watcher::~Watcher() {
    {
        const std::lock_guard lock(m_mutex);
        m_is_stopping = true;
    }
    m_wake.notify_all();
    if (m_thread.joinable()) {
        m_thread.join();
    }
}

Watcher::Stamp Watcher::stamp_of(const std::filesystem::path& path) {
    std::error_code ignored; // an absent file is a state like any other
    Stamp stamp{.path = path, .time = {}, .size = 0};
    stamp.time = std::filesystem::last_write_time(path, ignored);
    stamp.size = std::filesystem::file_size(path, ignored);
    return stamp;
}

void Watcher::watch(const std::shared_ptr<Module>& module) {
    if (m_fork_generation != device::fork_generation()) {
        return;
    }
    std::vector<Stamp> stamps;
    for (const auto& dependency : module->loaded()->dependencies) {
        stamps.push_back(stamp_of(dependency.path));
    }
    if (stamps.empty()) {
        return;
    }
    // A file written while it was being read (file times tick in steps of up to 10 ms) is read again.
    const auto newest_read = module->load_time() - std::chrono::milliseconds(10);
    if (std::any_of(stamps.begin(), stamps.end(),
                    [&](const Stamp& stamp) { return stamp.time > newest_read; })) {
        module->mark_stale();
    }
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_entries, [&](const Entry& entry) {
        const auto other = entry.module.lock();
        return !other || other == module;
    });
    m_entries.push_back({module, std::move(stamps)});
    if (!m_thread.joinable()) {
        m_thread = std::thread([this] { run(); });
    }
}

void Watcher::run() {
    std::unique_lock lock(m_mutex);
    while (!m_wake.wait_for(lock, kPeriod, [this] { return m_is_stopping; })) {
        check_files();
    }
}

void Watcher::check_files() {
    for (Entry& entry : m_entries) {
        bool changed = false;
        for (Stamp& stamp : entry.stamps) {
            Stamp now = stamp_of(stamp.path);
            changed = changed || now.time != stamp.time || now.size != stamp.size;
            stamp = std::move(now);
        }
        // The last reference may go away here; a module's destructor never locks the watcher.
        if (const auto module = changed ? entry.module.lock() : nullptr) {
            module->mark_stale();
        }
    }
}

} // namespace weft::dispatch
