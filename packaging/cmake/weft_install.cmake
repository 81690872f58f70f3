# SPDX-License-Identifier: Apache-2.0
# What the wheel carries beside the modules that install themselves; laid out like the package `weft`.
file(GLOB WEFT_SLANG_LIBRARIES
  ${SlangSdk_LIBRARY_DIR}/libslang-compiler.so.*
  ${SlangSdk_LIBRARY_DIR}/libslang-glslang-*.so
  ${SlangSdk_LIBRARY_DIR}/libslang-compiler*.dylib
  ${SlangSdk_LIBRARY_DIR}/libslang-glslang*.dylib
  ${SlangSdk_LIBRARY_DIR}/slang-compiler.dll
  ${SlangSdk_LIBRARY_DIR}/slang-glslang.dll)
if(NOT WEFT_BUILD_PYTHON)
  return()
endif()
install(TARGETS weft-compiler RUNTIME DESTINATION weft/bin)
install(FILES ${WEFT_SLANG_LIBRARIES} DESTINATION weft/lib)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/shaders/ DESTINATION weft/shaders
  FILES_MATCHING PATTERN "*.slang" PATTERN "*.npy")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/node_templates/ DESTINATION weft/node_templates
  FILES_MATCHING PATTERN "*.slang")
