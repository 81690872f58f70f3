// SPDX-License-Identifier: Apache-2.0
// Names of the fields of the argument block, shared by the pass that creates them and the printer.
#pragma once

#include "codegen/kernel.hpp"

#include <string>

namespace weft::codegen {

[[nodiscard]] std::string address_field(const Operand& operand);
[[nodiscard]] std::string call_stride_field(const Operand& operand, std::size_t dimension);
[[nodiscard]] std::string component_stride_field(const Operand& operand, std::size_t dimension);
[[nodiscard]] std::string extent_field(const Operand& operand, std::size_t dimension);
[[nodiscard]] std::string tensor_stride_field(const Operand& operand, std::size_t dimension);
[[nodiscard]] std::string scalar_field(const Operand& operand, std::size_t component);
[[nodiscard]] std::string dimension_field(std::size_t dimension);
/// Slang type of one memory leaf as a pointer reads it; a bool takes one byte.
[[nodiscard]] std::string memory_type(const reflect::Type& leaf);
/// Slang type of a scalar in the argument block and in registers: small integers and bool as integers of 32 bits, half as
/// float; others as they are.
[[nodiscard]] reflect::ScalarKind stored_kind(reflect::ScalarKind kind);

} // namespace weft::codegen
