// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace weft::dispatch {

/// Compares what SPIR-V code declares to need with what the device has, so that no driver meets a kernel
/// that it cannot run, or would compute wrongly without a word: sin(), exp(), pow() and so on of double. Code for CUDA
/// passes: all devices there have every type.
/// @param function: the name that the message begins with.
/// @throws ArgumentError that names the function, the type, the device and what to do, and what it calls if that is the reason.
void require_features(std::span<const std::byte> code, const device::DeviceInfo& info,
                      const std::string& function);

} // namespace weft::dispatch
