// SPDX-License-Identifier: Apache-2.0
#include "compile/lookup.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cctype>

namespace weft::compile {

namespace {

constexpr std::size_t kMaxNameLength = 1024;
constexpr int kMaxNesting = 32;

/// The position of the last "." outside of any brackets, npos if there is none.
std::size_t find_member_dot(std::string_view name) {
    int depth = 0;
    for (std::size_t i = name.size(); i-- > 0;) {
        depth += name[i] == '>' || name[i] == ')' || name[i] == ']' ? 1 : 0;
        depth -= name[i] == '<' || name[i] == '(' || name[i] == '[' ? 1 : 0;
        if (name[i] == '.' && depth == 0) {
            return i;
        }
    }
    return std::string_view::npos;
}

/// "Foo<int>.Bar<float>" -> "Foo.Bar"
std::string without_arguments(std::string_view name) {
    std::string result;
    int depth = 0;
    for (const char c : name) {
        depth += c == '<' ? 1 : 0;
        if (depth == 0) {
            result += c;
        }
        depth -= c == '>' ? 1 : 0;
    }
    return result;
}

bool has_balanced_brackets(std::string_view name) {
    int depth = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        depth += name[i] == '<' || name[i] == '[' ? 1 : 0;
        depth -= name[i] == '>' || name[i] == ']' ? 1 : 0;
        if (depth < 0 || depth > kMaxNesting) {
            return false;
        }
    }
    return depth == 0;
}

bool is_name_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_.<>[], -").find(c) != std::string_view::npos;
}

/// Every "<", "[", "," and "." must have a word or a closing bracket before it and a word after it.
bool has_words_between_punctuation(std::string_view name) {
    char previous = ',';
    for (const char c : name) {
        if (c == ' ') {
            continue;
        }
        const bool is_punctuation = std::string_view("<[,.").find(c) != std::string_view::npos;
        const bool follows_punctuation =
            std::string_view("<[,.").find(previous) != std::string_view::npos;
        const bool is_empty_list =
            follows_punctuation && (c == '>' || (c == ']' && previous != '['));
        if ((is_punctuation && follows_punctuation) || is_empty_list) {
            return false;
        }
        previous = c;
    }
    return std::string_view("<[,.").find(previous) == std::string_view::npos;
}

} // namespace

std::optional<std::string> normalize_name(const std::string& name) {
    std::string result = name;
    // "float**" -> "Ptr<Ptr<float>>"; Slang's lookup crashes on "float*".
    const std::size_t end = result.find_last_not_of(" *");
    if (end == std::string::npos || name.size() > kMaxNameLength) {
        return std::nullopt;
    }
    const auto stars =
        std::count(result.begin() + static_cast<std::ptrdiff_t>(end), result.end(), '*');
    result.resize(end + 1);
    for (std::ptrdiff_t i = 0; i < stars && i < kMaxNesting; ++i) {
        result.insert(0, "Ptr<").append(">");
    }
    const bool starts_well =
        std::isalpha(static_cast<unsigned char>(result[0])) != 0 || result[0] == '_';
    const bool is_clean = starts_well &&
                          std::all_of(result.begin(), result.end(), is_name_character) &&
                          has_balanced_brackets(result) && has_words_between_punctuation(result);
    return is_clean ? std::optional(result) : std::nullopt;
}

Lookup::Lookup(Session& session, slang::IModule* module)
    : m_slang(session.functions()),
      m_program(reinterpret_cast<SlangReflection*>(session.layout_of(module))), m_index(session),
      m_types(session, session.layout_of(module), m_index), m_functions(session, m_types) {}

SlangReflectionType* Lookup::try_find_slang_type(const std::string& name) {
    try {
        return m_slang.program_find_type(m_program, name.c_str());
    } catch (...) {
        return nullptr; // Slang reports some unknown names by exceptions of its own
    }
}

reflect::TypeRef Lookup::find_type(const std::string& name) {
    const auto normal = normalize_name(name);
    SlangReflectionType* const type = normal ? try_find_slang_type(*normal) : nullptr;
    return type != nullptr ? m_types.read(type) : nullptr;
}

