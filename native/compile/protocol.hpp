// SPDX-License-Identifier: Apache-2.0
// What travels between a Compiler and its process: one request, one reply, each a length (8 bytes,
// little-endian) and an archive. The same archives go into the disk cache.
#pragma once

#include "compile/service.hpp"
#include "reflect/serialize.hpp"

#include <functional>

namespace weft::compile {

enum class RequestKind : std::uint8_t { load_module, find_functions, find_type, compile_kernel };

struct Request {
    std::uint32_t protocol = 0; ///< kProtocol of the sender
    RequestKind kind = RequestKind::load_module;
    ModuleDesc desc;        ///< load_module
    CompileRequest compile; ///< the others: modules; compile_kernel: everything
    std::string name;       ///< find_functions, find_type
};

enum class ReplyStatus : std::uint8_t {
    ok,
    argument_error,
    compile_error,
    device_error,
    out_of_memory,
    internal_error
};

struct Reply {
    ReplyStatus status = ReplyStatus::ok;
    std::vector<std::byte> payload; ///< ok: archive of LoadResult, functions, TypeRef or KernelCode
    std::string message;            ///< the others
    std::uint8_t kind = 0;          ///< ArgumentError::Kind or DeviceError::Kind
    std::vector<core::Diagnostic> diagnostics; ///< compile_error
};

/// Raise it with every change of an archived structure: it keeps an older helper and older cache
/// entries from being misread.
inline constexpr std::uint32_t kProtocol = 14;
/// Bytes of the length before a message.
inline constexpr std::size_t kFrameBytes = 8;
/// A longer message is a broken pipe, not a message.
inline constexpr std::uint64_t kMaxMessageBytes = std::uint64_t{1} << 30;

/// Whether the compiler itself failed, not the source.
[[nodiscard]] bool is_internal_failure(const Reply& reply) noexcept;
/// Makes guard() report every failed allocation of a request as such. For the compiler's own process.
void watch_allocations() noexcept;
/// Whether an allocation of the request under way has failed. Signal handlers may ask, in the thread that serves it.
[[nodiscard]] bool is_memory_exhausted() noexcept;
/// A reply as it is sent: its length, then its archive.
[[nodiscard]] std::vector<std::byte> frame(const Reply& reply);
/// Serves one request; every exception becomes a reply.
[[nodiscard]] Reply serve(CompileService& service, const Request& request) noexcept;
/// Runs `work` and turns what it throws into a reply.
[[nodiscard]] Reply guard(const std::function<std::vector<std::byte>()>& work) noexcept;
/// @throws what the reply says, unless its status is ok.
void rethrow(const Reply& reply);

template <class Archive>
void transfer(Archive& archive, Dependency& dependency) {
    archive(dependency.path, dependency.content, dependency.text);
}

template <class Archive>
void transfer(Archive& archive, ModuleDesc& desc) {
    archive(desc.name, desc.path, desc.text, desc.include_paths, desc.defines, desc.target,
            desc.repairs);
}

template <class Archive>
void transfer(Archive& archive, ModuleSource& module) {
    archive(module.desc, module.import_name, module.files, module.hash);
}

template <class Archive>
void transfer(Archive& archive, CompileRequest& request) {
    archive(request.modules, request.source, request.entry_point, request.target,
            request.has_lines);
}

template <class Archive>
void transfer(Archive& archive, Request& request) {
    archive(request.protocol, request.kind, request.desc, request.compile, request.name);
}

template <class Archive>
void transfer(Archive& archive, Reply& reply) {
    archive(reply.status, reply.payload, reply.message, reply.kind, reply.diagnostics);
}

template <class Archive>
void transfer(Archive& archive, LoadResult& result) {
    archive(result.reflection, result.import_name, result.dependencies, result.absent_files,
            result.warnings, result.repairs);
}

template <class Archive>
void transfer(Archive& archive, GlobalField& field) {
    archive(field.name, field.block, field.type, field.offsets);
}

template <class Archive>
void transfer(Archive& archive, UnboundResource& resource) {
    archive(resource.name, resource.type);
}

template <class Archive>
void transfer(Archive& archive, KernelCode& code) {
    archive(code.code, code.global_bytes, code.global_set, code.global_binding, code.globals,
            code.unbound, code.hash);
}

} // namespace weft::compile

namespace weft::core {

template <class Archive>
void transfer(Archive& archive, Diagnostic& diagnostic) {
    archive(diagnostic.severity, diagnostic.code, diagnostic.file, diagnostic.line,
            diagnostic.column, diagnostic.message);
}

} // namespace weft::core
