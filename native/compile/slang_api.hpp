// SPDX-License-Identifier: Apache-2.0
// The Slang library, loaded at run time. Its classes are reached through virtual tables, its reflection
// through C functions: SlangFunctions holds the address of each one that Weft uses.
#pragma once

#include "core/shared_library.hpp"

#include <slang.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace weft::compile {

/// Owning reference to a Slang object.
template <typename T>
class SlangRef {
public:
    SlangRef() noexcept = default;
    /// Takes over the caller's reference.
    explicit SlangRef(T* object) noexcept : m_object(object) {}
    SlangRef(const SlangRef& other) noexcept : m_object(other.m_object) {
        if (m_object != nullptr) {
            m_object->addRef();
        }
    }
    SlangRef(SlangRef&& other) noexcept : m_object(std::exchange(other.m_object, nullptr)) {}
    SlangRef& operator=(SlangRef other) noexcept {
        std::swap(m_object, other.m_object);
        return *this;
    }
    ~SlangRef() {
        if (m_object != nullptr) {
            m_object->release();
        }
    }
    T* get() const noexcept { return m_object; }
    T* operator->() const noexcept { return m_object; }
    explicit operator bool() const noexcept { return m_object != nullptr; }
    /// Gives the reference up to the caller.
    [[nodiscard]] T* release() noexcept { return std::exchange(m_object, nullptr); }
    /// For functions that return a reference through a pointer; releases what was held.
    T** out() noexcept {
        *this = SlangRef();
        return &m_object;
    }

private:
    T* m_object = nullptr;
};

/// The text (or bytes) of a blob; empty for null.
[[nodiscard]] std::string_view blob_text(slang::IBlob* blob) noexcept;

/// A blob that holds a copy of `text`, zero-terminated as Slang expects of text.
[[nodiscard]] SlangRef<slang::IBlob> make_blob(std::string_view text);

