// SPDX-License-Identifier: Apache-2.0
#include "python/interrupt.hpp"

#include "core/error.hpp"

#include <pybind11/pybind11.h>

namespace weft::python {

device::InterruptPoll interrupt_poll() {
    return [] {
        const pybind11::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) {
            throw core::Interrupted();
        }
    };
}

} // namespace weft::python
