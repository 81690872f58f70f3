# SPDX-License-Identifier: Apache-2.0

# weft_layer(<name> SOURCES <file>... [DEPENDS <target>...] [PRIVATE_DEPENDS <target>...])
# Makes the static library weft_<name> from one folder of native/. DEPENDS are the layers that its headers
# show; PRIVATE_DEPENDS stay inside its sources.
function(weft_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS")
  add_library(weft_${name} STATIC ${ARG_SOURCES})
  target_include_directories(weft_${name} PUBLIC ${PROJECT_SOURCE_DIR}/native)
  target_link_libraries(weft_${name} PUBLIC ${ARG_DEPENDS} PRIVATE weft_warnings ${ARG_PRIVATE_DEPENDS})
endfunction()
