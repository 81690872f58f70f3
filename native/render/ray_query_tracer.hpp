// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "render/tracer.hpp"

namespace weft::render {

/// Why a device has no such tracer: a sentence without its subject; empty if it has one.
[[nodiscard]] std::string ray_query_obstacle(const device::Device& device);

/// Traces with the driver's ray queries (VK_KHR_ray_query), by shaders/weft/render/ray_query.slang: with units of the GPU
/// where it has them. How exact hits are, and whether closed meshes have leaks at edges, is the driver's.
///
/// Structures of meshes are compacted. One whose vertices have moved is made so that it can move again, and then its boxes
/// alone are; after some moves it is made anew.
/// @throws ArgumentError as scene::require_valid(), and for more triangles of a mesh than the driver takes; DeviceError
///         if memory is short.
/// @pre ray_query_obstacle() is empty.
[[nodiscard]] std::unique_ptr<Tracer> create_ray_query_tracer(const dispatch::Context& context,
                                                              const scene::Geometry& geometry);

} // namespace weft::render
