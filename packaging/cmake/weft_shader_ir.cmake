# SPDX-License-Identifier: Apache-2.0
# Compiles Weft's own Slang modules in advance, into ${WEFT_SHADER_IR}: the first module that a user loads would else
# wait a second for it. A package without the folder works as well.
if(NOT (WEFT_BUILD_PYTHON OR WEFT_BUILD_ENGINE) OR CMAKE_CROSSCOMPILING OR WEFT_SANITIZE)
  return()
endif()

set(WEFT_SHADER_IR ${PROJECT_BINARY_DIR}/shader_ir)
file(GLOB_RECURSE _shaders CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/shaders/*.slang)
add_custom_command(
  OUTPUT ${PROJECT_BINARY_DIR}/shader_ir.stamp
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${WEFT_SHADER_IR}
  COMMAND weft-compiler --write-shipped
    ${SlangSdk_LIBRARY_DIR} ${PROJECT_SOURCE_DIR}/shaders ${WEFT_SHADER_IR}
  COMMAND ${CMAKE_COMMAND} -E touch ${PROJECT_BINARY_DIR}/shader_ir.stamp
  DEPENDS weft-compiler ${_shaders}
  COMMENT "Compiling Weft's Slang modules"
  VERBATIM)
add_custom_target(weft_shader_ir ALL DEPENDS ${PROJECT_BINARY_DIR}/shader_ir.stamp)
if(WEFT_BUILD_PYTHON)
  install(DIRECTORY ${WEFT_SHADER_IR} DESTINATION weft)
endif()
