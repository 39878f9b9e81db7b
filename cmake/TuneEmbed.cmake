# tune_embed_text(TARGET FILE SYMBOL): makes the text of FILE available to TARGET, at build time, as
# `extern const char SYMBOL[]`, NUL-terminated. FILE is a path relative to the calling folder.
function(tune_embed_text target file symbol)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.c)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${source} -DOUTPUT=${output} -DSYMBOL=${symbol}
            -P ${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake
    DEPENDS ${source} ${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake
    COMMENT "Embedding ${file}" VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()

# tune_embed_spirv(TARGET FILE SYMBOL): assembles FILE, a text of SPIR-V, and makes it available to
# TARGET as `extern const uint32_t SYMBOL[]` and `extern const size_t SYMBOL_count`.
function(tune_embed_spirv target file symbol)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  set(binary ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.spv)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.c)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_words.cmake)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${SPIRV_AS} --target-env spv1.3 ${source} -o ${binary}
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${binary} -DOUTPUT=${output} -DSYMBOL=${symbol} -P ${script}
    DEPENDS ${source} ${script}
    COMMENT "Assembling ${file}" VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