const FunctionDecl* Lookup::match_declaration(SlangReflectionFunction* function,
                                              const std::string& scope, const std::string& name) {
    const unsigned count = m_slang.function_parameter_count(function);
    const FunctionDecl* by_names = nullptr;
    for (const FunctionDecl* const candidate : m_index.find_functions(scope, name)) {
        bool has_same_names = candidate->parameters.size() == count;
        bool has_same_types = has_same_names;
        for (unsigned i = 0; i < count && has_same_names; ++i) {
            SlangReflectionVariable* const parameter = m_slang.function_parameter(function, i);
            SlangReflectionVariable* const declared =
                m_slang.function_parameter(candidate->function, i);
            const char* const parameter_name = m_slang.variable_name(parameter);
            has_same_names =
                parameter_name != nullptr && candidate->parameters[i].name == parameter_name;
            has_same_types =
                has_same_types && m_types.full_name(m_slang.variable_type(parameter)) ==
                                      m_types.full_name(m_slang.variable_type(declared));
        }
        if (has_same_names && has_same_types) {
            return candidate;
        }
        if (has_same_names && by_names == nullptr) {
            by_names = candidate; // a generic function has other types once it is specialised
        }
    }
    return by_names;
}

bool Lookup::has_same_parameters(SlangReflectionFunction* function,
                                 const std::vector<reflect::Function>& known) {
    std::vector<std::string> types;
    types.reserve(m_slang.function_parameter_count(function));
    for (unsigned i = 0; i < m_slang.function_parameter_count(function); ++i) {
        types.push_back(
            m_types.full_name(m_slang.variable_type(m_slang.function_parameter(function, i))));
    }
    return std::ranges::any_of(known, [&types](const reflect::Function& other) {
        return std::ranges::equal(other.parameters, types, {}, [](const reflect::Parameter& own) {
            return own.type->full_name;
        });
    });
}

std::vector<reflect::Function> Lookup::find_functions(const std::string& name) {
    std::vector<reflect::Function> result;
    const auto normal = normalize_name(name);
    if (!normal) {
        return result;
    }
    const std::size_t dot = find_member_dot(*normal);
    const std::string scope = dot != std::string::npos ? normal->substr(0, dot) : "";
    const std::string member = dot != std::string::npos ? normal->substr(dot + 1) : *normal;
    SlangReflectionType* const owner = scope.empty() ? nullptr : try_find_slang_type(scope);
    const std::string structure = without_arguments(scope);
    const bool is_constructor =
        owner != nullptr && member == structure.substr(structure.rfind('.') + 1);
    const std::string slang_member = is_constructor ? "$init" : member;
    SlangReflectionFunction* found = nullptr;
    try {
        found = owner != nullptr
                    ? m_slang.program_find_method(m_program, owner, slang_member.c_str())
                    : m_slang.program_find_function(m_program, normal->c_str());
    } catch (...) {
        return result;
    }
    if (found == nullptr) {
        return result;
    }
    const reflect::TypeRef owner_type = owner != nullptr ? m_types.read(owner) : nullptr;
    const unsigned overloads =
        m_slang.function_is_overloaded(found) ? m_slang.function_overload_count(found) : 1;
    for (unsigned i = 0; i < overloads; ++i) {
        SlangReflectionFunction* const function =
            m_slang.function_is_overloaded(found) ? m_slang.function_overload(found, i) : found;
        const FunctionDecl* const decl =
            match_declaration(function, structure, without_arguments(slang_member));
        if (is_constructor && (decl == nullptr || has_same_parameters(function, result))) {
            continue; // Slang's own, which takes the fields
        }
        reflect::Function read =
            m_functions.read(function, decl, owner_type, is_constructor ? scope : *normal);
        const bool is_specialised = member.ends_with('>');
        if (decl != nullptr && decl->generic != nullptr && !is_specialised) {
            read.generics = m_functions.read_generics(decl->generic);
        }
        result.push_back(std::move(read));
    }
    return result;
}

} // namespace weft::compile
