//===- pdl_writer.c -------------------------------------------------------------===//

#include "transforms/rules/pdl_writer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define OP "!transform.any_op"

tune_pdl_text tune_pdl_format(const char *pattern, ...) {
  tune_pdl_text result;
  va_list arguments;
  va_start(arguments, pattern);
  vsnprintf(result.text, sizeof result.text, pattern, arguments);
  va_end(arguments);
  return result;
}

tune_pdl_text tune_pdl_type(const char *kind, const char *element, const int64_t *shape,
                            size_t rank) {
  tune_pdl_text result = tune_pdl_format("%s<", kind);
  size_t used = strlen(result.text);
  for (size_t i = 0; i < rank && used < sizeof result.text; i++) {
    tune_pdl_text extent = tune_pdl_format("%" PRId64, shape[i]);
    used += (size_t)snprintf(result.text + used, sizeof result.text - used, "%sx",
                             shape[i] == TUNE_DYNAMIC_EXTENT ? "?" : extent.text);
  }
  if (used < sizeof result.text)
    snprintf(result.text + used, sizeof result.text - used, "%s>", element);
  return result;
}

tune_pdl_text tune_pdl_array(const int64_t *values, size_t count) {
  tune_pdl_text result = {"array<i64: "};
  size_t used = strlen(result.text);
  for (size_t i = 0; i < count; i++)
    used += (size_t)snprintf(result.text + used, sizeof result.text - used, "%s%" PRId64,
                             i ? ", " : "", values[i]);
  snprintf(result.text + used, sizeof result.text - used, ">");
  return result;
}

tune_pdl_text tune_pdl_tensor(const int64_t *shape, size_t rank) {
  return tune_pdl_type("tensor", "f32", shape, rank);
}

void tune_pdl_begin_patterns(tune_writer *w) {
  tune_writer_line(w, "transform.with_pdl_patterns %s : " OP " {", w->func);
  tune_writer_line(w, "^bb0(%%scope: " OP "):");
  w->indent++;
}

void tune_pdl_end_patterns(const char *const *names, size_t count, tune_writer *w) {
  tune_writer_line(w, "transform.sequence %%scope : " OP " failures(propagate) {");
  tune_writer_line(w, "^bb1(%%within: " OP "):");
  w->indent++;
  for (size_t i = 0; i < count; i++)
    tune_writer_line(w, "%%gone_%zu = transform.pdl_match @%s in %%within : (" OP ") -> " OP, i,
                     names[i]);
  w->indent--;
  tune_writer_line(w, "}");
  w->indent--;
  tune_writer_line(w, "}");
}

void tune_pdl_begin_pattern(tune_writer *w, const char *name) {
  tune_writer_line(w, "pdl.pattern @%s : benefit(1) {", name);
  w->indent++;
}

void tune_pdl_operand(tune_writer *w, const char *name, const char *type) {
  tune_writer_line(w, "%%%s_type = pdl.type : %s", name, type);
  tune_writer_line(w, "%%%s = pdl.operand : %%%s_type", name, name);
}

void tune_pdl_load(tune_writer *w, const char *name, const tune_operand *operand, int64_t length,
                   const char **place) {
  static const char *const index[TUNE_MAX_LOOPS] = {"index_0", "index_1", "index_2",  "index_3",
                                                    "index_4", "index_5", "index_6",  "index_7",
                                                    "index_8", "index_9", "index_10", "index_11"};
  char names[256] = "%from", types[256] = "!pdl.value";
  size_t named = strlen(names), typed = strlen(types);
  place[0] = "from";
  tune_pdl_operand(w, "from",
                   tune_pdl_type("memref", operand->type, operand->shape, operand->rank).text);
  for (size_t i = 0; i < operand->rank; i++) {
    tune_pdl_operand(w, place[i + 1] = index[i], "index");
    named += (size_t)snprintf(names + named, sizeof names - named, ", %%%s", index[i]);
    typed += (size_t)snprintf(types + typed, sizeof types - typed, ", !pdl.value");
  }
  place[operand->rank + 1] = NULL;
  tune_writer_line(w, "%%vector_type = pdl.type : vector<%" PRId64 "x%s>", length, operand->type);
  tune_writer_line(w,
                   "%%%s = pdl.operation \"vector.load\"(%s : %s) -> (%%vector_type : !pdl.type)",
                   name, names, types);
}

