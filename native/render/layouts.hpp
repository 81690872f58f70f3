// SPDX-License-Identifier: Apache-2.0
// Numbers by which kernels and the host share memory, as weft/layouts.py has them. Printed from the
// reflection of shaders/weft/render by packaging/dev/layouts.py, which a test compares. Do not
// edit; change the Slang.
#pragma once

#include <cstdint>

namespace weft::render::layout {

/// Rows of the state of a path.
struct PathRow {
    static constexpr std::uint32_t kThroughput = 0;
    static constexpr std::uint32_t kRadiance = 3;
    static constexpr std::uint32_t kPending = 6;
    static constexpr std::uint32_t kPdf = 9;
    static constexpr std::uint32_t kRecord = 10;
    static constexpr std::uint32_t kKind = 11;
    static constexpr std::uint32_t kLeast = 12;
    static constexpr std::uint32_t kMost = 13;
    static constexpr std::uint32_t kCounts = 14;
    static constexpr std::uint32_t kShadow = 15;
    static constexpr std::uint32_t kGlow = 18;
    static constexpr std::uint32_t kCone = 22;
    static constexpr std::uint32_t kNormal = 24;
    static constexpr std::uint32_t kPixel = 27;
    static constexpr std::uint32_t kBegin = 29;
    static constexpr std::uint32_t kLightKind = 30;
    static constexpr std::uint32_t kMedia = 32;
    static constexpr std::uint32_t kLightMedia = 36;
    static constexpr std::uint32_t kWalkAlpha = 40;
    static constexpr std::uint32_t kWalkSigma = 43;
    static constexpr std::uint32_t kWalkTurn = 46;
    static constexpr std::uint32_t kWalkSteps = 47;
    static constexpr std::uint32_t kWalkInstance = 52;
    static constexpr std::uint32_t kWalkRecord = 53;
    static constexpr std::uint32_t kWalkNormal = 54;
    static constexpr std::uint32_t kWalkGuide = 57;
    static constexpr std::uint32_t kLightWays = 58;
    static constexpr std::uint32_t kEnd = 62;
};

/// Rows of a batch of rays.
struct RayRow {
    static constexpr std::uint32_t kOrigin = 0;
    static constexpr std::uint32_t kNear = 3;
    static constexpr std::uint32_t kDirection = 4;
    static constexpr std::uint32_t kFar = 7;
    static constexpr std::uint32_t kEnd = 8;
};

/// Rows of a batch of hits.
struct HitRow {
    static constexpr std::uint32_t kT = 0;
    static constexpr std::uint32_t kU = 1;
    static constexpr std::uint32_t kV = 2;
    static constexpr std::uint32_t kPrimitive = 3;
    static constexpr std::uint32_t kInstance = 4;
    static constexpr std::uint32_t kEnd = 5;
};

/// Rows of a pixel's layers.
struct LayerRow {
    static constexpr std::uint32_t kAlbedo = 0;
    static constexpr std::uint32_t kNormal = 3;
    static constexpr std::uint32_t kDepth = 6;
    static constexpr std::uint32_t kUv = 7;
    static constexpr std::uint32_t kObject = 9;
    static constexpr std::uint32_t kMaterial = 10;
    static constexpr std::uint32_t kEnd = 11;
};

/// What facets do not do once a path has been diffuse.
struct Stop {
    static constexpr std::uint32_t kReflection = 1;
    static constexpr std::uint32_t kRefraction = 2;
};

/// What cameras see behind all surfaces.
struct Background {
    static constexpr std::uint32_t kEnvironment = 0;
    static constexpr std::uint32_t kBlack = 1;
    static constexpr std::uint32_t kAlone = 2;
};

} // namespace weft::render::layout
