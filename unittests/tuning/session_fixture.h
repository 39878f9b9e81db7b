//===- session_fixture.h - A session over the measured table -----------------------===//

#ifndef TUNE_UNITTESTS_TUNING_SESSION_FIXTURE_H
#define TUNE_UNITTESTS_TUNING_SESSION_FIXTURE_H

#include "table_objective.h"

#include "tuning/evaluators/null.h"
#include "tuning/session/session.h"

//===- A store in memory ------------------------------------------------------===//

typedef struct memory_store {
  tune_record *records;
  size_t count;
  size_t fail_at; // the append that fails, counting from 1; 0: none
} memory_store;

static inline tune_status store_append(void *self, const tune_record *record) {
  memory_store *store = self;
  if (store->fail_at && store->count + 1 == store->fail_at)
    return tune_status_make(TUNE_RESOURCE_EXHAUSTED, "the disk is full");
  TUNE_RETURN_IF_ERROR(tune_record_validate(record));
  store->records = realloc(store->records, (store->count + 1) * sizeof *store->records);
  assert_non_null(store->records);
  return tune_record_init_copy(&store->records[store->count++], record);
}

static inline tune_status store_load(void *self, const char *task, const char *fingerprint,
                                     tune_record_visitor visit, void *user) {
  memory_store *store = self;
  for (size_t i = 0; i < store->count; ++i)
    if (strcmp(store->records[i].task, task) == 0 &&
        strcmp(store->records[i].fingerprint, fingerprint) == 0)
      TUNE_RETURN_IF_ERROR(visit(user, &store->records[i]));
  return TUNE_OK;
}

static inline tune_record_store as_store(memory_store *store) {
  return (tune_record_store){store, store_append, store_load};
}

static inline size_t count_kind(const memory_store *store, tune_record_kind kind) {
  size_t count = 0;
  for (size_t i = 0; i < store->count; ++i)
    count += store->records[i].kind == kind;
  return count;
}

static inline void memory_store_deinit(memory_store *store) {
  for (size_t i = 0; i < store->count; ++i)
    tune_record_deinit(&store->records[i]);
  free(store->records);
}

//===- A session over the measured table --------------------------------------===//

typedef struct fixture {
  objective_table table;
  tune_task task;
  tune_null_options null;
  tune_session_options options;
  memory_store store;
  tune_session_result result;
} fixture;

static inline int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  table_init(&f->table);
  f->task = (tune_task){.key = "0123456789abcdef",
                        .name = "matmul 512x1024x1024 f32",
                        .schedule_digest = "s1",
                        .space = f->table.space,
                        .flops = TABLE_FLOPS,
                        .reduction = 1024,
                        .peak_flops = 270e9};
  f->null =
      (tune_null_options){.objective = table_seconds, .user = &f->table, .seed = 7, .noise = 0.01};
  tune_session_options_init(&f->options);
  f->options.fingerprint = "zen5";
  *state = f;
  return 0;
}

static inline int teardown(void **state) {
  fixture *f = *state;
  tune_session_result_deinit(&f->result);
  memory_store_deinit(&f->store);
  table_deinit(&f->table);
  free(f);
  return 0;
}

static inline tune_status try_run(fixture *f) {
  tune_evaluator evaluator;
  assert_ok(tune_evaluator_null_create(&f->null, &evaluator));
  tune_record_store store = as_store(&f->store);
  tune_session_result_deinit(&f->result);
  tune_status status = tune_session_run(&f->task, &f->options, &evaluator, &store, &f->result);
  tune_evaluator_destroy(&evaluator);
  return status;
}

static inline void run(fixture *f) { assert_ok(try_run(f)); }

#endif // TUNE_UNITTESTS_TUNING_SESSION_FIXTURE_H
