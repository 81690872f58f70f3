// SPDX-License-Identifier: Apache-2.0
#include "lower/call.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "dag/build.hpp"
#include "dag/refusal.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <type_traits>

namespace weft::lower {

using core::text;
using dag::refuse;
using reflect::Direction;
using reflect::ScalarKind;
using reflect::Type;
using reflect::TypeKind;

namespace {

constexpr std::size_t kMaxLeaves = 1024;
constexpr std::string_view kComponents = "xyzw";
constexpr std::string_view kSampler = "weft_sampler_";
constexpr std::string_view kBuffers =
    "StructuredBuffer<float> weft_reals;\nStructuredBuffer<int> weft_integers;\n"
    "RWStructuredBuffer<float> weft_real_results;\nRWStructuredBuffer<int> weft_integer_results;\n";
// A pixel shader may do what a kernel may not: look images up without a level.
static_assert(kEntryPoint == "weft_lowered");
constexpr std::string_view kHead = "[shader(\"fragment\")] void weft_lowered()\n{\n";

bool has_attribute(const std::vector<reflect::Attribute>& attributes, std::string_view name) {
    return std::any_of(attributes.begin(), attributes.end(),
                       [&](const auto& attribute) { return attribute.name == name; });
}

/// Numbers the scalars of values in the two buffers.
class Numbering {
public:
    Numbering(const reflect::Function& function, std::uint32_t reals = 0,
              std::uint32_t integers = 0)
        : m_function(function), m_reals(reals), m_integers(integers) {}

    Value number(const std::string& name, const reflect::TypeRef& type) {
        Value value{name, type, {}, {}};
        add(value, *type, "");
        return value;
    }

private:
    void add(Value& value, const Type& type, const std::string& path) {
        switch (type.kind) {
        case TypeKind::scalar:
        case TypeKind::enumeration: add_scalar(value, type, path); return;
        case TypeKind::vector: add_vector(value, type, path); return;
        case TypeKind::matrix: add_matrix(value, type, path); return;
        case TypeKind::array: add_array(value, type, path); return;
        case TypeKind::structure: add_fields(value, type, path); return;
        default: refuse_kind(value, type);
        }
    }

    void add_vector(Value& value, const Type& type, const std::string& path) {
        for (std::int32_t i = 0; i < type.columns; i++) {
            const char component = kComponents[static_cast<std::size_t>(i)];
            add_scalar(value, type, path + '.' + component);
        }
    }

    void add_matrix(Value& value, const Type& type, const std::string& path) {
        const std::size_t first = value.leaves.size();
        for (std::int32_t row = 0; row < type.rows; row++) {
            for (std::int32_t column = 0; column < type.columns; column++) {
                add_scalar(value, type, text(path, '[', row, "][", column, ']'));
            }
        }
        value.leaves[first].begins_matrix =
            value.leaves[first].is_real && type.rows == 4 && type.columns == 4;
    }

    void add_array(Value& value, const Type& type, const std::string& path) {
        if (type.count <= 0) {
            refuse_type(value, type, "has no length; nodes need one");
        }
        for (std::int64_t i = 0; i < type.count; i++) {
            add(value, *type.element, text(path, '[', i, ']'));
        }
    }

    void add_fields(Value& value, const Type& type, const std::string& path) {
        if (type.full_name == "String") {
            refuse_type(value, type, "is a text; fix it, as in build={\"name\": '\"Wood\"'}");
        }
        for (const reflect::Field& field : type.fields) {
            const std::size_t first = value.leaves.size();
            add(value, *field.type, path + '.' + field.name);
            if (has_attribute(field.attributes, "Color")) {
                std::for_each(value.leaves.begin() + static_cast<std::ptrdiff_t>(first),
                              value.leaves.end(), [](Leaf& leaf) { leaf.is_color = true; });
            }
        }
    }

    [[noreturn]] void refuse_kind(const Value& value, const Type& type) {
        switch (type.kind) {
        case TypeKind::tensor:
        case TypeKind::pointer:
            refuse_type(value, type, "is memory, which nodes have not; pass the values themselves");
        case TypeKind::resource:
            refuse_type(value, type,
                        "is a texture or memory that nodes have not; take a Texture2D<float4> or a "
                        "Sampler2D as a parameter of its own");
        case TypeKind::interface_:
        case TypeKind::generic_parameter:
            refuse_type(value, type, "has no type yet; name one, as in f<Disk>");
        default: refuse_type(value, type, "cannot be a socket");
        }
    }

