// SPDX-License-Identifier: Apache-2.0
#include "compile/reader.hpp"
#include "compile/slangtorch_names.hpp"

#include <algorithm>
#include <array>

namespace weft::compile {

bool AttributeReader::is_float(SlangReflectionType* type) const {
    if (type == nullptr || m_slang.type_kind(type) != SLANG_TYPE_KIND_SCALAR) {
        return false;
    }
    constexpr std::array<unsigned, 3> kFloats{SLANG_SCALAR_TYPE_FLOAT32, SLANG_SCALAR_TYPE_FLOAT64,
                                              SLANG_SCALAR_TYPE_FLOAT16};
    return std::ranges::find(kFloats, unsigned{m_slang.type_scalar(type)}) != kFloats.end();
}

reflect::Attribute AttributeReader::read_one(SlangReflectionAttribute* attribute) const {
    reflect::Attribute result;
    const char* const name = m_slang.attribute_name(attribute);
    result.name = slangtorch_attribute(name != nullptr ? name : "");
    for (unsigned i = 0; i < m_slang.attribute_argument_count(attribute); ++i) {
        SlangReflectionType* const type = m_slang.attribute_argument_type(attribute, i);

        int integer = 0;
        float number = 0;
        std::size_t size = 0;
        if (const char* const text = m_slang.attribute_argument_string(attribute, i, &size)) {
            result.arguments.emplace_back(std::string(text, size));
        } else if (is_float(type) &&
                   SLANG_SUCCEEDED(m_slang.attribute_argument_float(attribute, i, &number))) {
            result.arguments.emplace_back(static_cast<double>(number));
        } else if (SLANG_SUCCEEDED(m_slang.attribute_argument_int(attribute, i, &integer))) {
            result.arguments.emplace_back(std::int64_t{integer});
        }
    }
    return result;
}

std::vector<reflect::Attribute> AttributeReader::read(SlangReflectionType* type) const {
    std::vector<reflect::Attribute> result;
    result.reserve(m_slang.type_attribute_count(type));
    for (unsigned i = 0; i < m_slang.type_attribute_count(type); ++i) {
        result.push_back(read_one(m_slang.type_attribute(type, i)));
    }
    return result;
}

std::vector<reflect::Attribute> AttributeReader::read(SlangReflectionVariable* variable) const {
    std::vector<reflect::Attribute> result;
    result.reserve(m_slang.variable_attribute_count(variable));
    for (unsigned i = 0; i < m_slang.variable_attribute_count(variable); ++i) {
        result.push_back(read_one(m_slang.variable_attribute(variable, i)));
    }
    return result;
}

std::vector<reflect::Attribute> AttributeReader::read(SlangReflectionFunction* function) const {
    std::vector<reflect::Attribute> result;
    result.reserve(m_slang.function_attribute_count(function));
    for (unsigned i = 0; i < m_slang.function_attribute_count(function); ++i) {
        result.push_back(read_one(m_slang.function_attribute(function, i)));
    }
    return result;
}

} // namespace weft::compile
