//===- constraint.c - Constraints between the knobs of a space ---------------===//

#include "tuning/space/constraint.h"

#include "support/string_builder.h"
#include "tuning/space/constraint_nodes.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Bounds what a hostile expression can do to the stack.
#define NESTING_LIMIT 200
#define NODE_LIMIT 4096

// From what binds least to what binds most.
enum precedence {
  PRECEDENCE_IMPLIES = 1,
  PRECEDENCE_OR,
  PRECEDENCE_AND,
  PRECEDENCE_EQUALITY,
  PRECEDENCE_RELATION,
  PRECEDENCE_SUM,
  PRECEDENCE_TERM,
  PRECEDENCE_UNARY,
  PRECEDENCE_PRIMARY,
};

static const struct {
  const char *symbol;
  enum precedence precedence;
} operations[] = {
    [OPERATION_INTEGER] = {"", PRECEDENCE_PRIMARY},
    [OPERATION_KNOB] = {"", PRECEDENCE_PRIMARY},
    [OPERATION_NEGATE] = {"-", PRECEDENCE_UNARY},
    [OPERATION_NOT] = {"!", PRECEDENCE_UNARY},
    [OPERATION_MIN] = {"min", PRECEDENCE_PRIMARY},
    [OPERATION_MAX] = {"max", PRECEDENCE_PRIMARY},
    [OPERATION_MULTIPLY] = {"*", PRECEDENCE_TERM},
    [OPERATION_DIVIDE] = {"/", PRECEDENCE_TERM},
    [OPERATION_MODULO] = {"%", PRECEDENCE_TERM},
    [OPERATION_ADD] = {"+", PRECEDENCE_SUM},
    [OPERATION_SUBTRACT] = {"-", PRECEDENCE_SUM},
    [OPERATION_LESS_EQUAL] = {"<=", PRECEDENCE_RELATION},
    [OPERATION_LESS] = {"<", PRECEDENCE_RELATION},
    [OPERATION_GREATER_EQUAL] = {">=", PRECEDENCE_RELATION},
    [OPERATION_GREATER] = {">", PRECEDENCE_RELATION},
    [OPERATION_EQUAL] = {"==", PRECEDENCE_EQUALITY},
    [OPERATION_NOT_EQUAL] = {"!=", PRECEDENCE_EQUALITY},
    [OPERATION_AND] = {"&&", PRECEDENCE_AND},
    [OPERATION_OR] = {"||", PRECEDENCE_OR},
    [OPERATION_IMPLIES] = {"=>", PRECEDENCE_IMPLIES},
};

//===- Parsing ----------------------------------------------------------------===//

struct parser {
  const tune_knobs *knobs;
  const char *text;
  const char *at;
  tune_constraint *constraint;
  size_t capacity;
  unsigned depth;
};

static tune_status error_at(const struct parser *parser, const char *place, tune_status_code code,
                            const char *message) {
  return tune_status_make(code, "%s\n  %s\n  %*s^", message, parser->text,
                          (int)(place - parser->text), "");
}

static void skip_space(struct parser *parser) {
  while (isspace((unsigned char)*parser->at))
    ++parser->at;
}

static tune_status add_node(struct parser *parser, struct node value, uint32_t *out_node) {
  tune_constraint *constraint = parser->constraint;
  if (constraint->node_count == NODE_LIMIT)
    return error_at(parser, parser->at, TUNE_INVALID_ARGUMENT, "the expression is too long");
  if (constraint->node_count == parser->capacity) {
    size_t capacity = parser->capacity ? 2 * parser->capacity : 16;
    struct node *nodes = realloc(constraint->nodes, capacity * sizeof *nodes);
    if (!nodes)
      return tune_status_out_of_memory("out of memory while parsing a constraint");
    constraint->nodes = nodes;
    parser->capacity = capacity;
  }
  *out_node = (uint32_t)constraint->node_count;
  constraint->nodes[constraint->node_count++] = value;
  return TUNE_OK;
}

// Takes `symbol` if it comes next. A symbol that is the beginning of a longer one is not taken.
static bool accept(struct parser *parser, const char *symbol) {
  skip_space(parser);
  size_t length = strlen(symbol);
  if (strncmp(parser->at, symbol, length) != 0)
    return false;
  char next = parser->at[length];
  if ((strcmp(symbol, "!") == 0 || strcmp(symbol, "<") == 0 || strcmp(symbol, ">") == 0) &&
      next == '=')
    return false;
  parser->at += length;
  return true;
}

