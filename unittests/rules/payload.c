//===- payload.c --------------------------------------------------------------===//

#include "unittests/rules/payload.h"

#include "support/string_builder.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LOOPS 12
#define MAX_RANK 6
#define MAX_INPUTS 4

typedef struct loop {
  char name;
  int64_t extent;
} loop;

typedef struct operand {
  char map[128]; // "m, k"
  size_t rank;
  int64_t shape[MAX_RANK];
} operand;

typedef struct writer {
  const payload_spec *spec;
  const char *in, *out, *body;
  loop loops[MAX_LOOPS];
  size_t loop_count;
  operand inputs[MAX_INPUTS], output;
  size_t input_count;
  tune_string_builder text;
} writer;

static bool is_float(const char *type) { return strchr(type, 'f') != NULL; }

//===--------------------------------------------------------------------------===//
// Reading a spec
//===--------------------------------------------------------------------------===//

static bool read_loops(writer *w) {
  const char *at = w->spec->loops;
  while (*at) {
    if (!isalpha((unsigned char)*at) || at[1] != '=' || w->loop_count == MAX_LOOPS)
      return false;
    loop *next = &w->loops[w->loop_count++];
    next->name = *at;
    char *end;
    next->extent = strtoll(at + 2, &end, 10);
    at = end;
    while (*at == ' ')
      at++;
  }
  return true;
}

static int64_t extent_of(const writer *w, char name) {
  for (size_t i = 0; i < w->loop_count; i++)
    if (w->loops[i].name == name)
      return w->loops[i].extent;
  return 1;
}

// One more than the largest value of `expression`: a sum of terms such as 2, w and w * 2, with
// terms taken off as in 5 - w.
static int64_t extent_of_expression(const writer *w, const char *expression, size_t length) {
  int64_t total = 0, term = 1, sign = 1;
  bool is_empty = false;
  for (size_t i = 0; i < length; i++) {
    char c = expression[i];
    if (isalpha((unsigned char)c)) {
      int64_t extent = extent_of(w, c);
      is_empty |= extent == 0;
      term *= sign > 0 ? extent - 1 : 0;
    } else if (isdigit((unsigned char)c)) {
      term *= strtoll(expression + i, NULL, 10);
      while (i + 1 < length && isdigit((unsigned char)expression[i + 1]))
        i++;
    } else if (c == '+' || c == '-') {
      total += term;
      term = 1;
      sign = c == '+' ? 1 : -1;
    }
  }
  return is_empty ? 0 : total + term + 1;
}

static bool read_operand(const writer *w, const char *text, size_t length, operand *out) {
  while (length && *text == ' ')
    text++, length--;
  while (length && text[length - 1] == ' ')
    length--;
  if (length >= sizeof out->map)
    return false;
  memcpy(out->map, text, length);
  out->map[length] = '\0';
  const char *at = out->map;
  while (*at) {
    size_t part = strcspn(at, ",");
    if (out->rank == MAX_RANK)
      return false;
    out->shape[out->rank++] = extent_of_expression(w, at, part);
    at += part + (at[part] == ',');
  }
  return true;
}

static bool read_spec(writer *w) {
  w->in = w->spec->in ? w->spec->in : "f32";
  w->out = w->spec->out ? w->spec->out : w->in;
  w->body = w->spec->body ? w->spec->body : "mac";
  if (!read_loops(w) || !read_operand(w, w->spec->output, strlen(w->spec->output), &w->output))
    return false;
  const char *at = w->spec->inputs;
  for (;;) {
    size_t length = strcspn(at, "|");
    if (w->input_count == MAX_INPUTS || !read_operand(w, at, length, &w->inputs[w->input_count++]))
      return false;
    if (!at[length])
      return true;
    at += length + 1;
  }
}

static bool is_reduced(const writer *w, char name) { return !strchr(w->spec->output, name); }

//===--------------------------------------------------------------------------===//
// Writing
//===--------------------------------------------------------------------------===//

static void put(writer *w, const char *text) { tune_string_builder_append(&w->text, text); }

static void put_type(writer *w, const operand *of, const char *element) {
  put(w, "tensor<");
  for (size_t i = 0; i < of->rank; i++)
    tune_string_builder_appendf(&w->text, "%" PRId64 "x", of->shape[i]);
  tune_string_builder_appendf(&w->text, "%s>", element);
}

static void put_map(writer *w, const operand *of) {
  put(w, "affine_map<(");
  for (size_t i = 0; i < w->loop_count; i++)
    tune_string_builder_appendf(&w->text, "%s%c", i ? ", " : "", w->loops[i].name);
  tune_string_builder_appendf(&w->text, ") -> (%s)>", of->map);
}

