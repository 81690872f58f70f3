# SPDX-License-Identifier: Apache-2.0
# weft::volk: volk.h and the Vulkan headers. volk finds the Vulkan loader at run time, so no library is needed.
# VULKAN_SDK (environment) and WEFT_VULKAN_INCLUDE_DIR (variable or environment) are looked at first.
set(_volk_hints ${WEFT_VULKAN_INCLUDE_DIR} $ENV{WEFT_VULKAN_INCLUDE_DIR} $ENV{VULKAN_SDK}/include)
find_path(Volk_INCLUDE_DIR volk.h HINTS ${_volk_hints} PATH_SUFFIXES "" Volk volk)
find_path(Volk_VULKAN_INCLUDE_DIR vulkan/vulkan.h HINTS ${_volk_hints})

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Volk
  REQUIRED_VARS Volk_INCLUDE_DIR Volk_VULKAN_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install the packages libvulkan-dev and libvulkan-volk-dev, or set WEFT_VULKAN_INCLUDE_DIR")

if(Volk_FOUND AND NOT TARGET weft::volk)
  add_library(weft::volk INTERFACE IMPORTED GLOBAL)
  target_include_directories(weft::volk SYSTEM INTERFACE ${Volk_INCLUDE_DIR} ${Volk_VULKAN_INCLUDE_DIR})
  target_compile_definitions(weft::volk INTERFACE VK_NO_PROTOTYPES)
endif()
