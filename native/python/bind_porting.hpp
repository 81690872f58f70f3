// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>
#include <string>

namespace weft::python {

struct SessionDesc;

/// Members of the bound classes that scripts of other systems call; see docs/guide/porting.md.
void bind_porting(pybind11::module_& module);

/// `module.name` for what the class itself does not have. Names of the Slang source come first, SlangPy's then.
/// @throws AttributeError that says what there is instead.
[[nodiscard]] pybind11::object module_attribute(const pybind11::object& self,
                                                const std::string& name);

/// Applies SlangPy's arguments of create_device().
/// @throws ArgumentError if Weft cannot follow one, or there is none of that name.
void apply_slangpy_options(const pybind11::kwargs& options, SessionDesc& desc);

} // namespace weft::python
