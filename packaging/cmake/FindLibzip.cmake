# SPDX-License-Identifier: Apache-2.0
# weft::libzip: zip.h and its library. Debian's own libzip-config.cmake asks for programs of another package.
find_path(Libzip_INCLUDE_DIR zip.h)
find_library(Libzip_LIBRARY NAMES zip libzip)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libzip
  REQUIRED_VARS Libzip_LIBRARY Libzip_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install it (Debian: libzip-dev, Homebrew and vcpkg: libzip), or set Libzip_LIBRARY and Libzip_INCLUDE_DIR")

if(Libzip_FOUND AND NOT TARGET weft::libzip)
  add_library(weft::libzip UNKNOWN IMPORTED GLOBAL)
  set_target_properties(weft::libzip PROPERTIES
    IMPORTED_LOCATION ${Libzip_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${Libzip_INCLUDE_DIR})
endif()
