// SPDX-License-Identifier: Apache-2.0
#include "compile/reader.hpp"

#include "core/text.hpp"
#include "reflect/layout.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace weft::compile {

using reflect::Access;
using reflect::ScalarKind;
using reflect::Type;
using reflect::TypeKind;
using reflect::TypeRef;

namespace {

struct TensorName {
    std::string_view name;
    Access access;
    bool is_interface;
    bool is_differentiable;
};

/// The tensor types of module weft (and slangpy).
constexpr std::array kTensorNames{
    TensorName{"ITensor", Access::read, true, false},
    TensorName{"IWTensor", Access::write, true, false},
    TensorName{"IRWTensor", Access::read_write, true, false},
    TensorName{"Tensor", Access::read, false, false},
    TensorName{"WTensor", Access::write, false, false},
    TensorName{"RWTensor", Access::read_write, false, false},
    TensorName{"NDBuffer", Access::read_write, false, false},
    TensorName{"RWNDBuffer", Access::read_write, false, false},
    TensorName{"IDiffTensor", Access::read, true, true},
    TensorName{"IWDiffTensor", Access::write, true, true},
    TensorName{"IRWDiffTensor", Access::read_write, true, true},
    TensorName{"DiffTensor", Access::read, false, true},
    TensorName{"WDiffTensor", Access::write, false, true},
    TensorName{"RWDiffTensor", Access::read_write, false, true},
    TensorName{"PrimalTensor", Access::read, false, false},
    TensorName{"WPrimalTensor", Access::write, false, false},
    TensorName{"RWPrimalTensor", Access::read_write, false, false},
    TensorName{"AtomicTensor", Access::read_write, false, false},
};

struct BufferName {
    std::string_view name;
    Access access;
    bool is_raw;
};

/// The buffer types of module weft (RWStructuredBuffer is a pointer).
constexpr std::array kBufferNames{
    BufferName{"StructuredBuffer", Access::read, false},
    BufferName{"ByteAddressBuffer", Access::read, true},
    BufferName{"RWByteAddressBuffer", Access::read_write, true},
};

/// Nesting of types beyond this is cut off with TypeKind::other; no real type comes near.
constexpr int kMaxDepth = 64;

std::string to_string(const char* text) {
    return text != nullptr ? text : "";
}

std::optional<std::int64_t> to_integer(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_whole = error == std::errc() && end == text.data() + text.size() && !text.empty();
    return is_whole ? std::optional(value) : std::nullopt;
}

/// A size that is a number or the name of a generic parameter.
template <typename Integer>
void read_size(std::string_view text, Integer& size, std::string& parameter) {
    if (const auto value = to_integer(text)) {
        size = static_cast<Integer>(*value);
    } else {
        parameter = text;
    }
}

TypeRef generic_parameter(const std::string& name) {
    Type type;
    type.kind = TypeKind::generic_parameter;
    type.name = name;
    type.full_name = name;
    return std::make_shared<const Type>(std::move(type));
}

std::string without_generics(std::string_view full_name) {
    std::string result;
    int depth = 0;
    for (const char c : full_name) {
        depth += c == '<' ? 1 : 0;
        if (depth == 0) {
            result += c;
        }
        depth -= c == '>' ? 1 : 0;
    }
    return result;
}

/// Where the arguments of a name that ends with `>` begin. Backwards: in "Outer<int>.Inner<float>" only the last list
/// belongs to the type itself.
/// @param depth set to the number of `>` without a `<`.
std::size_t last_list_begin(std::string_view full_name, int& depth) {
    for (std::size_t i = full_name.size(); i-- > 0;) {
        depth += full_name[i] == '>' ? 1 : 0;
        depth -= full_name[i] == '<' ? 1 : 0;
        if (depth == 0) {
            return i + 1;
        }
    }
    return 0;
}

std::string argument_or_nothing(const std::vector<std::string>& arguments, std::size_t index) {
    return index < arguments.size() ? arguments[index] : "";
}

} // namespace

