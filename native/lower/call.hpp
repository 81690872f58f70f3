// SPDX-License-Identifier: Apache-2.0
// A call of a function as an entry point whose inputs and results are scalars in four buffers, which dag/ reads. Structures,
// vectors, matrices and arrays are taken apart here, and nowhere else.
#pragma once

#include "reflect/function.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::lower {

/// One scalar of a parameter or of the result.
struct Leaf {
    std::string path; ///< from the parameter on: "" of a scalar, ".x", ".cell.id", "[2][0]"
    reflect::ScalarKind kind = reflect::ScalarKind::float32;
    bool is_real = true;      ///< in the buffer of reals; integers and booleans are in the other
    std::uint32_t number = 0; ///< in that buffer
    const reflect::Type* enumeration = nullptr; ///< of its cases; lives as long as the Value's type
    bool begins_matrix = false; ///< the first of the 16 reals of a matrix, row by row
    bool is_color = false;      ///< of a field that is [Color]
    double default_value = 0;   ///< of a structure; see set_defaults()
};

/// What a parameter's attributes (module weft.node) and its declaration say to an editor.
struct Hints {
    std::string label;   ///< [Label("...")]
    std::string tooltip; ///< [Tooltip("...")], else the comment beside the parameter
    std::optional<double> minimum, maximum; ///< [Range(a, b)]; bounds of a slider, not of the value
    std::optional<double>
        default_value; ///< of a scalar: the literal; of a boolean 0 or 1, of an enumeration the case's value
    bool is_color = false;  ///< [Color]
    bool is_bundle = false; ///< [Bundle], of a structure
};

/// A parameter, or the returned value.
struct Value {
    std::string name; ///< "" of the returned value
    reflect::TypeRef type;
    std::vector<Leaf> leaves; ///< in order of declaration; none of a parameter with a build value
    Hints hints;
};

/// An image that whoever uses the function chooses; see images.hpp.
struct ImageSlot {
    std::string name;   ///< of the parameter, or what sampleImage() is given
    std::string global; ///< the entry point's variable of a parameter
    Hints hints;
};

/// Values of parameters that are fixed when the function is lowered, as Slang spells them: "5", "Mode.Soft".
using BuildValues = std::map<std::string, std::string>;

/// Strings of sources, by the hash that Slang gives them.
using Literals = std::map<std::uint32_t, std::string>;

/// Where a function stands, as refusals begin: "f (noise.slang:12)".
[[nodiscard]] std::string place_of(const reflect::Function& function);

inline constexpr std::string_view kEntryPoint = "weft_lowered";

struct Call {
    std::vector<Value> inputs; ///< in and inout parameters, in order
    std::vector<Value>
        results; ///< the returned value first, then out and inout parameters, in order
    std::vector<ImageSlot> images; ///< parameters that are textures, in order
    std::string source;            ///< Slang; the entry point is kEntryPoint
    /// Of an entry point whose results are what structures among the inputs hold by default; empty without one.
    std::string default_source;
    Literals literals; ///< of the function's sources; see inputs.hpp
};

/// @param import_name what `import "..."` reaches the function's module by
/// @throws core::ArgumentError, beginning with "lower: ", for parameters that have no value without a buffer (tensors,
///         pointers, textures but Texture2D and Sampler2D), are of 8, 16 or 64 bits, or of an interface; for a function that is generic still, a method
///         of a structure that is not static, has no result, gets a build value for a parameter that it has not, or marks as a
///         [Bundle] what is no structure.
[[nodiscard]] Call describe_call(const reflect::Function& function, const std::string& import_name,
                                 const BuildValues& build_values = {});

/// Notes what the entry point of `default_source` gave, in the order of its results.
void set_defaults(Call& call, const std::vector<std::vector<float>>& reals,
                  const std::vector<std::vector<std::uint32_t>>& integers);

} // namespace weft::lower
