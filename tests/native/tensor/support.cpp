// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include "device/null/null_device.hpp"
#include "reflect/layout.hpp"
#include "tensor/dtype.hpp"

#include <numeric>

namespace weft::test {

std::shared_ptr<device::Device> host_device() {
    return device::create_null_device();
}

reflect::TypeRef make_structure(const std::string& name,
                                std::vector<std::pair<std::string, reflect::TypeRef>> fields,
                                reflect::LayoutRules rules) {
    reflect::Type type;
    type.kind = reflect::TypeKind::structure;
    type.name = name;
    type.full_name = name;
    for (auto& [field_name, field_type] : fields) {
        reflect::Field field;
        field.name = field_name;
        field.type = tensor::with_rules(field_type, rules);
        type.fields.push_back(std::move(field));
    }
    type.layout = reflect::place_fields(type.fields, rules);
    return std::make_shared<const reflect::Type>(std::move(type));
}

tensor::TensorRef counting_tensor(const std::shared_ptr<device::Device>& device,
                                  std::vector<std::int64_t> shape) {
    auto result =
        tensor::Tensor::create(device, {.dtype = reflect::scalar_type(reflect::ScalarKind::float32),
                                        .shape = std::move(shape)});
    std::vector<float> values(static_cast<std::size_t>(result->element_count()));
    std::iota(values.begin(), values.end(), 0.0F);
    tensor::upload(*result, bytes_of(values));
    return result;
}

} // namespace weft::test
