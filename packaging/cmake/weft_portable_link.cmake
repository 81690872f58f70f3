# SPDX-License-Identifier: Apache-2.0
# WEFT_PORTABLE_LINK: what is built on this system shall also run on older ones, down to manylinux_2_34.
# libgcc stays shared: its static unwinder needs a newer glibc than that.
if(WEFT_PORTABLE_LINK AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
  add_subdirectory(packaging/portable)
  link_libraries(weft_portable_glibc)
  add_link_options(-static-libstdc++ LINKER:--exclude-libs,ALL LINKER:-u,arc4random)
endif()
