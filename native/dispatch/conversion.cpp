// SPDX-License-Identifier: Apache-2.0
#include "dispatch/conversion.hpp"

#include "codegen/names.hpp"
#include "core/text.hpp"

namespace weft::dispatch {

using core::text;
using reflect::ScalarKind;

namespace {

// IEEE 754 binary16 and binary32 in integers: devices differ in how they round to half, and software
// Vulkan flushes subnormal numbers.
constexpr const char* kFromHalf = R"(
float weft_from_half(uint bits) {
    const uint sign = (bits & 0x8000u) << 16;
    const uint exponent = (bits >> 10) & 0x1Fu;
    const uint mantissa = bits & 0x3FFu;
    if (exponent == 0x1Fu) return asfloat(sign | 0x7F800000u | (mantissa << 13));
    if (exponent != 0u) return asfloat(sign | ((exponent + 112u) << 23) | (mantissa << 13));
    return asfloat(sign | asuint(float(mantissa) * 5.9604644775390625e-8f));
}
)";

constexpr const char* kToHalf = R"(
uint weft_rounded(uint value, uint shift) {
    const uint rest = value & ((1u << shift) - 1u);
    const uint middle = 1u << (shift - 1u);
    const uint whole = value >> shift;
    return whole + (rest > middle || (rest == middle && (whole & 1u) != 0u) ? 1u : 0u);
}
uint weft_to_half(float value) {
    const uint bits = asuint(value);
    const uint sign = (bits >> 16) & 0x8000u;
    const uint magnitude = bits & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u) return sign | 0x7E00u;
    if (magnitude >= 0x477FF000u) return sign | 0x7C00u;
    if (magnitude >= 0x38800000u) return sign | weft_rounded(magnitude - 0x38000000u, 13u);
    const uint exponent = magnitude >> 23;
    if (exponent < 102u) return sign;
    return sign | weft_rounded((magnitude & 0x7FFFFFu) | 0x800000u, 126u - exponent);
}
)";

unsigned bits_of(ScalarKind kind) {
    return 8U * static_cast<unsigned>(reflect::size_bytes(kind));
}

/// The number in `x` in a type that computes: see codegen::stored_kind().
std::string wide_value(ScalarKind from) {
    if (from == ScalarKind::float16) {
        return "weft_from_half(uint(x))";
    }
    if (from == ScalarKind::bool_) {
        return "(x != 0 ? 1u : 0u)";
    }
    return text(slang_name(codegen::stored_kind(from)), "(x)");
}

std::string power_of_two(unsigned exponent) {
    return text(std::uint64_t{1} << (exponent / 2U), ".0f * ",
                std::uint64_t{1} << (exponent - exponent / 2U), ".0f");
}

/// What must hold of the wide value `w` for it to fit `to`; "" if it always does.
std::string float_condition(ScalarKind wide, ScalarKind to) {
    const std::string type(slang_name(wide));
    const unsigned digits = bits_of(to) - (reflect::is_signed(to) ? 1U : 0U);
    const std::string upper = text(type, "(", power_of_two(digits), ")");
    const std::string lower = reflect::is_signed(to) ? "-" + upper : type + "(0.0f)";
    return text("w >= ", lower, " && w < ", upper);
}

std::string largest(ScalarKind kind) {
    const unsigned digits = bits_of(kind) - (reflect::is_signed(kind) ? 1U : 0U);
    return text(~std::uint64_t{0} >> (64U - digits), "ULL");
}

std::string integer_condition(ScalarKind from, ScalarKind to) {
    const bool is_signed = reflect::is_signed(from);
    const std::string type(slang_name(codegen::stored_kind(from)));
    std::vector<std::string> parts;
    if (is_signed && !reflect::is_signed(to)) {
        parts.push_back("w >= 0");
    } else if (is_signed && bits_of(to) < bits_of(from)) {
        parts.push_back(text("w >= ", type, "(-", type, "(", largest(to), ") - 1)"));
    }
    const unsigned from_digits = bits_of(from) - (is_signed ? 1U : 0U);
    const unsigned to_digits = bits_of(to) - (reflect::is_signed(to) ? 1U : 0U);
    if (to_digits < from_digits) {
        parts.push_back(text("w <= ", type, "(", largest(to), ")"));
    }
    return core::join(parts, " && ");
}

std::string condition(ScalarKind from, ScalarKind to) {
    if (!reflect::is_integer(to) || from == ScalarKind::bool_) {
        return "";
    }
    return reflect::is_float(from) ? float_condition(codegen::stored_kind(from), to)
                                   : integer_condition(from, to);
}

/// Whether `x` is not 0, subnormal numbers included.
std::string truth(ScalarKind from) {
    switch (from) {
    case ScalarKind::float16: return "(uint(x) & 0x7FFFu) != 0u";
    case ScalarKind::float32: return "(asuint(x) & 0x7FFFFFFFu) != 0u";
    default: return "x != 0";
    }
}

std::string result(ScalarKind from, ScalarKind to) {
    if (to == ScalarKind::bool_) {
        return text("uint8_t(", truth(from), " ? 1u : 0u)");
    }
    if (to == ScalarKind::float16) {
        return "uint16_t(weft_to_half(float(w)))";
    }
    const bool narrows = reflect::is_float(from) && bits_of(to) < 32;
    const char* through = !narrows ? "" : reflect::is_signed(to) ? "int" : "uint";
    return text(slang_name(to), "(", through, narrows ? "(w)" : "w", ")");
}

} // namespace

ScalarKind stored_bits(ScalarKind kind) noexcept {
    return kind == ScalarKind::bool_     ? ScalarKind::uint8
           : kind == ScalarKind::float16 ? ScalarKind::uint16
                                         : kind;
}

bool has_storage(const device::DeviceFeatures& features, ScalarKind kind) noexcept {
    switch (reflect::size_bytes(kind)) {
    case 1: return features.int8;
    case 2: return features.int16;
    case 8: return kind == ScalarKind::float64 ? features.float64 : features.int64;
    default: return true;
    }
}

bool is_convertible_on(const device::DeviceInfo& info, ScalarKind from, ScalarKind to) noexcept {
    const bool needs_double_rounding = from == ScalarKind::float64 && to == ScalarKind::float16;
    const bool has_double = from == ScalarKind::float64 || to == ScalarKind::float64;
    const bool flushes = info.features.is_software && has_double && reflect::is_float(from) &&
                         !reflect::is_integer(to);
    return has_storage(info.features, from) && has_storage(info.features, to) &&
           !needs_double_rounding && !flushes;
}

Conversion conversion(ScalarKind from, ScalarKind to) {
    Conversion made{.stored_from = stored_bits(from), .stored_to = stored_bits(to)};
    const std::string check = condition(from, to);
    made.is_checked = !check.empty();
    made.source = from == ScalarKind::float16 ? kFromHalf : "";
    made.source += to == ScalarKind::float16 ? kToHalf : "";
    const bool truncates = reflect::is_float(from) && reflect::is_integer(to);
    const std::string value = truncates ? text("trunc(", wide_value(from), ")") : wide_value(from);
    made.source +=
        text(slang_name(made.stored_to), " ", kConvert, "(", slang_name(made.stored_from), " x",
             made.is_checked ? ", uint* fault" : "", ") {\n    const ",
             slang_name(codegen::stored_kind(from)), " w = ", value, ";\n");
    if (made.is_checked) {
        made.source += text("    if (!(", check, ")) { *fault = 1u; return ",
                            slang_name(made.stored_to), "(0); }\n");
    }
    made.source += text("    return ", result(from, to), ";\n}\n");
    return made;
}

} // namespace weft::dispatch
