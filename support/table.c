//===- table.c ----------------------------------------------------------------===//

#include "support/table.h"

#include "support/utf8.h"

#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

enum { GAP = 2, NARROWEST = 8 };

static const char ellipsis[] = "\xe2\x80\xa6"; // "…"

//===- Text in terminal cells -------------------------------------------------===//

// What is printed for the next piece of a text.
typedef struct glyph {
  const char *bytes;
  size_t length; // of bytes
  size_t width;  // terminal cells
  size_t taken;  // bytes of the text
} glyph;

static glyph next_glyph(const char *text) {
  uint32_t character;
  size_t length = tune_utf8_decode(text, &character);
  int width = length ? wcwidth((wchar_t)character) : -1;
  // Without Unicode (see enter_unicode) most letters take a cell.
  if (width < 0 && length && MB_CUR_MAX == 1 && character >= 0xa0)
    width = 1;
  if (width < 0)
    return (glyph){.bytes = "?", .length = 1, .width = 1, .taken = length ? length : 1};
  return (glyph){.bytes = text, .length = length, .width = (size_t)width, .taken = length};
}

// wcwidth asks the thread's locale; ours has to know Unicode whatever the program's is. Where there
// is none, or no memory for it, the program's stays.
static locale_t enter_unicode(locale_t *out_ours) {
  *out_ours = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  return uselocale(*out_ours);
}

static void leave_unicode(locale_t ours, locale_t before) {
  uselocale(before);
  if (ours)
    freelocale(ours);
}

static size_t width_of(const char *text) {
  size_t width = 0;
  while (*text) {
    glyph next = next_glyph(text);
    width += next.width;
    text += next.taken;
  }
  return width;
}

// Prints `text` in at most `width` cells and returns how many it took.
static size_t print_cut(const char *text, size_t width, FILE *stream) {
  bool is_cut = width_of(text) > width;
  size_t room = is_cut ? width - 1 : width;
  size_t printed = 0;
  while (*text) {
    glyph next = next_glyph(text);
    if (printed + next.width > room)
      break;
    fwrite(next.bytes, 1, next.length, stream);
    printed += next.width;
    text += next.taken;
  }
  if (is_cut) {
    fputs(ellipsis, stream);
    ++printed;
  }
  return printed;
}

size_t tune_text_width(const char *text) {
  locale_t ours, before = enter_unicode(&ours);
  size_t width = width_of(text);
  leave_unicode(ours, before);
  return width;
}

void tune_text_print(const char *text, size_t width, FILE *stream) {
  locale_t ours, before = enter_unicode(&ours);
  print_cut(text, width ? width : SIZE_MAX, stream);
  leave_unicode(ours, before);
}

size_t tune_terminal_width(FILE *stream) {
  struct winsize size;
  int descriptor = fileno(stream);
  if (descriptor < 0 || !isatty(descriptor))
    return 0;
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return 80;
}

//===- Tables -----------------------------------------------------------------===//

struct tune_table {
  tune_table_column *columns;
  size_t column_count;
  char **cells; // row after row
  size_t row_count, row_capacity;
  bool failed; // memory ran out
};

tune_status tune_table_create(const tune_table_column *columns, size_t count,
                              tune_table **out_table) {
  *out_table = NULL;
  tune_table *table = calloc(1, sizeof *table);
  tune_table_column *copy = calloc(count, sizeof *copy);
  if (!table || !copy) {
    free(table);
    free(copy);
    return tune_status_out_of_memory("making a table");
  }
  memcpy(copy, columns, count * sizeof *copy);
  table->columns = copy;
  table->column_count = count;
  *out_table = table;
  return TUNE_OK;
}

void tune_table_destroy(tune_table *table) {
  if (!table)
    return;
  for (size_t i = 0; i < table->row_count * table->column_count; ++i)
    free(table->cells[i]);
  free(table->cells);
  free(table->columns);
  free(table);
}

static bool make_room_for_row(tune_table *table) {
  if (table->row_count < table->row_capacity)
    return true;
  size_t capacity = table->row_capacity ? 2 * table->row_capacity : 16;
  char **cells = realloc(table->cells, capacity * table->column_count * sizeof *cells);
  if (!cells)
    return false;
  table->cells = cells;
  table->row_capacity = capacity;
  return true;
}

void tune_table_add_row(tune_table *table, const char *const *cells) {
  if (table->failed || !make_room_for_row(table)) {
    table->failed = true;
    return;
  }
  char **row = table->cells + table->row_count * table->column_count;
  for (size_t i = 0; i < table->column_count; ++i) {
    row[i] = strdup(cells[i] ? cells[i] : "");
    table->failed |= !row[i];
  }
  ++table->row_count;
}

size_t tune_table_row_count(const tune_table *table) { return table->row_count; }

static void measure_columns(const tune_table *table, size_t *widths) {
  for (size_t c = 0; c < table->column_count; ++c)
    widths[c] = width_of(table->columns[c].title);
  for (size_t i = 0; i < table->row_count * table->column_count; ++i) {
    size_t width = width_of(table->cells[i]);
    if (width > widths[i % table->column_count])
      widths[i % table->column_count] = width;
  }
}

// Takes cells from the widest column that may shrink until the table fits or none is left.
static void shrink_columns(const tune_table *table, size_t limit, size_t *widths) {
  size_t total = (table->column_count - 1) * GAP;
  for (size_t c = 0; c < table->column_count; ++c)
    total += widths[c];
  for (; total > limit; --total) {
    size_t widest = SIZE_MAX;
    for (size_t c = 0; c < table->column_count; ++c) {
      size_t title = width_of(table->columns[c].title);
      size_t least = title > NARROWEST ? title : NARROWEST;
      if (table->columns[c].may_shrink && widths[c] > least &&
          (widest == SIZE_MAX || widths[c] > widths[widest]))
        widest = c;
    }
    if (widest == SIZE_MAX)
      return;
    --widths[widest];
  }
}

static void print_row(const tune_table *table, const char *const *cells, const size_t *widths,
                      FILE *stream) {
  // Spaces are owed and paid before the next cell, so that no line ends in them.
  size_t owed = 0;
  for (size_t c = 0; c < table->column_count; ++c) {
    size_t width = width_of(cells[c]);
    size_t padding = width < widths[c] ? widths[c] - width : 0;
    if (table->columns[c].is_number)
      owed += padding;
    if (*cells[c]) {
      fprintf(stream, "%*s", (int)owed, "");
      // A cut cell may take one less than its column, where a wide character did not fit.
      owed = widths[c] - padding - print_cut(cells[c], widths[c], stream);
    } else {
      owed += width;
    }
    if (!table->columns[c].is_number)
      owed += padding;
    owed += GAP;
  }
  fputc('\n', stream);
}

tune_status tune_table_print(const tune_table *table, size_t width, FILE *stream) {
  size_t *widths = calloc(table->column_count, sizeof *widths);
  const char **titles = calloc(table->column_count, sizeof *titles);
  if (table->failed || !widths || !titles) {
    free(widths);
    free(titles);
    return tune_status_out_of_memory("printing a table");
  }
  locale_t ours, before = enter_unicode(&ours);
  measure_columns(table, widths);
  if (width)
    shrink_columns(table, width, widths);
  for (size_t c = 0; c < table->column_count; ++c)
    titles[c] = table->columns[c].title;
  print_row(table, titles, widths, stream);
  for (size_t r = 0; r < table->row_count; ++r)
    print_row(table, (const char *const *)table->cells + r * table->column_count, widths, stream);
  leave_unicode(ours, before);
  free(widths);
  free(titles);
  return TUNE_OK;
}
