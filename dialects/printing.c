//===- printing.c -------------------------------------------------------------===//

#include "dialects/printing.h"

#include "support/string_builder.h"

void tune_printing_append(MlirStringRef text, void *builder) {
  tune_string_builder_append_bytes(builder, text.data, text.length);
}
