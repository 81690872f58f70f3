// SPDX-License-Identifier: Apache-2.0
// The six errors that cross a public boundary. Every message names the function, what was expected,
// what came and what to do: "upload: [13, 17) is outside the 16-byte buffer 'weights'".
#pragma once

#include "core/api.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace weft::core {

/// Base of all Weft errors; catch it to catch everything that Weft throws.
class WEFT_API Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The caller passed something that cannot work. Python: ValueError (and TypeError for a wrong type).
class WEFT_API ArgumentError : public Error {
public:
    /// What is wrong with it; see kind() for the classes of Python.
    enum class Kind : std::uint8_t { value, type, not_found, attribute, index };

    /// @param message UTF-8, one sentence as above; copied.
    explicit ArgumentError(const std::string& message, Kind kind = Kind::value)
        : Error(message), m_kind(kind) {}

    /// value -> ValueError, type -> TypeError too, not_found -> FileNotFoundError too,
    /// attribute -> AttributeError too, index -> IndexError too.
    Kind kind() const noexcept { return m_kind; }

private:
    Kind m_kind;
};

/// One line of the Slang compiler's output.
struct Diagnostic {
    std::string severity;    ///< "error", "warning", "note" or "fatal"
    std::int32_t code = 0;   ///< Slang's number of the message; 0: none
    std::string file;        ///< as Slang names it; "" if unknown
    std::int32_t line = 0;   ///< 1-based; 0 if unknown
    std::int32_t column = 0; ///< 1-based; 0 if unknown
    std::string message;     ///< UTF-8, without file and line
};

/// Slang rejected the user's source, or compiling it took too long or crashed the compiler process.
class WEFT_API CompileError : public Error {
public:
    /// @param diagnostics in the order of the compiler; may be empty, as after a time limit.
    CompileError(const std::string& message, std::vector<Diagnostic> diagnostics)
        : Error(message), m_diagnostics(std::move(diagnostics)) {}

    /// Valid as long as the error.
    const std::vector<Diagnostic>& diagnostics() const noexcept { return m_diagnostics; }

private:
    std::vector<Diagnostic> m_diagnostics;
};

/// A device, its driver or its memory failed. Carries the native call and its result.
class WEFT_API DeviceError : public Error {
public:
    /// unavailable: no driver, library or feature; nothing was begun. out_of_memory: an allocation on the device, which was not made.
    enum class Kind : std::uint8_t { failure, unavailable, out_of_memory };

    /// @param native_call "vkQueueSubmit"; "": none. @param native_code what it returned; 0 if there was no call.
    explicit DeviceError(const std::string& message, Kind kind = Kind::failure,
                         std::string native_call = {}, std::int64_t native_code = 0)
        : Error(message), m_kind(kind), m_native_call(std::move(native_call)),
          m_native_code(native_code) {}

    /// out_of_memory -> MemoryError too; all are RuntimeError.
    Kind kind() const noexcept { return m_kind; }
    /// The driver's function that failed; "": none.
    const std::string& native_call() const noexcept { return m_native_call; }
    /// What that returned, as an integer: a VkResult or a CUresult; 0: none.
    std::int64_t native_code() const noexcept { return m_native_code; }

private:
    Kind m_kind;
    std::string m_native_call;
    std::int64_t m_native_code;
};

/// Reading or writing an image file failed: it is absent, damaged, or of a format that was not built in.
class WEFT_API ImageError : public Error {
public:
    using Error::Error;
};

/// Numbers that were computed are NaN or infinite where most of them must not be. Python: FloatingPointError.
class WEFT_API NonFiniteError : public Error {
public:
    using Error::Error;
};

/// A bug in Weft. The message asks for a report.
class WEFT_API InternalError : public Error {
public:
    /// @param message what was not as it must be; the request for a report is added.
    explicit InternalError(const std::string& message)
        : Error(message + " (this is a bug in Weft: please report it with this text)") {}
};

/// A wait was interrupted by the user (Ctrl-C). No Error: whoever catches those lets it pass. The bindings turn it into
/// KeyboardInterrupt. What was submitted to a device goes on.
class WEFT_API Interrupted : public std::exception {
public:
    const char* what() const noexcept override { return "interrupted"; }
};

} // namespace weft::core
