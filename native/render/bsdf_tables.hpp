// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/api.hpp"
#include "tensor/tensor.hpp"

#include <filesystem>
#include <memory>

namespace weft::render {

/// The tables that BSDFs read: a flat tensor of float32, for the field `data` of Slang's BsdfTables.
/// @param path tables.npy of shaders/weft/bsdf.
/// @throws ArgumentError if there is no such file, or it is none of Weft's; DeviceError if memory is short.
[[nodiscard]] WEFT_API tensor::TensorRef
load_bsdf_tables(const std::shared_ptr<device::Device>& device, const std::filesystem::path& path);

} // namespace weft::render
