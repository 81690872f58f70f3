// SPDX-License-Identifier: Apache-2.0
#include "dispatch/kernel_features.hpp"

#include "compile/spirv_capabilities.hpp"
#include "compile/spirv_doubles.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace weft::dispatch {

using device::DeviceFeatures;

namespace {

struct Need {
    std::uint32_t capability; ///< number of the SPIR-V specification
    bool DeviceFeatures::* feature;
    const char* name; ///< of the feature, as device.info.features has it
    const char* used;
    const char* instead;
};

constexpr std::array kNeeds{
    Need{9, &DeviceFeatures::float16, "float16", "half", "use float"},
    Need{10, &DeviceFeatures::float64, "float64", "double", "use float"},
    Need{11, &DeviceFeatures::int64, "int64",
         "64-bit integers (int64_t, uint64_t, pointers or whole tensors)",
         "use int or uint, and element-wise parameters"},
    Need{12, &DeviceFeatures::int64_atomics, "int64_atomics",
         "64-bit integer atomics (deterministic=True, sums of double)",
         "pass deterministic=False, or use float"},
    Need{22, &DeviceFeatures::int16, "int16", "16-bit integers (int16_t or uint16_t)",
         "use int or uint"},
    Need{39, &DeviceFeatures::int8, "int8", "8-bit integers (int8_t, uint8_t or arrays of bool)",
         "use int or uint"},
    Need{63, &DeviceFeatures::subgroup_arithmetic, "subgroup_arithmetic",
         "wave operations such as WaveActiveSum", "use shared memory"},
    Need{6033, &DeviceFeatures::float32_atomic_add, "float32_atomic_add", "atomic sums of float",
         "use weft.sum() or integers"},
    Need{6034, &DeviceFeatures::float64_atomic_add, "float64_atomic_add", "atomic sums of double",
         "use weft.sum() or float"},
    Need{6095, &DeviceFeatures::float16_atomic_add, "float16_atomic_add", "atomic sums of half",
         "use weft.sum() or float"},
};

/// What Vulkan has of float and half alone is no feature of any device, and no driver reports it.
void require_double_functions(std::span<const std::byte> code, const device::DeviceInfo& info,
                              const std::string& function) {
    const std::string_view called = compile::find_double_function(code);
    if (!called.empty()) {
        const bool is_binary = called == "pow" || called == "atan2";
        throw core::ArgumentError(core::text(
            function, ": it takes ", called, "() of double on the Vulkan device '", info.name,
            "', and Vulkan has that of float and half only; compute it in float, ", called,
            is_binary ? "(float(x), float(y))" : "(float(x))", ", or use a CUDA device"));
    }
}

} // namespace

void require_features(std::span<const std::byte> code, const device::DeviceInfo& info,
                      const std::string& function) {
    for (const std::uint32_t capability : compile::read_spirv_capabilities(code)) {
        for (const Need& need : kNeeds) {
            if (need.capability == capability && !(info.features.*need.feature)) {
                throw core::ArgumentError(core::text(
                    function, ": it uses ", need.used, ", which device '", info.name,
                    "' cannot do (device.info.features.", need.name, " is False); ", need.instead,
                    ", or choose another device of weft.enumerate_devices()"));
            }
        }
    }
    require_double_functions(code, info, function);
}

} // namespace weft::dispatch
