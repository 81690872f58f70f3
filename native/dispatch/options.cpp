// SPDX-License-Identifier: Apache-2.0
#include "dispatch/options.hpp"

#include "core/text.hpp"

namespace weft::dispatch {

namespace {

std::string mapping_key(const Mapping& mapping) {
    std::string key = mapping.type_name + "(";
    for (const std::int32_t dimension : mapping.dimensions) {
        key += core::text(dimension, ",");
    }
    return key + ")";
}

} // namespace

std::string CallOptions::key() const {
    std::string key;
    for (const Mapping& mapping : positional) {
        key += mapping_key(mapping);
    }
    for (const auto& [name, mapping] : named) {
        key += core::text("|", name, "=", mapping_key(mapping));
    }
    for (const auto& [name, literal] : constants) {
        key += core::text("#", name, "=", literal);
    }
    if (group_size) {
        key += core::text("@", (*group_size)[0], ",", (*group_size)[1], ",", (*group_size)[2]);
    }
    if (is_raw_dispatch) {
        key += core::text("!", thread_count[0], ",", thread_count[1], ",", thread_count[2]);
    }
    if (derivative != codegen::Derivative::none) {
        key += derivative == codegen::Derivative::backward ? "bwd" : "fwd";
    }
    key += is_deterministic ? "det" : "";
    return core::text(key, "%", static_cast<int>(return_kind), "~", prelude);
}

} // namespace weft::dispatch
