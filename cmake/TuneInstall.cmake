# What `cmake --install` gives: headers in include/mlir-tune, libtune (all layers and MLIR's C API, of
# which Debian has static archives only), the plugin, the tools, a CMake package and a pkg-config file.
include(CMakePackageConfigHelpers)

# The libraries of folders are static for the build's own sake; their objects make up libtune.
set(objects "")
foreach(library ${TUNE_FOLDER_LIBRARIES})
  list(APPEND objects $<TARGET_OBJECTS:${library}>)
endforeach()
foreach(folder support formats targets tuning dialects transforms)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}
    DESTINATION include/mlir-tune
    FILES_MATCHING PATTERN "*.h" PATTERN "*_internal.h" EXCLUDE PATTERN "runtime" EXCLUDE
    PATTERN "vulkan" EXCLUDE PATTERN "cuda" EXCLUDE)
endforeach()

add_library(tune SHARED ${objects})
set_target_properties(tune PROPERTIES
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LINKER_LANGUAGE CXX)
# The archives stay static libraries of the link line, too, but no member of them is needed any more.
target_link_libraries(tune PRIVATE
  -Wl,--whole-archive ${TUNE_MLIR_CAPI_ARCHIVES} -Wl,--no-whole-archive
  ${TUNE_FOLDER_LIBRARIES} tune_flags)
if(NOT TUNE_SANITIZE) # whose runtime is resolved by the program
  target_link_options(tune PRIVATE -Wl,--no-undefined)
endif()
# Our own headers name each other from their top folder, users name them <mlir-tune/...>.
target_include_directories(tune INTERFACE
  $<INSTALL_INTERFACE:include> $<INSTALL_INTERFACE:include/mlir-tune>)
target_include_directories(tune SYSTEM INTERFACE
  $<INSTALL_INTERFACE:${MLIR_INCLUDE_DIRS}>)

install(TARGETS tune EXPORT MlirTuneTargets LIBRARY DESTINATION lib)
install(EXPORT MlirTuneTargets NAMESPACE MlirTune:: DESTINATION lib/cmake/MlirTune)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/MlirTuneConfig.cmake.in
  ${PROJECT_BINARY_DIR}/cmake/MlirTuneConfig.cmake
  INSTALL_DESTINATION lib/cmake/MlirTune)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/MlirTuneConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/cmake/MlirTuneConfig.cmake
  ${PROJECT_BINARY_DIR}/cmake/MlirTuneConfigVersion.cmake
  DESTINATION lib/cmake/MlirTune)
configure_file(${PROJECT_SOURCE_DIR}/cmake/mlir-tune.pc.in ${PROJECT_BINARY_DIR}/cmake/mlir-tune.pc
  @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/mlir-tune.pc DESTINATION lib/pkgconfig)

foreach(tool tune-opt tune-run tune-worker tune-measure tune-db)
  if(TARGET ${tool})
    install(TARGETS ${tool} RUNTIME DESTINATION bin)
  endif()
endforeach()
if(TARGET tune_plugin)
  install(TARGETS tune_plugin LIBRARY DESTINATION lib)
endif()
