# SPDX-License-Identifier: Apache-2.0
# Warnings for Weft's own sources only: link PRIVATE.
option(WEFT_WARNINGS_AS_ERRORS "Treat warnings as errors; turn off for a compiler that Weft was not tried with" ON)
add_library(weft_warnings INTERFACE)
if(MSVC)
  # C4251, C4275: exported classes have members and bases of the standard library, which programs share with Weft.
  target_compile_options(weft_warnings INTERFACE /W4 /wd4251 /wd4275 /permissive- /utf-8 $<$<BOOL:${WEFT_WARNINGS_AS_ERRORS}>:/WX>)
else()
  target_compile_options(weft_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    $<$<BOOL:${WEFT_WARNINGS_AS_ERRORS}>:-Werror>)
  # Sanitizer instrumentation makes GCC take parts of std::regex for uninitialised.
  if(WEFT_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(weft_warnings INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()
