# SPDX-License-Identifier: Apache-2.0
# WEFT_BUILD_ENGINE: whether the shared library for C++ programs is built. WEFT_INSTALL_FILES: where an installed tree
# has the engine's files (bin, lib, shaders). WEFT_FILES_FROM_LIBRARY: the same, seen from the shared library.
include(GNUInstallDirs)

# An exception must not travel between two copies of libstdc++, and a portable build has its own. Sanitizers would be
# asked of each program.
set(_default ON)
if(WEFT_PORTABLE_LINK OR WEFT_SANITIZE)
  set(_default OFF)
endif()
option(WEFT_BUILD_ENGINE "Build the shared library for C++ programs" ${_default})
if(WEFT_BUILD_ENGINE AND WEFT_PORTABLE_LINK)
  message(FATAL_ERROR "WEFT_BUILD_ENGINE needs WEFT_PORTABLE_LINK=OFF: programs share libstdc++ with the library")
endif()

set(WEFT_INSTALL_FILES ${CMAKE_INSTALL_LIBDIR}/weft)
if(WIN32)
  set(_library_folder ${CMAKE_INSTALL_BINDIR})
else()
  set(_library_folder ${CMAKE_INSTALL_LIBDIR})
endif()
file(RELATIVE_PATH WEFT_FILES_FROM_LIBRARY /prefix/${_library_folder} /prefix/${WEFT_INSTALL_FILES})
