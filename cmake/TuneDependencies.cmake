# What Debian provides. Everything here is in scripts/install-dependencies.
find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
# For what is to run where these are not installed: tune-measure.
find_library(TUNE_JANSSON_ARCHIVE libjansson.a HINTS ${JANSSON_LIBDIR} REQUIRED)
find_library(TUNE_XXHASH_ARCHIVE libxxhash.a HINTS ${XXHASH_LIBDIR} REQUIRED)
# Headers only: the loader is opened at run time, where there is one.
find_path(VULKAN_INCLUDE_DIR vulkan/vulkan.h)
find_program(SPIRV_AS spirv-as)
if(NOT VULKAN_INCLUDE_DIR OR NOT SPIRV_AS)
  message(FATAL_ERROR "vulkan/vulkan.h or spirv-as is not here (libvulkan-dev, spirv-tools); run "
                      "scripts/install-dependencies")
endif()
# Static archives only, in an order that the .pc file does not give.
pkg_check_modules(SPIRV_TOOLS REQUIRED SPIRV-Tools)
find_library(TUNE_SPIRV_TOOLS_ARCHIVE libSPIRV-Tools.a HINTS ${SPIRV_TOOLS_LIBDIR} REQUIRED)
find_library(TUNE_SPIRV_OPT_ARCHIVE libSPIRV-Tools-opt.a HINTS ${SPIRV_TOOLS_LIBDIR} REQUIRED)
add_library(tune_spirv_tools INTERFACE)
target_link_libraries(tune_spirv_tools INTERFACE
  ${TUNE_SPIRV_OPT_ARCHIVE} ${TUNE_SPIRV_TOOLS_ARCHIVE} stdc++)
if(TUNE_BUILD_TESTS)
  pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
endif()

# Upstream's version file accepts no "22", only the exact version.
find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "mlir-tune is built against MLIR 22, found ${LLVM_PACKAGE_VERSION} in "
                      "${MLIR_DIR}; run scripts/install-dependencies or set MLIR_DIR")
endif()

# The C API comes as static archives over the shared libMLIR. Upstream's exported MLIRCAPI* targets
# pull in the static C++ libraries as well, which gives a process two copies of MLIR, so the
# archives are named by path here.
file(GLOB TUNE_MLIR_CAPI_ARCHIVES ${LLVM_LIBRARY_DIR}/libMLIRCAPI*.a)
# The archives that need libraries beyond libMLIR.so (the JIT) are not ours to use.
list(FILTER TUNE_MLIR_CAPI_ARCHIVES EXCLUDE REGEX "ExecutionEngine")
add_library(tune_mlir INTERFACE)
target_include_directories(tune_mlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_link_libraries(tune_mlir INTERFACE
  -Wl,--start-group ${TUNE_MLIR_CAPI_ARCHIVES} -Wl,--end-group
  ${LLVM_LIBRARY_DIR}/libMLIR.so ${LLVM_LIBRARY_DIR}/libLLVM.so stdc++)
target_link_options(tune_mlir INTERFACE -Wl,-rpath,${LLVM_LIBRARY_DIR})