void tune_pdl_zero_fill(tune_writer *w, const char *name, const char *type) {
  tune_writer_line(w, "%%%s_type = pdl.type : %s", name, type);
  tune_writer_line(w, "%%zero_value = pdl.attribute = 0.0 : f32");
  tune_writer_line(w, "%%zero_type = pdl.type : f32");
  tune_writer_line(w, "%%zero_op = pdl.operation \"arith.constant\" {\"value\" = %%zero_value} "
                      "-> (%%zero_type : !pdl.type)");
  tune_writer_line(w, "%%zero = pdl.result 0 of %%zero_op");
  tune_writer_line(w, "%%%s_memory = pdl.operand", name);
  tune_writer_line(w,
                   "%%%s_op = pdl.operation \"linalg.fill\"(%%zero, %%%s_memory : !pdl.value, "
                   "!pdl.value) -> (%%%s_type : !pdl.type)",
                   name, name, name);
  tune_writer_line(w, "%%%s = pdl.result 0 of %%%s_op", name, name);
}

void tune_pdl_load_tosa(tune_writer *w) {
  tune_writer_line(w, "%%tosa = pdl.type : !tosa.shape<1>");
}

void tune_pdl_begin_rewrite(tune_writer *w) {
  tune_writer_line(w, "pdl.rewrite %%nest {");
  w->indent++;
}

void tune_pdl_end_pattern(tune_writer *w, const char *replacement) {
  if (replacement)
    tune_writer_line(w, "pdl.replace %%nest with %%%s_op", replacement);
  w->indent--;
  tune_writer_line(w, "}");
  w->indent--;
  tune_writer_line(w, "}");
}

void tune_pdl_operation(tune_writer *w, const char *result, const char *op, const char *type,
                        const char *const *operands, const tune_pdl_attribute *attributes) {
  char names[256] = "", types[256] = "", listed[256] = "";
  size_t used = 0, typed = 0, list = 0;
  for (size_t i = 0; operands[i]; i++) {
    used +=
        (size_t)snprintf(names + used, sizeof names - used, "%s%%%s", i ? ", " : "(", operands[i]);
    typed +=
        (size_t)snprintf(types + typed, sizeof types - typed, "%s!pdl.value", i ? ", " : " : ");
  }
  for (size_t i = 0; attributes && attributes[i].name; i++) {
    tune_writer_line(w, "%%%s_%s = pdl.attribute = %s", result, attributes[i].name,
                     attributes[i].value);
    list += (size_t)snprintf(listed + list, sizeof listed - list, "%s\"%s\" = %%%s_%s",
                             i ? ", " : " {", attributes[i].name, result, attributes[i].name);
  }
  if (!type) {
    tune_writer_line(w, "%%%s_op = pdl.operation \"%s\"%s%s%s%s%s", result, op, names, types,
                     operands[0] ? ")" : "", listed, list ? "}" : "");
    return;
  }
  tune_writer_line(w, "%%%s_type = pdl.type : %s", result, type);
  tune_writer_line(w, "%%%s_op = pdl.operation \"%s\"%s%s%s%s%s -> (%%%s_type : !pdl.type)", result,
                   op, names, types, operands[0] ? ")" : "", listed, list ? "}" : "", result);
  tune_writer_line(w, "%%%s = pdl.result 0 of %%%s_op", result, result);
}

void tune_pdl_constant(tune_writer *w, const char *result, const char *type, const char *value) {
  char text[160];
  snprintf(text, sizeof text, "%s : %s", value, type);
  tune_pdl_operation(w, result, "arith.constant", type, TUNE_PDL_NO_OPERANDS,
                     TUNE_PDL_ATTRIBUTES({"value", text}));
}

void tune_pdl_matmul(tune_writer *w, const char *result, const char *type, const char *a,
                     const char *b) {
  tune_pdl_load_tosa(w);
  tune_pdl_operation(w, "zero_point", "tosa.const", "tensor<1xf32>", TUNE_PDL_NO_OPERANDS,
                     TUNE_PDL_ATTRIBUTES({"values", "dense<0.0> : tensor<1xf32>"}));
  tune_pdl_operation(w, result, "tosa.matmul", type,
                     TUNE_PDL_OPERANDS(a, b, "zero_point", "zero_point"), NULL);
}