std::vector<std::string> generic_argument_texts(std::string_view full_name) {
    std::vector<std::string> result;
    if (!full_name.ends_with('>')) {
        return result;
    }
    int depth = 0;
    std::string word;
    for (std::size_t i = last_list_begin(full_name, depth); i < full_name.size() - 1; ++i) {
        const char c = full_name[i];
        depth += is_one_of(c, "<([") ? 1 : 0;
        depth -= is_one_of(c, ">)]") ? 1 : 0;
        if (c == ',' && depth == 0) {
            result.push_back(std::exchange(word, ""));
        } else if (c != ' ' || !word.empty()) {
            word += c;
        }
    }
    result.push_back(word);
    return result;
}

TypeReader::TypeReader(Session& session, slang::ProgramLayout* program, DeclIndex& index)
    : m_slang(session.functions()), m_program(reinterpret_cast<SlangReflection*>(program)),
      m_index(index), m_attributes(session.functions()),
      m_rules(core::layout_rules(session.target())),
      m_differentiable(m_slang.program_find_type(m_program, "IDifferentiable")) {}

std::string TypeReader::full_name(SlangReflectionType* type) const {
    SlangRef<slang::IBlob> name;
    if (type == nullptr || SLANG_FAILED(m_slang.type_full_name(type, name.out()))) {
        return "";
    }
    std::string result(blob_text(name.get()));
    result.resize(std::min(result.find('\0'), result.size()));
    return result;
}

TypeRef TypeReader::read(SlangReflectionType* type) {
    const std::string name = full_name(type);
    if (const auto known = m_types.find(name); known != m_types.end()) {
        return known->second;
    }
    const bool is_structure = type != nullptr && m_slang.type_kind(type) == SLANG_TYPE_KIND_STRUCT;
    const bool is_open = is_structure && !m_open_structures.insert(name).second;
    if (type == nullptr || m_depth >= kMaxDepth || is_open) {
        // A structure that reaches itself through a pointer: the inner mention is its name only.
        Type shallow;
        shallow.kind = is_structure ? TypeKind::structure : TypeKind::other;
        shallow.name = without_generics(name);
        shallow.full_name = name;
        return std::make_shared<const Type>(std::move(shallow));
    }
    ++m_depth;
    TypeRef result = read_new(type, name);
    --m_depth;
    m_open_structures.erase(name);
    m_types[name] = result;
    return result;
}

TypeRef TypeReader::read_new(SlangReflectionType* type, const std::string& full_name) {
    Type out;
    out.name = to_string(m_slang.type_name(type));
    out.full_name = full_name;
    switch (m_slang.type_kind(type)) {
    case SLANG_TYPE_KIND_SCALAR: out = read_scalar(type); break;
    case SLANG_TYPE_KIND_VECTOR: read_vector(type, out); break;
    case SLANG_TYPE_KIND_MATRIX: read_matrix(type, out); break;
    case SLANG_TYPE_KIND_ARRAY: read_array(type, out); break;
    case SLANG_TYPE_KIND_POINTER: read_pointer(type, out); break;
    case SLANG_TYPE_KIND_ENUM: read_enumeration(type, out); break;
    case SLANG_TYPE_KIND_STRUCT:
    case SLANG_TYPE_KIND_INTERFACE: read_structure(type, out); break;
    case SLANG_TYPE_KIND_GENERIC_TYPE_PARAMETER:
    case SLANG_TYPE_KIND_NONE: {
        const bool is_parameter = !out.name.empty() && out.name == full_name;
        out.kind = is_parameter ? TypeKind::generic_parameter : TypeKind::other;
        break;
    }
    case SLANG_TYPE_KIND_RESOURCE:
    case SLANG_TYPE_KIND_SAMPLER_STATE:
    case SLANG_TYPE_KIND_TEXTURE_BUFFER:
    case SLANG_TYPE_KIND_SHADER_STORAGE_BUFFER:
    case SLANG_TYPE_KIND_CONSTANT_BUFFER:
    case SLANG_TYPE_KIND_PARAMETER_BLOCK: out.kind = TypeKind::resource; break;
    default: out.kind = TypeKind::other;
    }
    return std::make_shared<const Type>(std::move(out));
}

