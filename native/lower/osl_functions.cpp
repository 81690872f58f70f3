// SPDX-License-Identifier: Apache-2.0
// Coefficients and ranges are those of the Cephes Mathematical Library, single precision, release 2.2 (S. L. Moshier, 1992:
// expf.c, exp2f.c, logf.c, log2f.c, asinf.c, atanf.c, sinhf.c, tanhf.c, asinhf.c, acoshf.c, atanhf.c). pow takes the
// logarithm in two floats, as e_powf.c of FreeBSD's msun does, with Veltkamp's splitting instead of masks.
#include "lower/osl_helpers.hpp"

#include <array>

namespace weft::lower::osl {

namespace {

constexpr auto kFunctions = std::to_array<Helper>({
    // 2^(n + r), r in [-0.5, 0.5]; powers of two are exact in OSL.
    {"weft_exp2_parts", R"(float weft_exp2_parts(float n, float r)
{
    float p = 1.535336188319500e-4;
    p = p * r + 1.339887440266574e-3;
    p = p * r + 9.618437357674640e-3;
    p = p * r + 5.550332471162809e-2;
    p = p * r + 2.402264791363012e-1;
    p = p * r + 6.931472028550421e-1;
    return weft_scale(p * r + 1.0, (int)n);
}
)"},
    {"weft_exp2", R"(float weft_exp2(float x)
{
    if (x >= 128.0)
        return weft_inf();
    if (x < -150.0)
        return 0.0;
    if (isnan(x))
        return x;
    float n = floor(x + 0.5);
    return weft_exp2_parts(n, x - n);
}
)"},
    {"weft_exp", R"(float weft_exp(float x)
{
    if (x > 88.722839)
        return weft_inf();
    if (x < -104.0)
        return 0.0;
    if (isnan(x))
        return x;
    float n = floor(x * 1.44269504 + 0.5);
    float r = (x - n * 0.693359375) + n * 2.12194440e-4;
    float p = 1.9875691500e-4;
    p = p * r + 1.3981999507e-3;
    p = p * r + 8.3334519073e-3;
    p = p * r + 4.1665795894e-2;
    p = p * r + 1.6666665459e-1;
    p = p * r + 5.0000001201e-1;
    return weft_scale(p * r * r + r + 1.0, (int)n);
}
)"},
    // x = 2^n m, m in [sqrt(1/2), sqrt(2)].
    {"weft_split", R"(void weft_split(float x, output float m, output float n)
{
    n = logb(x);
    m = weft_scale(x, -(int)n);
    if (m > 1.41421356) {
        m *= 0.5;
        n += 1.0;
    }
}
)"},
    // log(1 + x) - x + x^2 / 2.
    {"weft_log_rest", R"(float weft_log_rest(float x)
{
    float p = 7.0376836292e-2;
    p = p * x - 1.1514610310e-1;
    p = p * x + 1.1676998740e-1;
    p = p * x - 1.2420140846e-1;
    p = p * x + 1.4249322787e-1;
    p = p * x - 1.6668057665e-1;
    p = p * x + 2.0000714765e-1;
    p = p * x - 2.4999993993e-1;
    p = p * x + 3.3333331174e-1;
    return p * x * x * x;
}
)"},
    // Whether y is the logarithm already; else x = 2^n (m + 1).
    {"weft_log_begin",
     R"(int weft_log_begin(float x, output float m, output float n, output float y)
{
    m = 0.0;
    n = 0.0;
    y = x;
    if (x == 0.0)
        y = -weft_inf();
    else if (x < 0.0)
        y = 0.0;
    if (x <= 0.0 || isinf(x) || isnan(x))
        return 1;
    weft_split(x, m, n);
    m -= 1.0;
    return 0;
}
)"},
    {"weft_log", R"(float weft_log(float x)
{
    float m;
    float n;
    float y;
    if (weft_log_begin(x, m, n, y))
        return y;
    y = weft_log_rest(m) - 2.12194440e-4 * n - 0.5 * m * m;
    return (m + y) + 0.693359375 * n;
}
)"},
    {"weft_log2", R"(float weft_log2(float x)
{
    float m;
    float n;
    float y;
    if (weft_log_begin(x, m, n, y))
        return y;
    y = weft_log_rest(m) - 0.5 * m * m;
    return (y * 0.44269504 + m * 0.44269504 + y + m) + n;
}
)"},
    {"weft_high", R"(float weft_high(float x)
{
    float c = 4097.0 * x;
    return c - (c - x);
}
)"},
    // |x|^y for finite x > 0.
    {"weft_pow_positive", R"(float weft_pow_positive(float x, float y)
{
    float m;
    float n;
    weft_split(x, m, n);
    float u = m - 1.0;
    float v = 1.0 / (m + 1.0);
    float s = u * v;
    float s0 = weft_high(s);
    float t0 = weft_high(m + 1.0);
    float t1 = m - (t0 - 1.0);
    float s1 = v * ((u - s0 * t0) - s0 * t1);
    float q = s * s;
    float rest = s * q * (0.66666667 + q * (0.4 + q * (0.28571429 + q * (0.22222222 + q * 0.18181818))));
    float l = 2.0 * s1 + rest;
    float l0 = weft_high(2.0 * s0 + l);
    float l1 = l - (l0 - 2.0 * s0);
    float p = l0 * 1.4423828125;
    float e = l1 * 1.44269504 + l0 * 3.122284e-4;
    float g0 = weft_high(n + (p + e));
    float g1 = e - ((g0 - n) - p);
    float y0 = weft_high(y);
    float z0 = y0 * g0;
    float z1 = (y - y0) * g0 + y * g1;
    float z = z0 + z1;
    if (z >= 128.0)
        return weft_inf();
    if (z < -150.0)
        return 0.0;
    float k = floor(z + 0.5);
    return weft_exp2_parts(k, (z0 - k) + z1);
}
)"},
    {"weft_pow", R"(float weft_pow(float x, float y)
{
    if (y == 0.0 || x == 1.0)
        return 1.0;
    if (isnan(x) || isnan(y))
        return x + y;
    float size = fabs(x);
    if (isinf(y)) {
        if (size == 1.0)
            return 1.0;
        return (size > 1.0) == (y > 0.0) ? weft_inf() : 0.0;
    }
    int is_whole = floor(y) == y;
    if (x < 0.0 && !is_whole)
        return 0.0;
    float made;
    if (size == 0.0 || isinf(size))
        made = (size > 1.0) == (y > 0.0) ? weft_inf() : 0.0;
    else if (fabs(y) > 1e9)
        made = size == 1.0 ? 1.0 : ((size > 1.0) == (y > 0.0) ? weft_inf() : 0.0);
    else
        made = weft_pow_positive(size, y);
    return x < 0.0 && y - 2.0 * floor(0.5 * y) == 1.0 ? -made : made;
}
)"},
    {"weft_sinh", R"(float weft_sinh(float x)
{
    float a = fabs(x);
    if (a > 80.0) {
        float h = weft_exp(0.5 * a);
        return x < 0.0 ? -(0.5 * h * h) : 0.5 * h * h;
    }
    if (a > 1.0) {
        float e = weft_exp(a);
        return x < 0.0 ? 0.5 / e - 0.5 * e : 0.5 * e - 0.5 / e;
    }
    float z = x * x;
    float p = 2.03721912945e-4;
    p = p * z + 8.33028376239e-3;
    p = p * z + 1.66667160211e-1;
    return p * z * x + x;
}
)"},
    {"weft_cosh", R"(float weft_cosh(float x)
{
    float a = fabs(x);
    if (a > 80.0) {
        float h = weft_exp(0.5 * a);
        return 0.5 * h * h;
    }
    float e = weft_exp(a);
    return 0.5 * e + 0.5 / e;
}
)"},
    {"weft_tanh", R"(float weft_tanh(float x)
{
    float a = fabs(x);
    if (a >= 0.625) {
        float y = a > 20.0 ? 1.0 : 1.0 - 2.0 / (weft_exp(a + a) + 1.0);
        return x < 0.0 ? -y : y;
    }
    float z = x * x;
    float p = -5.70498872745e-3;
    p = p * z + 2.06390887954e-2;
    p = p * z - 5.37397155531e-2;
    p = p * z + 1.33314422036e-1;
    p = p * z - 3.33332819422e-1;
    return p * z * x + x;
}
)"},
    {"weft_asinh", R"(float weft_asinh(float x)
{
    float a = fabs(x);
    float y;
    if (a > 1500.0) {
        y = weft_log(a) + 0.693147181;
    } else if (a < 0.5) {
        float z = x * x;
        float p = 2.0122003309e-2;
        p = p * z - 4.2699340972e-2;
        p = p * z + 7.4847586088e-2;
        p = p * z - 1.6666288134e-1;
        y = p * z * a + a;
    } else {
        y = weft_log(a + sqrt(a * a + 1.0));
    }
    return x < 0.0 ? -y : y;
}
)"},
    {"weft_acosh", R"(float weft_acosh(float x)
{
    if (x < 1.0)
        return 0.0;
    if (x > 1500.0)
        return weft_log(x) + 0.693147181;
    float z = x - 1.0;
    if (z < 0.5) {
        float p = 1.7596881071e-3;
        p = p * z - 7.5272886713e-3;
        p = p * z + 2.6454905019e-2;
        p = p * z - 1.1784741703e-1;
        p = p * z + 1.4142135263;
        return p * sqrt(z);
    }
    return weft_log(x + sqrt(z * (x + 1.0)));
}
)"},
    {"weft_atanh", R"(float weft_atanh(float x)
{
    float a = fabs(x);
    float y;
    if (a > 1.0)
        return 0.0;
    if (a == 1.0) {
        y = weft_inf();
    } else if (a < 0.5) {
        float z = x * x;
        float p = 1.81740078349e-1;
        p = p * z + 8.24370301058e-2;
        p = p * z + 1.46691431730e-1;
        p = p * z + 1.99782164500e-1;
        p = p * z + 3.33337300303e-1;
        y = p * z * a + a;
    } else {
        y = 0.5 * weft_log((1.0 + a) / (1.0 - a));
    }
    return x < 0.0 ? -y : y;
}
)"},
    // Of x in [0, 0.5].
    {"weft_asin_small", R"(float weft_asin_small(float x)
{
    float z = x * x;
    float p = 4.2163199048e-2;
    p = p * z + 2.4181311049e-2;
    p = p * z + 4.5470025998e-2;
    p = p * z + 7.4953002686e-2;
    p = p * z + 1.6666752422e-1;
    return p * z * x + x;
}
)"},
    {"weft_asin", R"(float weft_asin(float x)
{
    float a = fabs(x);
    float y = a > 0.5 ? 1.57079633 - 2.0 * weft_asin_small(sqrt(0.5 * (1.0 - a)))
                      : weft_asin_small(a);
    return x < 0.0 ? -y : y;
}
)"},
    {"weft_acos", R"(float weft_acos(float x)
{
    float a = fabs(x);
    if (a > 0.5) {
        float y = 2.0 * weft_asin_small(sqrt(0.5 * (1.0 - a)));
        return x < 0.0 ? 3.14159265 - y : y;
    }
    return 1.57079633 - (x < 0.0 ? -weft_asin_small(a) : weft_asin_small(a));
}
)"},
    // Of x >= 0.
    {"weft_atan_positive", R"(float weft_atan_positive(float x)
{
    float y = 0.0;
    float t = x;
    if (x > 2.41421356) {
        y = 1.57079633;
        t = -1.0 / x;
    } else if (x > 0.414213562) {
        y = 0.785398163;
        t = (x - 1.0) / (x + 1.0);
    }
    float z = t * t;
    float p = 8.05374449538e-2;
    p = p * z - 1.38776856032e-1;
    p = p * z + 1.99777106478e-1;
    p = p * z - 3.33329491539e-1;
    return y + (p * z * t + t);
}
)"},
    {"weft_atan", R"(float weft_atan(float x)
{
    return x < 0.0 ? -weft_atan_positive(-x) : weft_atan_positive(x);
}
)"},
    {"weft_atan2", R"(float weft_atan2(float y, float x)
{
    float a = fabs(x);
    float b = fabs(y);
    float r = 0.785398163;
    if (a > b)
        r = weft_atan_positive(b / a);
    else if (a < b)
        r = 1.57079633 - weft_atan_positive(a / b);
    else if (a == 0.0)
        r = 0.0;
    if (x < 0.0)
        r = 3.14159265 - r;
    return y < 0.0 ? -r : r;
}
)"},
});

} // namespace

std::span<const Helper> elementary_functions() {
    return kFunctions;
}

} // namespace weft::lower::osl