// Maps of an op over the output: the identity, or its last dimension alone.
static void put_output_map(writer *w, bool last_only) {
  put(w, "affine_map<(");
  for (size_t i = 0; i < w->output.rank; i++)
    tune_string_builder_appendf(&w->text, "%sd%zu", i ? ", " : "", i);
  put(w, ") -> (");
  for (size_t i = last_only ? w->output.rank - 1 : 0; i < w->output.rank; i++)
    tune_string_builder_appendf(&w->text, "%sd%zu", i && !last_only ? ", " : "", i);
  put(w, ")>");
}

static operand last_dimension(const writer *w) {
  operand last = {.rank = w->output.rank ? 1 : 0};
  if (last.rank)
    last.shape[0] = w->output.shape[w->output.rank - 1];
  return last;
}

static bool has_word(const char *words, const char *word) {
  size_t length = strlen(word);
  for (const char *at = words; at && (at = strstr(at, word)); at += length)
    if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
      return true;
  return false;
}

static bool starts_with_bias(const writer *w) {
  return w->spec->start && strcmp(w->spec->start, "bias") == 0;
}
static bool starts_with_argument(const writer *w) {
  return w->spec->start && strcmp(w->spec->start, "argument") == 0;
}
static bool is_parallel(const writer *w) {
  for (size_t i = 0; i < w->loop_count; i++)
    if (is_reduced(w, w->loops[i].name))
      return false;
  return true;
}

static void put_parallel_iterators(writer *w) {
  put(w, "iterator_types = [");
  for (size_t i = 0; i < w->output.rank; i++)
    put(w, i ? ", \"parallel\"" : "\"parallel\"");
  put(w, "]");
}

// The neutral element of the reduction.
static const char *neutral(const writer *w) {
  bool floats = is_float(w->out), bytes = strcmp(w->out, "i8") == 0;
  if (strcmp(w->body, "max") == 0)
    return floats ? "-1.0e+30" : bytes ? "-128" : "-100000";
  if (strcmp(w->body, "min") == 0)
    return floats ? "1.0e+30" : bytes ? "127" : "100000";
  if (strcmp(w->body, "product") == 0)
    return floats ? "1.0" : "1";
  return floats ? "0.0" : "0";
}

static void put_start(writer *w) {
  put(w, "  %empty = tensor.empty() : ");
  put_type(w, &w->output, w->out);
  if (is_parallel(w)) {
    put(w, "\n");
    return;
  }
  if (starts_with_argument(w))
    return put(w, "\n");
  operand last = last_dimension(w);
  if (starts_with_bias(w)) {
    put(w, "\n  %start = linalg.generic {indexing_maps = [");
    put_output_map(w, true);
    put(w, ", ");
    put_output_map(w, false);
    put(w, "], ");
    put_parallel_iterators(w);
    put(w, "} ins(%begin : ");
    put_type(w, &last, w->out);
    put(w, ") outs(%empty : ");
    put_type(w, &w->output, w->out);
    tune_string_builder_appendf(
        &w->text, ") {\n  ^bb0(%%x: %s, %%y: %s):\n    linalg.yield %%x : %s\n  } -> ", w->out,
        w->out, w->out);
  } else {
    tune_string_builder_appendf(&w->text, "\n  %%neutral = arith.constant %s : %s\n", neutral(w),
                                w->out);
    tune_string_builder_appendf(
        &w->text, "  %%start = linalg.fill ins(%%neutral : %s) outs(%%empty : ", w->out);
    put_type(w, &w->output, w->out);
    put(w, ") -> ");
  }
  put_type(w, &w->output, w->out);
  put(w, "\n");
}

// What one element of the output becomes: `y` is it so far, `x0`, `x1`, ... are the inputs.
typedef struct body {
  const char *name;
  const char *floats;
  const char *integers;
} body;

