// SPDX-License-Identifier: Apache-2.0
// Numbers of one scalar kind to another as Slang text: what tensor/convert.hpp does on the host.
#pragma once

#include "device/device.hpp"
#include "reflect/type.hpp"

#include <string>

namespace weft::dispatch {

/// Name of the function in Conversion::source.
inline constexpr const char* kConvert = "weft_convert";

/// A Slang function from `stored_from` to `stored_to`. bool travels as a byte and half as its bits, so that
/// neither depends on what a device does with them.
struct Conversion {
    reflect::ScalarKind stored_from = reflect::ScalarKind::void_;
    reflect::ScalarKind stored_to = reflect::ScalarKind::void_;
    std::string source{};
    /// Some values do not fit: the function has a second parameter, `uint* fault`, where it writes 1.
    bool is_checked = false;
};

/// True if the device's kernels convert exactly as the host does.
[[nodiscard]] bool is_convertible_on(const device::DeviceInfo& info, reflect::ScalarKind from,
                                     reflect::ScalarKind to) noexcept;

/// Floats lose their fraction in integers; numbers outside the range are faults; all but 0 is true; floats
/// are rounded to nearest even.
[[nodiscard]] Conversion conversion(reflect::ScalarKind from, reflect::ScalarKind to);

/// The kind in which memory of `kind` is read and written: uint8 for bool, uint16 for half.
[[nodiscard]] reflect::ScalarKind stored_bits(reflect::ScalarKind kind) noexcept;

/// True if kernels of the device can read and write arrays of `kind`.
[[nodiscard]] bool has_storage(const device::DeviceFeatures& features,
                               reflect::ScalarKind kind) noexcept;

} // namespace weft::dispatch
