//===- size_rows.c - What a search says of sizes, as a table -----------------===//

#include "support/table.h"
#include "support/units.h"
#include "transforms/search/search_sizes.h"

#include <stdlib.h>

static const tune_table_column columns[] = {{.title = "size"},
                                            {.title = "of calls", .is_number = true},
                                            {.title = "variant"},
                                            {.title = "time", .is_number = true},
                                            {.title = "own best", .is_number = true},
                                            {.title = "ratio", .is_number = true}};

static void add_row(tune_table *table, const tune_size_row *row) {
  char ratio[32] = "-";
  tune_figure share = tune_figure_percent(row->weight);
  tune_figure seconds = tune_figure_seconds(row->seconds), best = tune_figure_seconds(row->best);
  if (row->seconds > 0 && row->best > 0)
    snprintf(ratio, sizeof ratio, "%.3f", row->seconds / row->best);
  const char *cells[] = {row->size,    row->weight > 0 ? share.text : "held out",
                         row->variant, seconds.text,
                         best.text,    ratio};
  tune_table_add_row(table, cells);
}

tune_status tune_size_rows_print(const tune_size_rows *rows, FILE *stream) {
  tune_table *table;
  TUNE_RETURN_IF_ERROR(tune_table_create(columns, sizeof columns / sizeof *columns, &table));
  for (size_t i = 0; i < rows->count; ++i)
    add_row(table, &rows->rows[i]);
  tune_status status =
      rows->count ? tune_table_print(table, tune_terminal_width(stream), stream) : TUNE_OK;
  tune_table_destroy(table);
  fprintf(stream, "tune-search: %zu variant%s by size beside that for any sizes", rows->variants,
          rows->variants == 1 ? "" : "s");
  if (rows->merged)
    fprintf(stream, "; %zu went, since another one is within 1.10 of %s", rows->merged,
            rows->merged == 1 ? "it" : "them");
  if (rows->added)
    fprintf(stream, "; %zu for sizes of a range, where code for that size is faster by default",
            rows->added);
  if (rows->slowdown > 0)
    fprintf(stream, "; %.3f of each size's own best in the mean of all calls", rows->slowdown);
  fprintf(stream, "\n");
  if (rows->has_ended)
    fprintf(stream, "tune-search: not all sizes were measured: no time was left, or it was "
                    "interrupted\n");
  return status;
}

void tune_size_rows_deinit(tune_size_rows *rows) {
  for (size_t i = 0; i < rows->count; ++i)
    free(rows->rows[i].variant);
  free(rows->rows);
  *rows = (tune_size_rows){.rows = NULL};
}
