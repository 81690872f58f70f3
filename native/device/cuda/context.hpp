// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/driver.hpp"
#include "device/cuda/result.hpp"
#include "device/fork_guard.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <thread>

namespace weft::device::cuda {

/// The primary context of one GPU: the one that the CUDA runtime, and so torch, uses too. It ends when its last
/// user has released it.
class Context {
public:
    Context(std::shared_ptr<const Driver> driver, CUdevice device);
    ~Context() { release(); }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    /// Gives the context back to the driver; nothing may enter it any more. Idempotent.
    void release() noexcept;
    /// Whether CurrentContext may leave it current to this thread, which had none.
    bool may_stay_current() const noexcept {
        return m_device == 0 && std::this_thread::get_id() == m_home;
    }
    void note_stay() const noexcept { m_stays.store(true, std::memory_order_relaxed); }

    const Driver& driver() const noexcept { return *m_driver; }
    CUcontext handle() const noexcept { return m_handle; }
    CUdevice device() const noexcept { return m_device; }
    /// False in a child after fork(): the child must not call the driver.
    bool is_usable() const noexcept { return fork_generation() == m_generation; }
    /// @throws DeviceError in a child after fork().
    void require_usable(std::string_view function) const {
        if (!is_usable()) [[unlikely]] {
            fail_after_fork(function);
        }
    }

private:
    [[noreturn]] static void fail_after_fork(std::string_view function);

    std::shared_ptr<const Driver> m_driver;
    CUdevice m_device;
    CUcontext m_handle = nullptr;
    std::uint32_t m_generation;
    std::thread::id m_home;                   ///< the thread that made it
    mutable std::atomic<bool> m_stays{false}; ///< it is current to m_home outside of our calls
};

/// Makes the context current to this thread for its own life. torch keeps its choice of GPU in the current
/// context, so another one is put back; the common case is one read of a thread-local value.
class CurrentContext {
public:
    explicit CurrentContext(const Context& context) : m_context(context) {
        CUcontext current = nullptr;
        if (context.driver().cuCtxGetCurrent(&current) != CUDA_SUCCESS ||
            current != context.handle()) [[unlikely]] {
            enter(current);
        }
    }
    ~CurrentContext() {
        if (m_is_pushed) [[unlikely]] {
            leave();
        }
    }
    CurrentContext(const CurrentContext&) = delete;
    CurrentContext& operator=(const CurrentContext&) = delete;

private:
    void enter(CUcontext current);
    void leave() noexcept;

    const Context& m_context;
    bool m_is_pushed = false;
};

/// Lets this thread allocate, load and wait while somebody captures a graph, which CUDA forbids everywhere in the
/// process otherwise and answers by ending the capture. What is done meanwhile takes no part in the graph.
class BesideCapture {
public:
    explicit BesideCapture(const Driver& driver) noexcept : m_driver(driver) { exchange(); }
    ~BesideCapture() { exchange(); }
    BesideCapture(const BesideCapture&) = delete;
    BesideCapture& operator=(const BesideCapture&) = delete;

private:
    void exchange() noexcept { m_driver.cuThreadExchangeStreamCaptureMode(&m_mode); }

    const Driver& m_driver;
    CUstreamCaptureMode m_mode = CU_STREAM_CAPTURE_MODE_RELAXED;
};

} // namespace weft::device::cuda
