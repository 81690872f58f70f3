// SPDX-License-Identifier: Apache-2.0
// Rays in and out of a tracer, for tests and the bench.
#pragma once

#include "core/text.hpp"
#include "render/tracer.hpp"
#include "scenes.hpp"
#include "support/paths.hpp"
#include "tensor/transfer.hpp"

#include <bit>
#include <cstring>
#include <vector>

namespace weft::render::testing {

/// A compiler beside a device. @param cache_directory as CompilerDesc has it.
inline dispatch::Context make_context(const std::shared_ptr<device::Device>& device,
                                      const std::filesystem::path& cache_directory = {}) {
    compile::CompilerDesc compiler;
    compiler.slang_directory = test::slang_directory();
    compiler.helper_executable = test::helper_executable();
    compiler.shader_directory = test::shader_directory();
    compiler.cache_directory = cache_directory;
    return {.device = device, .compiler = compile::Compiler::create(compiler)};
}

/// Into memory of any kind, through a copy on the device where the host sees it.
inline void write_words(tensor::Tensor& tensor, std::span<const std::uint32_t> words) {
    tensor.device().upload(tensor.buffer(), tensor.offset_bytes(), std::as_bytes(words));
}

inline RayBatch make_batch(const Tracer& tracer, std::span<const TestRay> rays,
                           std::uint32_t capacity) {
    RayBatch batch{.rays = tracer.create_rays(capacity),
                   .hits = tracer.create_hits(capacity),
                   .capacity = capacity,
                   .count = static_cast<std::uint32_t>(rays.size())};
    std::vector<std::uint32_t> words(std::size_t{kRayRows} * capacity);
    for (std::size_t i = 0; i < rays.size(); ++i) {
        std::array<std::uint32_t, kRayRows> row;
        std::memcpy(row.data(), &rays[i], sizeof(row));
        for (std::size_t r = 0; r < kRayRows; ++r) {
            words[r * capacity + i] = row[r];
        }
    }
    write_words(*batch.rays, words);
    return batch;
}

inline std::vector<std::uint32_t> read_words(const tensor::Tensor& tensor, std::size_t count) {
    std::vector<std::uint32_t> words(count);
    tensor.device().download(tensor.buffer(), tensor.offset_bytes(),
                             std::as_writable_bytes(std::span(words)));
    return words;
}

inline std::vector<TestHit> closest(Tracer& tracer, std::span<const TestRay> rays) {
    const auto capacity = static_cast<std::uint32_t>(rays.size()) + 3;
    const RayBatch batch = make_batch(tracer, rays, capacity);
    tracer.trace_closest(batch);
    const auto words = read_words(*batch.hits, std::size_t{kHitRows} * capacity);
    std::vector<TestHit> hits(rays.size());
    for (std::size_t i = 0; i < hits.size(); ++i) {
        hits[i] = {.t = std::bit_cast<float>(words[i]),
                   .u = std::bit_cast<float>(words[i + capacity]),
                   .v = std::bit_cast<float>(words[i + std::size_t{2} * capacity]),
                   .primitive = words[i + std::size_t{3} * capacity],
                   .instance = words[i + std::size_t{4} * capacity]};
    }
    return hits;
}

inline std::vector<std::uint32_t> visible(Tracer& tracer, std::span<const TestRay> rays) {
    const auto capacity = static_cast<std::uint32_t>(rays.size());
    const RayBatch batch = make_batch(tracer, rays, capacity);
    tracer.trace_any(batch);
    return read_words(*batch.hits, capacity);
}

/// Faults of all rays, the first few in words.
inline std::string find_faults(const scene::Geometry& geometry, std::span<const TestRay> rays,
                               std::span<const TestHit> hits) {
    std::string out;
    int count = 0;
    for (std::size_t i = 0; i < rays.size(); ++i) {
        const std::string fault = find_fault(geometry, rays[i], hits[i]);
        if (!fault.empty() && ++count <= 3) {
            out += core::text("ray ", i, ": ", fault, "\n");
        }
    }
    return count == 0 ? out : core::text(count, " faults\n", out);
}

} // namespace weft::render::testing