static const body BODIES[] = {
    {"mac", "    %m = arith.mulf %w0, %w1 : OUT\n    %r = arith.addf %y, %m : OUT\n",
     "    %m = arith.muli %w0, %w1 : OUT\n    %r = arith.addi %y, %m : OUT\n"},
    {"mac_swapped", "    %m = arith.mulf %w1, %w0 : OUT\n    %r = arith.addf %m, %y : OUT\n",
     "    %m = arith.muli %w1, %w0 : OUT\n    %r = arith.addi %m, %y : OUT\n"},
    {"sum", "    %r = arith.addf %y, %w0 : OUT\n", "    %r = arith.addi %y, %w0 : OUT\n"},
    {"product", "    %r = arith.mulf %y, %w0 : OUT\n", "    %r = arith.muli %y, %w0 : OUT\n"},
    {"max", "    %r = arith.maximumf %y, %w0 : OUT\n", "    %r = arith.maxsi %y, %w0 : OUT\n"},
    {"min", "    %r = arith.minnumf %y, %w0 : OUT\n", "    %r = arith.minsi %y, %w0 : OUT\n"},
    {"squares", "    %m = arith.mulf %w0, %w0 : OUT\n    %r = arith.addf %y, %m : OUT\n",
     "    %m = arith.muli %w0, %w0 : OUT\n    %r = arith.addi %y, %m : OUT\n"},
    // Elementwise.
    {"copy", "    %r = arith.addf %w0, %w0 : OUT\n", "    %r = arith.addi %w0, %w0 : OUT\n"},
    {"add", "    %r = arith.addf %w0, %w1 : OUT\n", "    %r = arith.addi %w0, %w1 : OUT\n"},
    {"exp", "    %r = math.exp %w0 : OUT\n", ""},
    {"select",
     "    %c = arith.cmpf ogt, %w0, %w1 : OUT\n    %r = arith.select %c, %w0, %w1 : OUT\n",
     "    %c = arith.cmpi sgt, %w0, %w1 : OUT\n    %r = arith.select %c, %w0, %w1 : OUT\n"},
};

static void put_body(writer *w) {
  for (size_t i = 0; i < w->input_count; i++) {
    bool has_sign = !w->spec->no_sign || !strchr(w->spec->no_sign, (int)('0' + i));
    const char *widen = strcmp(w->in, w->out) == 0 ? ""
                        : is_float(w->in)          ? "extf"
                        : has_sign                 ? "extsi"
                                                   : "extui";
    if (*widen)
      tune_string_builder_appendf(&w->text, "    %%w%zu = arith.%s %%x%zu : %s to %s\n", i, widen,
                                  i, w->in, w->out);
  }
  const char *text = "";
  for (size_t i = 0; i < sizeof BODIES / sizeof *BODIES; i++)
    if (strcmp(BODIES[i].name, w->body) == 0)
      text = is_float(w->out) ? BODIES[i].floats : BODIES[i].integers;
  bool widened = strcmp(w->in, w->out) != 0;
  while (*text) {
    if (strncmp(text, "OUT", 3) == 0) {
      put(w, w->out);
      text += 3;
    } else if (!widened && strncmp(text, "%w", 2) == 0) {
      put(w, "%x");
      text += 2;
    } else {
      tune_string_builder_append_bytes(&w->text, text++, 1);
    }
  }
  tune_string_builder_appendf(&w->text, "    linalg.yield %%r : %s\n", w->out);
}

static void put_op(writer *w) {
  put(w, "  %result = linalg.generic {indexing_maps = [");
  for (size_t i = 0; i < w->input_count; i++) {
    put_map(w, &w->inputs[i]);
    put(w, ", ");
  }
  put_map(w, &w->output);
  put(w, "], iterator_types = [");
  for (size_t i = 0; i < w->loop_count; i++)
    tune_string_builder_appendf(&w->text, "%s\"%s\"", i ? ", " : "",
                                is_reduced(w, w->loops[i].name) ? "reduction" : "parallel");
  put(w, "]} ins(");
  for (size_t i = 0; i < w->input_count; i++)
    tune_string_builder_appendf(&w->text, "%s%%a%zu", i ? ", " : "", i);
  put(w, " : ");
  for (size_t i = 0; i < w->input_count; i++) {
    put(w, i ? ", " : "");
    put_type(w, &w->inputs[i], w->in);
  }
  put(w, is_parallel(w)            ? ") outs(%empty : "
         : starts_with_argument(w) ? ") outs(%begin : "
                                   : ") outs(%start : ");
  put_type(w, &w->output, w->out);
  put(w, ") {\n  ^bb0(");
  for (size_t i = 0; i < w->input_count; i++)
    tune_string_builder_appendf(&w->text, "%%x%zu: %s, ", i, w->in);
  tune_string_builder_appendf(&w->text, "%%y: %s):\n", w->out);
  put_body(w);
  put(w, "  } -> ");
  put_type(w, &w->output, w->out);
  put(w, "\n");
}

