// SPDX-License-Identifier: Apache-2.0
// The one type system of Weft: plain data read from Slang by compile/, used by every other layer.
// Start reading at Type, then function.hpp.
#pragma once

#include "core/api.hpp"
#include "core/target.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace weft::reflect {

/// The only dtype enumeration of the project. float is IEEE 754, integers are two's complement; the name has the bits.
enum class ScalarKind : std::uint8_t {
    void_, ///< 0 bytes
    bool_, ///< 1 byte on the host, 0 or 1
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    float16,
    float32,
    float64,
};

/// Bytes of one element in a buffer. bool_ is 1 byte in host arrays; its device size is a Layout matter.
[[nodiscard]] WEFT_API std::size_t size_bytes(ScalarKind kind) noexcept; ///< void_: 0
/// The Slang keyword: "float", "int", "uint8_t", "half", ... Valid as long as the program runs.
[[nodiscard]] WEFT_API std::string_view slang_name(ScalarKind kind) noexcept;
/// The numpy name: "float32", "int32", "bool", ... Valid as long as the program runs.
[[nodiscard]] WEFT_API std::string_view numpy_name(ScalarKind kind) noexcept;
[[nodiscard]] WEFT_API bool is_float(ScalarKind kind) noexcept;   ///< true for float16, 32 and 64
[[nodiscard]] WEFT_API bool is_integer(ScalarKind kind) noexcept; ///< bool_ is not an integer
[[nodiscard]] WEFT_API bool
is_signed(ScalarKind kind) noexcept; ///< true for floats and signed integers

/// What a Type is, and which of its members say more; the others are empty.
enum class TypeKind : std::uint8_t {
    scalar,            ///< void included
    vector,            ///< element = scalar, columns = length
    matrix,            ///< element = scalar, rows x columns
    array,             ///< element = any, count = length (0: unsized)
    structure,         ///< fields, in source order
    enumeration,       ///< scalar = the underlying integer
    pointer,           ///< element = pointee
    tensor,            ///< ITensor, Tensor, StructuredBuffer, ... of module weft: see TensorTraits
    generic_parameter, ///< an unbound type parameter, name = "T"
    interface_,        ///< any other interface
    resource, ///< what only a descriptor reaches, textures and samplers: named in full_name
    other,    ///< nothing that Weft can pass
};

/// What a kernel does with the elements of a tensor.
enum class Access : std::uint8_t { read, write, read_write };

/// What a parameter of kind tensor takes. The element type is Type::element.
struct TensorTraits {
    Access access = Access::read;
    bool is_interface = false;      ///< ITensor and friends: the caller chooses the concrete type
    bool is_differentiable = false; ///< IDiffTensor, DiffTensor, ...
    bool is_buffer = false;         ///< StructuredBuffer, ByteAddressBuffer: elements in one row
    bool is_raw = false;            ///< ByteAddressBuffer: bytes, whatever the elements are
    std::int32_t rank = 0;          ///< number of dimensions; 0 while rank_parameter is unbound
    std::string rank_parameter;     ///< the generic parameter if the rank is unbound: "D"
};

/// [Label("x")], [Range(0, 1)] on a declaration.
struct Attribute {
    std::string name; ///< as in the source: "Range"
    std::vector<std::variant<std::int64_t, double, std::string>>
        arguments; ///< in source order; may be empty
};

/// Where a declaration stands.
struct SourceLocation {
    std::string file;        ///< as Slang names it; "" if unknown
    std::int32_t line = 0;   ///< 1-based, 0 if unknown
    std::int32_t column = 0; ///< 1-based, 0 if unknown
};

struct Type;
/// Types are shared and never change: any thread may read them. Null only where that is said.
using TypeRef = std::shared_ptr<const Type>;

/// A name of an enumeration.
struct Enumerator {
    std::string name;       ///< without that of the enumeration
    std::int64_t value = 0; ///< the bits, if the underlying type is uint64
};

