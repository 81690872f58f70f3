// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reflect/type.hpp"

#include <array>
#include <optional>

namespace weft::reflect {

enum class Direction : std::uint8_t { in, out, inout };

/// A literal default value of a parameter.
using Literal = std::variant<bool, std::int64_t, double>;

struct Parameter {
    std::string name;
    TypeRef type;
    Direction direction = Direction::in;
    bool is_no_diff = false;
    bool has_default = false; ///< a default exists, even if it is no literal
    std::optional<Literal> default_value;
    std::string default_text; ///< as the source spells it; "" if that is not known
    std::string semantic;     ///< "SV_DispatchThreadID" or ""
    std::vector<Attribute> attributes;
    std::string documentation; ///< comment beside or above the parameter
    SourceLocation location;
};

struct GenericParameter {
    std::string name;
    bool is_value = false;                ///< let N : int
    std::vector<std::string> constraints; ///< interface names of a type parameter
};

/// One overload of one function or method.
struct Function {
    std::string name;
    std::string full_name; ///< callable in Slang source: "Pixel.scale", "gen<float,4>"
    std::string owner;     ///< full name of the structure of a method, else ""
    TypeRef this_type;     ///< that structure; null if owner is empty
    std::vector<Parameter> parameters;
    TypeRef return_type;
    std::vector<GenericParameter> generics; ///< empty once specialised
    std::vector<Attribute> attributes;
    std::string documentation;
    SourceLocation location;
    bool is_differentiable =
        false; ///< [Differentiable] or [BackwardDifferentiable] or custom derivative
    /// Why reverse mode of it (of what it calls) would be wrong, as a clause; "" if nothing is known against it.
    std::string reverse_problem;
    std::string forward_problem; ///< the same for forward mode
    bool is_static = false;
    bool is_mutating = false; ///< [mutating] method
    bool is_constructor = false;
    bool is_entry_point = false; ///< has [numthreads]
    bool is_public =
        true; ///< false: in a text with `module x;` and without `public`; cannot be called
    std::array<std::int32_t, 3> group_size{1, 1, 1};
};

/// `uniform float scale;` at module scope.
struct GlobalParameter {
    std::string name;
    TypeRef type;
};

/// `extern static const int N;` at module scope.
struct LinkConstant {
    std::string name;
    TypeRef type;
};

struct Structure {
    TypeRef type;
    std::vector<Function> methods; ///< all overloads
    std::vector<GenericParameter> generics;
};

/// Everything that the user's module declares itself (imports are not listed).
struct Module {
    std::string name;
    std::vector<Function> functions; ///< all overloads, in source order
    std::vector<Structure> structs;
    std::vector<GlobalParameter> globals;
    std::vector<LinkConstant> constants;
};

} // namespace weft::reflect
