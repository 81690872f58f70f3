# SPDX-License-Identifier: Apache-2.0
# The Python interpreter and pybind11 for native/python: those of Python_EXECUTABLE if given, else of the
# environment that ./dev made, else of the interpreter on PATH.
if(NOT Python_EXECUTABLE AND NOT SKBUILD AND EXISTS ${PROJECT_SOURCE_DIR}/build/venv-3.11/bin/python)
  set(Python_EXECUTABLE ${PROJECT_SOURCE_DIR}/build/venv-3.11/bin/python CACHE FILEPATH "Python to build for")
endif()
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)

if(NOT pybind11_DIR)
  execute_process(
    COMMAND ${Python_EXECUTABLE} -m pybind11 --cmakedir
    OUTPUT_VARIABLE _pybind11_dir OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(_pybind11_dir)
    set(pybind11_DIR ${_pybind11_dir} CACHE PATH "pybind11's CMake files")
  endif()
endif()
set(PYBIND11_FINDPYTHON ON)
find_package(pybind11 3 CONFIG REQUIRED)

# pybind11 shares its registry with other extension modules of the same ABI. Weft keeps its own: an exception
# must not travel between two copies of libstdc++.
target_compile_definitions(pybind11::pybind11 INTERFACE PYBIND11_BUILD_ABI="_weft")
