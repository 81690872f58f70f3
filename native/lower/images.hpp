// SPDX-License-Identifier: Apache-2.0
// Images that a function looks up: parameters that are textures, and what sampleImage() of shaders/weft/inputs.slang names.
#pragma once

#include "dag/graph.hpp"
#include "lower/call.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace weft::lower {

/// The images that a function may look up, each name once: its parameters in order, then names in the order of their use.
/// @throws core::ArgumentError, beginning with "lower: ", if a name is no literal of a source.
[[nodiscard]] std::vector<ImageSlot> image_slots(const Call& call, const dag::Function& function);

/// The number of the slot that a texture of the function is.
/// @throws core::ArgumentError, beginning with "lower: ", if it is none: a texture of the source's own.
[[nodiscard]] std::size_t slot_of(const dag::Texture& texture, const Call& call,
                                  const std::vector<ImageSlot>& slots);

} // namespace weft::lower
