//===- rules_test.c - What every rule writes builds and computes the right thing ----===//
//
// A table of payloads, each taken through its rule's space: the default config, each other
// form of it and random ones have to compute what the plain lowering computes.
//
// The quick part takes the cases marked so, with one random config. With TUNE_RULES_REST=1/2 in
// the environment it is one half of the others, with 2/2 the second half, in turn with wide
// vectors, with narrow ones and with two threads: the tier nightly. With
// TUNE_RULES_SWEEP=N all cases are taken, with N random configs, on each of these.
// TUNE_RULES_ONLY=TEXT takes only the cases with TEXT in their name, TUNE_RULES_TEST=PATTERN only
// the tests of that name. TUNE_RULES_SEED=S draws other configs.
//
//===--------------------------------------------------------------------------===//

#include "support/file.h"
#include "support/string_builder.h"
#include "unittests/rules/payload.h"
#include "unittests/rules/trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

static trial_bench bench;

static int setup(void **state) {
  (void)state;
  assert_ok(trial_bench_init(&bench));
  return 0;
}

static int teardown(void **state) {
  (void)state;
  trial_bench_deinit(&bench);
  return 0;
}

//===--------------------------------------------------------------------------===//
// The table
//===--------------------------------------------------------------------------===//

typedef struct rule_case {
  const char *name;
  const char *rule;
  payload_spec spec;
  bool is_quick;
  bool is_asked; // the rule is asked for by its name, as another one comes before it
} rule_case;

#define SPEC(LOOPS, INPUTS, OUTPUT, ...)                                                           \
  { .loops = LOOPS, .inputs = INPUTS, .output = OUTPUT, __VA_ARGS__ }
#define CASE(NAME, RULE, ...) {.name = NAME, .rule = RULE, .spec = SPEC(__VA_ARGS__)},
#define QUICK(NAME, RULE, ...)                                                                     \
  {.name = NAME, .rule = RULE, .spec = SPEC(__VA_ARGS__), .is_quick = true},
#define ASKED(NAME, RULE, ...)                                                                     \
  {.name = NAME, .rule = RULE, .spec = SPEC(__VA_ARGS__), .is_asked = true},
#define QUICK_ASKED(NAME, RULE, ...)                                                               \
  {.name = NAME, .rule = RULE, .spec = SPEC(__VA_ARGS__), .is_quick = true, .is_asked = true},
static const rule_case CASES[] = {
#include "unittests/rules/cases.inc"
};

static const tune_machine WIDE = {.vector_bits = 512,
                                  .vector_registers = 32,
                                  .l1_bytes = 32 << 10,
                                  .l2_bytes = 1 << 20,
                                  .l3_bytes = 16 << 20,
                                  .threads = 1};

static tune_machine machine_of(unsigned bits, unsigned threads, bool has_dots) {
  tune_machine machine = WIDE;
  machine.vector_bits = bits;
  machine.vector_registers = bits == 512 ? 32 : 16;
  machine.threads = threads;
  machine.has_bf16_dot = machine.has_int8_dot = has_dots;
  return machine;
}

//===--------------------------------------------------------------------------===//
// Running it
//===--------------------------------------------------------------------------===//

static size_t sweep_size(void) {
  const char *text = getenv("TUNE_RULES_SWEEP");
  return text ? strtoul(text, NULL, 10) : 0;
}

static bool takes_rest(void) { return getenv("TUNE_RULES_REST") != NULL; }

// Of those that are not quick, every second one.
static bool is_of_half(void) {
  static size_t seen;
  const char *half = getenv("TUNE_RULES_REST");
  return seen++ % 2 == (strcmp(half, "2/2") == 0);
}

static bool is_taken(bool is_quick) {
  if (sweep_size())
    return true;
  return takes_rest() ? !is_quick && is_of_half() : is_quick;
}

static uint64_t sweep_seed(void) {
  const char *text = getenv("TUNE_RULES_SEED");
  return text ? strtoull(text, NULL, 10) : 1;
}

static bool is_asked_for(const char *name) {
  const char *only = getenv("TUNE_RULES_ONLY");
  return !only || strstr(name, only);
}

// Returns whether all was right; says on stderr what was not.
static bool try_subject(trial_subject subject, size_t configs) {
  trial_outcome outcome;
  trial_run(&bench, &subject, configs, sweep_seed(), &outcome);
  bool is_right = outcome.is_right && outcome.unbuilt == 0;
  if (!is_right)
    fprintf(stderr, "[%u bits, %u threads] %s", subject.machine.vector_bits,
            subject.machine.threads, outcome.text.text ? outcome.text.text : subject.name);
  trial_outcome_deinit(&outcome);
  return is_right;
}

// Whether this machine has the instructions that the rule is for.
static bool has_dots(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512vnni");
#else
  return false;
#endif
}

