// SPDX-License-Identifier: Apache-2.0
// Four floats at once, in one register where the processor has such: compilers leave comparisons of floats scalar
// unless they may assume that no NaN occurs. All give the same results.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

#if defined(__SSE2__) || defined(_M_X64)
#define WEFT_LANES_SSE
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#define WEFT_LANES_NEON
#include <arm_neon.h>
#endif

namespace weft::scene {

#if defined(WEFT_LANES_SSE)

struct Lanes {
    __m128 value;

    static Lanes all(float x) noexcept { return {_mm_set1_ps(x)}; }
    /// Reads 16 bytes; no alignment asked.
    static Lanes load(const void* from) noexcept {
        Lanes out;
        std::memcpy(&out, from, sizeof(out));
        return out;
    }
    std::array<float, 4> array() const noexcept {
        std::array<float, 4> out;
        _mm_storeu_ps(out.data(), value);
        return out;
    }
};

inline Lanes operator+(Lanes a, Lanes b) noexcept {
    return {_mm_add_ps(a.value, b.value)};
}
inline Lanes operator-(Lanes a, Lanes b) noexcept {
    return {_mm_sub_ps(a.value, b.value)};
}
inline Lanes operator*(Lanes a, Lanes b) noexcept {
    return {_mm_mul_ps(a.value, b.value)};
}
inline Lanes min(Lanes a, Lanes b) noexcept {
    return {_mm_min_ps(a.value, b.value)};
}
inline Lanes max(Lanes a, Lanes b) noexcept {
    return {_mm_max_ps(a.value, b.value)};
}

#elif defined(WEFT_LANES_NEON)

struct Lanes {
    float32x4_t value;

    static Lanes all(float x) noexcept { return {vdupq_n_f32(x)}; }
    /// Reads 16 bytes; no alignment asked.
    static Lanes load(const void* from) noexcept {
        Lanes out;
        std::memcpy(&out, from, sizeof(out));
        return out;
    }
    std::array<float, 4> array() const noexcept {
        std::array<float, 4> out;
        vst1q_f32(out.data(), value);
        return out;
    }
};

inline Lanes operator+(Lanes a, Lanes b) noexcept {
    return {vaddq_f32(a.value, b.value)};
}
inline Lanes operator-(Lanes a, Lanes b) noexcept {
    return {vsubq_f32(a.value, b.value)};
}
inline Lanes operator*(Lanes a, Lanes b) noexcept {
    return {vmulq_f32(a.value, b.value)};
}
inline Lanes min(Lanes a, Lanes b) noexcept {
    return {vminnmq_f32(a.value, b.value)};
}
inline Lanes max(Lanes a, Lanes b) noexcept {
    return {vmaxnmq_f32(a.value, b.value)};
}

#else

struct Lanes {
    std::array<float, 4> value;

    static Lanes all(float x) noexcept { return {{x, x, x, x}}; }
    /// Reads 16 bytes; no alignment asked.
    static Lanes load(const void* from) noexcept {
        Lanes out;
        std::memcpy(&out, from, sizeof(out));
        return out;
    }
    std::array<float, 4> array() const noexcept { return value; }
};

template <typename Operation>
Lanes each_lane(Lanes a, Lanes b, Operation operation) noexcept {
    Lanes out;
    for (std::size_t i = 0; i < 4; ++i) {
        out.value[i] = operation(a.value[i], b.value[i]);
    }
    return out;
}

inline Lanes operator+(Lanes a, Lanes b) noexcept {
    return each_lane(a, b, [](float x, float y) { return x + y; });
}
inline Lanes operator-(Lanes a, Lanes b) noexcept {
    return each_lane(a, b, [](float x, float y) { return x - y; });
}
inline Lanes operator*(Lanes a, Lanes b) noexcept {
    return each_lane(a, b, [](float x, float y) { return x * y; });
}
inline Lanes min(Lanes a, Lanes b) noexcept {
    return each_lane(a, b, [](float x, float y) { return x < y ? x : y; });
}
inline Lanes max(Lanes a, Lanes b) noexcept {
    return each_lane(a, b, [](float x, float y) { return x > y ? x : y; });
}

#endif

} // namespace weft::scene
