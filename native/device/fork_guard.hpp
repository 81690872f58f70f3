// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

namespace weft::device {

/// A number that differs in a child after fork(). Costs one load, so that the call path can compare
/// it.
[[nodiscard]] std::uint32_t fork_generation() noexcept;

/// Of an object with locks or a thread of its own: a child after fork() leaves it as it is. There its thread is gone,
/// its locks may be held for ever, and the end of a condition variable waits for those that waited.
template <typename T>
[[nodiscard]] std::shared_ptr<T> share_until_fork(std::unique_ptr<T> object) {
    return {object.release(), [generation = fork_generation()](T* owned) {
                if (generation == fork_generation()) {
                    delete owned;
                }
            }};
}

/// The same for an object that comes shared.
template <typename T>
[[nodiscard]] std::shared_ptr<T> share_until_fork(std::shared_ptr<T> object) {
    return {std::shared_ptr<T>(share_until_fork(std::make_unique<std::shared_ptr<T>>(object)),
                               object.get())};
}

} // namespace weft::device
