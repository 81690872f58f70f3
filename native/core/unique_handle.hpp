// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace weft::core {

/// Owns one native handle: move-only, valid or empty. `Release` is a noexcept function that frees a
/// handle; it is never called with `kEmpty`.
template <typename Handle, auto Release, Handle kEmpty = Handle{}>
class UniqueHandle {
public:
    UniqueHandle() noexcept = default;
    explicit UniqueHandle(Handle handle) noexcept : m_handle(handle) {}
    UniqueHandle(UniqueHandle&& other) noexcept : m_handle(other.release()) {}
    UniqueHandle& operator=(UniqueHandle&& other) noexcept {
        if (this != &other) {
            reset(other.release());
        }
        return *this;
    }
    UniqueHandle(const UniqueHandle&) = delete;
    UniqueHandle& operator=(const UniqueHandle&) = delete;
    ~UniqueHandle() { reset(); }

    Handle get() const noexcept { return m_handle; }
    explicit operator bool() const noexcept { return m_handle != kEmpty; }
    /// Gives the handle up to the caller.
    [[nodiscard]] Handle release() noexcept { return std::exchange(m_handle, kEmpty); }
    void reset(Handle handle = kEmpty) noexcept {
        const Handle old = std::exchange(m_handle, handle);
        if (old != kEmpty) {
            Release(old);
        }
    }

private:
    Handle m_handle = kEmpty;
};

} // namespace weft::core
