# tune_add_library(NAME SOURCES file... [USES library...])
#
# One static library a folder. A library sees exactly what it USES: links are PRIVATE to the
# include path of the whole project, but a symbol of a layer that is not listed does not link in
# that folder's unit tests (each links to one library only), and cmake/check_layers.cmake refuses an
# #include that reaches sideways or up.
function(tune_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_USES} PRIVATE tune_flags)
  set_property(GLOBAL APPEND PROPERTY TUNE_LIBRARIES ${name})
endfunction()
