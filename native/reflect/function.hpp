// SPDX-License-Identifier: Apache-2.0
// Functions and modules as Slang declares them: plain data, never changed once read, so any thread may read it.
#pragma once

#include "reflect/type.hpp"

#include <array>
#include <optional>

namespace weft::reflect {

/// Of a parameter: what the function does with the argument. in: reads it; out: only writes it.
enum class Direction : std::uint8_t { in, out, inout };

/// A literal default value of a parameter.
using Literal = std::variant<bool, std::int64_t, double>;

struct Parameter {
    std::string name; ///< "" if the source gives none
    TypeRef type;     ///< never null
    Direction direction = Direction::in;
    bool is_no_diff = false;              ///< constant for derivatives, whatever its type
    bool has_default = false;             ///< a default exists, even if it is no literal
    std::optional<Literal> default_value; ///< nullopt: none, or no literal
    std::string default_text;             ///< as the source spells it; "" if that is not known
    std::string semantic;                 ///< "SV_DispatchThreadID" or ""
    std::vector<Attribute> attributes;    ///< in source order
    std::string
        documentation; ///< comment beside or above the parameter, without its markers; "": none
    SourceLocation location; ///< line 0 if unknown
};

/// Of a generic function or structure.
struct GenericParameter {
    std::string name;                     ///< "T"
    bool is_value = false;                ///< let N : int
    std::vector<std::string> constraints; ///< interface names of a type parameter
};

/// One overload of one function or method.
struct Function {
    std::string name;                  ///< without owner and generic arguments: "scale"
    std::string full_name;             ///< callable in Slang source: "Pixel.scale", "gen<float,4>"
    std::string owner;                 ///< full name of the structure of a method, else ""
    TypeRef this_type;                 ///< that structure; null if owner is empty
    std::vector<Parameter> parameters; ///< in source order, without `this`
    TypeRef return_type; ///< never null; the scalar void for a function without result
    std::vector<GenericParameter> generics; ///< empty once specialised
    std::vector<Attribute> attributes;      ///< in source order
    std::string documentation;              ///< the comment above it, without its markers; "": none
    SourceLocation location;                ///< line 0 if unknown
    bool is_differentiable =
        false; ///< [Differentiable] or [BackwardDifferentiable] or custom derivative
    /// Why reverse mode of it (of what it calls) would be wrong, as a clause; "" if nothing is known against it.
    std::string reverse_problem;
    std::string forward_problem; ///< the same for forward mode
    bool is_static = false;      ///< a method without `this`
    bool is_mutating = false;    ///< [mutating] method
    bool is_constructor = false; ///< an __init; its name is that of the structure
    bool is_entry_point = false; ///< has [numthreads]
    bool is_public =
        true; ///< false: in a text with `module x;` and without `public`; cannot be called
    std::array<std::int32_t, 3> group_size{
        1, 1, 1}; ///< threads along each axis, of [numthreads]; each at least 1
};

/// `uniform float scale;` at module scope.
struct GlobalParameter {
    std::string name;
    TypeRef type; ///< never null
};

/// `extern static const int N;` at module scope.
struct LinkConstant {
    std::string name;
    TypeRef type; ///< never null; a scalar
};

/// A structure that the module declares.
struct Structure {
    TypeRef type;                           ///< never null
    std::vector<Function> methods;          ///< all overloads
    std::vector<GenericParameter> generics; ///< in source order; empty if it is not generic
};

/// Everything that the user's module declares itself (imports are not listed).
struct Module {
    std::string name;                     ///< as it was loaded
    std::vector<Function> functions;      ///< all overloads, in source order
    std::vector<Structure> structs;       ///< in source order, with their methods
    std::vector<GlobalParameter> globals; ///< in source order
    std::vector<LinkConstant> constants;  ///< in source order
};

} // namespace weft::reflect
