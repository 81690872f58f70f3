# SPDX-License-Identifier: Apache-2.0
# OpenImageIO's C++ library, where it is: the target weft::openimageio. Debian's CMake package of it fails unless programs
# and libraries of further packages are there, so header and library are looked for.
find_path(OpenImageIO_INCLUDE_DIR OpenImageIO/imageio.h)
find_path(OpenImageIO_IMATH_INCLUDE_DIR Imath/ImathConfig.h)
find_library(OpenImageIO_LIBRARY OpenImageIO)
find_library(OpenImageIO_UTIL_LIBRARY OpenImageIO_Util)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenImageIO REQUIRED_VARS
  OpenImageIO_LIBRARY OpenImageIO_UTIL_LIBRARY OpenImageIO_INCLUDE_DIR OpenImageIO_IMATH_INCLUDE_DIR)
mark_as_advanced(
  OpenImageIO_INCLUDE_DIR OpenImageIO_IMATH_INCLUDE_DIR OpenImageIO_LIBRARY OpenImageIO_UTIL_LIBRARY)

if(OpenImageIO_FOUND AND NOT TARGET weft::openimageio)
  add_library(weft_openimageio INTERFACE)
  # As system headers: their warnings are not ours.
  target_include_directories(weft_openimageio SYSTEM INTERFACE
    ${OpenImageIO_INCLUDE_DIR} ${OpenImageIO_IMATH_INCLUDE_DIR} ${OpenImageIO_IMATH_INCLUDE_DIR}/Imath)
  target_link_libraries(weft_openimageio INTERFACE ${OpenImageIO_LIBRARY} ${OpenImageIO_UTIL_LIBRARY})
  add_library(weft::openimageio ALIAS weft_openimageio)
endif()
