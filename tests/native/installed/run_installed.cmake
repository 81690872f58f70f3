# SPDX-License-Identifier: Apache-2.0
# Installs the component `engine` of the build BUILD into a folder, moves the tree, and builds and runs the programs of
# this folder with find_package(weft) against it, in an environment without Weft's variables.
set(work ${BUILD}/tests/native/installed/tree)
set(sources ${CMAKE_CURRENT_LIST_DIR})

function(require)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nfailed (${status}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(build name)
  require(${CMAKE_COMMAND} -S ${sources}/${name} -B ${work}/${name} -G ${GENERATOR}
    -D CMAKE_PREFIX_PATH=${work}/moved -D CMAKE_MAKE_PROGRAM=${MAKE_PROGRAM} -D CMAKE_CXX_COMPILER=${COMPILER}
    -D CMAKE_BUILD_TYPE=Debug ${ARGN})
  require(${CMAKE_COMMAND} --build ${work}/${name} --config Debug)
  find_program(program_${name} NAMES ${name} lit PATHS ${work}/${name} PATH_SUFFIXES Debug NO_DEFAULT_PATH REQUIRED)
  require(${program_${name}} ${run_arguments})
  set(output "${output}" PARENT_SCOPE)
endfunction()

foreach(variable WEFT_SLANG_DIR WEFT_DEVICE LD_LIBRARY_PATH)
  unset(ENV{${variable}})
endforeach()
file(REMOVE_RECURSE ${work})
require(${CMAKE_COMMAND} --install ${BUILD} --component engine --prefix ${work}/first --config ${CONFIG})
file(RENAME ${work}/first ${work}/moved)

# What runs is what was moved, not what lies in the build or in the sources.
if(IS_SYMLINK ${work}/moved/${LIBRARY_FOLDER}/weft/bin/weft-compiler OR
   NOT EXISTS ${work}/moved/${LIBRARY_FOLDER}/weft/shaders/weft.slang)
  message(FATAL_ERROR "the installed tree lacks the engine's files")
endif()

set(ENV{WEFT_CACHE_DIR} ${work}/cache) # cold: kernels have to be compiled by the installed compiler
build(example)
set(expected "lit: 0.5 2 4.5\nby albedo: 1 2 3\nby light: 14\n")
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "the example printed\n${output}instead of\n${expected}")
endif()
build(materials)
string(CONCAT expected
  "Wood.first.color.color: 0.5 0.25 0.125\n"
  "Wood.first.roughness: 0\n"
  "Wood.second.color: 0.8 0.8 0.8\n"
  "Wood.Polish: 0.25\n"
  "Wood.second.anisotropy: 0\n"
  "Wood.second.rotation: 0\n"
  "Wood.factor: 0.5\n"
  "\"Wall.001\".roughness: 0.5\n"
  "\"Wall.001\".base_color: texture 0\n"
  "MixBSDF<PerturbedNormalBSDF<DiffuseBSDF<kPlain>, kOwnSides>, GlossyBSDF<kPlain | kMultiscatter>> compiles\n"
  "PrincipledBSDF<kDielectric | kMultiscatter | kValidReflection> compiles\n")
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "the example of materials printed\n${output}instead of\n${expected}")
endif()
build(fitting)
if(NOT output STREQUAL "amplitude 1.2, rate 0.5, offset 0.3\n")
  message(FATAL_ERROR "the program that fits printed\n${output}")
endif()
set(run_arguments ${work}/sphere.pfm ${work}/photo.pfm ${work}/found.txt)
build(rendering)
set(run_files ${run_arguments})
unset(run_arguments)
if(NOT output MATCHES "^mean 0[.][0-9]+\ncovered 0[.][0-9]+\nmemory is known\nthe light moved\nand came back\nPaint.base_color 0.8[01] 0.3[01] 0.1[01]\nPaint.roughness 0.[34][0-9]\nphoto.exposure 1.[45][0-9]\nkey.factor (1.9|2.0)[0-9]\nfound\nthe scene explains the pictures: what is left is noise\nexplained\nBoard.color 0.(19|20|21) 0.(69|70|71) for sure\nthe board is painted\n$")
  message(FATAL_ERROR "the program that renders printed\n${output}")
endif()
set(ENV{WEFT_TRUST_DIR} ${work}/trusted)
if(PYTHON) # the same scene, described in Python, and scenes that go to and fro
  set(ENV{PYTHONPATH} ${STAGE})
  require(${PYTHON} ${sources}/rendering/compare.py ${run_files})
  message(STATUS "C++ beside Python: ${output}")
  require(${PYTHON} ${sources}/stored/compare.py write ${work}/scene.weft)
endif()
set(run_arguments ${work}/scene.weft ${work}/copy.weft ${work}/scene.pfm)
build(stored)
if(NOT output STREQUAL "another light\nthe same picture from a file\n")
  message(FATAL_ERROR "the program that loads scenes printed\n${output}")
endif()
if(PYTHON)
  require(${PYTHON} ${sources}/stored/compare.py compare ${run_arguments})
  message(STATUS "C++ beside Python, scene files: ${output}")
endif()
unset(run_arguments)
if(PYTHON) # a job that both programs run
  require(${PYTHON} ${sources}/jobs/compare.py write ${work}/jobs)
  find_program(weft_fit weft-fit PATHS ${work}/moved/bin NO_DEFAULT_PATH REQUIRED)
  # Ends after one iteration; the run below goes on from there.
  require(${weft_fit} ${work}/jobs/together_pfm.toml --out ${work}/jobs/begun --time-limit 0
    --checkpoint ${work}/jobs/kept/together.npz)
  foreach(job right wrong photo board outdoors)
    require(${weft_fit} ${work}/jobs/${job}_pfm.toml --out ${work}/jobs/${job})
  endforeach()
  require(${weft_fit} ${work}/jobs/together_pfm.toml --out ${work}/jobs/together
    --checkpoint ${work}/jobs/kept/together.npz)
  require(${PYTHON} ${sources}/jobs/compare.py compare ${work}/jobs)
  message(STATUS "C++ beside Python, jobs: ${output}")
  execute_process(COMMAND ${weft_fit} ${work}/jobs/absent.toml --out ${work}/jobs/none
    RESULT_VARIABLE status ERROR_VARIABLE output)
  if(NOT status EQUAL 1 OR NOT output MATCHES "^weft-fit: fit: there is no file")
    message(FATAL_ERROR "weft-fit ended with ${status} and printed\n${output}")
  endif()
  execute_process(COMMAND ${weft_fit} RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(NOT status EQUAL 2)
    message(FATAL_ERROR "weft-fit without arguments ended with ${status}")
  endif()
endif()
file(GLOB_RECURSE headers RELATIVE ${work}/moved/include ${work}/moved/include/weft/*.hpp)
foreach(header IN LISTS headers)
  string(MAKE_C_IDENTIFIER ${header} name)
  file(WRITE ${work}/headers/${name}.cpp "#include <${header}>\n")
endforeach()
build(promises -D HEADERS=${work}/headers)
file(REMOVE_RECURSE ${work})
