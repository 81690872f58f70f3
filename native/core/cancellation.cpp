// SPDX-License-Identifier: Apache-2.0
#include "core/cancellation.hpp"

#include "core/error.hpp"

namespace weft::core {

namespace {

const Cancellation*& current_cancellation() noexcept {
    thread_local const Cancellation* current = nullptr;
    return current;
}

} // namespace

void Cancellation::enter() const noexcept {
    current_cancellation() = this;
}

void Cancellation::leave() noexcept {
    current_cancellation() = nullptr;
}

void poll_cancellation() {
    const Cancellation* const current = current_cancellation();
    if (current != nullptr && current->is_cancelled()) {
        throw Interrupted();
    }
}

} // namespace weft::core