static tune_status expect(struct parser *parser, const char *symbol) {
  if (accept(parser, symbol))
    return TUNE_OK;
  char message[32];
  snprintf(message, sizeof message, "expected '%s'", symbol);
  return error_at(parser, parser->at, TUNE_INVALID_ARGUMENT, message);
}

static tune_status parse_binary(struct parser *parser, enum precedence level, uint32_t *out_node);

static tune_status parse_integer(struct parser *parser, uint32_t *out_node) {
  const char *begin = parser->at;
  int64_t value = 0;
  for (; isdigit((unsigned char)*parser->at); ++parser->at) {
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, *parser->at - '0', &value))
      return error_at(parser, begin, TUNE_INVALID_ARGUMENT, "the number does not fit 64 bits");
  }
  return add_node(parser, (struct node){.operation = OPERATION_INTEGER, .value = value}, out_node);
}

static bool is_word_begin(char c) { return isalpha((unsigned char)c) || c == '_'; }
static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.'; }

static tune_status parse_knob(struct parser *parser, const char *place, const char *name,
                              uint32_t *out_node) {
  size_t knob = tune_knobs_find(parser->knobs, name);
  if (knob != SIZE_MAX)
    return add_node(parser, (struct node){.operation = OPERATION_KNOB, .value = (int64_t)knob},
                    out_node);
  const char *nearest = tune_knobs_nearest(parser->knobs, name);
  char *message = NULL;
  if (asprintf(&message, nearest ? "no knob '%s'; did you mean '%s'?" : "no knob '%s'", name,
               nearest) < 0)
    return tune_status_out_of_memory("out of memory while parsing a constraint");
  tune_status status = error_at(parser, place, TUNE_NOT_FOUND, message);
  free(message);
  return status;
}

static tune_status parse_quoted_knob(struct parser *parser, uint32_t *out_node) {
  const char *place = parser->at;
  const char *end = strchr(place + 1, '\'');
  if (!end)
    return error_at(parser, place, TUNE_INVALID_ARGUMENT, "the quote is not closed");
  char *name = strndup(place + 1, (size_t)(end - place - 1));
  if (!name)
    return tune_status_out_of_memory("out of memory while parsing a constraint");
  parser->at = end + 1;
  tune_status status = parse_knob(parser, place, name, out_node);
  free(name);
  return status;
}

// The arguments of min and max, folded from the left.
static tune_status parse_arguments(struct parser *parser, enum operation operation,
                                   uint32_t *out_node) {
  TUNE_RETURN_IF_ERROR(expect(parser, "("));
  TUNE_RETURN_IF_ERROR(parse_binary(parser, PRECEDENCE_IMPLIES, out_node));
  while (accept(parser, ",")) {
    struct node fold = {.operation = operation, .left = *out_node};
    TUNE_RETURN_IF_ERROR(parse_binary(parser, PRECEDENCE_IMPLIES, &fold.right));
    TUNE_RETURN_IF_ERROR(add_node(parser, fold, out_node));
  }
  return expect(parser, ")");
}

static tune_status parse_word(struct parser *parser, uint32_t *out_node) {
  const char *place = parser->at;
  while (is_word(*parser->at))
    ++parser->at;
  char *name = strndup(place, (size_t)(parser->at - place));
  if (!name)
    return tune_status_out_of_memory("out of memory while parsing a constraint");
  tune_status status;
  skip_space(parser);
  bool is_call = *parser->at == '(';
  if (is_call && strcmp(name, "min") == 0)
    status = parse_arguments(parser, OPERATION_MIN, out_node);
  else if (is_call && strcmp(name, "max") == 0)
    status = parse_arguments(parser, OPERATION_MAX, out_node);
  else if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0)
    status = add_node(parser, (struct node){.operation = OPERATION_INTEGER, .value = *name == 't'},
                      out_node);
  else
    status = parse_knob(parser, place, name, out_node);
  free(name);
  return status;
}

static tune_status parse_primary(struct parser *parser, uint32_t *out_node) {
  skip_space(parser);
  if (isdigit((unsigned char)*parser->at))
    return parse_integer(parser, out_node);
  if (*parser->at == '\'')
    return parse_quoted_knob(parser, out_node);
  if (is_word_begin(*parser->at))
    return parse_word(parser, out_node);
  if (accept(parser, "(")) {
    TUNE_RETURN_IF_ERROR(parse_binary(parser, PRECEDENCE_IMPLIES, out_node));
    return expect(parser, ")");
  }
  return error_at(parser, parser->at, TUNE_INVALID_ARGUMENT,
                  "expected a number, a knob or a parenthesis");
}

