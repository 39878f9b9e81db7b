//===- foreign_dialects.c -------------------------------------------------------===//

#include "transforms/ir/foreign_dialects.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const struct {
  const char *name;
  bool is_parsed; // by upstream
  const char *advice;
} DIALECTS[] = {
    {"tosa", true,
     "it is TOSA; lower it first: mlir-opt "
     "--pass-pipeline='builtin.module(func.func(tosa-to-linalg-named,tosa-to-linalg,"
     "tosa-to-arith))'"},
    {"stablehlo", false,
     "it is StableHLO; lower it first: stablehlo-opt --stablehlo-legalize-to-linalg"},
    {"chlo", false,
     "it is CHLO; lower it first: stablehlo-opt --chlo-legalize-to-stablehlo "
     "--stablehlo-legalize-to-linalg"},
    {"mhlo", false,
     "it is MHLO; lower it first: mlir-hlo-opt --hlo-legalize-to-stablehlo, then stablehlo-opt "
     "--stablehlo-legalize-to-linalg"},
    {"torch", false,
     "it is the Torch dialect; lower it first: torch-mlir-opt "
     "--pass-pipeline='builtin.module(torchdynamo-export-to-torch-backend-pipeline,"
     "torch-backend-to-linalg-on-tensors-backend-pipeline)'"},
    {"tm_tensor", false,
     "it is torch-mlir's TMTensor; lower it first: torch-mlir-opt "
     "--pass-pipeline='builtin.module(func.func(tm-tensor-bufferize),one-shot-bufferize{"
     "copy-before-write bufferize-function-boundaries},func.func(tm-tensor-to-loops))' makes loops "
     "over buffers of all; to have the rest tuned, export with output_type=\"tosa\" or "
     "\"stablehlo\", which do without it"},
    {"onnx", false,
     "it is ONNX; lower it first: python -m torch_mlir.tools.import_onnx model.onnx, then "
     "torch-mlir-opt --convert-torch-onnx-to-torch and the pipelines of torch"},
};
#define COUNT (sizeof DIALECTS / sizeof *DIALECTS)

const char *tune_foreign_dialect_advice(const char *op_name) {
  for (size_t i = 0; i < COUNT; ++i) {
    size_t length = strlen(DIALECTS[i].name);
    if (strncmp(op_name, DIALECTS[i].name, length) == 0 && op_name[length] == '.')
      return DIALECTS[i].advice;
  }
  return NULL;
}

static bool is_of_name(char c) { return isalnum((unsigned char)c) || strchr("_$.-%@/", c); }

// Whether an attribute is given at `at`, as JAX's modules have some of MHLO: they are parsed.
static bool is_attribute(const char *at) {
  while (*at && is_of_name(*at))
    at++;
  while (*at == ' ')
    at++;
  return *at == '=';
}

// The first "<name>." in `text` that begins there, is in no comment, and no attribute, or NULL.
static const char *find_use(const char *text, const char *name) {
  size_t length = strlen(name);
  for (const char *at = text; (at = strstr(at, name)); at += length) {
    if (at[length] != '.' || (at > text && is_of_name(at[-1])) || is_attribute(at))
      continue;
    const char *line = at;
    while (line > text && line[-1] != '\n')
      line--;
    const char *comment = strstr(line, "//");
    if (!comment || comment > at)
      return at;
  }
  return NULL;
}

const char *tune_foreign_dialect_find(const char *text, const char **out_name) {
  const char *first = NULL, *advice = NULL;
  for (size_t i = 0; i < COUNT; ++i) {
    const char *use = DIALECTS[i].is_parsed ? NULL : find_use(text, DIALECTS[i].name);
    if (!use || (first && first < use))
      continue;
    first = use;
    *out_name = DIALECTS[i].name;
    advice = DIALECTS[i].advice;
  }
  return advice;
}
