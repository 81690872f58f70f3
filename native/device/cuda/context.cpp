// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/context.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

namespace weft::device::cuda {

Context::Context(std::shared_ptr<const Driver> driver, CUdevice device)
    : m_driver(std::move(driver)), m_device(device), m_generation(fork_generation()) {
    check(*m_driver, m_driver->cuDevicePrimaryCtxRetain(&m_handle, device), "cuDevicePrimaryCtxRetain",
          "create_device");
}

Context::~Context() {
    if (is_usable()) {
        m_driver->cuDevicePrimaryCtxRelease(m_device); // fails only if the driver is gone already
    }
}

void Context::fail_after_fork(std::string_view function) {
    throw core::DeviceError(core::text(function, ": this process was forked after the device was created, and CUDA "
                                                 "does not survive a fork; create the device in the child, or start "
                                                 "the child with the 'spawn' method of multiprocessing"));
}

void CurrentContext::enter(CUcontext current) {
    const Driver& driver = m_context.driver();
    if (current == nullptr && m_context.device() == 0) {
        // A thread without a context counts as one that uses GPU 0, so nobody sees the difference if it stays.
        check(driver, driver.cuCtxSetCurrent(m_context.handle()), "cuCtxSetCurrent", "using the device");
        return;
    }
    check(driver, driver.cuCtxPushCurrent(m_context.handle()), "cuCtxPushCurrent", "using the device");
    m_is_pushed = true;
}

void CurrentContext::leave() noexcept {
    CUcontext popped = nullptr;
    m_context.driver().cuCtxPopCurrent(&popped);
}

} // namespace weft::device::cuda