static tune_status parse_unary(struct parser *parser, uint32_t *out_node) {
  struct node unary;
  if (accept(parser, "-"))
    unary.operation = OPERATION_NEGATE;
  else if (accept(parser, "!"))
    unary.operation = OPERATION_NOT;
  else
    return parse_primary(parser, out_node);
  if (++parser->depth > NESTING_LIMIT)
    return error_at(parser, parser->at, TUNE_INVALID_ARGUMENT, "nested too deep");
  TUNE_RETURN_IF_ERROR(parse_unary(parser, &unary.left));
  --parser->depth;
  unary.right = 0;
  unary.value = 0;
  return add_node(parser, unary, out_node);
}

static bool accept_operation(struct parser *parser, enum precedence level,
                             enum operation *out_operation) {
  for (size_t i = OPERATION_MULTIPLY; i <= OPERATION_IMPLIES; ++i) {
    if (operations[i].precedence == level && accept(parser, operations[i].symbol)) {
      *out_operation = (enum operation)i;
      return true;
    }
  }
  return false;
}

// Parses the operations of `level` and of all that bind more.
static tune_status parse_binary(struct parser *parser, enum precedence level, uint32_t *out_node) {
  if (level == PRECEDENCE_UNARY)
    return parse_unary(parser, out_node);
  if (level == PRECEDENCE_IMPLIES && ++parser->depth > NESTING_LIMIT)
    return error_at(parser, parser->at, TUNE_INVALID_ARGUMENT, "nested too deep");
  TUNE_RETURN_IF_ERROR(parse_binary(parser, level + 1, out_node));
  struct node binary = {0};
  while (accept_operation(parser, level, &binary.operation)) {
    binary.left = *out_node;
    // => groups to the right, comparisons do not group at all, the rest groups to the left.
    enum precedence right = level == PRECEDENCE_IMPLIES ? level : level + 1;
    TUNE_RETURN_IF_ERROR(parse_binary(parser, right, &binary.right));
    TUNE_RETURN_IF_ERROR(add_node(parser, binary, out_node));
    if (level == PRECEDENCE_EQUALITY || level == PRECEDENCE_RELATION)
      break;
  }
  if (level == PRECEDENCE_IMPLIES)
    --parser->depth;
  return TUNE_OK;
}

static tune_status collect_knobs(tune_constraint *constraint, size_t knob_count) {
  constraint->knobs = calloc(knob_count ? knob_count : 1, sizeof *constraint->knobs);
  if (!constraint->knobs)
    return tune_status_out_of_memory("out of memory while parsing a constraint");
  for (size_t knob = 0; knob < knob_count; ++knob) {
    for (size_t i = 0; i < constraint->node_count; ++i) {
      const struct node *read = &constraint->nodes[i];
      if (read->operation == OPERATION_KNOB && read->value == (int64_t)knob) {
        constraint->knobs[constraint->knob_count++] = knob;
        break;
      }
    }
  }
  return TUNE_OK;
}

static tune_status parse(const tune_knobs *knobs, tune_constraint *constraint) {
  struct parser parser = {
      .knobs = knobs, .text = constraint->text, .at = constraint->text, .constraint = constraint};
  uint32_t root;
  TUNE_RETURN_IF_ERROR(parse_binary(&parser, PRECEDENCE_IMPLIES, &root));
  skip_space(&parser);
  if (*parser.at)
    return error_at(&parser, parser.at, TUNE_INVALID_ARGUMENT, "expected an operator or the end");
  return collect_knobs(constraint, knobs->count);
}

tune_status tune_constraint_create(const tune_knobs *knobs, const char *expression, const char *why,
                                   tune_constraint **out_constraint) {
  *out_constraint = NULL;
  tune_constraint *constraint = calloc(1, sizeof *constraint);
  if (!constraint)
    return tune_status_out_of_memory("out of memory while parsing a constraint");
  constraint->text = strdup(expression);
  constraint->why = why ? strdup(why) : NULL;
  tune_status status = TUNE_OK;
  if (!constraint->text || (why && !constraint->why))
    status = tune_status_out_of_memory("out of memory while parsing a constraint");
  else
    status = parse(knobs, constraint);
  if (!tune_status_is_ok(status)) {
    tune_constraint_destroy(constraint);
    return status;
  }
  *out_constraint = constraint;
  return TUNE_OK;
}

void tune_constraint_destroy(tune_constraint *constraint) {
  if (!constraint)
    return;
  free(constraint->text);
  free(constraint->why);
  free(constraint->nodes);
  free(constraint->knobs);
  free(constraint);
}

