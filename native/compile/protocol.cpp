// SPDX-License-Identifier: Apache-2.0
#include "compile/protocol.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <new>

namespace weft::compile {

namespace {

std::vector<std::byte> dispatch(CompileService& service, const Request& request) {
    switch (request.kind) {
    case RequestKind::load_module: return core::to_archive(service.load_module(request.desc));
    case RequestKind::find_functions:
        return core::to_archive(
            service.find_functions(request.compile.modules.at(0), request.name));
    case RequestKind::find_type:
        return core::to_archive(service.find_type(request.compile.modules.at(0), request.name));
    case RequestKind::compile_kernel:
        return core::to_archive(service.compile_kernel(request.compile));
    }
    throw core::InternalError("unknown request to the compiler process");
}

Reply failure(ReplyStatus status, const char* message, std::uint8_t kind = 0) {
    Reply reply;
    reply.status = status;
    reply.message = message;
    reply.kind = kind;
    return reply;
}

// Slang catches what a failed allocation throws and reports "an unknown exception", so the failure itself is noted.
std::atomic<bool> allocation_failed = false;

void note_failed_allocation() {
    allocation_failed = true;
    throw std::bad_alloc();
}

ReplyStatus internal_status() noexcept {
    return is_memory_exhausted() ? ReplyStatus::out_of_memory : ReplyStatus::internal_error;
}

} // namespace

bool is_internal_failure(const Reply& reply) noexcept {
    // Slang's number for bugs of its own; where it has no memory left it stands in a line of free text.
    constexpr std::int32_t kInternal = 99999;
    static constexpr std::string_view kInText = "note 99999:";
    // What it says of exceptions that it has caught and does not know, with no number.
    static constexpr std::string_view kUnknown = "An unknown exception occurred";
    return reply.status == ReplyStatus::internal_error ||
           (reply.status == ReplyStatus::compile_error &&
            reply.message.find(kUnknown) != std::string::npos) ||
           std::ranges::any_of(reply.diagnostics, [](const core::Diagnostic& diagnostic) {
               return diagnostic.code == kInternal ||
                      diagnostic.message.find(kInText) != std::string::npos;
           });
}

void watch_allocations() noexcept {
    std::set_new_handler(&note_failed_allocation);
}

bool is_memory_exhausted() noexcept {
    return allocation_failed ||
           errno == ENOMEM; // what malloc() leaves behind: not all of Slang asks new
}

std::vector<std::byte> frame(const Reply& reply) {
    const std::vector<std::byte> body = core::to_archive(reply);
    std::vector<std::byte> bytes = core::to_archive(static_cast<std::uint64_t>(body.size()));
    bytes.insert(bytes.end(), body.begin(), body.end());
    return bytes;
}

Reply guard(const std::function<std::vector<std::byte>()>& work) noexcept {
    allocation_failed = false;
    errno = 0;
    try {
        Reply reply;
        reply.payload = work();
        return reply;
    } catch (const core::CompileError& error) {
        if (allocation_failed) {
            return failure(ReplyStatus::out_of_memory, "");
        }
        Reply reply = failure(ReplyStatus::compile_error, error.what());
        reply.diagnostics = error.diagnostics();
        return reply;
    } catch (const core::ArgumentError& error) {
        return failure(ReplyStatus::argument_error, error.what(),
                       static_cast<std::uint8_t>(error.kind()));
    } catch (const core::DeviceError& error) {
        return failure(ReplyStatus::device_error, error.what(),
                       static_cast<std::uint8_t>(error.kind()));
    } catch (const std::bad_alloc&) {
        return failure(ReplyStatus::out_of_memory, "");
    } catch (const std::exception& error) {
        return failure(internal_status(), error.what());
    } catch (...) {
        // Slang throws classes of its own when it meets a bug of its own.
        return failure(internal_status(), "the Slang compiler threw an exception");
    }
}

Reply serve(CompileService& service, const Request& request) noexcept {
    return guard([&] { return dispatch(service, request); });
}

void rethrow(const Reply& reply) {
    switch (reply.status) {
    case ReplyStatus::ok: return;
    case ReplyStatus::argument_error:
        throw core::ArgumentError(reply.message,
                                  static_cast<core::ArgumentError::Kind>(reply.kind));
    case ReplyStatus::compile_error: throw core::CompileError(reply.message, reply.diagnostics);
    case ReplyStatus::device_error:
        throw core::DeviceError(reply.message, static_cast<core::DeviceError::Kind>(reply.kind));
    case ReplyStatus::out_of_memory:
        throw core::CompileError(
            "the compiler ran out of memory; simplify the source or raise the memory limit", {});
    case ReplyStatus::internal_error:
        throw core::CompileError(core::text("the Slang compiler failed: ", reply.message,
                                            "; simplify the source or report it with the source"),
                                 {});
    }
    throw core::InternalError("unknown reply of the compiler process");
}

} // namespace weft::compile
