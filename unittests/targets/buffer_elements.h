//===- buffer_elements.h - Elements of buffers as doubles ---------------------===//

#ifndef TUNE_UNITTESTS_TARGETS_BUFFER_ELEMENTS_H
#define TUNE_UNITTESTS_TARGETS_BUFFER_ELEMENTS_H

#include "targets/buffer.h"

static inline double at(const tune_buffer *buffer, size_t index) {
  tune_element_type element = buffer->type.element;
  return tune_element_load(element, (char *)buffer->data + index * tune_element_type_size(element));
}

static inline void set(tune_buffer *buffer, size_t index, double value) {
  tune_element_type element = buffer->type.element;
  tune_element_store(element, value,
                     (char *)buffer->data + index * tune_element_type_size(element));
}

static inline double rounded(tune_element_type element, double value) {
  char bytes[8];
  tune_element_store(element, value, bytes);
  return tune_element_load(element, bytes);
}

#endif // TUNE_UNITTESTS_TARGETS_BUFFER_ELEMENTS_H
