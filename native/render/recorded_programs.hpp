// SPDX-License-Identifier: Apache-2.0
// Which surfaces and media leave records for a fit, and what cannot be fitted.
#pragma once

#include "render/directions.hpp"
#include "render/scene_tables.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace weft::render {

/// Materials of whose media directions move numbers, ascending.
/// @throws ArgumentError if they are more than MediaLimit::kUnknown, or the scene has what they cannot be fitted beside.
[[nodiscard]] std::vector<std::uint32_t> fitted_media(const SceneTables& tables,
                                                      const Directions& directions);

/// Programs whose surfaces leave records, ascending.
/// @param materials numbers of those that change.
/// @param with_media numbers of media change, too: every light ray may pass one, and all surfaces leave records.
/// @throws ArgumentError if one of the materials is transparent, or if light wanders below several closures of
///         one: derivatives are known of one.
[[nodiscard]] std::vector<std::size_t> recorded_programs(const SceneTables& tables,
                                                         std::span<const std::uint32_t> materials,
                                                         bool with_media);

} // namespace weft::render
