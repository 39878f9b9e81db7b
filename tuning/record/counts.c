//===- counts.c ---------------------------------------------------------------===//

#include "tuning/record/counts.h"

#include "tuning/record/record_internal.h"

static const struct {
  const char *name, *words;
} kinds[TUNE_COUNT_KINDS] = {
    [TUNE_COUNT_CYCLES] = {"cycles", "cycles"},
    [TUNE_COUNT_INSTRUCTIONS] = {"instructions", "instructions"},
    [TUNE_COUNT_FLOPS] = {"flops", "FLOP"},
    [TUNE_COUNT_CACHE_MISSES] = {"cache_misses", "cache misses"},
    [TUNE_COUNT_BRANCH_MISSES] = {"branch_misses", "branch misses"},
    [TUNE_COUNT_PAGE_FAULTS] = {"page_faults", "page faults"},
    [TUNE_COUNT_CONTEXT_SWITCHES] = {"context_switches", "context switches"},
};

static const char MISSING[] = "missing"; // of replies: why some are not known

const char *tune_count_name(tune_count_kind kind) { return kinds[kind].name; }

bool tune_counts_are_known(const tune_counts *counts) {
  for (int kind = 0; kind < TUNE_COUNT_KINDS; ++kind)
    if (counts->is_known[kind])
      return true;
  return false;
}

static double per_cycle(const tune_counts *counts, tune_count_kind kind) {
  double cycles = counts->of_run[TUNE_COUNT_CYCLES];
  return cycles > 0 ? counts->of_run[kind] / cycles : 0;
}

double tune_counts_instructions_per_cycle(const tune_counts *counts) {
  return per_cycle(counts, TUNE_COUNT_INSTRUCTIONS);
}

double tune_counts_flops_per_cycle(const tune_counts *counts) {
  return per_cycle(counts, TUNE_COUNT_FLOPS);
}

//===- JSON -------------------------------------------------------------------===//

json_t *tune_counts_to_json(const tune_counts *counts) {
  json_t *object = json_object();
  bool ok = object != NULL;
  for (int kind = 0; kind < TUNE_COUNT_KINDS; ++kind)
    if (counts->is_known[kind])
      tune_record_set_real(object, kinds[kind].name, counts->of_run[kind], &ok);
  if (ok)
    return object;
  json_decref(object);
  return NULL;
}

json_t *tune_counts_to_reply(const tune_counts *counts, const char *why) {
  json_t *object = tune_counts_to_json(counts);
  bool ok = object != NULL;
  for (int kind = 0; ok && kind < TUNE_COUNT_KINDS; ++kind)
    if (!counts->is_known[kind])
      tune_record_set(object, kinds[kind].name, json_null(), &ok);
  if (ok && *why)
    tune_record_set(object, MISSING, json_string(why), &ok);
  if (ok)
    return object;
  json_decref(object);
  return NULL;
}

const char *tune_counts_missing(const json_t *member) {
  return json_string_value(json_object_get(member, MISSING));
}

tune_status tune_counts_get(const json_t *object, tune_counts *out_counts) {
  return tune_counts_from_json(json_object_get(object, "counters"), out_counts);
}

tune_status tune_counts_from_json(const json_t *member, tune_counts *out_counts) {
  *out_counts = (tune_counts){0};
  if (!member)
    return TUNE_OK;
  if (!json_is_object(member))
    return tune_record_wrong_member("counters", "an object");
  const char *names[TUNE_COUNT_KINDS + 2] = {[TUNE_COUNT_KINDS] = MISSING};
  for (int kind = 0; kind < TUNE_COUNT_KINDS; ++kind)
    names[kind] = kinds[kind].name;
  TUNE_RETURN_IF_ERROR(tune_record_refuse_unknown(member, "counters", names));
  const json_t *missing = json_object_get(member, MISSING);
  if (missing && !json_is_string(missing))
    return tune_record_wrong_member(MISSING, "a text");
  for (int kind = 0; kind < TUNE_COUNT_KINDS; ++kind) {
    const json_t *count = json_object_get(member, names[kind]);
    out_counts->is_known[kind] = count && !json_is_null(count);
    if (out_counts->is_known[kind])
      TUNE_RETURN_IF_ERROR(tune_record_get_number(member, names[kind], &out_counts->of_run[kind]));
  }
  return TUNE_OK;
}

tune_status tune_counts_validate(const tune_counts *counts) {
  for (int kind = 0; kind < TUNE_COUNT_KINDS; ++kind)
    TUNE_RETURN_IF_ERROR(tune_record_require_number(kinds[kind].name, counts->of_run[kind]));
  return TUNE_OK;
}

//===- For people -------------------------------------------------------------===//

void tune_counts_append(tune_string_builder *text, const tune_counts *counts) {
  const char *separator = "";
  for (int kind = 0; kind < TUNE_COUNT_KINDS; ++kind) {
    if (!counts->is_known[kind])
      continue;
    tune_string_builder_appendf(text, "%s%.3g %s", separator, counts->of_run[kind],
                                kinds[kind].words);
    bool is_rate = kind == TUNE_COUNT_INSTRUCTIONS || kind == TUNE_COUNT_FLOPS;
    double rate = per_cycle(counts, (tune_count_kind)kind);
    if (is_rate && rate > 0)
      tune_string_builder_appendf(text, " (%.2f a cycle)", rate);
    separator = ", ";
  }
}