// X(member, exported name)
#define WEFT_SLANG_FUNCTIONS(X)                                                                    \
    X(create_global_session, slang_createGlobalSession2)                                           \
    X(attribute_name, spReflectionUserAttribute_GetName)                                           \
    X(attribute_argument_count, spReflectionUserAttribute_GetArgumentCount)                        \
    X(attribute_argument_type, spReflectionUserAttribute_GetArgumentType)                          \
    X(attribute_argument_int, spReflectionUserAttribute_GetArgumentValueInt)                       \
    X(attribute_argument_float, spReflectionUserAttribute_GetArgumentValueFloat)                   \
    X(attribute_argument_string, spReflectionUserAttribute_GetArgumentValueString)                 \
    X(type_kind, spReflectionType_GetKind)                                                         \
    X(type_name, spReflectionType_GetName)                                                         \
    X(type_full_name, spReflectionType_GetFullName)                                                \
    X(type_attribute_count, spReflectionType_GetUserAttributeCount)                                \
    X(type_attribute, spReflectionType_GetUserAttribute)                                           \
    X(type_field_count, spReflectionType_GetFieldCount)                                            \
    X(type_field, spReflectionType_GetFieldByIndex)                                                \
    X(type_element_count, spReflectionType_GetSpecializedElementCount)                             \
    X(type_element_type, spReflectionType_GetElementType)                                          \
    X(type_row_count, spReflectionType_GetRowCount)                                                \
    X(type_column_count, spReflectionType_GetColumnCount)                                          \
    X(type_scalar, spReflectionType_GetScalarType)                                                 \
    X(type_generic, spReflectionType_GetGenericContainer)                                          \
    X(variable_name, spReflectionVariable_GetName)                                                 \
    X(variable_type, spReflectionVariable_GetType)                                                 \
    X(variable_modifier, spReflectionVariable_FindModifier)                                        \
    X(variable_attribute_count, spReflectionVariable_GetUserAttributeCount)                        \
    X(variable_attribute, spReflectionVariable_GetUserAttribute)                                   \
    X(variable_has_default, spReflectionVariable_HasDefaultValue)                                  \
    X(variable_default_int, spReflectionVariable_GetDefaultValueInt)                               \
    X(function_name, spReflectionFunction_GetName)                                                 \
    X(function_result, spReflectionFunction_GetResultType)                                         \
    X(function_parameter_count, spReflectionFunction_GetParameterCount)                            \
    X(function_parameter, spReflectionFunction_GetParameter)                                       \
    X(function_modifier, spReflectionFunction_FindModifier)                                        \
    X(function_attribute_count, spReflectionFunction_GetUserAttributeCount)                        \
    X(function_attribute, spReflectionFunction_GetUserAttribute)                                   \
    X(function_find_attribute, spReflectionFunction_FindUserAttributeByName)                       \
    X(function_generic, spReflectionFunction_GetGenericContainer)                                  \
    X(function_is_overloaded, spReflectionFunction_isOverloaded)                                   \
    X(function_overload_count, spReflectionFunction_getOverloadCount)                              \
    X(function_overload, spReflectionFunction_getOverload)                                         \
    X(generic_type_count, spReflectionGeneric_GetTypeParameterCount)                               \
    X(generic_type, spReflectionGeneric_GetTypeParameter)                                          \
    X(generic_value_count, spReflectionGeneric_GetValueParameterCount)                             \
    X(generic_value, spReflectionGeneric_GetValueParameter)                                        \
    X(generic_constraint_count, spReflectionGeneric_GetTypeParameterConstraintCount)               \
    X(generic_constraint, spReflectionGeneric_GetTypeParameterConstraintType)                      \
    X(generic_concrete_type, spReflectionGeneric_GetConcreteType)                                  \
    X(generic_inner, spReflectionGeneric_GetInnerDecl)                                             \
    X(decl_name, spReflectionDecl_getName)                                                         \
    X(decl_kind, spReflectionDecl_getKind)                                                         \
    X(decl_child_count, spReflectionDecl_getChildrenCount)                                         \
    X(decl_child, spReflectionDecl_getChild)                                                       \
    X(decl_type, spReflection_getTypeFromDecl)                                                     \
    X(decl_variable, spReflectionDecl_castToVariable)                                              \
    X(decl_function, spReflectionDecl_castToFunction)                                              \
    X(decl_generic, spReflectionDecl_castToGeneric)                                                \
    X(decl_modifier, spReflectionDecl_findModifier)                                                \
    X(program_find_type, spReflection_FindTypeByName)                                              \
    X(program_find_function, spReflection_FindFunctionByName)                                      \
    X(program_find_method, spReflection_FindFunctionByNameInType)                                  \
    X(program_is_subtype, spReflection_isSubType)                                                  \
    X(program_entry_point, spReflection_getEntryPointByIndex)                                      \
    X(program_parameter_count, spReflection_GetParameterCount)                                     \
    X(program_parameter, spReflection_GetParameterByIndex)                                         \
    X(program_global_size, spReflection_getGlobalConstantBufferSize)                               \
    X(layout_variable, spReflectionVariableLayout_GetVariable)                                     \
    X(layout_offset, spReflectionVariableLayout_GetOffset)                                         \
    X(layout_type, spReflectionVariableLayout_GetTypeLayout)                                       \
    X(type_layout_element, spReflectionTypeLayout_GetElementTypeLayout)                            \
    X(type_layout_field, spReflectionTypeLayout_GetFieldByIndex)                                   \
    X(type_layout_stride, spReflectionTypeLayout_GetElementStride)                                 \
    X(type_layout_type, spReflectionTypeLayout_GetType)                                            \
    X(type_layout_size, spReflectionTypeLayout_GetSize)

struct SlangFunctions {
#define WEFT_SLANG_MEMBER(member, symbol) decltype(&::symbol) member = nullptr;
    WEFT_SLANG_FUNCTIONS(WEFT_SLANG_MEMBER)
#undef WEFT_SLANG_MEMBER
};

/// The loaded library. One object a process is enough; the library stays loaded until exit, because its
/// objects may outlive any one owner.
class SlangLibrary {
public:
    /// Loads the compiler and, beside it, glslang (Slang's optimizer for SPIR-V) from `directory`.
    /// @throws DeviceError{unavailable} that names the folder, what it lacks, or the
    ///         function that this version of the library does not have.
    explicit SlangLibrary(const std::filesystem::path& directory);

    const SlangFunctions& functions() const noexcept { return m_functions; }

private:
    core::SharedLibrary m_glslang;
    core::SharedLibrary m_compiler;
    SlangFunctions m_functions;
};

/// The compiler library in `directory`, an empty path if there is none.
[[nodiscard]] std::filesystem::path find_slang_library(const std::filesystem::path& directory);

} // namespace weft::compile
