//===- build_order.c ----------------------------------------------------------===//

#include "transforms/lower/common/build_order.h"

#include <stdlib.h>

void tune_code_deinit(tune_code *code) {
  free(code->bytes);
  *code = (tune_code){.bytes = NULL};
}
