# SPDX-License-Identifier: Apache-2.0
# What the wheel carries beside the modules that install themselves; laid out like the package `weft`.
if(NOT WEFT_BUILD_PYTHON)
  return()
endif()

file(GLOB _slang_libraries
  ${SlangSdk_LIBRARY_DIR}/libslang-compiler.so.*
  ${SlangSdk_LIBRARY_DIR}/libslang-glslang-*.so
  ${SlangSdk_LIBRARY_DIR}/libslang-compiler*.dylib
  ${SlangSdk_LIBRARY_DIR}/libslang-glslang*.dylib
  ${SlangSdk_LIBRARY_DIR}/slang-compiler.dll
  ${SlangSdk_LIBRARY_DIR}/slang-glslang.dll)
install(TARGETS weft-compiler RUNTIME DESTINATION weft/bin)
install(FILES ${_slang_libraries} DESTINATION weft/lib)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/shaders/ DESTINATION weft/shaders
  FILES_MATCHING PATTERN "*.slang" PATTERN "*.npy")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/node_templates/ DESTINATION weft/node_templates
  FILES_MATCHING PATTERN "*.slang")