static bool try_on_machines(trial_subject subject) {
  static const struct { unsigned bits, threads; } machines[] = {{512, 1}, {256, 1}, {512, 2}};
  static size_t turn;
  size_t sweep = sweep_size(), count = sizeof machines / sizeof *machines;
  bool dots = subject.rule && strcmp(subject.rule, "dot_contraction") == 0, is_right = true;
  if (dots && !has_dots())
    return true;
  size_t only = takes_rest() ? turn++ % count : 0;
  for (size_t i = 0; i < count; i++) {
    if (!sweep && i != only)
      continue;
    subject.machine = machine_of(subject.bits ? subject.bits : machines[i].bits,
                                 subject.threads ? subject.threads : machines[i].threads, dots);
    is_right &= try_subject(subject, !sweep ? 1 : i == 0 ? sweep : (sweep + 1) / 2);
  }
  return is_right;
}

static void single_ops_are_right(void **state) {
  (void)state;
  size_t wrong = 0;
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    const rule_case *one = &CASES[i];
    if (!is_taken(one->is_quick) || !is_asked_for(one->name))
      continue;
    char name[128];
    snprintf(name, sizeof name, "%s, %s", one->name, one->spec.loops);
    trial_subject subject = {.name = name,
                             .rule = one->rule,
                             .is_asked =
                                 one->is_asked || (one->rule && strcmp(one->rule, "im2col") == 0),
                             .threads = one->spec.threads,
                             .bits = one->spec.bits,
                             .index_limit = 100};
    char *payload;
    assert_ok(payload_write(&one->spec, &payload, &subject.reduction));
    subject.payload = payload;
    wrong += !try_on_machines(subject);
    free(payload);
  }
  assert_int_equal(wrong, 0);
}

//===--------------------------------------------------------------------------===//
// Whole payloads, from a file
//===--------------------------------------------------------------------------===//

// Reads "// case: NAME", "// rule: reduction" (or any), "// reduction: 768", "// indices: 10", "//
// dynamic: 13" and "// quick" at the head of a payload. With lines "// with: M=20 N=128" it is
// several: in each "$M" and "$N" stand for these values, and the first alone is quick.
static bool read_word(const char *payload, const char *key, char *out, size_t size) {
  const char *at = strstr(payload, key);
  if (!at)
    return false;
  at += strlen(key);
  size_t length = strcspn(at, "\n");
  snprintf(out, size, "%.*s", (int)length, at);
  return true;
}

static int64_t read_number(const char *payload, const char *key, int64_t otherwise) {
  char text[32];
  return read_word(payload, key, text, sizeof text) ? strtoll(text, NULL, 10) : otherwise;
}

static bool try_payload(const char *payload, const char *variant, bool is_quick) {
  char title[96], name[192], rule[32];
  if (!read_word(payload, "// case: ", title, sizeof title))
    return true; // what stands before the first
  snprintf(name, sizeof name, "%s%s%s", title, *variant ? ", " : "", variant);
  if (!is_taken(is_quick) || !is_asked_for(name))
    return true;
  trial_subject subject = {.name = name, .payload = payload};
  if (read_word(payload, "// rule: ", rule, sizeof rule) && strcmp(rule, "any") != 0)
    subject.rule = rule;
  subject.reduction = read_number(payload, "// reduction: ", 1);
  subject.index_limit = read_number(payload, "// indices: ", 100);
  subject.dynamic = read_number(payload, "// dynamic: ", 13);
  return try_on_machines(subject);
}

// `payload` with the values of `variant`, "M=20 N=128", in place of "$M" and "$N"; free() it.
static char *with_values(const char *payload, const char *variant) {
  tune_string_builder text;
  char *out = NULL;
  tune_string_builder_init(&text);
  for (const char *at = payload; *at; at++) {
    const char *value = *at == '$' ? strchr(variant, at[1]) : NULL;
    while (value && value[1] != '=')
      value = strchr(value + 1, at[1]);
    if (!value) {
      tune_string_builder_appendf(&text, "%c", *at);
      continue;
    }
    tune_string_builder_appendf(&text, "%.*s", (int)strcspn(value + 2, " "), value + 2);
    at++;
  }
  assert_ok(tune_string_builder_finish(&text, &out));
  return out;
}

// How many variants of `payload` were wrong.
static size_t try_variants(const char *payload) {
  static const char key[] = "// with: ";
  bool is_quick = strstr(payload, "// quick") != NULL;
  const char *at = strstr(payload, key);
  if (!at)
    return !try_payload(payload, "", is_quick);
  size_t wrong = 0;
  for (; at; at = strstr(at + 1, key), is_quick = false) {
    char variant[96];
    read_word(at, key, variant, sizeof variant);
    char *text = with_values(payload, variant);
    wrong += !try_payload(text, variant, is_quick);
    free(text);
  }
  return wrong;
}

static void whole_payloads_are_right(void **state) {
  (void)state;
  char *text;
  size_t size;
  assert_ok(tune_file_read(TUNE_RULES_PAYLOADS, &text, &size));
  size_t wrong = 0;
  for (char *at = text, *next; at; at = next) {
    next = strstr(at, "// -----\n");
    if (next) {
      *next = '\0';
      next += strlen("// -----\n");
    }
    wrong += try_variants(at);
  }
  free(text);
  assert_int_equal(wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(single_ops_are_right),
      cmocka_unit_test(whole_payloads_are_right),
  };
  cmocka_set_test_filter(getenv("TUNE_RULES_TEST"));
  return cmocka_run_group_tests(tests, setup, teardown);
}
