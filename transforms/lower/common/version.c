//===- version.c - The number of the lowering --------------------------------===//

#include "transforms/lower/common/version.h"

const char tune_lowering_version[] = "19";
