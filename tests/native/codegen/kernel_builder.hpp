// SPDX-License-Identifier: Apache-2.0
// Kernels for the tests of the passes: float operands with given strides over a call shape.
#pragma once

#include "codegen/kernel.hpp"

#include <cstdlib>

namespace weft::codegen::testing {

inline Operand float_operand(const std::string& name, std::vector<std::int64_t> strides,
                             bool writes = false) {
    Operand operand;
    operand.kind = OperandKind::element;
    operand.type = reflect::scalar_type(reflect::ScalarKind::float32);
    operand.name = name;
    operand.reads = !writes;
    operand.writes = writes;
    operand.source = 0;
    operand.memory.leaf = operand.type;
    operand.memory.call_strides = std::move(strides);
    operand.memory.alignment = 256;
    operand.memory.extent_bytes = 1024;
    operand.memory.may_bind = true;
    return operand;
}

inline std::vector<std::int64_t> row_major(const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) {
        strides[i - 1] = strides[i] * shape[i];
    }
    return strides;
}

/// add(a, b) with the given strides; the result is row-major.
inline Kernel add_kernel(std::vector<std::int64_t> shape, std::vector<std::int64_t> a,
                         std::vector<std::int64_t> b) {
    Kernel kernel;
    kernel.callee = "add";
    kernel.imports = {"user"};
    kernel.operands = {float_operand("weft_a", std::move(a)),
                       float_operand("weft_b", std::move(b))};
    kernel.has_result = true;
    kernel.result = float_operand("weft_result", row_major(shape), true);
    kernel.shape = std::move(shape);
    return kernel;
}

/// scale(v) over `count` contiguous vectors of `columns` floats.
inline Kernel vector_kernel(std::int32_t columns, std::int64_t count) {
    Kernel kernel;
    kernel.callee = "scale";
    kernel.imports = {"user"};
    Operand operand = float_operand("weft_a", {columns});
    operand.type = reflect::vector_type(reflect::ScalarKind::float32, columns);
    operand.memory.component_shape = {columns};
    operand.memory.component_strides = {1};
    kernel.operands = {operand};
    kernel.has_result = true;
    kernel.result = operand;
    kernel.result.name = "weft_result";
    kernel.result.reads = false;
    kernel.result.writes = true;
    kernel.shape = {count};
    return kernel;
}

} // namespace weft::codegen::testing
