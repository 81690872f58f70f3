// SPDX-License-Identifier: Apache-2.0
// Numbers by which kernels and the host share memory: words of records, rows of paths, bits.
//
// Printed from the reflection of shaders/weft/render by packaging/dev/layouts.py, which a test
// compares. Do not edit; change the Slang. A word has 32 bits, a float unless its comment says
// otherwise; a number at the beginning of a comment: the entry takes so many words or rows. Other
// names in comments are those of the Slang.
#pragma once

#include <cstdint>

namespace weft::scene::layouts {

/// Kinds of light, and bits of what a scene has of them.
struct LightKind {
    /// radiance of all directions, an image; W/(m^2 sr)
    static constexpr std::uint32_t kEnvironment = 0;
    /// a sphere or a facing disc; see PointWord
    static constexpr std::uint32_t kPoint = 1;
    /// a point light within a cone; see PointWord
    static constexpr std::uint32_t kSpot = 2;
    /// the same direction everywhere; see SunWord
    static constexpr std::uint32_t kSun = 3;
    /// a rectangle or an ellipse; see AreaWord
    static constexpr std::uint32_t kArea = 4;
    /// of an emissive mesh; see TriangleWord
    static constexpr std::uint32_t kTriangle = 5;
    /// no kind: some lights of the scene have a profile, see light_profile.slang
    static constexpr std::uint32_t kProfiled = 6;
};

/// Words of a light's record.
struct LightWord {
    /// one of LightKind
    static constexpr std::uint32_t kKind = 0;
    /// of being chosen by power, 0 to 1
    static constexpr std::uint32_t kProbability = 1;
    /// 3: radiance; W/sr of a light without size; W/m^2 of a sun without size
    static constexpr std::uint32_t kColor = 2;
    /// 3: or, of a sun, the direction towards it
    static constexpr std::uint32_t kPosition = 5;
    /// the light's way from the root of the light tree, 0 if it is in none, see light_tree.slang
    static constexpr std::uint32_t kTrail = 19;
    /// where a light's profile begins, 0 if it has none, see light_profile.slang
    static constexpr std::uint32_t kProfile = 20;
    /// what rays it is hidden from, see light_rules.slang
    static constexpr std::uint32_t kRules = 21;
    /// number of words
    static constexpr std::uint32_t kEnd = 22;
};

/// Words of the record of a point light or a spot.
struct PointWord {
    /// metres, 0: a point
    static constexpr std::uint32_t kRadius = 8;
    /// 3: of a spot: unit, where its cone points
    static constexpr std::uint32_t kAxis = 9;
    /// cosine of half the angle of a spot's cone
    static constexpr std::uint32_t kCosine = 12;
    /// width of its soft edge, as a difference of cosines, 0 and greater
    static constexpr std::uint32_t kEdge = 13;
    /// 1: a disc that faces what it lights; 0: a sphere
    static constexpr std::uint32_t kFacesDisc = 14;
};

/// Words of the record of a sun.
struct SunWord {
    /// 1 - cosine of half the angle at which it is seen, 0 to 2; 0: parallel
    static constexpr std::uint32_t kGap = 8;
};

/// Words of the record of an area light.
struct AreaWord {
    /// m^2
    static constexpr std::uint32_t kArea = 8;
    /// 3: half axis, metres
    static constexpr std::uint32_t kHalfX = 9;
    /// 3: the other one, metres
    static constexpr std::uint32_t kHalfY = 12;
    /// 1: an ellipse; 0: a rectangle or parallelogram
    static constexpr std::uint32_t kIsEllipse = 15;
    /// 1: both sides emit; 0: only that to which halfX x halfY points
    static constexpr std::uint32_t kBothSides = 16;
    /// tangent of half of it; 0: full
    static constexpr std::uint32_t kSpread = 17;
    /// of spreadAttenuation()
    static constexpr std::uint32_t kSpreadFactor = 18;
};

/// Words of the record of an emissive triangle.
struct TriangleWord {
    /// index of the instance
    static constexpr std::uint32_t kInstance = 8;
    /// index among all triangles of the scene
    static constexpr std::uint32_t kTriangle = 9;
    /// 1: both sides emit; 0: the front
    static constexpr std::uint32_t kBothSides = 10;
    /// 1: its emission varies over it
    static constexpr std::uint32_t kVaries = 11;
};

/// Bits beside those of the kinds of ray that a light is hidden from.
struct LightRule {
    /// the light casts no shadow
    static constexpr std::uint32_t kShadowless = 256;
};

/// Words of a light's profile.
struct ProfileWord {
    /// columns of the image, bits of an integer
    static constexpr std::uint32_t kWidth = 0;
    /// rows of the image, bits of an integer
    static constexpr std::uint32_t kHeight = 1;
    /// factors are multiplied by metres to this power; 0: they are not
    static constexpr std::uint32_t kDistancePower = 2;
    /// m^2: s in d^2 / (s + d^2), a factor at d metres; 0: none
    static constexpr std::uint32_t kSmooth = 3;
    /// 3 a pixel, rows from the bottom
    static constexpr std::uint32_t kTexels = 4;
};

/// Words of a node of the light tree.
struct LightNodeWord {
    /// 3: lowest corner of the box, metres, world space
    static constexpr std::uint32_t kLow = 0;
    /// cosine of theta_o, the half angle of the cone of normals
    static constexpr std::uint32_t kCosine = 3;
    /// 3: highest corner, metres
    static constexpr std::uint32_t kHigh = 4;
    /// cosine of theta_e, the angle beyond it at which light leaves
    static constexpr std::uint32_t kEmission = 7;
    /// 3: of the cone, unit
    static constexpr std::uint32_t kAxis = 8;
    /// of all lights below
    static constexpr std::uint32_t kPower = 11;
    /// index of the first of two children or, with the highest bit, of a light
    static constexpr std::uint32_t kChild = 12;
    /// sine of theta_o, 0 to 1
    static constexpr std::uint32_t kSine = 13;
    /// number of words
    static constexpr std::uint32_t kEnd = 16;
};

/// Bits of the kinds of ray.
struct RayKind {
    /// bit 0: from a camera
    static constexpr std::uint32_t kCamera = 1;
    /// bit 1: towards a light
    static constexpr std::uint32_t kShadow = 2;
    /// bit 2: from a diffuse lobe
    static constexpr std::uint32_t kDiffuse = 4;
    /// bit 3: from a glossy lobe, a delta included
    static constexpr std::uint32_t kGlossy = 8;
    /// bit 4: through the surface
    static constexpr std::uint32_t kTransmission = 16;
    /// bit 5: back from the surface
    static constexpr std::uint32_t kReflection = 32;
    /// bit 6: from a delta, a mirror say
    static constexpr std::uint32_t kSingular = 64;
    /// bit 7: scattered by a medium
    static constexpr std::uint32_t kVolume = 128;
};

/// Words of an instance's record.
struct InstanceWord {
    /// index of the first triangle of its mesh
    static constexpr std::uint32_t kFirstTriangle = 0;
    /// index of the first of its slots of materials
    static constexpr std::uint32_t kFirstSlot = 1;
    /// index where lights of its triangles begin; kNone: it does not shine
    static constexpr std::uint32_t kFirstLight = 2;
    /// index of the object in the scene
    static constexpr std::uint32_t kObject = 3;
    /// number of words
    static constexpr std::uint32_t kEnd = 4;
};

/// Words of a material's record.
struct MaterialWord {
    /// index of its program
    static constexpr std::uint32_t kProgram = 0;
    /// index of its first number in the table
    static constexpr std::uint32_t kFirstParameter = 1;
    /// number of words
    static constexpr std::uint32_t kEnd = 2;
};

/// Rows of the state of a path.
struct PathRow {
    /// 3: product of BSDFs over densities so far
    static constexpr std::uint32_t kThroughput = 0;
    /// 3: W/(m^2 sr), what has arrived so far
    static constexpr std::uint32_t kRadiance = 3;
    /// 3: W/(m^2 sr), what arrives if the light drawn last is visible
    static constexpr std::uint32_t kPending = 6;
    /// 1/sr of the direction drawn last; 0: mirror or camera
    static constexpr std::uint32_t kPdf = 9;
    /// index of the path's last record, see record.slang; kNone: none yet
    static constexpr std::uint32_t kRecord = 10;
    /// of the ray, see ray_kind.slang; only where keepsKind()
    static constexpr std::uint32_t kKind = 11;
    /// least density of a direction that the path has drawn, 1/sr
    static constexpr std::uint32_t kLeast = 12;
    /// that the pending light may add; only where hasFactor()
    static constexpr std::uint32_t kMost = 13;
    /// surfaces left behind, and 65536 times transparent ones passed
    static constexpr std::uint32_t kCounts = 14;
    /// 3: factor of the pending light, 0 to 1
    static constexpr std::uint32_t kShadow = 15;
    /// 4: where the light ray ends, if light varies there: u, v, primitive, instance or kNone
    static constexpr std::uint32_t kEmitter = 18;
    /// 2: width of the ray where it begins, and what it gains a metre; only where weft_has_cones
    static constexpr std::uint32_t kCone = 22;
    /// 3: unit, of the surface that the path left last; only where weft_has_light_tree
    static constexpr std::uint32_t kNormal = 24;
    /// 2: width of the pixel where the ray begins, and what it gains a metre; only where weft_has_bumps
    static constexpr std::uint32_t kPixel = 27;
    /// distance from the ray's origin at which its length is 0
    static constexpr std::uint32_t kBegin = 29;
    /// 2: of what the light ray comes from: the same, and its depth
    static constexpr std::uint32_t kLightKind = 30;
    /// what the ray is in, see medium.slang
    static constexpr std::uint32_t kMedia = 32;
    /// the same of the light ray
    static constexpr std::uint32_t kLightMedia = 36;
    /// 3: albedo of one scattering, 0 to 1
    static constexpr std::uint32_t kWalkAlpha = 40;
    /// 3: extinction, 1/m
    static constexpr std::uint32_t kWalkSigma = 43;
    /// mean cosine of a deflection, -1 to 1
    static constexpr std::uint32_t kWalkTurn = 46;
    /// 5: what has been drawn, see WalkSteps
    static constexpr std::uint32_t kWalkSteps = 47;
    /// kNone: the path is not below a surface
    static constexpr std::uint32_t kWalkInstance = 52;
    /// index of the record of the surface where it went below; kNone: none
    static constexpr std::uint32_t kWalkRecord = 53;
    /// 3: unit, of that surface
    static constexpr std::uint32_t kWalkNormal = 54;
    /// see Guide; 0: the ray's direction was not drawn
    static constexpr std::uint32_t kWalkGuide = 57;
    /// kUnknownMedia: metres of the light ray in each medium that is fitted
    static constexpr std::uint32_t kLightWays = 58;
    /// number of rows
    static constexpr std::uint32_t kEnd = 62;
};

/// Rows of a batch of rays.
struct RayRow {
    /// 3: metres, world space
    static constexpr std::uint32_t kOrigin = 0;
    /// distance at which the ray begins, metres
    static constexpr std::uint32_t kNear = 3;
    /// 3: unit, world space
    static constexpr std::uint32_t kDirection = 4;
    /// distance at which it ends, metres
    static constexpr std::uint32_t kFar = 7;
    /// number of rows
    static constexpr std::uint32_t kEnd = 8;
};

/// Rows of a batch of hits.
struct HitRow {
    /// distance, metres: bits of a float, as u and v
    static constexpr std::uint32_t kT = 0;
    /// barycentric: weight of the second corner, 0 to 1
    static constexpr std::uint32_t kU = 1;
    /// barycentric: weight of the third corner; the first has 1 - u - v
    static constexpr std::uint32_t kV = 2;
    /// index of the triangle in its mesh
    static constexpr std::uint32_t kPrimitive = 3;
    /// index of the instance; kNone: nothing was hit
    static constexpr std::uint32_t kInstance = 4;
    /// number of rows
    static constexpr std::uint32_t kEnd = 5;
};

/// Rows of records.
struct RecordRow {
    /// index of the path
    static constexpr std::uint32_t kPath = 0;
    /// index of the path's next record; kNone: it meets no other such surface
    static constexpr std::uint32_t kNext = 1;
    /// 4: u, v, primitive, instance
    static constexpr std::uint32_t kHit = 2;
    /// 3: unit, towards where the path came from
    static constexpr std::uint32_t kViewer = 6;
    /// 3: unit, towards a light
    static constexpr std::uint32_t kLight = 9;
    /// 3: radiance over density, 0 if it is hidden
    static constexpr std::uint32_t kLightFactor = 12;
    /// factor of the emission, 0 to 1: its MIS weight
    static constexpr std::uint32_t kEmissionWeight = 15;
    /// 3: unit, where the path goes on
    static constexpr std::uint32_t kBounce = 16;
    /// 1 / (pdf * probability of going on); 0: it ends; below 0: of a delta
    static constexpr std::uint32_t kBounceFactor = 19;
    /// 3: constant of R beside the next record's
    static constexpr std::uint32_t kAfter = 20;
    /// 3: factor of R of the next record
    static constexpr std::uint32_t kThroughput = 23;
    /// 3: R, W/(m^2 sr)
    static constexpr std::uint32_t kValue = 26;
    /// width of the ray, metres; only where weft_has_cones
    static constexpr std::uint32_t kFootprint = 29;
    /// 3: dR / dR of the next record
    static constexpr std::uint32_t kGain = 30;
    /// index of the material
    static constexpr std::uint32_t kMaterial = 33;
    /// width of the path's pixel, metres; only where weft_has_bumps
    static constexpr std::uint32_t kPixel = 34;
    /// 4: of the ray that has met it, the last with 65536 times the lobes left dark; these only where weft_has_kinds
    static constexpr std::uint32_t kKind = 35;
    /// what the path makes of it, see packDulling(); only where weft_has_limits
    static constexpr std::uint32_t kDulled = 39;
    /// 2: steps of a walk below the surface beside those in `bounce`; below 0: none; only where weft_has_walks
    static constexpr std::uint32_t kWalk = 40;
    /// 3 a direction that moves the material: of R; or 3: derivative of the loss with respect to R
    static constexpr std::uint32_t kDerivative = 42;
    /// kUnknownMedia: metres of the light ray in each medium that is fitted
    static constexpr std::uint32_t kLightWays = 42;
    /// 3: what of R the light ray brings
    static constexpr std::uint32_t kLightValue = 46;
    /// where derivatives begin then
    static constexpr std::uint32_t kDerivativeBehind = 49;
};

/// Rows of what begins a path.
struct HeadRow {
    /// 3: constant of L
    static constexpr std::uint32_t kAfter = 0;
    /// 3: factor of R of the first record
    static constexpr std::uint32_t kThroughput = 3;
    /// index of the first record; kNone: there is none
    static constexpr std::uint32_t kNext = 6;
    /// number of rows
    static constexpr std::uint32_t kEnd = 7;
};

/// Rows of a pixel's layers.
struct LayerRow {
    /// 3: linear RGB
    static constexpr std::uint32_t kAlbedo = 0;
    /// 3: shading normal on the side of the viewer, world space, unit
    static constexpr std::uint32_t kNormal = 3;
    /// metres; see LayerSettings::forward
    static constexpr std::uint32_t kDepth = 6;
    /// 2: of the first UV set
    static constexpr std::uint32_t kUv = 7;
    /// index of the object in the scene
    static constexpr std::uint32_t kObject = 9;
    /// index of the material in the scene
    static constexpr std::uint32_t kMaterial = 10;
    /// number of rows
    static constexpr std::uint32_t kEnd = 11;
};

/// How many media there may be.
struct MediaLimit {
    /// number of media that a ray is in at a time; it does not enter more
    static constexpr std::uint32_t kDepth = 4;
    /// number of media that a fit has unknown numbers of
    static constexpr std::uint32_t kUnknown = 4;
};

/// Words of the coefficients of a medium.
struct MediumWord {
    /// 3: 1/m
    static constexpr std::uint32_t kAbsorption = 0;
    /// 3: 1/m
    static constexpr std::uint32_t kScattering = 3;
    /// 3: W/(m^3 sr)
    static constexpr std::uint32_t kEmission = 6;
    /// mean cosine of the angle of a deflection, -1 to 1
    static constexpr std::uint32_t kAnisotropy = 9;
    /// number of words
    static constexpr std::uint32_t kEnd = 10;
};

/// Bits of a material whose medium is fitted.
struct FittedMedium {
    /// number among the unknown media + 1; 0: it is not fitted
    static constexpr std::uint32_t kSlot = 7;
    /// it may scatter, with other numbers than it has
    static constexpr std::uint32_t kScatters = 8;
};

/// Words of a texture's record.
struct TextureWord {
    /// index of the first float of its texels
    static constexpr std::uint32_t kFirst = 0;
    /// columns
    static constexpr std::uint32_t kWidth = 1;
    /// rows
    static constexpr std::uint32_t kHeight = 2;
    /// floats a texel: 1, 3 or 4
    static constexpr std::uint32_t kChannels = 3;
    /// see TextureWrap
    static constexpr std::uint32_t kWrap = 4;
    /// see TextureFilter
    static constexpr std::uint32_t kFilter = 5;
    /// number of its mip levels, itself included
    static constexpr std::uint32_t kLevels = 6;
    /// index of the texture that is the first level above
    static constexpr std::uint32_t kAbove = 7;
    /// number of words
    static constexpr std::uint32_t kEnd = 8;
};

/// How a texture goes on beyond its image.
struct TextureWrap {
    /// it begins again beyond [0, 1]
    static constexpr std::uint32_t kRepeat = 0;
    /// the texels at its edge
    static constexpr std::uint32_t kExtend = 1;
    /// 0 beyond [0, 1]
    static constexpr std::uint32_t kClip = 2;
    /// it goes back beyond [0, 1]
    static constexpr std::uint32_t kMirror = 3;
};

/// How a texture is looked up.
struct TextureFilter {
    /// of the four texels around
    static constexpr std::uint32_t kLinear = 0;
    /// the texel that the position lies in
    static constexpr std::uint32_t kClosest = 1;
    /// linear in two levels, by the width of the ray
    static constexpr std::uint32_t kMipmap = 2;
};

/// Kinds of camera.
struct CameraKind {
    /// rays from a pinhole or a lens; film at distance 1
    static constexpr std::uint32_t kPerspective = 0;
    /// parallel rays; film in metres
    static constexpr std::uint32_t kOrthographic = 1;
    /// the whole sphere; film in radians of longitude and latitude
    static constexpr std::uint32_t kEquirectangular = 2;
};

/// Kinds of pixel filter.
struct FilterKind {
    /// constant over the width
    static constexpr std::uint32_t kBox = 0;
    /// linear, 0 at half the width from the centre
    static constexpr std::uint32_t kTent = 1;
    /// the Blackman-Harris window over the width
    static constexpr std::uint32_t kBlackmanHarris = 2;
};

/// What facets do not do once a path has been diffuse.
struct Stop {
    /// they do not reflect
    static constexpr std::uint32_t kReflection = 1;
    /// they do not refract
    static constexpr std::uint32_t kRefraction = 2;
};

/// What cameras see behind all surfaces.
struct Background {
    /// its radiance
    static constexpr std::uint32_t kEnvironment = 0;
    /// radiance 0
    static constexpr std::uint32_t kBlack = 1;
    /// 1 there and 0 elsewhere, whatever shines
    static constexpr std::uint32_t kMask = 2;
};

} // namespace weft::scene::layouts
