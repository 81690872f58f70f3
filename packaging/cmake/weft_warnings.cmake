# SPDX-License-Identifier: Apache-2.0
# Warnings for Weft's own sources only: link PRIVATE.
add_library(weft_warnings INTERFACE)
if(MSVC)
  target_compile_options(weft_warnings INTERFACE /W4 /WX /permissive- /utf-8)
else()
  target_compile_options(weft_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
endif()
