// SPDX-License-Identifier: Apache-2.0
// The importing half of shared memory; see device/external_memory.hpp.
#pragma once

#include "device/external_memory.hpp"

namespace weft::device::cuda {

struct Driver;

/// What create_cuda_importer() is asked for.
struct ImporterDesc {
    std::int32_t ordinal = 0;
    GpuUuid uuid{};
    std::string_view name{};    ///< of the device that exports
    std::string_view context{}; ///< begins messages
};

/// The system's own driver. @throws DeviceError{unavailable} without one.
[[nodiscard]] std::shared_ptr<const Driver> load_driver();

/// See create_cuda_importer().
[[nodiscard]] std::shared_ptr<CudaImporter>
create_importer(const std::shared_ptr<const Driver>& driver, const ImporterDesc& desc);

} // namespace weft::device::cuda
