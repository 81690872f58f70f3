// SPDX-License-Identifier: Apache-2.0
#include "compile/host_dispatches.hpp"
#include "compile/slangtorch_names.hpp"

#include "support/catch.hpp"

#include <string>

namespace weft::compile {

namespace {

constexpr const char* kHost = R"([TorchEntryPoint]
void f(TorchTensor<float> t, int n)
{
    __dispatch_kernel(k, uint3(n), uint3(32, 1, 1))(t, float2(1, 2), n); // k
}
[CudaKernel]
void k(TensorView<float> t, float2 v, const Pair<int, float> p, int n = 3) { t[cudaThreadIdx().x] = v.x; }
)";

std::string first_lines(const std::string& text, std::size_t count) {
    std::size_t at = 0;
    for (std::size_t line = 0; line < count && at != std::string::npos; ++line) {
        at = text.find('\n', at) + 1;
    }
    return text.substr(0, at);
}

} // namespace

TEST_CASE("sources of SlangTorch are known by whole words outside of comments") {
    CHECK(needs_slangtorch("void f(TensorView<float> t) {}"));
    CHECK(needs_slangtorch("void f(DiffTensorView t) {}"));
    CHECK(needs_slangtorch("[TorchEntryPoint] void f() {}"));
    CHECK(needs_slangtorch("uint f() { return cudaThreadIdx().x; }"));
    CHECK_FALSE(needs_slangtorch("// TensorView<float>\nfloat f() { return 1; }"));
    CHECK_FALSE(needs_slangtorch("struct MyTensorView {} void f(MyTensorView v) {}"));
    CHECK_FALSE(
        needs_slangtorch("struct TensorView<T> { T* data; } void f(TensorView<float> t) {}"));
    CHECK_FALSE(needs_slangtorch("float cuda(float x) { return x; }"));
}

TEST_CASE("names of SlangTorch are replaced by others as long") {
    const std::string source =
        "[AutoPyBindCUDA] [CUDAKernel] void f() { cudaBlockIdx(); } // CudaKernel\n";
    const std::string renamed = rename_slangtorch(source);
    CHECK(renamed == "[weft_auto_bind] [weftKernel] void f() { weftBlockIdx(); } // CudaKernel\n");
    CHECK(renamed.size() == source.size());
    CHECK(slangtorch_attribute("weft_auto_bind") == "AutoPyBindCUDA");
    CHECK(slangtorch_attribute("Differentiable") == "Differentiable");
}

TEST_CASE("dispatches become records, and no line or column moves") {
    const std::string recorded = record_dispatches(kHost);
    const std::string kept = first_lines(recorded, 7);
    CHECK(kept.size() == std::string(kHost).size());
    CHECK(kept.find("recordLaunchOf_k( ") != std::string::npos);
    CHECK(kept.find("uint3(n), uint3(32, 1, 1))(t, float2(1, 2), n); // k") ==
          std::string(kHost).find("uint3(n), uint3(32, 1, 1))(t, float2(1, 2), n); // k"));
    const std::string added = recorded.substr(kept.size());
    CHECK(added.find("operator()(TorchTensor<float> t") != std::string::npos);
    CHECK(added.find("weft_put_tensor(t)") != std::string::npos);
    CHECK(added.find("weft_put_value(v)") != std::string::npos);
    CHECK(added.find("Pair<int, float> p") != std::string::npos);
    CHECK(added.find("weft_put_value(n)") != std::string::npos);
}

TEST_CASE("a source without dispatches stays as it is") {
    const std::string source = "[CudaKernel] void k(TensorView<float> t) {}";
    CHECK(record_dispatches(source) == source);
}

TEST_CASE("a dispatch of an unknown kernel names it") {
    const std::string recorded = record_dispatches("void f() { __dispatch_kernel(gone, 1, 2)(); }");
    CHECK(recorded.find("recordLaunchOf_gone(") != std::string::npos);
    CHECK(recorded.find("struct") == std::string::npos);
}

} // namespace weft::compile