ScalarKind TypeReader::scalar_of(SlangReflectionType* type) const {
    switch (m_slang.type_scalar(type)) {
    case SLANG_SCALAR_TYPE_BOOL: return ScalarKind::bool_;
    case SLANG_SCALAR_TYPE_INT8: return ScalarKind::int8;
    case SLANG_SCALAR_TYPE_INT16: return ScalarKind::int16;
    case SLANG_SCALAR_TYPE_INT32: return ScalarKind::int32;
    case SLANG_SCALAR_TYPE_INT64:
    case SLANG_SCALAR_TYPE_INTPTR: return ScalarKind::int64;
    case SLANG_SCALAR_TYPE_UINT8: return ScalarKind::uint8;
    case SLANG_SCALAR_TYPE_UINT16: return ScalarKind::uint16;
    case SLANG_SCALAR_TYPE_UINT32: return ScalarKind::uint32;
    case SLANG_SCALAR_TYPE_UINT64:
    case SLANG_SCALAR_TYPE_UINTPTR: return ScalarKind::uint64;
    case SLANG_SCALAR_TYPE_FLOAT16: return ScalarKind::float16;
    case SLANG_SCALAR_TYPE_FLOAT32: return ScalarKind::float32;
    case SLANG_SCALAR_TYPE_FLOAT64: return ScalarKind::float64;
    default: return ScalarKind::void_;
    }
}

Type TypeReader::read_scalar(SlangReflectionType* type) const {
    const ScalarKind kind = scalar_of(type);
    if (kind == ScalarKind::void_ && m_slang.type_scalar(type) != SLANG_SCALAR_TYPE_VOID) {
        Type unknown; // bfloat16, 8-bit floats
        unknown.name = to_string(m_slang.type_name(type));
        unknown.full_name = unknown.name;
        return unknown;
    }
    return *reflect::scalar_type(kind, m_rules);
}

// Slang's own size queries throw for generic lengths, so sizes are read from the name.
void TypeReader::read_vector(SlangReflectionType* type, Type& out) const {
    const std::vector<std::string> arguments = generic_argument_texts(out.full_name);
    SlangReflectionType* const element = m_slang.type_element_type(type);
    const ScalarKind kind = element != nullptr ? scalar_of(element) : ScalarKind::void_;
    std::int32_t length = 0;
    std::string parameter;
    read_size(arguments.size() > 1 ? arguments[1] : "", length, parameter);
    if (kind != ScalarKind::void_ && parameter.empty()) {
        out = *reflect::vector_type(kind, length, m_rules);
        return;
    }
    out.kind = TypeKind::vector;
    out.scalar = kind;
    out.columns = length;
    out.count_parameter = parameter;
    out.element = kind != ScalarKind::void_ ? reflect::scalar_type(kind, m_rules)
                                            : generic_parameter(argument_or_nothing(arguments, 0));
}

void TypeReader::read_matrix(SlangReflectionType* type, Type& out) const {
    const std::vector<std::string> arguments = generic_argument_texts(out.full_name);
    std::int32_t rows = 0;
    std::int32_t columns = 0;
    std::string row_parameter;
    std::string column_parameter;
    read_size(argument_or_nothing(arguments, 1), rows, row_parameter);
    read_size(argument_or_nothing(arguments, 2), columns, column_parameter);
    SlangReflectionType* element = m_slang.type_element_type(type);
    // The element of a matrix is its row.
    if (element != nullptr && m_slang.type_kind(element) == SLANG_TYPE_KIND_VECTOR) {
        element = m_slang.type_element_type(element);
    }
    const ScalarKind kind = element != nullptr ? scalar_of(element) : ScalarKind::void_;
    if (kind != ScalarKind::void_ && row_parameter.empty() && column_parameter.empty()) {
        out = *reflect::matrix_type(kind, rows, columns, m_rules);
        return;
    }
    out.kind = TypeKind::matrix;
    out.scalar = kind;
    out.rows = rows;
    out.columns = columns;
    out.row_parameter = row_parameter;
    out.count_parameter = column_parameter;
    out.element = kind != ScalarKind::void_ ? reflect::scalar_type(kind, m_rules)
                                            : generic_parameter(argument_or_nothing(arguments, 0));
}

