# SPDX-License-Identifier: Apache-2.0
# Tells packaging/dev where this build put what an importable package needs: lines "<place in weft/> <file>".
set(_manifest "")
if(TARGET weft_python)
  string(APPEND _manifest "$<TARGET_FILE_NAME:weft_python> $<TARGET_FILE:weft_python>\n")
endif()
if(TARGET weft-compiler)
  string(APPEND _manifest "bin/$<TARGET_FILE_NAME:weft-compiler> $<TARGET_FILE:weft-compiler>\n")
endif()
if(TARGET weft_shader_ir)
  string(APPEND _manifest "shader_ir ${WEFT_SHADER_IR}\n")
endif()
string(APPEND _manifest "lib ${SlangSdk_LIBRARY_DIR}\n")
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/stage_manifest.txt CONTENT "${_manifest}")