/// A member variable of a structure; static ones are none.
struct Field {
    std::string name;
    TypeRef type;           ///< never null
    std::size_t offset = 0; ///< bytes, in the layout rules of the module (see LayoutRules)
    std::vector<Attribute> attributes; ///< in source order
    std::string documentation; ///< the comment beside or above it, without its markers; "": none
    bool is_no_diff = false;   ///< constant for derivatives, whatever its type
};

using core::LayoutRules;

/// Layout of a value behind a device pointer. Zero for types that cannot lie there (interfaces, resources).
struct Layout {
    std::size_t size = 0;      ///< bytes; may be less than stride
    std::size_t alignment = 1; ///< bytes
    std::size_t stride = 0;    ///< bytes from one array element to the next
};

/// A Slang type. Immutable once a TypeRef holds it, so any thread may read it.
struct Type {
    TypeKind kind = TypeKind::other;
    ScalarKind scalar = ScalarKind::void_; ///< of scalar, vector, matrix, enumeration
    std::int32_t rows = 0;                 ///< of a matrix, 1 to 4
    std::int32_t columns = 0;              ///< vector length or matrix columns, 1 to 4
    std::int64_t count = 0;      ///< array length; 0: unsized, or count_parameter is unbound
    std::string count_parameter; ///< generic length of a vector or array: "N"
    std::string row_parameter;   ///< generic row count of a matrix
    TypeRef element;             ///< see TypeKind; null where that names none
    std::string name;            ///< "Pixel"; generic arguments left out
    std::string full_name;       ///< as Slang source spells it: "vector<float,3>", "Foo<int>"
    std::vector<TypeRef> generic_arguments; ///< in source order; empty if it is not generic
    std::vector<Field> fields;              ///< of a structure, in source order
    std::vector<Enumerator> enumerators;    ///< of an enumeration, in source order
    std::vector<Attribute> attributes;      ///< in source order
    std::string documentation;              ///< the comment above it, without its markers; "": none
    SourceLocation location;                ///< line 0: of no source, as types of Slang itself
    Layout layout;                          ///< by the rules of the module that it was read for
    TensorTraits tensor;                    ///< of kind tensor
    bool is_differentiable = false;         ///< conforms to IDifferentiable
    std::string differential;               ///< full name of the Differential type, "" if none
};

/// The types that Slang has itself, by the rules of one target. Never null; lengths are not checked: 1 to 4 in Slang.
[[nodiscard]] WEFT_API TypeRef scalar_type(ScalarKind kind, LayoutRules rules = LayoutRules::spirv);
/// `length` columns, 1 to 4.
[[nodiscard]] WEFT_API TypeRef vector_type(ScalarKind kind, std::int32_t length,
                                           LayoutRules rules = LayoutRules::spirv);
/// Row-major; `rows` and `columns`: 1 to 4.
[[nodiscard]] WEFT_API TypeRef matrix_type(ScalarKind kind, std::int32_t rows, std::int32_t columns,
                                           LayoutRules rules = LayoutRules::spirv);
/// An array of `count` elements, 0: unsized. The layout is by the rules of the element, which may not be null.
[[nodiscard]] WEFT_API TypeRef array_type(TypeRef element, std::int64_t count);

/// Dimensions that a value of this type adds to an array of scalars: float3 -> 1 {3},
/// float3x4 -> 2 {3, 4}, float3[2] -> 2 {2, 3}; structures and scalars add none.
[[nodiscard]] WEFT_API std::vector<std::int64_t> element_shape(const Type& type);
/// The scalar or structure at the bottom of vectors, matrices and arrays; `type` itself if it is none. Valid as long as
/// `type`.
[[nodiscard]] WEFT_API const Type& leaf(const Type& type);
/// True if both are structurally the same type (kinds, sizes, full names of structures).
[[nodiscard]] WEFT_API bool same_type(const Type& a, const Type& b);

} // namespace weft::reflect
