// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace weft::compile {

/// Declarations that pass on what `source` imports: "__exported import mlp;" for each `import mlp;` in it, on one
/// line, in order, each once. A kernel that imports the module can then name the types of its parameters.
[[nodiscard]] std::string exported_imports(std::string_view source);

} // namespace weft::compile
