//===- spirv_matrices.c - Cooperative matrices in SPIR-V ---------------------===//

#include "transforms/lower/vulkan/spirv_matrices.h"

#include "dialects/printing.h"
#include "support/string_builder.h"
#include "transforms/ir/ir.h"

#include <stdlib.h>
#include <string.h>

static MlirWalkResult find_matrix(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found = tune_ir_string_starts(tune_ir_name(op), "gpu.subgroup_mma_");
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool tune_spirv_matrices_are_in(MlirOperation kernel) {
  bool found = false;
  mlirOperationWalk(kernel, find_matrix, &found, MlirWalkPreOrder);
  return found;
}

static void set(MlirOperation op, const char *name, const char *attribute) {
  MlirContext context = mlirOperationGetContext(op);
  mlirOperationSetAttributeByName(op, tune_ir_string(name),
                                  mlirAttributeParseGet(context, tune_ir_string(attribute)));
}

typedef struct word_search {
  const char *word;
  bool found;
} word_search;

static void find_word(MlirStringRef part, void *user_data) {
  word_search *search = user_data;
  search->found |= memmem(part.data, part.length, search->word, strlen(search->word)) != NULL;
}

// Of SPIR-V's types there is no C API.
static bool type_has_word(MlirValue value, const char *word) {
  word_search search = {.word = word};
  mlirTypePrint(mlirValueGetType(value), find_word, &search);
  return search.found;
}

static bool is_of_group(MlirValue pointer) { return type_has_word(pointer, "Workgroup"); }

static MlirWalkResult settle(MlirOperation op, void *user_data) {
  (void)user_data;
  static const char NOT_PRIVATE[] = "#spirv.memory_access<NonPrivatePointer>";
  static const struct {
    const char *op, *attribute;
    intptr_t pointer; // operand
  } ACCESSES[] = {{"spirv.Load", "memory_access", 0},
                  {"spirv.Store", "memory_access", 0},
                  {"spirv.KHR.CooperativeMatrixLoad", "memory_operand", 0},
                  {"spirv.KHR.CooperativeMatrixStore", "memory_operand", 0}};
  for (size_t i = 0; i < sizeof ACCESSES / sizeof *ACCESSES; ++i)
    if (tune_ir_is(op, ACCESSES[i].op) &&
        is_of_group(mlirOperationGetOperand(op, ACCESSES[i].pointer)))
      set(op, ACCESSES[i].attribute, NOT_PRIVATE);
  // Only of integers with a sign something is said.
  if (tune_ir_is(op, "spirv.KHR.CooperativeMatrixMulAdd") &&
      type_has_word(mlirOperationGetOperand(op, 0), "xsi8"))
    set(op, "matrix_operands",
        "#spirv.cooperative_matrix_operands_khr<ASigned|BSigned|CSigned|ResultSigned>");
  if (tune_ir_is(op, "spirv.ControlBarrier"))
    set(op, "memory_semantics",
        "#spirv.memory_semantics<AcquireRelease|WorkgroupMemory|MakeAvailable|MakeVisible>");
  return MlirWalkResultAdvance;
}

void tune_spirv_matrices_settle(MlirOperation module) {
  set(module, "memory_model", "#spirv.memory_model<Vulkan>");
  mlirOperationWalk(module, settle, NULL, MlirWalkPreOrder);
}

// "#spirv.vce<v1.6, [Shader, …], […]>" with one word more.
static tune_status add_capability(MlirAttribute triple, const char *word, char **out_text) {
  tune_string_builder printed, text;
  tune_string_builder_init(&printed);
  tune_string_builder_init(&text);
  mlirAttributePrint(triple, tune_printing_append, &printed);
  char *old = NULL;
  tune_status status = tune_string_builder_finish(&printed, &old);
  const char *list = old ? strchr(old, '[') : NULL;
  if (tune_status_is_ok(status) && !list)
    status = tune_status_make(TUNE_INTERNAL, "upstream made no capabilities of a kernel: %s", old);
  if (tune_status_is_ok(status)) {
    tune_string_builder_appendf(&text, "%.*s[%s, %s", (int)(list - old), old, word, list + 1);
    status = tune_string_builder_finish(&text, out_text);
  }
  free(old);
  tune_string_builder_deinit(&printed);
  tune_string_builder_deinit(&text);
  return status;
}

tune_status tune_spirv_matrices_declare(MlirOperation module) {
  char *text = NULL;
  TUNE_RETURN_IF_ERROR(
      add_capability(tune_ir_attribute(module, "vce_triple"), "GroupNonUniform", &text));
  set(module, "vce_triple", text);
  free(text);
  return TUNE_OK;
}
