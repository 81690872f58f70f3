// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dispatch/bound_call.hpp"

#include <functional>

namespace weft::dispatch {

/// Turns "gen<float, 4>" into the overloads it names.
using Specializer = std::function<std::vector<reflect::Function>(const std::string&)>;

/// The type of this name, null if there is none.
using TypeFinder = std::function<reflect::TypeRef(const std::string&)>;

/// Where names that arguments mention are looked up.
struct Lookup {
    Specializer specialize;
    TypeFinder find_type{}; ///< none: no argument names a type
};

/// Picks the overload that fits the arguments best, specialising generic ones. A parameter of an interface
/// takes the type that its argument names: _type of a dict, the dtype of a tensor.
/// @throws ArgumentError listing every overload and why it does not fit, or those that fit equally well.
[[nodiscard]] std::unique_ptr<BoundCall>
resolve_call(const std::string& name, const std::vector<reflect::Function>& overloads,
             const ArgumentList& arguments, const CallOptions& options, const BindTarget& target,
             const Lookup& lookup);

} // namespace weft::dispatch
