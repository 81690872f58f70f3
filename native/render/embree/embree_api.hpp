// SPDX-License-Identifier: Apache-2.0
// Embree 3 and 4 under one set of names. The one include of Embree.
#pragma once

#include "core/unique_handle.hpp"

#if WEFT_EMBREE_MAJOR >= 4
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

namespace weft::render::embree {

using UniqueDevice = core::UniqueHandle<RTCDevice, rtcReleaseDevice>;
using UniqueScene = core::UniqueHandle<RTCScene, rtcReleaseScene>;
using UniqueGeometry = core::UniqueHandle<RTCGeometry, rtcReleaseGeometry>;

/// Rays that are traced together. Of 1, 4, 8 and 16 the last is fastest (Embree 3.13, AVX-512); where the processor
/// has no such registers, Embree divides them.
inline constexpr unsigned kLanes = 16;

// Embree's flag for coherent rays doubles the speed of a camera's, halves that of others, and let rtcOccluded16 of
// 3.13.5 run for ever on rays towards the vertices of a sphere: it is left out.

inline void intersect(const int* valid, RTCScene scene, RTCRayHit16& rays) {
#if WEFT_EMBREE_MAJOR >= 4
    rtcIntersect16(valid, scene, &rays, nullptr);
#else
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect16(valid, scene, &context, &rays);
#endif
}

/// A ray that hits something gets tfar = -infinity.
inline void occluded(const int* valid, RTCScene scene, RTCRay16& rays) {
#if WEFT_EMBREE_MAJOR >= 4
    rtcOccluded16(valid, scene, &rays, nullptr);
#else
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded16(valid, scene, &context, &rays);
#endif
}

} // namespace weft::render::embree
