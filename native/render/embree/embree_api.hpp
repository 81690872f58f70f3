// SPDX-License-Identifier: Apache-2.0
// Embree 3 and 4 under one set of names. The one include of Embree.
#pragma once

#include "core/unique_handle.hpp"

#include <filesystem>
#include <string>

#if WEFT_EMBREE_MAJOR >= 4
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

// Every function of Embree that is used.
#define WEFT_EMBREE_FUNCTIONS(apply)                                                               \
    apply(rtcAttachGeometry);                                                                      \
    apply(rtcAttachGeometryByID);                                                                  \
    apply(rtcCommitGeometry);                                                                      \
    apply(rtcCommitScene);                                                                         \
    apply(rtcGetDeviceError);                                                                      \
    apply(rtcIntersect16);                                                                         \
    apply(rtcNewDevice);                                                                           \
    apply(rtcNewGeometry);                                                                         \
    apply(rtcNewScene);                                                                            \
    apply(rtcOccluded16);                                                                          \
    apply(rtcReleaseDevice);                                                                       \
    apply(rtcReleaseGeometry);                                                                     \
    apply(rtcReleaseScene);                                                                        \
    apply(rtcSetGeometryInstancedScene);                                                           \
    apply(rtcSetGeometryTransform);                                                                \
    apply(rtcSetNewGeometryBuffer);                                                                \
    apply(rtcSetSceneFlags)

namespace weft::render::embree {

/// Embree's functions, taken from a library by name. Linking would bind them to the first library of the process that
/// has such names: in Blender that is its own Embree, of another version.
struct Api {
#define WEFT_EMBREE_DECLARE(name) decltype(&::name) name = nullptr
    WEFT_EMBREE_FUNCTIONS(WEFT_EMBREE_DECLARE);
#undef WEFT_EMBREE_DECLARE
    std::string reason; ///< why the functions are missing; empty if they are there
};

/// Loads Embree at the first call of the process: the copy in `libraries`, as wheels have it, else the system's. Later
/// calls return what the first one found.
[[nodiscard]] const Api& load(const std::filesystem::path& libraries);
/// What load() found; it must have been called, and have been successful.
[[nodiscard]] const Api& api() noexcept;

inline void release_device(RTCDevice device) noexcept {
    api().rtcReleaseDevice(device);
}
inline void release_scene(RTCScene scene) noexcept {
    api().rtcReleaseScene(scene);
}
inline void release_geometry(RTCGeometry geometry) noexcept {
    api().rtcReleaseGeometry(geometry);
}

using UniqueDevice = core::UniqueHandle<RTCDevice, release_device>;
using UniqueScene = core::UniqueHandle<RTCScene, release_scene>;
using UniqueGeometry = core::UniqueHandle<RTCGeometry, release_geometry>;

/// Rays that are traced together. Of 1, 4, 8 and 16 the last is fastest (Embree 3.13, AVX-512); where the processor
/// has no such registers, Embree divides them.
inline constexpr unsigned kLanes = 16;

// Embree's flag for coherent rays doubles the speed of a camera's, halves that of others, and let rtcOccluded16 of
// 3.13.5 run for ever on rays towards the vertices of a sphere: it is left out.

inline void intersect(const int* valid, RTCScene scene, RTCRayHit16& rays) {
#if WEFT_EMBREE_MAJOR >= 4
    api().rtcIntersect16(valid, scene, &rays, nullptr);
#else
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    api().rtcIntersect16(valid, scene, &context, &rays);
#endif
}

/// A ray that hits something gets tfar = -infinity.
inline void occluded(const int* valid, RTCScene scene, RTCRay16& rays) {
#if WEFT_EMBREE_MAJOR >= 4
    api().rtcOccluded16(valid, scene, &rays, nullptr);
#else
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    api().rtcOccluded16(valid, scene, &context, &rays);
#endif
}

} // namespace weft::render::embree
