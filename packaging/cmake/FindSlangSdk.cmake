# SPDX-License-Identifier: Apache-2.0
# The Slang SDK: weft::slang_headers (headers only; the libraries are loaded at run time) and
# SlangSdk_LIBRARY_DIR, the folder of the libraries.
#
# WEFT_SLANG_DIR (variable or environment) names a folder with include/ and lib/. Without it
# packaging/slang_sdk.py provides build/sdk.
if(NOT WEFT_SLANG_DIR AND DEFINED ENV{WEFT_SLANG_DIR})
  set(WEFT_SLANG_DIR $ENV{WEFT_SLANG_DIR})
endif()

if(WEFT_SLANG_DIR)
  set(_slang_root ${WEFT_SLANG_DIR})
else()
  set(_slang_root ${PROJECT_SOURCE_DIR}/build/sdk)
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
  execute_process(
    COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/packaging/slang_sdk.py ${_slang_root}
    RESULT_VARIABLE _slang_result)
  if(NOT _slang_result EQUAL 0)
    message(FATAL_ERROR "The Slang SDK could not be provided: set WEFT_SLANG_DIR to an SDK folder")
  endif()
endif()

find_path(SlangSdk_INCLUDE_DIR slang.h PATHS ${_slang_root}/include NO_DEFAULT_PATH)
find_path(SlangSdk_LIBRARY_DIR
  NAMES libslang-compiler.so.0.2026.12 libslang-compiler.so libslang-compiler.dylib slang-compiler.dll
  PATHS ${_slang_root}/lib ${_slang_root}/bin NO_DEFAULT_PATH)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SlangSdk REQUIRED_VARS SlangSdk_INCLUDE_DIR SlangSdk_LIBRARY_DIR)

if(SlangSdk_FOUND AND NOT TARGET weft::slang_headers)
  add_library(weft::slang_headers INTERFACE IMPORTED GLOBAL)
  target_include_directories(weft::slang_headers INTERFACE ${SlangSdk_INCLUDE_DIR})
endif()
