//===- table.h - A space of which each config was measured --------------------===//
//
// A file of benchmarks/cross_level/data: a line that says the knobs and constraints, and one for
// each config. record.py writes it, and says what is in it.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_BENCHMARKS_CROSS_LEVEL_TABLE_H
#define TUNE_BENCHMARKS_CROSS_LEVEL_TABLE_H

#include "tuning/space/config.h"

// A config, measured several times over.
typedef struct table_row {
  char *choices;   // a character for each knob that has a choice
  double *seconds; // one run, in each recording; 0: it failed
  double least;    // of these; 0: it failed in one
  double build_seconds, measure_seconds;
  int64_t code; // the same for the same code
} table_row;

typedef struct measured_table {
  tune_space *space;
  table_row *rows;
  size_t count;
  size_t recordings;
} measured_table;

// Ends the process where the file is none.
void table_read(const char *path, measured_table *out_table);
void table_deinit(measured_table *table);
// The row of `config`, or NULL.
const table_row *table_find(const measured_table *table, const tune_config *config);

#endif // TUNE_BENCHMARKS_CROSS_LEVEL_TABLE_H
