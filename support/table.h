//===- table.h - Columns for people ----------------------------------------------===//
//
// Rows of UTF-8 text under titles, each column as wide as its widest cell, two spaces
// between columns, nothing else. Where the table would be wider than the terminal, the
// columns that may shrink do, evenly from the widest, and cells that do not fit end in
// "…". Width is counted in terminal cells (an accent takes none, a CJK character two).
// Control characters and bytes that are not UTF-8 print as "?": cells may come from
// strangers' data.
//
// Threads: one thread at a time per table.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_SUPPORT_TABLE_H
#define TUNE_SUPPORT_TABLE_H

#include "support/status.h"

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_table_column {
  const char *title; // borrowed by the table
  bool is_number;    // aligned to the right
  bool may_shrink;   // to no less than its title, or 8
} tune_table_column;

typedef struct tune_table tune_table;

// `columns` is copied, the titles in it are not.
tune_status tune_table_create(const tune_table_column *columns, size_t count,
                              tune_table **out_table);
void tune_table_destroy(tune_table *table);

// Adds a row with a cell for each column; the texts are copied, NULL is an empty one. Running out
// of memory is remembered and said by tune_table_print.
void tune_table_add_row(tune_table *table, const char *const *cells);
size_t tune_table_row_count(const tune_table *table);

// Prints titles and rows, at most `width` terminal cells wide; 0: as wide as it gets.
tune_status tune_table_print(const tune_table *table, size_t width, FILE *stream);

// The columns of the terminal that `stream` is, or 0 where it is none: a table for another program
// should lose nothing.
size_t tune_terminal_width(FILE *stream);

// How many terminal cells `text` takes when printed in a table.
size_t tune_text_width(const char *text);

// Prints `text` as a cell would be, cut to `width` terminal cells if need be (0: whole).
void tune_text_print(const char *text, size_t width, FILE *stream);

#ifdef __cplusplus
}
#endif

#endif // TUNE_SUPPORT_TABLE_H
