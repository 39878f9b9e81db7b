//===- failures.c -------------------------------------------------------------===//

#include "tuning/session/failures.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// More reasons than that are counted by their verdict alone.
#define MOST_KINDS 64

static bool is_digit(char c) { return isdigit((unsigned char)c) != 0; }

static bool ends(char c) { return c == '\0' || c == '\n'; }

// Whether two reasons have the same first line, but for numbers.
static bool are_alike(const char *a, const char *b) {
  while (!ends(*a) && !ends(*b)) {
    if (*a != *b && !(is_digit(*a) && is_digit(*b)))
      return false;
    bool was_digit = is_digit(*a);
    ++a, ++b;
    if (!was_digit)
      continue;
    while (is_digit(*a))
      ++a;
    while (is_digit(*b))
      ++b;
  }
  return ends(*a) && ends(*b);
}

static tune_status add_kind(tune_failures *failures, tune_verdict verdict, const char *error) {
  tune_failure_kind *kinds =
      realloc(failures->kinds, (failures->kind_count + 1) * sizeof *failures->kinds);
  if (kinds)
    failures->kinds = kinds;
  char *line = strndup(error, strcspn(error, "\n"));
  if (!kinds || !line) {
    free(line);
    return tune_status_out_of_memory("out of memory while counting failures");
  }
  failures->kinds[failures->kind_count++] =
      (tune_failure_kind){.verdict = verdict, .count = 1, .error = line};
  return TUNE_OK;
}

tune_status tune_failures_add(tune_failures *failures, tune_verdict verdict, const char *error) {
  if (!tune_verdict_is_failure(verdict))
    return TUNE_OK;
  const char *reason = error && *error ? error : "no reason given";
  ++failures->verdicts[verdict];
  for (size_t i = 0; i < failures->kind_count; ++i) {
    tune_failure_kind *kind = &failures->kinds[i];
    if (kind->verdict == verdict && are_alike(kind->error, reason)) {
      ++kind->count;
      return TUNE_OK;
    }
  }
  return failures->kind_count < MOST_KINDS ? add_kind(failures, verdict, reason) : TUNE_OK;
}

void tune_failures_deinit(tune_failures *failures) {
  for (size_t i = 0; i < failures->kind_count; ++i)
    free(failures->kinds[i].error);
  free(failures->kinds);
  *failures = (tune_failures){0};
}

static const tune_failure_kind *find_most_frequent(const tune_failures *failures,
                                                   tune_verdict verdict) {
  const tune_failure_kind *most = NULL;
  for (size_t i = 0; i < failures->kind_count; ++i) {
    const tune_failure_kind *kind = &failures->kinds[i];
    if (kind->verdict == verdict && (!most || kind->count > most->count))
      most = kind;
  }
  return most;
}

void tune_failures_append(const tune_failures *failures, tune_string_builder *text) {
  const char *separator = "";
  for (int v = 0; v < TUNE_VERDICT_COUNT; ++v) {
    size_t count = failures->verdicts[v];
    if (!count)
      continue;
    tune_string_builder_appendf(text, "%s%zu %s", separator, count,
                                tune_verdict_name((tune_verdict)v));
    separator = "; ";
    const tune_failure_kind *most = find_most_frequent(failures, (tune_verdict)v);
    if (most && most->count < count)
      tune_string_builder_appendf(text, ", %zu of them like this", most->count);
    if (most)
      tune_string_builder_appendf(text, ": %s", most->error);
  }
}
