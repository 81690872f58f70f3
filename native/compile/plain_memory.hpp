// SPDX-License-Identifier: Apache-2.0
// Memory without gradients (RWTensor, RWStructuredBuffer, pointers and their kin) that a differentiable function reads and changes. A
// backward call of a function with a result computes the value, and then the forward part again for the derivative, so that the
// second run reads what the first one left: the gradient is that of other values, and a counter counts twice. What is only written,
// or written before it is read, is the same twice.
#pragma once

#include "compile/reverse_problems.hpp"

#include <map>
#include <span>
#include <string>

namespace weft::compile {

/// By the name of a function, a clause with file and line: the differentiable functions of `texts` that read memory and change it,
/// by themselves or by functions of `texts` that they call. Holds for functions that return a value; one that returns nothing
/// runs once in a backward call. Names alone decide, and two elements are told apart by indices that are integer literals.
[[nodiscard]] std::map<std::string, std::string, std::less<>>
find_memory_problems(std::span<const UserText> texts);

} // namespace weft::compile
