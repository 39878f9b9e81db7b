//===- consumer.c - A program that uses what was installed ---------------------------===//
//
// Built by install_test.cmake against the CMake package and against the pkg-config file.
//
//===--------------------------------------------------------------------------===//

#include <mlir-tune/dialects/tune_dialect.h>
#include <mlir-tune/support/status.h>
#include <mlir-tune/tuning/config.h>

#include <mlir-c/IR.h>
#include <stdio.h>

// One call into each of tuning/, dialects/ and MLIR, and a message that says it went well.
static tune_status use_everything(void) {
  tune_space *space;
  TUNE_RETURN_IF_ERROR(tune_space_create(&space));
  int64_t values[] = {8, 16, 32};
  const tune_knob knob = {.name = (char *)"mr", .level = TUNE_LEVEL_LINALG, .is_ordered = true,
                          .value_count = 3, .values = values};
  tune_status status = tune_space_add_knob(space, &knob);
  if (tune_status_is_ok(status))
    printf("a space of %llu\n", (unsigned long long)tune_space_size(space));
  tune_space_destroy(space);
  TUNE_RETURN_IF_ERROR(status);

  MlirContext context = mlirContextCreate();
  status = tune_dialect_load(context);
  if (tune_status_is_ok(status)) {
    MlirAttribute attribute =
        mlirAttributeParseGet(context, mlirStringRefCreateFromCString("#tune.tile<[8, 16]>"));
    printf("a domain %s\n", mlirAttributeIsNull(attribute) ? "that does not parse" : "parsed");
  }
  mlirContextDestroy(context);
  return status;
}

int main(void) {
  tune_status status = use_everything();
  if (!tune_status_is_ok(status))
    fprintf(stderr, "consumer: %s\n", tune_status_get_message(status));
  int failed = !tune_status_is_ok(status);
  tune_status_free(status);
  return failed;
}
