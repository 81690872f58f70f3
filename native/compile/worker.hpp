// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/protocol.hpp"
#include "core/subprocess.hpp"

#include <memory>
#include <mutex>

namespace weft::compile {

/// Where requests are served: compiler processes, or this process. Thread-safe.
class Worker {
public:
    virtual ~Worker() = default;
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    virtual void warm_up() = 0;
    /// The payload of the reply. `subject` names the module in messages.
    /// @throws as Compiler's methods do.
    [[nodiscard]] virtual std::vector<std::byte> request(const Request& request,
                                                         const std::string& subject) = 0;
    [[nodiscard]] virtual std::uint64_t helper_starts() const noexcept = 0;

    /// Runs the helper executable; it is started by the first request, and again after it ended. Requests that come
    /// while it is busy get further processes, which end when no request is left: each loads the modules again, which
    /// pays where it does not take a core from the others. Unless told
    /// otherwise at most one for two cores (two for two), and kMaxProcesses.
    [[nodiscard]] static std::unique_ptr<Worker> create_process(const CompilerDesc& desc);
    /// Loads Slang into this process, which serves one request after the other.
    [[nodiscard]] static std::unique_ptr<Worker> create_in_process(const CompilerDesc& desc);

    static constexpr unsigned kMaxProcesses = 8;

protected:
    Worker() = default;
};

} // namespace weft::compile
