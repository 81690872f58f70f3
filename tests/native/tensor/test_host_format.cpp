// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"
#include "support/catch.hpp"
#include "tensor/dtype.hpp"
#include "tensor/host_format.hpp"

using namespace weft;
using reflect::LayoutRules;
using reflect::ScalarKind;
using tensor::HostFormat;

TEST_CASE("floats have the same bytes on the host and on a device") {
    CHECK(HostFormat(reflect::scalar_type(ScalarKind::float32)).is_identity());
    CHECK(HostFormat(reflect::vector_type(ScalarKind::float32, 3)).is_identity());
    CHECK(HostFormat(reflect::matrix_type(ScalarKind::float64, 3, 3)).is_identity());
    CHECK(
        HostFormat(reflect::vector_type(ScalarKind::float32, 4, LayoutRules::cuda)).is_identity());
}

TEST_CASE("a bool takes one byte on the host and four in SPIR-V rules") {
    const HostFormat format(reflect::scalar_type(ScalarKind::bool_));
    const std::vector<std::uint8_t> host = {1, 0, 255};
    std::vector<std::uint32_t> device(3);

    format.to_device(test::bytes_of(host), std::as_writable_bytes(std::span(device)));
    CHECK(device == std::vector<std::uint32_t>{1, 0, 1});

    const std::vector<std::uint32_t> written = {0, 256, 1};
    std::vector<std::uint8_t> read(3);
    format.to_host(test::bytes_of(written), std::as_writable_bytes(std::span(read)));
    CHECK(read == std::vector<std::uint8_t>{0, 1, 1});
}

TEST_CASE("a half3 takes six bytes on the host and eight in CUDA rules") {
    const HostFormat format(reflect::vector_type(ScalarKind::float16, 3, LayoutRules::cuda));
    const std::vector<std::uint16_t> host = {1, 2, 3, 4, 5, 6};
    std::vector<std::uint16_t> device(8, 99);
    std::vector<std::uint16_t> back(6);

    format.to_device(test::bytes_of(host), std::as_writable_bytes(std::span(device)));
    format.to_host(test::bytes_of(device), std::as_writable_bytes(std::span(back)));

    CHECK(device == std::vector<std::uint16_t>{1, 2, 3, 0, 4, 5, 6, 0});
    CHECK(back == host);
}

TEST_CASE("structures keep their values whatever the rules of the device") {
    const auto inner =
        test::make_structure("Inner", {{"weight", reflect::scalar_type(ScalarKind::float64)},
                                       {"flags", reflect::vector_type(ScalarKind::bool_, 3)}});
    const auto spirv =
        test::make_structure("Outer", {{"inner", reflect::array_type(inner, 2)},
                                       {"small", reflect::scalar_type(ScalarKind::int8)},
                                       {"pair", reflect::vector_type(ScalarKind::float32, 2)},
                                       {"frame", reflect::matrix_type(ScalarKind::float16, 2, 3)}});
    for (const LayoutRules rules : {LayoutRules::spirv, LayoutRules::cuda}) {
        const HostFormat format(tensor::with_rules(spirv, rules));
        const auto& outer = format.host_type();
        std::vector<std::byte> host(2 * format.host_stride());
        for (std::size_t i = 0; i < host.size(); ++i) {
            host[i] =
                std::byte{static_cast<std::uint8_t>(i % 2)}; // bools must be 0 or 1 to come back
        }
        std::vector<std::byte> device(2 * format.device_stride());
        std::vector<std::byte> back = host;
        const std::size_t flags =
            outer->fields[0].offset + outer->fields[0].type->element->fields[1].offset;
        back[flags + 1] = std::byte{77};

        format.to_device(host, device);
        format.to_host(device, back);

        CHECK(back == host);
    }
}
