//===- run_ptx.h - Kernels of a few lines, for tests
//------------------------------------------------===//
//
// To be included after cmocka.h.
//
//===--------------------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_PTX_RUN_PTX_H
#define TUNE_UNITTESTS_PTX_RUN_PTX_H

#include "unittests/ptx/ptx.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unittests/common/assert_ok.h"

// A kernel `k` around `body`, which has in %in and %out where its input and output are (generic
// addresses), and these registers to use. `before` are declarations of the module.
// `target`: NULL for sm_90. `directives` stand before the body; NULL: none.
static inline char *make_ptx(const char *target, const char *before, const char *directives,
                             const char *body) {
  char *text = NULL;
  int length = asprintf(&text,
                        ".version 8.0\n"
                        ".target %s\n"
                        ".address_size 64\n"
                        "%s\n"
                        ".visible .entry k(.param .u64 k_in, .param .u64 k_out) %s\n"
                        "{\n"
                        ".reg .pred %%p<10>;\n"
                        ".reg .b16 %%rs<20>;\n"
                        ".reg .b32 %%r<40>;\n"
                        ".reg .b64 %%rd<20>, %%in, %%out;\n"
                        "ld.param.u64 %%in, [k_in];\n"
                        "ld.param.u64 %%out, [k_out];\n"
                        "%s\n"
                        "ret;\n"
                        "}\n",
                        target ? target : "sm_90", before, directives ? directives : "", body);
  assert_true(length > 0);
  return text;
}

typedef struct ptx_case {
  const char *before; // NULL: nothing
  const char *body;
  const char *target;          // NULL: sm_90
  const char *directives;      // NULL: none
  unsigned groups, group_size; // 0: 1 of either
  const void *in;
  size_t in_bytes;
  void *out;
  size_t out_bytes;
  size_t dynamic_bytes;
  uint64_t limit;
  bool ignore_races;
} ptx_case;

// What became of it, for the caller to free; the report to `out_report`, which may be NULL.
static inline tune_status try_ptx(const ptx_case *c, ptx_report *out_report) {
  char *text = make_ptx(c->target, c->before ? c->before : "", c->directives, c->body);
  ptx_module *module;
  ptx_kernel *kernel;
  ptx_memory *memory;
  ptx_report report = {0};
  tune_status status = ptx_module_create(text, strlen(text), &module);
  if (!tune_status_is_ok(status))
    fail_msg("%s\n%s", tune_status_get_message(status), text);
  assert_ok(ptx_module_find_kernel(module, "k", &kernel));
  assert_ok(ptx_memory_create(&memory));
  if (c->in_bytes)
    assert_ok(ptx_memory_add(memory, c->in, c->in_bytes));
  if (c->out_bytes)
    assert_ok(ptx_memory_add(memory, c->out, c->out_bytes));
  void *const parameters[] = {(void *)&c->in, (void *)&c->out};
  const ptx_launch launch = {.groups = {c->groups ? c->groups : 1, 1, 1},
                             .group_size = {c->group_size ? c->group_size : 1, 1, 1},
                             .dynamic_bytes = c->dynamic_bytes,
                             .parameters = parameters,
                             .memory = memory,
                             .limit = c->limit,
                             .ignore_races = c->ignore_races};
  status = ptx_kernel_launch(kernel, &launch, &report);
  if (out_report)
    *out_report = report;
  ptx_memory_destroy(memory);
  ptx_module_destroy(module);
  free(text);
  return status;
}

static inline void run_ptx(const ptx_case *c) { assert_ok(try_ptx(c, NULL)); }

// It fails so, and the message has this in it.
static inline void expect_fault(const ptx_case *c, ptx_fault fault, const char *message) {
  ptx_report report;
  tune_status status = try_ptx(c, &report);
  if (tune_status_is_ok(status))
    fail_msg("it ran, where this was expected: %s", message);
  if (!strstr(tune_status_get_message(status), message))
    fail_msg("`%s` is not in: %s", message, tune_status_get_message(status));
  tune_status_free(status);
  assert_int_equal(report.fault, fault);
}

#endif // TUNE_UNITTESTS_PTX_RUN_PTX_H