    void add_scalar(Value& value, const Type& type, const std::string& path) {
        const bool is_real =
            type.scalar == ScalarKind::float32 || type.scalar == ScalarKind::float16;
        const bool is_word = type.scalar == ScalarKind::int32 ||
                             type.scalar == ScalarKind::uint32 || type.scalar == ScalarKind::bool_;
        if (!is_real && !is_word) {
            refuse_type(value, type, "has no node; take float, half, int, uint or bool");
        }
        if (value.leaves.size() >= kMaxLeaves) {
            refuse_type(value, *value.type, "has more than 1024 numbers");
        }
        value.leaves.push_back({path, type.scalar, is_real, is_real ? m_reals++ : m_integers++,
                                type.kind == TypeKind::enumeration ? &type : nullptr});
    }

    [[noreturn]] void refuse_type(const Value& value, const Type& type, const std::string& why) {
        refuse(text(place_of(m_function), ": ",
                    value.name.empty() ? "the result" : text("parameter '", value.name, "'"),
                    ", a ", type.full_name, ", ", why));
    }

    const reflect::Function& m_function;
    std::uint32_t m_reals;
    std::uint32_t m_integers;
};

/// A scalar of an input, read from its buffer.
std::string read_text(const Leaf& leaf, const Type& type) {
    std::string word = text(leaf.is_real ? "weft_reals[" : "weft_integers[", leaf.number, ']');
    if (type.kind == TypeKind::enumeration) {
        return text(type.full_name, '(', word, ')');
    }
    switch (leaf.kind) {
    case ScalarKind::float16: return text("half(", word, ')');
    case ScalarKind::uint32: return text("uint(", word, ')');
    case ScalarKind::bool_: return text('(', word, " != 0)");
    default: return word;
    }
}

std::string result_text(const Leaf& leaf, const std::string& name) {
    const std::string value = name + leaf.path;
    if (leaf.is_real) {
        return text("weft_real_results[", leaf.number, "] = float(", value, ");\n");
    }
    const std::string word =
        leaf.kind == ScalarKind::bool_ ? text('(', value, " ? 1 : 0)") : text("int(", value, ')');
    return text("weft_integer_results[", leaf.number, "] = ", word, ";\n");
}

/// The type at the end of a path: enumerations are made of their numbers by name.
const Type& type_at(const Value& value, const std::string& path) {
    const Type* type = value.type.get();
    std::size_t at = 0;
    while (at < path.size()) {
        const std::size_t end = std::min(path.find_first_of(".[", at + 1), path.size());
        if (type->kind == TypeKind::array) {
            type = type->element.get();
        } else if (type->kind == TypeKind::structure) {
            const std::string name = path.substr(at + 1, end - at - 1);
            const auto field = std::find_if(type->fields.begin(), type->fields.end(),
                                            [&](const auto& entry) { return entry.name == name; });
            type = field->type.get();
        } else {
            break;
        }
        at = end;
    }
    return *type;
}

template <typename T>
double number_of(const T& value) {
    if constexpr (std::is_same_v<T, std::string>) {
        return 0;
    } else {
        return static_cast<double>(value);
    }
}

/// The value of the case that a default names: "Mode.Soft", "Mode::Soft".
std::optional<double> case_value(const Type& type, std::string_view named) {
    const std::size_t end = named.find_last_not_of(" )");
    const std::size_t begin = named.find_last_of(".: (", end);
    const std::string_view name =
        named.substr(begin == std::string_view::npos ? 0 : begin + 1, end - begin);
    for (const reflect::Enumerator& entry : type.enumerators) {
        if (entry.name == name) {
            return static_cast<double>(entry.value);
        }
    }
    return std::nullopt;
}

void take_hint(const reflect::Attribute& attribute, Hints& hints) {
    const auto& arguments = attribute.arguments;
    const auto* first = arguments.empty() ? nullptr : std::get_if<std::string>(&arguments.front());
    if (attribute.name == "Label" && first != nullptr) {
        hints.label = *first;
    } else if (attribute.name == "Tooltip" && first != nullptr) {
        hints.tooltip = *first;
    } else if (attribute.name == "Color") {
        hints.is_color = true;
    } else if (attribute.name == "Bundle") {
        hints.is_bundle = true;
    } else if (attribute.name == "Range" && arguments.size() == 2) {
        const auto number = [](const auto& value) { return number_of(value); };
        hints.minimum = std::visit(number, arguments[0]);
        hints.maximum = std::visit(number, arguments[1]);
    }
}

Hints hints_of(const reflect::Parameter& parameter) {
    Hints hints;
    hints.tooltip = parameter.documentation;
    for (const reflect::Attribute& attribute : parameter.attributes) {
        take_hint(attribute, hints);
    }
    if (parameter.default_value) {
        hints.default_value = std::visit([](const auto& value) { return number_of(value); },
                                         *parameter.default_value);
    } else {
        hints.default_value = case_value(*parameter.type, parameter.default_text);
    }
    return hints;
}

void check_bundle(const reflect::Function& function, const Value& value) {
    if (value.hints.is_bundle && value.type->kind != TypeKind::structure) {
        refuse(text(place_of(function), ": ",
                    value.name.empty() ? "the result" : text("parameter '", value.name, "'"),
                    " is marked [Bundle], which takes a structure, and is a ",
                    value.type->full_name, "; take the attribute away"));
    }
}

void check_function(const reflect::Function& function, const BuildValues& build_values) {
    if (!function.generics.empty()) {
        refuse(text(place_of(function), " is generic; name its arguments, as in ", function.name,
                    "<float>"));
    }
    if (function.this_type != nullptr && !function.is_static) {
        refuse(text(place_of(function), " is a method of '", function.owner,
                    "'; write a function that takes the structure and calls it"));
    }
    for (const auto& [name, value] : build_values) {
        const auto found =
            std::find_if(function.parameters.begin(), function.parameters.end(),
                         [&key = name](const auto& parameter) { return parameter.name == key; });
        if (found == function.parameters.end()) {
            std::vector<std::string> names;
            names.reserve(function.parameters.size());
            for (const reflect::Parameter& parameter : function.parameters) {
                names.push_back(parameter.name);
            }
            refuse(text(place_of(function), " has no parameter '", name, "'",
                        core::suggestion(name, names)));
        }
        if (found->type->kind == TypeKind::resource) {
            refuse(text(place_of(function), ": parameter '", name,
                        "' is a texture and cannot have a fixed value"));
        }
        if (found->direction != Direction::in) {
            refuse(text(place_of(function), ": parameter '", name,
                        "' is written by the function and cannot have a fixed value"));
        }
    }
}

enum class TextureKind : std::uint8_t { none, texture, sampler };

/// What nodes have: two dimensions of floats, and how these are looked up.
TextureKind texture_kind(const reflect::Parameter& parameter) {
    const std::string& name = parameter.type->full_name;
    if (parameter.type->kind != TypeKind::resource || parameter.direction != Direction::in) {
        return TextureKind::none;
    }
    if (name == "SamplerState") {
        return TextureKind::sampler;
    }
    for (const std::string_view begin : {"Texture2D<", "Sampler2D<"}) {
        const std::string_view element =
            std::string_view(name).substr(std::min(begin.size(), name.size()));
        if (name.starts_with(begin) &&
            (element == "float>" || element.starts_with("vector<float,"))) {
            return TextureKind::texture;
        }
    }
    return TextureKind::none;
}

/// Declares what a parameter that is a texture or a sampler is given.
/// @return its name; empty: the parameter is neither
std::string declare_texture(const reflect::Parameter& parameter, std::size_t number, Call& call,
                            std::ostream& globals) {
    const TextureKind kind = texture_kind(parameter);
    if (kind == TextureKind::none) {
        return "";
    }
    const bool is_image = kind == TextureKind::texture;
    std::string name = text(is_image ? dag::kImage : kSampler, number);
    if (is_image) {
        call.images.push_back({parameter.name, name, hints_of(parameter)});
    }
    globals << parameter.type->full_name << ' ' << name << ";\n";
    return name;
}

/// What structures hold that are made without values, or with those of the declaration.
std::string default_source(const reflect::Function& function, const std::string& import_name,
                           const Call& call) {
    std::ostringstream body;
    Numbering numbering(function);
    for (const Value& value : call.inputs) {
        if (value.type->kind != TypeKind::structure || value.leaves.empty()) {
            continue;
        }
        const auto parameter =
            std::find_if(function.parameters.begin(), function.parameters.end(),
                         [&](const auto& entry) { return entry.name == value.name; });
        const std::string name = text("weft_default_", value.name);
        body << value.type->full_name << ' ' << name << " = "
             << (parameter->default_text.empty() ? "{}" : parameter->default_text) << ";\n";
        for (const Leaf& leaf : numbering.number(value.name, value.type).leaves) {
            body << result_text(leaf, name);
        }
    }
    const std::string statements = std::move(body).str();
    return statements.empty()
               ? ""
               : text("import \"", import_name, "\";\n", kBuffers, kHead, statements, "}\n");
}

void require_result(const reflect::Function& function, const Call& call) {
    if (call.results.empty()) {
        refuse(text(place_of(function),
                    " has no result; a node needs a returned value or an out parameter"));
    }
}

std::string inputs_text(const Value& value, const std::string& name) {
    std::string made;
    for (const Leaf& leaf : value.leaves) {
        made += text(name, leaf.path, " = ", read_text(leaf, type_at(value, leaf.path)), ";\n");
    }
    return made;
}

std::string results_text(const Value& value, const std::string& name) {
    std::string made;
    for (const Leaf& leaf : value.leaves) {
        made += result_text(leaf, name);
    }
    return made;
}

} // namespace

std::string place_of(const reflect::Function& function) {
    if (function.location.line == 0) {
        return function.full_name;
    }
    // A text is called by its name, which may have slashes as well.
    const std::filesystem::path path = core::path_from_utf8(function.location.file);
    const std::string file =
        path.is_absolute() ? core::utf8_path(path.filename()) : function.location.file;
    return text(function.full_name, " (", file, ':', function.location.line, ')');
}

Call describe_call(const reflect::Function& function, const std::string& import_name,
                   const BuildValues& build_values) {
    check_function(function, build_values);
    Call call;
    Numbering inputs(function);
    Numbering results(function);
    std::ostringstream before;
    std::ostringstream after;
    std::ostringstream globals;
    std::string arguments;
    const bool has_result = function.return_type->scalar != ScalarKind::void_ ||
                            function.return_type->kind != TypeKind::scalar;
    if (has_result) {
        call.results.push_back(results.number("", function.return_type));
        Hints& hints = call.results.back().hints;
        hints.is_color = has_attribute(function.attributes, "Color");
        hints.is_bundle = has_attribute(function.attributes, "Bundle");
        check_bundle(function, call.results.back());
        after << results_text(call.results.back(), "weft_result");
    }
    for (std::size_t i = 0; i < function.parameters.size(); i++) {
        const reflect::Parameter& parameter = function.parameters[i];
        const auto fixed = build_values.find(parameter.name);
        const std::string separator = i == 0 ? "" : ", ";
        if (const std::string global = declare_texture(parameter, i, call, globals);
            !global.empty()) {
            arguments += separator + global;
            continue;
        }
        const std::string name = text("weft_argument_", i);
        arguments += separator + name;
        before << parameter.type->full_name << ' ' << name;
        if (fixed != build_values.end()) {
            call.inputs.push_back({parameter.name, parameter.type, {}, hints_of(parameter)});
            before << " = " << fixed->second << ";\n";
            continue;
        }
        before << ";\n";
        if (parameter.direction != Direction::out) {
            call.inputs.push_back(inputs.number(parameter.name, parameter.type));
            Value& value = call.inputs.back();
            value.hints = hints_of(parameter);
            check_bundle(function, value);
            before << inputs_text(value, name);
        }
        if (parameter.direction != Direction::in) {
            call.results.push_back(results.number(parameter.name, parameter.type));
            call.results.back().hints = hints_of(parameter);
            check_bundle(function, call.results.back());
            after << results_text(call.results.back(), name);
        }
    }
    require_result(function, call);
    call.default_source = default_source(function, import_name, call);
    call.source = text("import \"", import_name, "\";\n", kBuffers, globals.str(), kHead,
                       before.str(), has_result ? "let weft_result = " : "", function.full_name,
                       '(', arguments, ");\n", after.str(), "}\n");
    return call;
}

void set_defaults(Call& call, const std::vector<std::vector<float>>& reals,
                  const std::vector<std::vector<std::uint32_t>>& integers) {
    std::size_t real = 0;
    std::size_t integer = 0;
    for (Value& value : call.inputs) {
        if (value.type->kind != TypeKind::structure) {
            continue;
        }
        for (Leaf& leaf : value.leaves) {
            leaf.default_value = leaf.is_real
                                     ? static_cast<double>(reals.at(real++).at(0))
                                     : static_cast<std::int32_t>(integers.at(integer++).at(0));
        }
    }
}

} // namespace weft::lower
