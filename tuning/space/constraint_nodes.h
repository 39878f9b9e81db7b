//===- constraint_nodes.h - The parsed form of a constraint ------------------===//
//
// An array of nodes, each after its operands, the root last: going over a long chain costs
// no pointer chasing, and destroying it is one free. Internal to constraint.c (parsing and
// printing), constraint_evaluate.c and transforms/rules/constraint_writer.c (printing as SMT).
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_SPACE_CONSTRAINT_NODES_H
#define TUNE_TUNING_SPACE_CONSTRAINT_NODES_H

#include "tuning/space/constraint.h"

#ifdef __cplusplus
extern "C" {
#endif

enum operation {
  OPERATION_INTEGER,
  OPERATION_KNOB,
  OPERATION_NEGATE,
  OPERATION_NOT,
  OPERATION_MIN,
  OPERATION_MAX,
  OPERATION_MULTIPLY,
  OPERATION_DIVIDE,
  OPERATION_MODULO,
  OPERATION_ADD,
  OPERATION_SUBTRACT,
  OPERATION_LESS,
  OPERATION_LESS_EQUAL,
  OPERATION_GREATER,
  OPERATION_GREATER_EQUAL,
  OPERATION_EQUAL,
  OPERATION_NOT_EQUAL,
  OPERATION_AND,
  OPERATION_OR,
  OPERATION_IMPLIES,
};

struct node {
  enum operation operation;
  uint32_t left, right; // operands; a unary operation has only `left`
  int64_t value;        // of an integer; the index of a knob
};

struct tune_constraint {
  char *text;
  char *why;
  struct node *nodes; // the last is the root
  size_t node_count;
  size_t *knobs;
  size_t knob_count;
};

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_SPACE_CONSTRAINT_NODES_H
