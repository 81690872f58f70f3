// SPDX-License-Identifier: Apache-2.0
// The program weft-fit: a fit that a file describes, without Python.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace weft::job {

/// Exit codes, those of Python's `weft fit`.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kWrongArguments = 2;
inline constexpr int kCancelled = 130;

/// What the command line says.
struct Options {
    std::filesystem::path job{};
    std::filesystem::path out{};         ///< folder of the report; made if absent
    std::optional<double> time_limit{};  ///< seconds; instead of the job's
    std::optional<std::uint64_t> seed{}; ///< instead of the job's
    std::filesystem::path checkpoint{};  ///< to go on from, and to keep up to date; empty: none
    std::string device{};                ///< "vulkan", "cuda", "vulkan:1"; "": the default one
    bool trust = false;           ///< run Slang functions of a scene that this user did not save
    bool json = false;            ///< print the report as JSON, without its history
    bool quiet = false;           ///< no progress, and no result unless `json`
    std::filesystem::path root{}; ///< of the installation: the folder with bin, lib and shaders
};

/// Fits, writes the report and prints the result. The first Ctrl-C ends the fit with what is the best so far, a second one
/// the program.
/// @return an exit code. @throws core::Error if the job, a file or the device does not allow it.
int run(const Options& options);

} // namespace weft::job
