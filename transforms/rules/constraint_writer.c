//===- constraint_writer.c - Constraints of rules, from infix to SMT ---------===//
//
// tune_writer_constraint of schedule_writer.h. The parser is that of tuning/space, so that a rule
// writes what a reader of the space is shown; schedule/schedule_constraints.h is the way back.
//
// What reads back is the same expression, operation by operation, but for what SMT does not have:
// min and max become a choice (smt.ite), and so does a comparison that is counted with; -x becomes
// 0 - x, and a number that is taken for a truth becomes x != 0.
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/schedule_writer.h"

#include "tuning/space/constraint.h"
#include "tuning/space/constraint_nodes.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INT "!smt.int"
#define BOOL "!smt.bool"

//===--------------------------------------------------------------------------===//
// Values
//===--------------------------------------------------------------------------===//

typedef enum value_kind { VALUE_KNOB, VALUE_CONSTANT, VALUE_RESULT } value_kind;

typedef struct smt_value {
  value_kind kind;
  char *text; // "smt.int.mul %mc_, %c16"; of a knob its name
  char *name; // "%mc_" of a knob, "%c16" of a constant, "%0", "%1" and so on of the others
} smt_value;

// The values in the order in which they are needed, each once.
typedef struct smt_body {
  const tune_space *knobs;
  const struct node *nodes;
  smt_value *values;
  size_t count;
  size_t result_count; // of those called %0, %1
  bool failed;         // memory ran out
} smt_body;

static void deinit_body(smt_body *body) {
  for (size_t i = 0; i < body->count; i++) {
    free(body->values[i].text);
    free(body->values[i].name);
  }
  free(body->values);
}

static char *make_name(smt_body *body, value_kind kind, const char *text) {
  char *name;
  const char *last = strrchr(text, ' ');
  int length;
  if (kind == VALUE_KNOB)
    length = asprintf(&name, "%%%s_", text);
  else if (kind == VALUE_CONSTANT)
    length = asprintf(&name, isalpha((unsigned char)last[1]) ? "%%%s" : "%%c%s", last + 1);
  else
    length = asprintf(&name, "%%%zu", body->result_count++);
  return length < 0 ? NULL : name;
}

// Returns the name of the value `text`, made if it is not there yet.
static const char *add_text(smt_body *body, value_kind kind, const char *text) {
  for (size_t i = 0; i < body->count; i++)
    if (strcmp(body->values[i].text, text) == 0)
      return body->values[i].name;
  smt_value value = {kind, strdup(text), make_name(body, kind, text)};
  smt_value *values = realloc(body->values, (body->count + 1) * sizeof *values);
  if (values)
    body->values = values;
  if (!values || !value.text || !value.name) {
    free(value.text);
    free(value.name);
    body->failed = true;
    return "";
  }
  body->values[body->count++] = value;
  return value.name;
}

