//===- printing.h - What MLIR prints, into a string builder -------------------===//
//
// Threads: as the builder.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_DIALECTS_PRINTING_H
#define TUNE_DIALECTS_PRINTING_H

#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

// An MlirStringCallback for mlirTypePrint() and the like; `builder` is a tune_string_builder.
void tune_printing_append(MlirStringRef text, void *builder);

#ifdef __cplusplus
}
#endif

#endif // TUNE_DIALECTS_PRINTING_H
