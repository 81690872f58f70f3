// SPDX-License-Identifier: Apache-2.0
// What OSL has not: unsigned integers, rounding to even, halves, remainders without an error. osl_functions.cpp has the
// elementary functions.
#include "lower/osl_helpers.hpp"

#include "lower/osl_operations.hpp"

#include <array>
#include <vector>

namespace weft::lower::osl {

namespace {

constexpr auto kHelpers = std::to_array<Helper>({
    // Compilers fold literals, and write an infinity that the loader cannot read.
    {"weft_inf", R"(float weft_inf()
{
    float big = 1e38;
    return big * big;
}
)"},
    {"weft_nan", R"(float weft_nan()
{
    return weft_inf() - weft_inf();
}
)"},
    {"weft_fract", R"(float weft_fract(float x)
{
    return x - floor(x);
}
)"},
    {"weft_mod", R"(float weft_mod(float x, float y)
{
    return x - y * floor(x / y);
}
)"},
    // The product of the quotient and y is taken without an error (Dekker 1971, Veltkamp's splitting).
    {"weft_fmod", R"(float weft_fmod(float x, float y)
{
    float size = fabs(y);
    if (y == 0.0 || isinf(x))
        return 0.0;
    if (size > fabs(x))
        return x;
    float n = trunc(x / y);
    float c = 4097.0 * n;
    float n0 = c - (c - n);
    float n1 = n - n0;
    float d = 4097.0 * y;
    float y0 = d - (d - y);
    float y1 = y - y0;
    float p = n * y;
    float r = (x - p) - (((n0 * y0 - p) + n0 * y1 + n1 * y0) + n1 * y1);
    float towards = x < 0.0 ? -size : size;
    if (r != 0.0 && (r < 0.0) != (x < 0.0))
        return r + towards;
    return fabs(r) >= size ? r - towards : r;
}
)"},
    {"weft_round_even", R"(float weft_round_even(float x)
{
    float low = floor(x);
    float rest = x - low;
    int is_odd = low - 2.0 * floor(0.5 * low) == 1.0;
    return rest > 0.5 || (rest == 0.5 && is_odd) ? low + 1.0 : low;
}
)"},
    {"weft_scale", R"(float weft_scale(float x, int n)
{
    int half = n / 2;
    return x * exp2((float)half) * exp2((float)(n - half));
}
)"},
    {"weft_to_half", R"(float weft_to_half(float x)
{
    float size = fabs(x);
    if (size == 0.0 || isinf(x) || isnan(x))
        return x;
    if (size >= 65520.0)
        return x < 0.0 ? -weft_inf() : weft_inf();
    int step = max((int)logb(size), -14) - 10;
    return weft_scale(weft_round_even(weft_scale(x, -step)), step);
}
)"},

    // atan2 alone tells -0 from 0. Cycles takes numbers below 2^-126 for 0.
    {"weft_float_bits", R"(int weft_float_bits(float x)
{
    int negative = -2147483647 - 1;
    float size = fabs(x);
    int bits = 0;
    if (size == 0.0)
        return atan2(x, -1.0) < 0.0 ? negative : 0;
    if (isnan(x))
        return 2143289344;
    if (isinf(x)) {
        bits = 2139095040;
    } else {
        int exponent = (int)logb(size);
        bits = ((exponent + 126) << 23) + (int)weft_scale(size, 23 - exponent);
    }
    return x < 0.0 ? bits | negative : bits;
}
)"},
    {"weft_bits_float", R"(float weft_bits_float(int bits)
{
    int exponent = (bits >> 23) & 255;
    int fraction = bits & 8388607;
    float size = 0.0;
    if (exponent == 255)
        size = fraction == 0 ? weft_inf() : weft_nan();
    else if (exponent != 0)
        size = weft_scale((float)(fraction + 8388608), exponent - 150);
    return bits < 0 ? -size : size;
}
)"},

    {"weft_shift_right", R"(int weft_shift_right(int x, int by)
{
    int n = by & 31;
    return n == 0 ? x : (x >> n) & ((1 << (32 - n)) - 1);
}
)"},
    {"weft_div", R"(int weft_div(int a, int b)
{
    if (b == -1)
        return -a;
    return a / b;
}
)"},
    {"weft_rem", R"(int weft_rem(int a, int b)
{
    if (b == -1 || b == 0)
        return 0;
    return a % b;
}
)"},
    {"weft_int_mod", R"(int weft_int_mod(int a, int b)
{
    int rest = weft_rem(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
)"},
    {"weft_int_sign", R"(int weft_int_sign(int x)
{
    return (x > 0) - (x < 0);
}
)"},
    {"weft_unsigned_less", R"(int weft_unsigned_less(int a, int b)
{
    int turn = -2147483647 - 1;
    return (a ^ turn) < (b ^ turn);
}
)"},
    {"weft_unsigned_less_equal", R"(int weft_unsigned_less_equal(int a, int b)
{
    int turn = -2147483647 - 1;
    return (a ^ turn) <= (b ^ turn);
}
)"},
    {"weft_unsigned_min", R"(int weft_unsigned_min(int a, int b)
{
    return weft_unsigned_less(a, b) ? a : b;
}
)"},
    {"weft_unsigned_max", R"(int weft_unsigned_max(int a, int b)
{
    return weft_unsigned_less(a, b) ? b : a;
}
)"},
    // The quotient of half of a is at most one too small after doubling (Hacker's Delight, 9-3).
    {"weft_unsigned_div", R"(int weft_unsigned_div(int a, int b)
{
    if (b < 0)
        return !weft_unsigned_less(a, b);
    if (b == 0 || a >= 0)
        return a / b;
    int q = (((a >> 1) & 2147483647) / b) << 1;
    return q + !weft_unsigned_less(a - q * b, b);
}
)"},
    {"weft_unsigned_mod", R"(int weft_unsigned_mod(int a, int b)
{
    return b == 0 ? 0 : a - weft_unsigned_div(a, b) * b;
}
)"},
    {"weft_to_int", R"(int weft_to_int(float x)
{
    if (x >= 2147483648.0)
        return 2147483647;
    if (x < -2147483648.0)
        return -2147483647 - 1;
    if (isnan(x))
        return 0;
    return (int)x;
}
)"},
    {"weft_to_unsigned", R"(int weft_to_unsigned(float x)
{
    if (x >= 4294967296.0)
        return -1;
    if (x >= 2147483648.0)
        return (int)(x - 2147483648.0) ^ (-2147483647 - 1);
    if (x > 0.0)
        return (int)x;
    return 0;
}
)"},
    {"weft_unsigned_to_float", R"(float weft_unsigned_to_float(int x)
{
    return (float)((x >> 8) & 16777215) * 256.0 + (float)(x & 255);
}
)"},
    // IEC 61966-2-1.
    {"weft_linear", R"(float weft_linear(float x)
{
    return x < 0.04045 ? max(x, 0.0) / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}
)"},
    // The finest level: derivatives are 0. As Blender's nodes, colors are divided by alpha only where that is used, too.
    {"weft_image", R"(void weft_image(string name, int is_srgb, int is_straight, float u, float v,
    output color rgb, output float alpha)
{
    rgb = color(0.0);
    alpha = 0.0;
    if (name == "")
        return;
    rgb = texture(name, u, 1.0 - v, 0.0, 0.0, 0.0, 0.0, "wrap", "periodic", "interp", "linear", "alpha", alpha, "fill", 1.0);
    if (is_straight && alpha != 0.0 && alpha != 1.0)
        rgb = rgb / alpha;
    if (is_srgb)
        rgb = color(weft_linear(rgb[0]), weft_linear(rgb[1]), weft_linear(rgb[2]));
}
)"},
});

/// Whether a text calls a function; names may begin alike.
bool calls(std::string_view text, std::string_view name) {
    for (std::size_t at = text.find(name); at != std::string_view::npos;
         at = text.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        if (end < text.size() && text[end] == '(') {
            return true;
        }
    }
    return false;
}

} // namespace

std::string helpers_for(std::string_view text) {
    std::vector<Helper> all(kHelpers.begin(), kHelpers.end());
    const std::span<const Helper> functions = elementary_functions();
    all.insert(all.end(), functions.begin(), functions.end());
    // Functions stand after those that they call.
    std::vector<bool> is_used(all.size(), false);
    for (std::size_t i = all.size(); i-- > 0;) {
        is_used[i] = is_used[i] || calls(text, all[i].name);
        for (std::size_t k = 0; is_used[i] && k < i; k++) {
            is_used[k] = is_used[k] || calls(all[i].text, all[k].name);
        }
    }
    std::string made;
    for (std::size_t i = 0; i < all.size(); i++) {
        if (is_used[i]) {
            made += all[i].text;
            made += '\n';
        }
    }
    return made;
}

} // namespace weft::lower::osl