static const char *add_value(smt_body *body, value_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static const char *add_value(smt_body *body, value_kind kind, const char *format, ...) {
  char *text;
  va_list arguments;
  va_start(arguments, format);
  int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  if (length < 0) {
    body->failed = true;
    return "";
  }
  const char *name = add_text(body, kind, text);
  free(text);
  return name;
}

static const char *add_integer(smt_body *body, int64_t value) {
  return add_value(body, VALUE_CONSTANT, "smt.int.constant %" PRId64, value);
}

//===--------------------------------------------------------------------------===//
// Expressions
//===--------------------------------------------------------------------------===//

// Of the operations that are one op over their operands; the rest is written one by one.
static const char *const OPS[] = {
    [OPERATION_MULTIPLY] = "smt.int.mul",
    [OPERATION_DIVIDE] = "smt.int.div",
    [OPERATION_MODULO] = "smt.int.mod",
    [OPERATION_ADD] = "smt.int.add",
    [OPERATION_SUBTRACT] = "smt.int.sub",
    [OPERATION_LESS] = "smt.int.cmp lt",
    [OPERATION_LESS_EQUAL] = "smt.int.cmp le",
    [OPERATION_GREATER] = "smt.int.cmp gt",
    [OPERATION_GREATER_EQUAL] = "smt.int.cmp ge",
    [OPERATION_EQUAL] = "smt.eq",
    [OPERATION_NOT_EQUAL] = "smt.distinct",
    [OPERATION_AND] = "smt.and",
    [OPERATION_OR] = "smt.or",
    [OPERATION_IMPLIES] = "smt.implies",
};

static bool is_logic(enum operation operation) {
  return operation == OPERATION_AND || operation == OPERATION_OR || operation == OPERATION_IMPLIES;
}

static bool is_equality(enum operation operation) {
  return operation == OPERATION_EQUAL || operation == OPERATION_NOT_EQUAL;
}

// Whether any number of operands may follow each other.
static bool is_chain(enum operation operation) {
  return operation == OPERATION_MULTIPLY || operation == OPERATION_ADD ||
         operation == OPERATION_AND || operation == OPERATION_OR;
}

// Whether the op that the node becomes gives a !smt.bool; a !smt.int otherwise.
static bool gives_bool(const struct node *node) {
  return node->operation == OPERATION_NOT || node->operation >= OPERATION_LESS;
}

static const char *write_node(smt_body *body, uint32_t index, bool wants_bool);

static const char *write_negation(smt_body *body, uint32_t operand) {
  if (body->nodes[operand].operation == OPERATION_INTEGER)
    return add_integer(body, -body->nodes[operand].value);
  const char *zero = add_integer(body, 0), *of = write_node(body, operand, false);
  return add_value(body, VALUE_RESULT, "smt.int.sub %s, %s", zero, of);
}

static const char *write_extreme(smt_body *body, const struct node *node) {
  const char *left = write_node(body, node->left, false),
             *right = write_node(body, node->right, false);
  const char *is_left = add_value(body, VALUE_RESULT, "smt.int.cmp %s %s, %s",
                                  node->operation == OPERATION_MIN ? "le" : "ge", left, right);
  return add_value(body, VALUE_RESULT, "smt.ite %s, %s, %s : " INT, is_left, left, right);
}

// The operands of a chain that the node is the last of; otherwise the node itself.
static void append_chain(smt_body *body, tune_string_builder *text, enum operation operation,
                         uint32_t index, bool takes_bools) {
  const struct node *node = &body->nodes[index];
  if (node->operation != operation || !is_chain(operation)) {
    tune_string_builder_append(text, write_node(body, index, takes_bools));
    return;
  }
  append_chain(body, text, operation, node->left, takes_bools);
  tune_string_builder_append(text, ", ");
  tune_string_builder_append(text, write_node(body, node->right, takes_bools));
}

static const char *write_binary(smt_body *body, const struct node *node) {
  enum operation operation = node->operation;
  bool takes_bools =
      is_logic(operation) || (is_equality(operation) && gives_bool(&body->nodes[node->left]) &&
                              gives_bool(&body->nodes[node->right]));
  tune_string_builder operands;
  tune_string_builder_init(&operands);
  append_chain(body, &operands, operation, node->left, takes_bools);
  tune_string_builder_append(&operands, ", ");
  tune_string_builder_append(&operands, write_node(body, node->right, takes_bools));
  const char *type = !is_equality(operation) ? "" : takes_bools ? " : " BOOL : " : " INT;
  const char *name = "";
  if (operands.failed)
    body->failed = true;
  else
    name = add_value(body, VALUE_RESULT, "%s %s%s", OPS[operation], operands.text, type);
  tune_string_builder_deinit(&operands);
  return name;
}

static const char *write_as_it_is(smt_body *body, const struct node *node) {
  switch (node->operation) {
  case OPERATION_INTEGER:
    return add_integer(body, node->value);
  case OPERATION_KNOB:
    return add_value(body, VALUE_KNOB, "%s",
                     tune_space_knob(body->knobs, (size_t)node->value)->name);
  case OPERATION_NEGATE:
    return write_negation(body, node->left);
  case OPERATION_NOT:
    return add_value(body, VALUE_RESULT, "smt.not %s", write_node(body, node->left, true));
  case OPERATION_MIN:
  case OPERATION_MAX:
    return write_extreme(body, node);
  default:
    return write_binary(body, node);
  }
}

// Returns the name of the node's value, as a !smt.bool or as a !smt.int.
static const char *write_node(smt_body *body, uint32_t index, bool wants_bool) {
  const struct node *node = &body->nodes[index];
  if (node->operation == OPERATION_INTEGER && wants_bool)
    return add_value(body, VALUE_CONSTANT, "smt.constant %s", node->value ? "true" : "false");
  const char *name = write_as_it_is(body, node);
  if (gives_bool(node) == wants_bool)
    return name;
  if (wants_bool)
    return add_value(body, VALUE_RESULT, "smt.distinct %s, %s : " INT, name, add_integer(body, 0));
  const char *one = add_integer(body, 1), *zero = add_integer(body, 0);
  return add_value(body, VALUE_RESULT, "smt.ite %s, %s, %s : " INT, name, one, zero);
}

//===--------------------------------------------------------------------------===//
// Ops
//===--------------------------------------------------------------------------===//

// Appends "<before>mc<after>, <before>mr<after>" of the knobs that are read.
static void append_knobs(const smt_body *body, tune_string_builder *text, const char *before,
                         const char *after) {
  const char *comma = "";
  for (size_t i = 0; i < body->count; i++)
    if (body->values[i].kind == VALUE_KNOB) {
      tune_string_builder_appendf(text, "%s%s%s%s", comma, before, body->values[i].text, after);
      comma = ", ";
    }
}

static void write_values(tune_writer *writer, const smt_body *body, value_kind kind) {
  for (size_t i = 0; i < body->count; i++)
    if (body->values[i].kind == kind)
      tune_writer_line(writer, "%s = %s", body->values[i].name, body->values[i].text);
}

static void write_op(tune_writer *writer, const char *why, const smt_body *body,
                     const char *holds) {
  tune_string_builder operands, types, arguments;
  tune_string_builder_init(&operands);
  tune_string_builder_init(&types);
  tune_string_builder_init(&arguments);
  append_knobs(body, &operands, "%", "");
  append_knobs(body, &arguments, "%", "_: " INT);
  for (size_t i = 0; i < body->count; i++)
    if (body->values[i].kind == VALUE_KNOB)
      tune_string_builder_append(&types, types.length ? ", !transform.param<i64>"
                                                      : "!transform.param<i64>");
  tune_writer_line(writer, "transform.smt.constrain_params(%s) {tune.why = \"%s\"} : (%s) -> () {",
                   operands.text ? operands.text : "", why, types.text ? types.text : "");
  if (arguments.text)
    tune_writer_line(writer, "^bb0(%s):", arguments.text);
  writer->indent++;
  write_values(writer, body, VALUE_CONSTANT);
  write_values(writer, body, VALUE_RESULT);
  tune_writer_line(writer, "smt.assert %s", holds);
  writer->indent--;
  tune_writer_line(writer, "}");
  writer->text.failed |= operands.failed | types.failed | arguments.failed | body->failed;
  tune_string_builder_deinit(&operands);
  tune_string_builder_deinit(&types);
  tune_string_builder_deinit(&arguments);
}

static tune_status write_constraint(tune_writer *writer, const char *why, const char *expression) {
  tune_constraint *constraint;
  TUNE_RETURN_IF_ERROR(
      tune_constraint_create(tune_space_knobs(writer->knobs), expression, why, &constraint));
  smt_body body = {.knobs = writer->knobs, .nodes = constraint->nodes};
  const char *holds = write_node(&body, (uint32_t)constraint->node_count - 1, true);
  write_op(writer, why, &body, holds);
  deinit_body(&body);
  tune_constraint_destroy(constraint);
  return TUNE_OK;
}

void tune_writer_constraint(tune_writer *writer, const char *why, const char *format, ...) {
  if (!tune_status_is_ok(writer->failure))
    return;
  char *expression;
  va_list arguments;
  va_start(arguments, format);
  int length = vasprintf(&expression, format, arguments);
  va_end(arguments);
  if (length < 0) {
    writer->text.failed = true;
    return;
  }
  // The rule is wrong, and not what it was given.
  writer->failure = tune_status_recode(
      tune_status_annotate(write_constraint(writer, why, expression), "the constraint \"%s\"", why),
      TUNE_INTERNAL);
  free(expression);
}

void tune_writer_register_constraint(tune_writer *writer, int64_t lanes, unsigned registers,
                                     const char *mr, const char *nr) {
  tune_writer_constraint(
      writer, "accumulators, one row of B and one element of A fit the registers",
      "%s * ((%s + %" PRId64 ") / %" PRId64 ") + (%s + %" PRId64 ") / %" PRId64 " + 1 <= %u", mr,
      nr, lanes - 1, lanes, nr, lanes - 1, lanes, registers);
}