void TypeReader::read_array(SlangReflectionType* type, Type& out) {
    SlangReflectionType* const slang_element = m_slang.type_element_type(type);
    TypeRef element = read(slang_element);
    // `float x[3][2]` prints as "float[2][3]": the element's name, then this array's own size.
    const std::size_t start = full_name(slang_element).size() + 1;
    std::string size;
    if (out.full_name.ends_with(']') && start < out.full_name.size()) {
        size = out.full_name.substr(start, out.full_name.size() - start - 1);
    } else if (const auto arguments = generic_argument_texts(out.full_name); arguments.size() > 1) {
        size = arguments[1];
    }
    std::int64_t count = 0;
    std::string parameter;
    read_size(size, count, parameter);
    out = *reflect::array_type(std::move(element), count);
    if (!parameter.empty()) {
        out.count_parameter = parameter;
        out.full_name = core::text("Array<", out.element->full_name, ",", parameter, ">");
    }
}

void TypeReader::read_pointer(SlangReflectionType* type, Type& out) {
    out.kind = TypeKind::pointer;
    const std::vector<TypeRef> arguments = type_arguments(type);
    out.element = arguments.empty() ? read(m_slang.type_element_type(type)) : arguments.front();
    const std::vector<std::string> texts = generic_argument_texts(out.full_name);
    const bool is_read_only = texts.size() > 1 && texts[1] == "Access.Read";
    out.tensor.access = is_read_only ? Access::read : Access::read_write;
    out.full_name =
        core::text("Ptr<", out.element->full_name, is_read_only ? ",Access.Read>" : ">");
    out.layout = reflect::pointer_layout();
}

void TypeReader::read_enumeration(SlangReflectionType* type, Type& out) {
    out.kind = TypeKind::enumeration;
    SlangReflectionType* const underlying = m_slang.type_element_type(type);
    out.scalar = underlying != nullptr ? scalar_of(underlying) : ScalarKind::int32;
    out.layout = reflect::scalar_layout(out.scalar, m_rules);
    out.attributes = m_attributes.read(type);
    for (unsigned i = 0; i < m_slang.type_field_count(type); ++i) {
        SlangReflectionVariable* const variable = m_slang.type_field(type, i);
        std::int64_t value = 0;
        if (SLANG_SUCCEEDED(m_slang.variable_default_int(variable, &value))) {
            out.enumerators.push_back({to_string(m_slang.variable_name(variable)), value});
        }
    }
    if (const StructDecl* const decl = m_index.find_struct(out.full_name)) {
        out.location = decl->source.location;
        out.documentation = decl->source.text->comment_above(decl->source.position);
    }
}

std::vector<TypeRef> TypeReader::type_arguments(SlangReflectionType* type) {
    std::vector<TypeRef> result;
    SlangReflectionGeneric* const generic = m_slang.type_generic(type);
    const char* const name = m_slang.type_name(type);
    // A structure inside a generic one reports the outer parameters; its own name has no "<...>".
    if (generic == nullptr || name == nullptr || !full_name(type).ends_with('>')) {
        return result;
    }
    for (unsigned i = 0; i < m_slang.generic_type_count(generic); ++i) {
        SlangReflectionVariable* const parameter = m_slang.generic_type(generic, i);
        if (SlangReflectionType* const bound = m_slang.generic_concrete_type(generic, parameter)) {
            result.push_back(read(bound));
            continue;
        }
        result.push_back(generic_parameter(to_string(m_slang.variable_name(parameter))));
    }
    return result;
}

bool TypeReader::try_read_tensor(Type& out) {
    const auto match =
        std::find_if(kTensorNames.begin(), kTensorNames.end(),
                     [&out](const TensorName& candidate) { return candidate.name == out.name; });
    const std::vector<std::string> texts = generic_argument_texts(out.full_name);
    if (match == kTensorNames.end() || texts.size() < 2 || out.generic_arguments.empty()) {
        return false;
    }
    out.kind = TypeKind::tensor;
    out.element = out.generic_arguments.front();
    out.tensor.access = match->access;
    out.tensor.is_interface = match->is_interface;
    out.tensor.is_differentiable = match->is_differentiable;
    read_size(texts[1], out.tensor.rank, out.tensor.rank_parameter);
    return true;
}

