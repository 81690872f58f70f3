// SPDX-License-Identifier: Apache-2.0
// An NVRTC for tests: "compiles" lines that begin with "//!" to the image that fake_cuda.cpp loads, and rejects a
// source that contains the word "mistake".
#include <nvrtc.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <sstream>
#include <string>

#if defined(_WIN32)
#define WEFT_FAKE_EXPORT __declspec(dllexport)
#else
#define WEFT_FAKE_EXPORT __attribute__((visibility("default")))
#endif

struct _nvrtcProgram {
    std::string source;
    std::string log;
    std::string image;
};

namespace {

std::atomic<int>& compile_count() {
    static std::atomic<int> count{0};
    return count;
}

/// Counts down to the call that fails; 0: none does.
std::atomic<int>& calls_to_failure() {
    static std::atomic<int> count{0};
    return count;
}

std::atomic<int>& call_count() {
    static std::atomic<int> count{0};
    return count;
}

/// Counts a call; whether it shall fail.
bool is_faulty() {
    ++call_count();
    return calls_to_failure() > 0 && --calls_to_failure() == 0;
}

std::string& last_options() {
    static std::string options;
    return options;
}

} // namespace

extern "C" {

/// Compilations since the last call.
WEFT_FAKE_EXPORT int weft_fake_nvrtc_take_count() {
    return compile_count().exchange(0);
}

/// Lets the `number`-th call from now fail; 0: none. Returns the calls since the last one.
WEFT_FAKE_EXPORT int weft_fake_nvrtc_fail(int number) {
    calls_to_failure() = number;
    return call_count().exchange(0);
}

/// The options of the last compilation, a space between.
WEFT_FAKE_EXPORT const char* weft_fake_nvrtc_options() {
    return last_options().c_str();
}

WEFT_FAKE_EXPORT const char* nvrtcGetErrorString(nvrtcResult) {
    return "NVRTC_ERROR_FAKE";
}

WEFT_FAKE_EXPORT nvrtcResult nvrtcVersion(int* major, int* minor) {
    if (is_faulty()) {
        return NVRTC_ERROR_INTERNAL_ERROR;
    }
    *major = 13;
    *minor = 0;
    return NVRTC_SUCCESS;
}

WEFT_FAKE_EXPORT nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
    if (is_faulty()) {
        return NVRTC_ERROR_INTERNAL_ERROR;
    }
    *count = 3;
    return NVRTC_SUCCESS;
}

WEFT_FAKE_EXPORT nvrtcResult nvrtcGetSupportedArchs(int* architectures) {
    if (is_faulty()) {
        return NVRTC_ERROR_INTERNAL_ERROR;
    }
    constexpr int kNumbers[] = {75, 80, 90};
    std::copy(std::begin(kNumbers), std::end(kNumbers), architectures);
    return NVRTC_SUCCESS;
}

WEFT_FAKE_EXPORT nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source,
                                                const char*, int, const char* const*,
                                                const char* const*) {
    if (is_faulty()) {
        return NVRTC_ERROR_INTERNAL_ERROR;
    }
    *program = new _nvrtcProgram{source, {}, {}};
    return NVRTC_SUCCESS;
}

WEFT_FAKE_EXPORT nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
    delete *program;
    *program = nullptr;
    return NVRTC_SUCCESS;
}

WEFT_FAKE_EXPORT nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count,
                                                 const char* const* options) {
    if (is_faulty()) {
        return NVRTC_ERROR_INTERNAL_ERROR;
    }
    ++compile_count();
    last_options().clear();
    for (int i = 0; i < count; ++i) {
        last_options() += std::string(options[i]) + " ";
    }
    if (program->source.find("mistake") != std::string::npos) {
        program->log =
            "noise.slang(3): error: identifier \"mistake\" is undefined\n\n1 error detected.\n";
        return NVRTC_ERROR_COMPILATION;
    }
    program->image = "IMAGE\n";
    std::istringstream lines(program->source);
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("//!", 0) == 0) {
            program->image += line.substr(3) + "\n";
        }
    }
    return NVRTC_SUCCESS;
}

WEFT_FAKE_EXPORT nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t* size) {
    if (is_faulty()) {
        return NVRTC_ERROR_INTERNAL_ERROR;
    }
    *size = program->log.size() + 1;
    return NVRTC_SUCCESS;
}

WEFT_FAKE_EXPORT nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
    if (is_faulty()) {
        return NVRTC_ERROR_INTERNAL_ERROR;
    }
    std::memcpy(log, program->log.c_str(), program->log.size() + 1);
    return NVRTC_SUCCESS;
}

WEFT_FAKE_EXPORT nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t* size) {
    if (is_faulty()) {
        return NVRTC_ERROR_INTERNAL_ERROR;
    }
    *size = program->image.size() + 1;
    return NVRTC_SUCCESS;
}

WEFT_FAKE_EXPORT nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* image) {
    if (is_faulty()) {
        return NVRTC_ERROR_INTERNAL_ERROR;
    }
    std::memcpy(image, program->image.c_str(), program->image.size() + 1);
    return NVRTC_SUCCESS;
}

WEFT_FAKE_EXPORT nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t* size) {
    return nvrtcGetCUBINSize(program, size);
}

WEFT_FAKE_EXPORT nvrtcResult nvrtcGetPTX(nvrtcProgram program, char* image) {
    return nvrtcGetCUBIN(program, image);
}

} // extern "C"
