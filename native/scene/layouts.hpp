// SPDX-License-Identifier: Apache-2.0
// Numbers by which kernels and the host share memory: words of records, rows of paths, bits.
//
// Printed from the reflection of shaders/weft/render by packaging/dev/layouts.py, which a test
// compares. Do not edit; change the Slang. Their meaning stands there, beside each.
#pragma once

#include <cstdint>

namespace weft::scene::layouts {

/// Kinds of light, and bits of what a scene has of them.
struct LightKind {
    static constexpr std::uint32_t kEnvironment = 0;
    static constexpr std::uint32_t kPoint = 1;
    static constexpr std::uint32_t kSpot = 2;
    static constexpr std::uint32_t kSun = 3;
    static constexpr std::uint32_t kArea = 4;
    static constexpr std::uint32_t kTriangle = 5;
    static constexpr std::uint32_t kProfiled = 6;
};

/// Words of a light's record.
struct LightWord {
    static constexpr std::uint32_t kKind = 0;
    static constexpr std::uint32_t kProbability = 1;
    static constexpr std::uint32_t kColor = 2;
    static constexpr std::uint32_t kPosition = 5;
    static constexpr std::uint32_t kTrail = 19;
    static constexpr std::uint32_t kProfile = 20;
    static constexpr std::uint32_t kRules = 21;
    static constexpr std::uint32_t kEnd = 22;
};

/// Words of the record of a point light or a spot.
struct LampWord {
    static constexpr std::uint32_t kRadius = 8;
    static constexpr std::uint32_t kAxis = 9;
    static constexpr std::uint32_t kCosine = 12;
    static constexpr std::uint32_t kEdge = 13;
    static constexpr std::uint32_t kFacesDisc = 14;
};

/// Words of the record of a sun.
struct SunWord {
    static constexpr std::uint32_t kGap = 8;
};

/// Words of the record of an area light.
struct AreaWord {
    static constexpr std::uint32_t kArea = 8;
    static constexpr std::uint32_t kHalfX = 9;
    static constexpr std::uint32_t kHalfY = 12;
    static constexpr std::uint32_t kIsEllipse = 15;
    static constexpr std::uint32_t kBothSides = 16;
    static constexpr std::uint32_t kSpread = 17;
    static constexpr std::uint32_t kSpreadFactor = 18;
};

/// Words of the record of an emissive triangle.
struct TriangleWord {
    static constexpr std::uint32_t kInstance = 8;
    static constexpr std::uint32_t kTriangle = 9;
    static constexpr std::uint32_t kBothSides = 10;
    static constexpr std::uint32_t kVaries = 11;
};

/// Bits beside those of the kinds of ray that a lamp is hidden from.
struct LampRule {
    static constexpr std::uint32_t kShadowless = 256;
};

/// Words of a lamp's profile.
struct ProfileWord {
    static constexpr std::uint32_t kWidth = 0;
    static constexpr std::uint32_t kHeight = 1;
    static constexpr std::uint32_t kDistancePower = 2;
    static constexpr std::uint32_t kSmooth = 3;
    static constexpr std::uint32_t kTexels = 4;
};

/// Words of a node of the light tree.
struct LightNodeWord {
    static constexpr std::uint32_t kLow = 0;
    static constexpr std::uint32_t kCosine = 3;
    static constexpr std::uint32_t kHigh = 4;
    static constexpr std::uint32_t kEmission = 7;
    static constexpr std::uint32_t kAxis = 8;
    static constexpr std::uint32_t kPower = 11;
    static constexpr std::uint32_t kChild = 12;
    static constexpr std::uint32_t kSine = 13;
    static constexpr std::uint32_t kEnd = 16;
};

/// Bits of the kinds of ray.
struct RayKind {
    static constexpr std::uint32_t kCamera = 1;
    static constexpr std::uint32_t kShadow = 2;
    static constexpr std::uint32_t kDiffuse = 4;
    static constexpr std::uint32_t kGlossy = 8;
    static constexpr std::uint32_t kTransmission = 16;
    static constexpr std::uint32_t kReflection = 32;
    static constexpr std::uint32_t kSingular = 64;
    static constexpr std::uint32_t kVolume = 128;
};

/// Words of an instance's record.
struct InstanceWord {
    static constexpr std::uint32_t kFirstTriangle = 0;
    static constexpr std::uint32_t kFirstSlot = 1;
    static constexpr std::uint32_t kFirstLight = 2;
    static constexpr std::uint32_t kObject = 3;
    static constexpr std::uint32_t kEnd = 4;
};

/// Words of a material's record.
struct MaterialWord {
    static constexpr std::uint32_t kProgram = 0;
    static constexpr std::uint32_t kFirstParameter = 1;
    static constexpr std::uint32_t kEnd = 2;
};

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
    static constexpr std::uint32_t kEmitter = 18;
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

/// Rows of records.
struct RecordRow {
    static constexpr std::uint32_t kPath = 0;
    static constexpr std::uint32_t kNext = 1;
    static constexpr std::uint32_t kHit = 2;
    static constexpr std::uint32_t kViewer = 6;
    static constexpr std::uint32_t kLight = 9;
    static constexpr std::uint32_t kLightFactor = 12;
    static constexpr std::uint32_t kShare = 15;
    static constexpr std::uint32_t kBounce = 16;
    static constexpr std::uint32_t kBounceFactor = 19;
    static constexpr std::uint32_t kAfter = 20;
    static constexpr std::uint32_t kThrough = 23;
    static constexpr std::uint32_t kValue = 26;
    static constexpr std::uint32_t kFootprint = 29;
    static constexpr std::uint32_t kGain = 30;
    static constexpr std::uint32_t kMaterial = 33;
    static constexpr std::uint32_t kPixel = 34;
    static constexpr std::uint32_t kKind = 35;
    static constexpr std::uint32_t kDulled = 39;
    static constexpr std::uint32_t kWalk = 40;
    static constexpr std::uint32_t kDerivative = 42;
    static constexpr std::uint32_t kLightWays = 42;
    static constexpr std::uint32_t kLightValue = 46;
    static constexpr std::uint32_t kDerivativeBehind = 49;
};

/// Rows of what begins a path.
struct HeadRow {
    static constexpr std::uint32_t kAfter = 0;
    static constexpr std::uint32_t kThrough = 3;
    static constexpr std::uint32_t kNext = 6;
    static constexpr std::uint32_t kEnd = 7;
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

/// How many media there may be.
struct MediaLimit {
    static constexpr std::uint32_t kDepth = 4;
    static constexpr std::uint32_t kUnknown = 4;
};

/// Words of the coefficients of a medium.
struct MediumWord {
    static constexpr std::uint32_t kAbsorption = 0;
    static constexpr std::uint32_t kScattering = 3;
    static constexpr std::uint32_t kEmission = 6;
    static constexpr std::uint32_t kAnisotropy = 9;
    static constexpr std::uint32_t kEnd = 10;
};

/// Bits of a material whose medium is fitted.
struct FittedMedium {
    static constexpr std::uint32_t kSlot = 7;
    static constexpr std::uint32_t kScatters = 8;
};

/// Words of a texture's record.
struct TextureWord {
    static constexpr std::uint32_t kFirst = 0;
    static constexpr std::uint32_t kWidth = 1;
    static constexpr std::uint32_t kHeight = 2;
    static constexpr std::uint32_t kChannels = 3;
    static constexpr std::uint32_t kWrap = 4;
    static constexpr std::uint32_t kFilter = 5;
    static constexpr std::uint32_t kLevels = 6;
    static constexpr std::uint32_t kAbove = 7;
    static constexpr std::uint32_t kEnd = 8;
};

/// How a texture goes on beyond its image.
struct TextureWrap {
    static constexpr std::uint32_t kRepeat = 0;
    static constexpr std::uint32_t kExtend = 1;
    static constexpr std::uint32_t kClip = 2;
    static constexpr std::uint32_t kMirror = 3;
};

/// How a texture is looked up.
struct TextureFilter {
    static constexpr std::uint32_t kLinear = 0;
    static constexpr std::uint32_t kClosest = 1;
    static constexpr std::uint32_t kMipmap = 2;
};

/// Kinds of camera.
struct CameraKind {
    static constexpr std::uint32_t kPerspective = 0;
    static constexpr std::uint32_t kOrthographic = 1;
    static constexpr std::uint32_t kEquirectangular = 2;
};

/// Kinds of pixel filter.
struct FilterKind {
    static constexpr std::uint32_t kBox = 0;
    static constexpr std::uint32_t kTent = 1;
    static constexpr std::uint32_t kBlackmanHarris = 2;
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

} // namespace weft::scene::layouts
