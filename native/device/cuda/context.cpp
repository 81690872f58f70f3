// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/context.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

namespace weft::device::cuda {

Context::Context(std::shared_ptr<const Driver> driver, CUdevice device)
    : m_driver(std::move(driver)), m_device(device), m_generation(fork_generation()),
      m_home(std::this_thread::get_id()) {
    check(*m_driver, m_driver->cuDevicePrimaryCtxRetain(&m_handle, device),
          "cuDevicePrimaryCtxRetain", "create_device");
}

void Context::release() noexcept {
    if (m_handle == nullptr || !is_usable()) {
        return;
    }
    CUcontext current = nullptr;
    m_driver->cuCtxGetCurrent(&current);
    const bool is_home = std::this_thread::get_id() == m_home;
    if (m_stays.load(std::memory_order_relaxed) && is_home && current == m_handle) {
        m_driver->cuCtxSetCurrent(nullptr);
    }
    // A context that ended but is still current to some thread breaks the CUDA runtime there: then keep it.
    if (is_home || !m_stays.load(std::memory_order_relaxed)) {
        m_driver->cuDevicePrimaryCtxRelease(m_device); // fails only if the driver is gone already
    }
    m_handle = nullptr;
}

void Context::fail_after_fork(std::string_view function) {
    throw core::DeviceError(
        core::text(function, ": this process was forked after the device was created, and CUDA "
                             "does not survive a fork; create the device in the child, or start "
                             "the child with the 'spawn' method of multiprocessing"));
}

void CurrentContext::enter(CUcontext current) {
    const Driver& driver = m_context.driver();
    if (current == nullptr && m_context.may_stay_current()) {
        // A thread without a context counts as one that uses GPU 0, so nobody sees the difference if it stays.
        check(driver, driver.cuCtxSetCurrent(m_context.handle()), "cuCtxSetCurrent",
              "using the device");
        m_context.note_stay();
        return;
    }
    CUresult code = driver.cuCtxPushCurrent(m_context.handle());
    if (code != CUDA_SUCCESS) { // once more: what gives memory back has no other try
        code = driver.cuCtxPushCurrent(m_context.handle());
    }
    check(driver, code, "cuCtxPushCurrent", "using the device");
    m_is_pushed = true;
}

void CurrentContext::leave() noexcept {
    CUcontext popped = nullptr;
    m_context.driver().cuCtxPopCurrent(&popped);
}

} // namespace weft::device::cuda
