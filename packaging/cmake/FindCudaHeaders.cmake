# SPDX-License-Identifier: Apache-2.0
# weft::cuda_headers: cuda.h and nvrtc.h. The driver and NVRTC are loaded at run time, so no library is needed.
# Looked for in CUDA_HOME, CUDA_PATH, the usual toolkit folders, and the wheels nvidia-cuda-runtime and
# nvidia-cuda-nvrtc of the build's own environment (pip makes one, and scikit-build-core puts it into
# CMAKE_PREFIX_PATH), of the Python interpreter in use and of build/venv-*.
find_package(Python 3.11 QUIET COMPONENTS Interpreter)
file(GLOB _cuda_wheel_includes
  ${Python_SITELIB}/nvidia/cu13/include
  ${PROJECT_SOURCE_DIR}/build/venv-*/lib/python3.*/site-packages/nvidia/cu13/include)
list(TRANSFORM CMAKE_PREFIX_PATH APPEND /nvidia/cu13/include OUTPUT_VARIABLE _cuda_isolated_includes)
set(_cuda_hints $ENV{CUDA_HOME}/include $ENV{CUDA_PATH}/include ${_cuda_isolated_includes} ${_cuda_wheel_includes})
set(_cuda_paths /usr/local/cuda/include /opt/cuda/include)

find_path(CudaHeaders_CUDA_INCLUDE_DIR cuda.h HINTS ${_cuda_hints} PATHS ${_cuda_paths})
find_path(CudaHeaders_NVRTC_INCLUDE_DIR nvrtc.h HINTS ${_cuda_hints} PATHS ${_cuda_paths})

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CudaHeaders
  REQUIRED_VARS CudaHeaders_CUDA_INCLUDE_DIR CudaHeaders_NVRTC_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install the Python packages nvidia-cuda-runtime and nvidia-cuda-nvrtc, or set CUDA_HOME")

if(CudaHeaders_FOUND AND NOT TARGET weft::cuda_headers)
  add_library(weft::cuda_headers INTERFACE IMPORTED GLOBAL)
  target_include_directories(weft::cuda_headers SYSTEM INTERFACE
    ${CudaHeaders_CUDA_INCLUDE_DIR} ${CudaHeaders_NVRTC_INCLUDE_DIR})
endif()