const char *tune_constraint_text(const tune_constraint *constraint) { return constraint->text; }
const char *tune_constraint_why(const tune_constraint *constraint) { return constraint->why; }

const size_t *tune_constraint_knobs(const tune_constraint *constraint, size_t *out_count) {
  *out_count = constraint->knob_count;
  return constraint->knobs;
}

//===- Printing ---------------------------------------------------------------===//

static void print_knob(tune_string_builder *builder, const char *name) {
  bool is_plain = is_word_begin(*name) && strcmp(name, "true") != 0 && strcmp(name, "false") != 0;
  for (const char *c = name; *c; ++c)
    is_plain = is_plain && is_word(*c);
  tune_string_builder_appendf(builder, is_plain ? "%s" : "'%s'", name);
}

typedef struct printer {
  const tune_constraint *constraint;
  const tune_knobs *knobs;
  bool for_people; // values of knobs are what they are called
  tune_string_builder text;
} printer;

// What people call the integer `value` where it is compared with `other`: a word of that knob's;
// NULL where there is none.
static const char *find_label(const printer *p, const struct node *value,
                              const struct node *other) {
  if (value->operation != OPERATION_INTEGER || other->operation != OPERATION_KNOB)
    return NULL;
  const tune_knob *knob = &p->knobs->knobs[other->value];
  size_t index = knob->labels ? tune_knob_find_value(knob, value->value) : SIZE_MAX;
  return index == SIZE_MAX ? NULL : knob->labels[index];
}

static void print_node(printer *p, uint32_t index, enum precedence least);

// Prints the node, whose sibling in an operation of precedence `level` is `other`.
static void print_operand(printer *p, uint32_t index, uint32_t other, enum precedence level,
                          enum precedence least) {
  const struct node *nodes = p->constraint->nodes;
  const char *label = p->for_people && level == PRECEDENCE_EQUALITY
                          ? find_label(p, &nodes[index], &nodes[other])
                          : NULL;
  if (label)
    tune_string_builder_append(&p->text, label);
  else
    print_node(p, index, least);
}

// Prints the node, in parentheses where it binds less than `least`.
static void print_node(printer *p, uint32_t index, enum precedence least) {
  const struct node *at = &p->constraint->nodes[index];
  enum precedence level = operations[at->operation].precedence;
  const char *symbol = operations[at->operation].symbol;
  if (at->operation == OPERATION_INTEGER) {
    tune_string_builder_appendf(&p->text, "%lld", (long long)at->value);
    return;
  }
  if (at->operation == OPERATION_KNOB) {
    print_knob(&p->text, p->knobs->knobs[at->value].name);
    return;
  }
  if (level < least)
    tune_string_builder_append(&p->text, "(");
  if (level == PRECEDENCE_PRIMARY) {
    tune_string_builder_appendf(&p->text, "%s(", symbol);
    print_node(p, at->left, PRECEDENCE_IMPLIES);
    tune_string_builder_append(&p->text, ", ");
    print_node(p, at->right, PRECEDENCE_IMPLIES);
    tune_string_builder_append(&p->text, ")");
  } else if (level == PRECEDENCE_UNARY) {
    tune_string_builder_append(&p->text, symbol);
    print_node(p, at->left, PRECEDENCE_UNARY);
  } else {
    bool groups_left =
        level != PRECEDENCE_IMPLIES && level != PRECEDENCE_EQUALITY && level != PRECEDENCE_RELATION;
    print_operand(p, at->left, at->right, level, groups_left ? level : level + 1);
    tune_string_builder_appendf(&p->text, " %s ", symbol);
    print_operand(p, at->right, at->left, level, level == PRECEDENCE_IMPLIES ? level : level + 1);
  }
  if (level < least)
    tune_string_builder_append(&p->text, ")");
}

static tune_status print(const tune_constraint *constraint, const tune_knobs *knobs,
                         bool for_people, char **out_text) {
  printer p = {.constraint = constraint, .knobs = knobs, .for_people = for_people};
  tune_string_builder_init(&p.text);
  print_node(&p, (uint32_t)constraint->node_count - 1, PRECEDENCE_IMPLIES);
  return tune_string_builder_finish(&p.text, out_text);
}

tune_status tune_constraint_print(const tune_constraint *constraint, const tune_knobs *knobs,
                                  char **out_text) {
  return print(constraint, knobs, false, out_text);
}

tune_status tune_constraint_describe(const tune_constraint *constraint, const tune_knobs *knobs,
                                     char **out_text) {
  return print(constraint, knobs, true, out_text);
}