// An elementwise op over the output, `y`, for each word of the epilogue; preparation fuses them.
static void put_epilogue_step(writer *w, size_t step, const char *second, bool is_bias,
                              const char *lines) {
  operand last = last_dimension(w);
  tune_string_builder_appendf(&w->text, "  %%e%zu = linalg.generic {indexing_maps = [", step);
  put_output_map(w, false);
  put(w, ", ");
  if (second) {
    put_output_map(w, is_bias);
    put(w, ", ");
  }
  put_output_map(w, false);
  put(w, "], ");
  put_parallel_iterators(w);
  if (step)
    tune_string_builder_appendf(&w->text, "} ins(%%e%zu", step - 1);
  else
    put(w, "} ins(%result");
  if (second)
    tune_string_builder_appendf(&w->text, ", %s", second);
  put(w, " : ");
  put_type(w, &w->output, w->out);
  if (second) {
    put(w, ", ");
    put_type(w, is_bias ? &last : &w->output, w->out);
  }
  put(w, ") outs(%empty : ");
  put_type(w, &w->output, w->out);
  tune_string_builder_appendf(&w->text, ") {\n  ^bb0(%%x: %s, ", w->out);
  if (second)
    tune_string_builder_appendf(&w->text, "%%z: %s, ", w->out);
  tune_string_builder_appendf(&w->text, "%%y: %s):\n", w->out);
  for (const char *at = lines; *at;) {
    if (strncmp(at, "OUT", 3) == 0) {
      put(w, w->out);
      at += 3;
    } else {
      tune_string_builder_append_bytes(&w->text, at++, 1);
    }
  }
  tune_string_builder_appendf(&w->text, "    linalg.yield %%r : %s\n  } -> ", w->out);
  put_type(w, &w->output, w->out);
  put(w, "\n");
}

static size_t put_epilogue(writer *w) {
  const char *words = w->spec->epilogue;
  bool floats = is_float(w->out);
  size_t step = 0;
  if (has_word(words, "bias"))
    put_epilogue_step(w, step++, "%bias", true,
                      floats ? "    %r = arith.addf %x, %z : OUT\n"
                             : "    %r = arith.addi %x, %z : OUT\n");
  if (has_word(words, "residual"))
    put_epilogue_step(w, step++, "%residual", false,
                      floats ? "    %r = arith.addf %x, %z : OUT\n"
                             : "    %r = arith.addi %x, %z : OUT\n");
  if (has_word(words, "relu"))
    put_epilogue_step(w, step++, NULL, false,
                      floats ? "    %c = arith.constant 0.0 : OUT\n"
                               "    %r = arith.maximumf %x, %c : OUT\n"
                             : "    %c = arith.constant 0 : OUT\n"
                               "    %r = arith.maxsi %x, %c : OUT\n");
  if (has_word(words, "gelu"))
    put_epilogue_step(w, step++, NULL, false,
                      "    %half = arith.constant 0.5 : OUT\n"
                      "    %one = arith.constant 1.0 : OUT\n"
                      "    %root = arith.constant 0.70710678 : OUT\n"
                      "    %s = arith.mulf %x, %root : OUT\n    %e = math.erf %s : OUT\n"
                      "    %p = arith.addf %e, %one : OUT\n    %h = arith.mulf %x, %half : OUT\n"
                      "    %r = arith.mulf %h, %p : OUT\n");
  return step;
}

static void put_function(writer *w) {
  operand last = last_dimension(w);
  put(w, "func.func @f(");
  for (size_t i = 0; i < w->input_count; i++) {
    tune_string_builder_appendf(&w->text, "%s%%a%zu: ", i ? ", " : "", i);
    put_type(w, &w->inputs[i], w->in);
    const char *constant = w->spec->constant;
    if (constant && strchr(constant, (int)('0' + i)))
      put(w, " {tune.constant}");
  }
  if (starts_with_bias(w) || starts_with_argument(w)) {
    put(w, ", %begin: ");
    put_type(w, starts_with_bias(w) ? &last : &w->output, w->out);
  }
  if (has_word(w->spec->epilogue, "bias")) {
    put(w, ", %bias: ");
    put_type(w, &last, w->out);
  }
  if (has_word(w->spec->epilogue, "residual")) {
    put(w, ", %residual: ");
    put_type(w, &w->output, w->out);
  }
  put(w, ") -> ");
  put_type(w, &w->output, w->out);
  put(w, " {\n");
  put_start(w);
  put_op(w);
  size_t steps = put_epilogue(w);
  if (steps)
    tune_string_builder_appendf(&w->text, "  return %%e%zu : ", steps - 1);
  else
    put(w, "  return %result : ");
  put_type(w, &w->output, w->out);
  put(w, "\n}\n");
}

tune_status payload_write(const payload_spec *spec, char **out_text, int64_t *out_reduction) {
  writer w = {.spec = spec};
  if (!read_spec(&w))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "a spec that cannot be read: %s, %s -> %s",
                            spec->loops, spec->inputs, spec->output);
  *out_reduction = 1;
  for (size_t i = 0; i < w.loop_count; i++)
    if (is_reduced(&w, w.loops[i].name) && w.loops[i].extent > 0)
      *out_reduction *= w.loops[i].extent;
  tune_string_builder_init(&w.text);
  put_function(&w);
  return tune_string_builder_finish(&w.text, out_text);
}
