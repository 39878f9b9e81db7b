//===- schedule.c - Transform scripts and the spaces read off them ----------------------===//
//
// The bytes are a schedule. Its space is read, some of its valid configs are selected in copies of
// it, and what comes of that is printed.
//
//===--------------------------------------------------------------------------===//

#include "transforms/schedule/schedule.h"
#include "fuzz/context.h"
#include "fuzz/fuzz.h"
#include "transforms/ir/ir.h"
#include "transforms/schedule/instantiate.h"
#include "tuning/space/sampler.h"

#include <stdlib.h>

static void select_and_print(const tune_schedule *schedule, const tune_config *config) {
  MlirOperation copy = mlirOperationClone(schedule->module);
  char *text;
  if (fuzz_accept(tune_schedule_select(copy, schedule->space, config)) &&
      fuzz_accept(tune_ir_print(copy, false, &text)))
    free(text);
  mlirOperationDestroy(copy);
}

static void sample(const tune_schedule *schedule) {
  tune_sampler *sampler;
  tune_config config = {0};
  fuzz_require(fuzz_accept(tune_sampler_create(schedule->space, &sampler)) &&
                   fuzz_accept(tune_config_init_default(&config, schedule->space)),
               "a sampler of any space");
  select_and_print(schedule, &config);
  tune_random random;
  tune_random_init(&random, 1);
  for (int i = 0; i < 2 && tune_sampler_draw(sampler, &random, &config); ++i) {
    fuzz_require(tune_config_is_valid(&config, schedule->space, NULL), "what is drawn is valid");
    select_and_print(schedule, &config);
  }
  tune_config_deinit(&config);
  tune_sampler_destroy(sampler);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MlirContext context = fuzz_context();
  char *text = fuzz_text(data, size);
  tune_schedule *schedule;
  if (!fuzz_nests_deep(text) &&
      fuzz_accept(tune_schedule_parse(context, text, "schedule.mlir", NULL, &schedule))) {
    sample(schedule);
    tune_schedule_destroy(schedule);
  }
  free(text);
  return 0;
}
