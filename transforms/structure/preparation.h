//===- preparation.h - The form of a task that rules and schedules work on ---===//
//
// Front ends write the same work in many forms. Before a rule looks at a task, and again
// at the begin of each schedule, the task's function is brought to one form: named ops
// become generic (but for fills and matmuls of mixed precision, which upstream
// vectorizes better by name), the loops of products run over the output first and then over the
// sum, movement folds into the indexing of its users, elementwise chains become one op. It is a
// transform script of upstream's ops, so that a schedule is whole without us.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_STRUCTURE_PREPARATION_H
#define TUNE_TRANSFORMS_STRUCTURE_PREPARATION_H

#include "support/status.h"
#include "support/string_builder.h"
#include "transforms/ir/op_facts.h"
#include "transforms/structure/layout.h"

#include "mlir-c/IR.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_PREPARATION_MAX_ORDERS 4

// The loops that ops with these maps and kinds of loops are to have, in order.
typedef struct tune_loop_order {
  MlirAttribute maps, iterators;
  size_t loop_count;
  uint8_t loops[TUNE_OP_MAX_LOOPS]; // by their numbers before
} tune_loop_order;

// What the preparation of a task depends on. A product of what another product made, as in
// attention, takes in nothing: its weights stay what an op of their own makes, for the division at
// the end of a softmax in the body of the product is no matrix product any more.
typedef struct tune_preparation {
  tune_loop_order orders[TUNE_PREPARATION_MAX_ORDERS];
  size_t order_count;
  size_t generic_count; // linalg.generic ops before fusion; 0: there is no such product
  size_t product;       // which of them it is
  size_t loop;          // of the product, over which its weights are indexed,
  int64_t extent;       // and how far it runs
  bool rounds;          // factors of the product (rounded_factors.h)
  tune_layout layout;   // what is done after all that; zeroes: nothing
} tune_preparation;

#define TUNE_PREPARATION_NAME "tune_prepare"

// Writes the named sequence @tune_prepare, with `form` (not "") @tune_prepare_<form>. It takes the
// handle of a function and yields that of the prepared one.
void tune_preparation_write(const tune_preparation *preparation, const char *form,
                            tune_string_builder *text);

// What is asked of a preparation; zeroes: what every task gets.
typedef struct tune_preparation_wanted {
  const tune_layout *layout; // of the product; NULL: as it is
  bool rounds;               // factors that may be rounded are; those that their body rounds are
                             // anyhow, where there is no layout
  bool is_stock;             // but neither, nothing that stock mlir-opt does not have
} tune_preparation_wanted;

// Prepares the only function of `payload` as it is wanted, and tells how. INTERNAL where it fails.
tune_status tune_preparation_run(MlirModule payload, const tune_preparation_wanted *wanted,
                                 tune_preparation *out_preparation);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_STRUCTURE_PREPARATION_H
