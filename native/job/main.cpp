// SPDX-License-Identifier: Apache-2.0
#include "core/code_location.hpp"
#include "core/error.hpp"
#include "core/file.hpp"
#include "job/program.hpp"

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <string>
#include <string_view>

namespace {

using weft::job::Options;

int fail(const std::exception& error) {
    std::cerr << "weft-fit: " << error.what() << '\n';
    return weft::job::kFailed;
}

/// The folder with bin, lib and shaders, wherever the installed tree lies.
std::filesystem::path installed_root() {
    const auto program = weft::core::file_of_code(reinterpret_cast<const void*>(&fail));
    return (program.parent_path() / WEFT_FILES_FROM_PROGRAM).lexically_normal();
}

int run_program(int argc, char** argv) {
    CLI::App program("Finds numbers of a scene's materials from pictures of it.");
    program.footer("Ctrl-C ends the fit and keeps the best so far; a second one ends the program.\n"
                   "Exit codes: 0 fitted, 1 it failed, 2 wrong arguments, 130 cancelled.");
    std::string job;
    std::string out;
    std::string checkpoint;
    Options options;
    program.add_option("job", job, "TOML file: scene, targets, parameters, settings")->required();
    program.add_option("--out", out, "folder for the report; made if absent")->required();
    program.add_option("--time-limit", options.time_limit, "seconds after which the fit ends")
        ->check(CLI::NonNegativeNumber);
    program.add_option("--seed", options.seed, "equal seeds give equal fits");
    program.add_option("--device", options.device, "vulkan, cuda, or one of several: vulkan:1");
    program
        .add_option("--checkpoint", checkpoint,
                    "go on from this file if it is there; written every half minute and at the end")
        ->type_name("FILE");
    program.add_flag("--trust", options.trust,
                     "run the Slang functions of a scene that you did not save");
    program.add_flag("--json", options.json, "print the result as JSON");
    program.add_flag("--quiet", options.quiet, "no progress");
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return program.exit(error) == 0 ? weft::job::kDone : weft::job::kWrongArguments;
    }
    options.job = weft::core::path_from_utf8(job);
    options.out = weft::core::path_from_utf8(out);
    options.checkpoint = weft::core::path_from_utf8(checkpoint);
    options.root = installed_root();
    return weft::job::run(options);
}

} // namespace

int main(int argc, char** argv) {
    try {
        return run_program(argc, argv);
    } catch (const weft::core::Interrupted&) {
        return weft::job::kCancelled; // before there was anything to keep
    } catch (const std::exception& error) {
        return fail(error);
    } catch (...) {
        return weft::job::kFailed;
    }
}
