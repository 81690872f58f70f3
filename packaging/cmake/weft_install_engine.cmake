# SPDX-License-Identifier: Apache-2.0
# What C++ programs need, in a component of its own: cmake --install <build> --component engine --prefix <folder>.
# Headers in include/weft, the shared library, the engine's files in lib/weft, and a package for find_package(weft).
if(NOT WEFT_BUILD_ENGINE)
  return()
endif()
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# Public headers: those of the engine, of fits and of descriptions of scenes, and what they show of the layers below.
set(WEFT_PUBLIC_HEADERS
  core/api.hpp
  core/error.hpp
  core/interrupt_poll.hpp
  core/target.hpp
  core/thread_pool.hpp
  device/buffer.hpp
  device/device.hpp
  device/kernel.hpp
  engine/argument.hpp
  engine/array.hpp
  engine/engine.hpp
  engine/fit.hpp
  engine/function.hpp
  engine/module.hpp
  engine/number.hpp
  engine/renderer.hpp
  fit/attempts.hpp
  fit/display_transform.hpp
  fit/fit_state.hpp
  fit/fitted_texture.hpp
  fit/gauss_newton.hpp
  fit/information.hpp
  fit/matrix.hpp
  fit/normal_equations.hpp
  fit/observation.hpp
  fit/parameters.hpp
  fit/prior.hpp
  fit/quadratic.hpp
  fit/residuals.hpp
  fit/saved_arrays.hpp
  fit/starts.hpp
  fit/unknown_environment.hpp
  fit/verdict.hpp
  reflect/function.hpp
  reflect/type.hpp
  render/light_sampling.hpp
  render/path_settings.hpp
  scene/alias_table.hpp
  scene/camera.hpp
  scene/closures.hpp
  scene/colors.hpp
  scene/directions.hpp
  scene/environment.hpp
  scene/input_changes.hpp
  scene/kernel_text.hpp
  scene/layouts.hpp
  scene/light.hpp
  scene/light_changes.hpp
  scene/light_paths.hpp
  scene/light_profile.hpp
  scene/light_rows.hpp
  scene/light_table.hpp
  scene/light_tree.hpp
  scene/material_program.hpp
  scene/material_table.hpp
  scene/material_values.hpp
  scene/materials.hpp
  scene/media.hpp
  scene/mesh.hpp
  scene/object.hpp
  scene/parameter_changes.hpp
  scene/parameter_names.hpp
  scene/ray_kinds.hpp
  scene/scene.hpp
  scene/texture_table.hpp
  scene_files/scene_file.hpp
  tensor/array_layout.hpp
  tensor/tensor.hpp
  tensor/transfer.hpp
  tensor/view.hpp)

# "core/error.hpp" is a name that other projects have, too: installed headers include <weft/core/error.hpp>.
foreach(header IN LISTS WEFT_PUBLIC_HEADERS)
  set(source ${PROJECT_SOURCE_DIR}/native/${header})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(READ ${source} text)
  string(REGEX REPLACE "#include \"([a-z_]+/[a-z_]+[.]hpp)\"" "#include <weft/\\1>" text "${text}")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/include/weft/${header} CONTENT "${text}" @ONLY)
endforeach()
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/weft DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT engine)

target_compile_definitions(weft INTERFACE $<$<PLATFORM_ID:Windows>:WEFT_FROM_LIBRARY>)
target_compile_features(weft INTERFACE cxx_std_20)
# Fits and pictures are in the same library: one copy of the errors and of the threads.
foreach(part fit render)
  add_library(weft_${part}_of_programs INTERFACE)
  target_link_libraries(weft_${part}_of_programs INTERFACE weft)
  set_target_properties(weft_${part}_of_programs PROPERTIES EXPORT_NAME ${part})
endforeach()
install(TARGETS weft weft_fit_of_programs weft_render_of_programs EXPORT weft-targets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT engine
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT engine NAMELINK_COMPONENT engine
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT engine
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

install(TARGETS weft-fit RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT engine)
install(TARGETS weft-compiler RUNTIME DESTINATION ${WEFT_INSTALL_FILES}/bin COMPONENT engine)
install(FILES ${WEFT_SLANG_LIBRARIES} DESTINATION ${WEFT_INSTALL_FILES}/lib COMPONENT engine)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/shaders/ DESTINATION ${WEFT_INSTALL_FILES}/shaders COMPONENT engine
  FILES_MATCHING PATTERN "*.slang" PATTERN "tables.npy")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/node_templates/ DESTINATION ${WEFT_INSTALL_FILES}/node_templates COMPONENT engine
  FILES_MATCHING PATTERN "*.slang")
if(TARGET weft_shader_ir)
  install(DIRECTORY ${WEFT_SHADER_IR} DESTINATION ${WEFT_INSTALL_FILES} COMPONENT engine)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/packaging/licenses/third_party.txt
  DESTINATION ${WEFT_INSTALL_FILES}/licenses COMPONENT engine)

set(_package ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
install(EXPORT weft-targets NAMESPACE weft:: DESTINATION ${_package} COMPONENT engine)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/weft-config.cmake.in ${PROJECT_BINARY_DIR}/weft-config.cmake
  INSTALL_DESTINATION ${_package} NO_SET_AND_CHECK_MACRO)
# Below 1.0 every minor version may change what programs were built with.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/weft-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/weft-config.cmake ${PROJECT_BINARY_DIR}/weft-config-version.cmake
  DESTINATION ${_package} COMPONENT engine)
