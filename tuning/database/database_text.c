//===- database_text.c - What texts may be ------------------------------------===//

#include "tuning/database/database_internal.h"

#include "support/utf8.h"

#include <stdlib.h>
#include <string.h>

bool tune_database_is_key(const char *text) {
  size_t length = text ? strlen(text) : 0;
  return length >= 1 && length <= 128 &&
         strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:-") ==
             length;
}

bool tune_database_is_line(const char *text, size_t limit) {
  if (!text || !*text || strlen(text) > limit || !tune_utf8_is_valid(text))
    return false;
  for (const char *c = text; *c; ++c)
    if ((unsigned char)*c < 0x20 || *c == 0x7f)
      return false;
  return true;
}

tune_status tune_database_column_copy(sqlite3_stmt *statement, int column, char **out_text) {
  const char *text = (const char *)sqlite3_column_text(statement, column);
  bool is_null = sqlite3_column_type(statement, column) == SQLITE_NULL;
  *out_text = text || is_null ? strdup(text ? text : "") : NULL;
  return *out_text ? TUNE_OK : tune_status_out_of_memory("reading the database");
}