bool TypeReader::try_read_buffer(Type& out) const {
    const auto match =
        std::find_if(kBufferNames.begin(), kBufferNames.end(),
                     [&out](const BufferName& candidate) { return candidate.name == out.name; });
    if (match == kBufferNames.end() || match->is_raw != out.generic_arguments.empty()) {
        return false;
    }
    out.kind = TypeKind::tensor;
    out.element = match->is_raw ? reflect::scalar_type(ScalarKind::uint8, m_rules)
                                : out.generic_arguments.front();
    out.tensor.access = match->access;
    out.tensor.is_buffer = true;
    out.tensor.is_raw = match->is_raw;
    out.tensor.rank = 1;
    return true;
}

/// Optional and Tuple, which have no fields in the reflection: those of the structures that Slang lowers them to.
bool TypeReader::try_read_lowered(Type& out) {
    const bool is_optional = out.name == "Optional";
    if (!is_optional && out.name != "Tuple") {
        return false;
    }
    for (const std::string& text : generic_argument_texts(out.full_name)) {
        reflect::Field field;
        field.name = is_optional ? "value" : core::text("value", out.fields.size());
        SlangReflectionType* const type = m_slang.program_find_type(m_program, text.c_str());
        field.type = type != nullptr ? read(type) : nullptr;
        const bool is_plain = field.type != nullptr && field.type->layout.size > 0 &&
                              field.type->kind != TypeKind::pointer;
        if (!is_plain) { // an optional pointer has no flag, and so on
            out.kind = TypeKind::other;
            out.fields.clear();
            return true;
        }
        out.fields.push_back(std::move(field));
    }
    if (is_optional) {
        reflect::Field field;
        field.name = "hasValue";
        field.type = reflect::scalar_type(ScalarKind::bool_, m_rules);
        out.fields.push_back(std::move(field));
    }
    out.layout = reflect::place_fields(out.fields, m_rules);
    return true;
}

void TypeReader::read_structure(SlangReflectionType* type, Type& out) {
    const bool is_interface = m_slang.type_kind(type) == SLANG_TYPE_KIND_INTERFACE;
    out.kind = is_interface ? TypeKind::interface_ : TypeKind::structure;
    out.generic_arguments = type_arguments(type);
    const StructDecl* const decl = m_index.find_struct(without_generics(out.full_name));
    // Named like a tensor, but the user's own structure.
    if (decl == nullptr && (try_read_tensor(out) || try_read_buffer(out))) {
        return;
    }
    if (is_interface || (decl == nullptr && try_read_lowered(out))) {
        return;
    }
    out.attributes = m_attributes.read(type);
    if (decl != nullptr) {
        out.location = decl->source.location;
        out.documentation = decl->source.text->comment_above(decl->source.position);
    }
    read_fields(type, decl, out);
    read_differential(type, out);
}

void TypeReader::read_fields(SlangReflectionType* type, const StructDecl* decl, Type& out) {
    for (unsigned i = 0; i < m_slang.type_field_count(type); ++i) {
        SlangReflectionVariable* const variable = m_slang.type_field(type, i);
        reflect::Field field;
        field.name = to_string(m_slang.variable_name(variable));
        field.type = read(m_slang.variable_type(variable));
        field.attributes = m_attributes.read(variable);
        field.is_no_diff = m_slang.variable_modifier(variable, SLANG_MODIFIER_NO_DIFF) != nullptr;
        const auto source = [&]() -> const DeclSource* {
            if (decl == nullptr) {
                return nullptr;
            }
            const auto match = std::find_if(
                decl->fields.begin(), decl->fields.end(),
                [&](const DeclSource& candidate) { return candidate.name == field.name; });
            return match != decl->fields.end() && match->text != nullptr ? &*match : nullptr;
        }();
        if (source != nullptr) {
            field.documentation = source->text->member_comment(source->position, source->name);
        }
        out.fields.push_back(std::move(field));
    }
    out.layout = reflect::place_fields(out.fields, m_rules);
}

void TypeReader::read_differential(SlangReflectionType* type, Type& out) {
    if (m_differentiable == nullptr ||
        !m_slang.program_is_subtype(m_program, type, m_differentiable)) {
        return;
    }
    out.is_differentiable = true;
    SlangReflectionType* const differential =
        m_slang.program_find_type(m_program, (out.full_name + ".Differential").c_str());
    out.differential = differential != nullptr ? full_name(differential) : "";
}

} // namespace weft::compile
