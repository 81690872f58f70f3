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
    operand.memory.reach_bytes = 1024;
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

} // namespace weft::codegen::testing
