//===- table_objective.h - A measured space as an objective ------------------------===//
//
// All 648 points of a matmul schedule, 512x1024x1024 f32 on one Zen 5 core, measured:
// unittests/data/matmul_512x1024x1024_zen5.jsonl. Strategies run on it without a compiler.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_TUNING_TABLE_OBJECTIVE_H
#define TUNE_UNITTESTS_TUNING_TABLE_OBJECTIVE_H

#include "space_fixture.h"

#include <math.h>

#define TABLE_SIZE 1296 // configs
#define TABLE_VALID 648 // those that were measured
#define TABLE_FLOPS (2.0 * 512 * 1024 * 1024)

typedef struct objective_table {
  tune_space *space;
  double seconds[TABLE_SIZE]; // by the config read as a number, first knob first; 0: not valid
  double best;                // seconds
} objective_table;

static inline size_t table_index(const tune_space *space, const tune_config *config) {
  size_t index = 0;
  for (size_t i = 0; i < config->count; ++i)
    index = index * tune_space_knob(space, i)->value_count + config->choices[i];
  return index;
}

// A tune_null_objective over a table.
static inline double table_seconds(void *user, const tune_space *space, const tune_config *config) {
  return ((objective_table *)user)->seconds[table_index(space, config)];
}

static inline tune_space *make_table_space(void) {
  tune_space *space = make_space();
  const char *backends[] = {"O2", "O3", "O3-256"};
  ADD_ORDERED(space, "mc", 32, 64, 128);
  ADD_ORDERED(space, "nc", 256, 1024);
  ADD_ORDERED(space, "kc", 128, 256, 512);
  ADD_ORDERED(space, "mr", 2, 4, 8, 16);
  ADD_ORDERED(space, "nr", 16, 32, 64);
  ADD_ORDERED(space, "kr", 1, 4);
  add_labelled(space, "backend", backends, 3);
  assert_ok(tune_space_add_constraint(space, "128 <= mr * nr && mr * nr <= 256", NULL));
  return space;
}

static inline void read_table_line(objective_table *table, const char *line) {
  json_t *point = json_loads(line, 0, NULL);
  assert_non_null(point);
  double gflops = json_real_value(json_object_get(point, "gflops"));
  const char *labels[] = {"O2", "O3", "O3,prefer-256-bit"};
  int backend = 0;
  while (strcmp(json_string_value(json_object_get(point, "backend")), labels[backend]) != 0)
    assert_true(++backend < 3);
  assert_int_equal(json_object_set_new(point, "backend", json_integer(backend)), 0);
  assert_int_equal(json_object_del(point, "gflops"), 0);
  assert_int_equal(json_object_del(point, "build_s"), 0);
  tune_config config;
  assert_ok(tune_config_from_json(&config, table->space, point));
  table->seconds[table_index(table->space, &config)] = TABLE_FLOPS / (gflops * 1e9);
  tune_config_deinit(&config);
  json_decref(point);
}

static inline void table_init(objective_table *table) {
  table->space = make_table_space();
  memset(table->seconds, 0, sizeof table->seconds);
  FILE *file = fopen(TUNE_TEST_DATA "/matmul_512x1024x1024_zen5.jsonl", "r");
  assert_non_null(file);
  char line[512];
  while (fgets(line, sizeof line, file))
    read_table_line(table, line);
  fclose(file);
  table->best = INFINITY;
  size_t measured = 0;
  for (size_t i = 0; i < TABLE_SIZE; ++i) {
    if (table->seconds[i] > 0)
      table->best = fmin(table->best, table->seconds[i]);
    measured += table->seconds[i] > 0;
  }
  assert_int_equal(measured, TABLE_VALID);
}

static inline void table_deinit(objective_table *table) { tune_space_destroy(table->space); }

#endif // TUNE_UNITTESTS_TUNING_TABLE_OBJECTIVE_H
