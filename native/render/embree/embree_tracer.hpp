// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "render/tracer.hpp"

namespace weft::render {

/// Traces on the host's threads with Embree (robust, watertight), for devices that run on the CPU anyway. Rays and hits
/// lie in host memory. A trace waits for the device, works on all threads and returns when the answers are written.
///
/// A mesh with a single instance at kIdentity needs no change of space: it is put into the top level itself, which
/// update_instances() then builds anew.
/// @throws ArgumentError as scene::require_valid(); DeviceError if memory is short.
/// @pre embree::load() was successful.
[[nodiscard]] std::unique_ptr<Tracer> create_embree_tracer(const dispatch::Context& context,
                                                           const scene::Geometry& geometry);

} // namespace weft::render
