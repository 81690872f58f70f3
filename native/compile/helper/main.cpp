// SPDX-License-Identifier: Apache-2.0
// weft-compiler <slang folder> <shader folder> <cache folder or ""> <memory limit in bytes>: serves the
// requests of one Compiler over standard input and output until its input ends (see protocol.hpp).
// weft-compiler --write-shipped <slang folder> <shader folder> <folder>: a step of Weft's build, see
// CompileService::write_shipped().
#include "compile/helper/platform.hpp"
#include "compile/protocol.hpp"
#include "core/file.hpp"

#include <array>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string_view>

namespace {

using namespace weft;
using compile::Reply;
using compile::ReplyStatus;
using compile::Request;

std::optional<Request> read_request() {
    std::array<std::byte, compile::kFrameBytes> header{};
    if (!compile::read_input(header)) {
        return std::nullopt;
    }
    const auto size = core::from_archive<std::uint64_t>(header);
    if (size > compile::kMaxMessageBytes) {
        return std::nullopt;
    }
    std::vector<std::byte> body(static_cast<std::size_t>(size));
    if (!compile::read_input(body)) {
        return std::nullopt;
    }
    return core::from_archive<Request>(body);
}

int serve_requests(const compile::ServiceDesc& desc) {
    std::optional<compile::CompileService> service;
    // Slang starts at once, while the host is still busy with its device; a failure waits for the first request.
    const Reply start = compile::guard([&] {
        service.emplace(desc);
        return std::vector<std::byte>();
    });
    while (const auto request = read_request()) {
        Reply reply = start;
        if (request->protocol != compile::kProtocol) {
            reply.status = ReplyStatus::internal_error;
            reply.message = "weft-compiler is of another version than Weft; reinstall Weft";
        } else if (service) {
            reply = compile::serve(*service, *request);
        }
        if (!compile::write_output(compile::frame(reply))) {
            return EXIT_FAILURE;
        }
    }
    // Slang's objects need not be taken apart: the process ends here.
    compile::exit_at_once(EXIT_SUCCESS);
}

int write_shipped(const compile::ServiceDesc& desc, const std::filesystem::path& folder) {
    try {
        compile::CompileService(desc).write_shipped(folder);
        return EXIT_SUCCESS;
    } catch (const std::exception& error) {
        std::cerr << "weft-compiler: " << error.what() << '\n';
        return EXIT_FAILURE;
    }
}

// Slang's parser recurses: with this stack a text must be absurd before it overflows.
constexpr std::size_t kStackBytes = std::size_t{512} << 20;

} // namespace

int main(int argc, char** argv) {
    if (argc != 5) {
        std::cerr << "weft-compiler is started by Weft itself; it has no use of its own\n";
        return EXIT_FAILURE;
    }
    if (std::string_view(argv[1]) == "--write-shipped") {
        const compile::ServiceDesc desc{.slang_directory = core::path_from_utf8(argv[2]),
                                        .shader_directory = core::path_from_utf8(argv[3]),
                                        .cache_directory = {}};
        const std::filesystem::path folder = core::path_from_utf8(argv[4]);
        return compile::run_with_stack(kStackBytes, [&] { return write_shipped(desc, folder); });
    }
    const compile::ServiceDesc desc{.slang_directory = core::path_from_utf8(argv[1]),
                                    .shader_directory = core::path_from_utf8(argv[2]),
                                    .cache_directory = core::path_from_utf8(argv[3])};
    compile::end_with_host();
    compile::watch_allocations();
    Reply exhausted;
    exhausted.status = ReplyStatus::out_of_memory;
    compile::answer_crashes(compile::frame(exhausted), compile::is_memory_exhausted);
    compile::limit_memory(std::strtoull(argv[4], nullptr, 10));
    return compile::run_with_stack(kStackBytes, [&desc] { return serve_requests(desc); });
}
