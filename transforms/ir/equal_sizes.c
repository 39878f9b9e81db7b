//===- equal_sizes.c ----------------------------------------------------------===//

#include "transforms/ir/equal_sizes.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/constant_value.h"
#include "transforms/ir/ir.h"
#include "transforms/ir/op_facts.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/Dialect/Linalg.h"

#include <stdlib.h>

#define DEEPEST 64 // ops that a size is followed through

// Where a size is from: a dimension of an argument, or a number.
typedef enum size_kind { SIZE_UNKNOWN, SIZE_OF_ARGUMENT, SIZE_NUMBER } size_kind;
typedef struct size_origin {
  size_kind kind;
  int64_t argument; // of a dimension
  int64_t number;   // the dimension, or the number
} size_origin;

static const size_origin UNKNOWN = {SIZE_UNKNOWN, 0, 0};

typedef struct finder {
  MlirBlock body; // of the function
  tune_equal_size_list *list;
} finder;

//===- Following a size to where it is from ------------------------------------===//

static size_origin follow(const finder *f, MlirValue value, intptr_t dimension, int depth);

static bool is_linalg(MlirOperation op) {
  return !mlirOperationIsNull(op) && tune_ir_string_starts(tune_ir_name(op), "linalg.");
}

static bool is_shaped(MlirType type) {
  return mlirTypeIsARankedTensor(type) || mlirTypeIsAMemRef(type);
}

static size_origin follow_index(const finder *f, MlirValue index, int depth) {
  MlirOperation op = tune_ir_definition(index);
  double number;
  if (tune_constant_value(index, &number))
    return (size_origin){SIZE_NUMBER, 0, (int64_t)number};
  if ((tune_ir_is(op, "tensor.dim") || tune_ir_is(op, "memref.dim")) &&
      tune_constant_value(mlirOperationGetOperand(op, 1), &number))
    return follow(f, mlirOperationGetOperand(op, 0), (intptr_t)number, depth + 1);
  return UNKNOWN;
}

// The operand that gives `dimension` of what `op`, a tensor.empty or an allocation, makes.
static size_origin follow_empty(const finder *f, MlirOperation op, intptr_t dimension, int depth) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  intptr_t operand = 0;
  for (intptr_t i = 0; i < dimension; ++i)
    operand += mlirShapedTypeIsDynamicDim(type, i);
  return operand < mlirOperationGetNumOperands(op)
             ? follow_index(f, mlirOperationGetOperand(op, operand), depth)
             : UNKNOWN;
}

static size_origin follow_result(const finder *f, MlirValue value, intptr_t dimension, int depth) {
  MlirOperation op = mlirOpResultGetOwner(value);
  intptr_t number = mlirOpResultGetResultNumber(value);
  if (tune_ir_is(op, "tensor.cast") || tune_ir_is(op, "memref.cast"))
    return follow(f, mlirOperationGetOperand(op, 0), dimension, depth + 1);
  if (tune_ir_is(op, "tensor.empty"))
    return follow_empty(f, op, dimension, depth);
  // A result is as large as the operand that it is written over.
  intptr_t first = mlirOperationGetNumOperands(op) - mlirOperationGetNumResults(op);
  if (is_linalg(op) && first >= 0)
    return follow(f, mlirOperationGetOperand(op, first + number), dimension, depth + 1);
  return UNKNOWN;
}

static size_origin follow(const finder *f, MlirValue value, intptr_t dimension, int depth) {
  MlirType type = mlirValueGetType(value);
  if (depth > DEEPEST || !is_shaped(type) || dimension < 0 ||
      dimension >= mlirShapedTypeGetRank(type))
    return UNKNOWN;
  if (!mlirShapedTypeIsDynamicDim(type, dimension))
    return (size_origin){SIZE_NUMBER, 0, mlirShapedTypeGetDimSize(type, dimension)};
  if (mlirValueIsAOpResult(value))
    return follow_result(f, value, dimension, depth);
  if (!mlirBlockEqual(mlirBlockArgumentGetOwner(value), f->body))
    return UNKNOWN;
  return (size_origin){SIZE_OF_ARGUMENT, mlirBlockArgumentGetArgNumber(value), dimension};
}

//===- Loops of ops --------------------------------------------------------------===//

static bool is_same(const tune_equal_size *a, const tune_equal_size *b) {
  return a->argument == b->argument && a->dimension == b->dimension && a->other == b->other &&
         a->size == b->size;
}

static tune_status add(const finder *f, MlirOperation op, tune_equal_size found) {
  tune_equal_size_list *list = f->list;
  for (size_t i = 0; i < list->count; ++i)
    if (is_same(&list->items[i], &found))
      return TUNE_OK;
  tune_equal_size *items = realloc(list->items, (list->count + 1) * sizeof *items);
  if (!items)
    return tune_status_out_of_memory("reading sizes");
  list->items = items;
  tune_string_builder where;
  tune_string_builder_init(&where);
  tune_location_append(&where, tune_location_get(op));
  char *text;
  TUNE_RETURN_IF_ERROR(tune_string_builder_finish(&where, &text));
  found.where = text;
  MlirStringRef name = tune_ir_name(op);
  found.op = strndup(name.data, name.length);
  items[list->count++] = found;
  return found.op ? TUNE_OK : tune_status_out_of_memory("reading sizes");
}

// One loop has both sizes. Two numbers are for the verifier of the op.
static tune_status add_pair(const finder *f, MlirOperation op, size_origin a, size_origin b) {
  if (a.kind != SIZE_OF_ARGUMENT) {
    size_origin other = a;
    a = b;
    b = other;
  }
  if (a.kind != SIZE_OF_ARGUMENT || b.kind == SIZE_UNKNOWN)
    return TUNE_OK;
  if (b.kind == SIZE_OF_ARGUMENT && a.argument == b.argument && a.number == b.number)
    return TUNE_OK;
  return add(f, op,
             (tune_equal_size){.argument = a.argument,
                               .dimension = a.number,
                               .other = b.kind == SIZE_NUMBER ? -1 : b.argument,
                               .size = b.number});
}

// All that is known of the loops of an op, by the first operand that tells a loop's size.
typedef struct loop_sizes {
  size_origin origins[TUNE_OP_MAX_LOOPS];
} loop_sizes;

static tune_status take(const finder *f, MlirOperation op, intptr_t loop, size_origin origin,
                        loop_sizes *loops) {
  if (loop >= TUNE_OP_MAX_LOOPS || origin.kind == SIZE_UNKNOWN)
    return TUNE_OK;
  if (loops->origins[loop].kind == SIZE_UNKNOWN) {
    loops->origins[loop] = origin;
    return TUNE_OK;
  }
  return add_pair(f, op, loops->origins[loop], origin);
}

static tune_status read_mapped(const finder *f, MlirOperation op, MlirAttribute maps) {
  loop_sizes loops = {0};
  intptr_t count = mlirArrayAttrGetNumElements(maps);
  for (intptr_t i = 0; i < count && i < mlirOperationGetNumOperands(op); ++i) {
    MlirAffineMap map = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
    MlirValue operand = mlirOperationGetOperand(op, i);
    for (intptr_t d = 0; d < mlirAffineMapGetNumResults(map); ++d) {
      MlirAffineExpr result = mlirAffineMapGetResult(map, d);
      if (mlirAffineExprIsADim(result))
        TUNE_RETURN_IF_ERROR(
            take(f, op, mlirAffineDimExprGetPosition(result), follow(f, operand, d, 0), &loops));
    }
  }
  return TUNE_OK;
}

// What arith and math do with tensors goes element by element.
static tune_status read_elementwise(const finder *f, MlirOperation op) {
  loop_sizes loops = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    MlirType type = mlirValueGetType(operand);
    for (intptr_t d = 0; is_shaped(type) && d < mlirShapedTypeGetRank(type); ++d)
      TUNE_RETURN_IF_ERROR(take(f, op, d, follow(f, operand, d, 0), &loops));
  }
  return TUNE_OK;
}

static tune_status read_op(const finder *f, MlirOperation op) {
  MlirStringRef name = tune_ir_name(op);
  if (is_linalg(op)) {
    MlirAttribute maps = mlirLinalgGetIndexingMapsAttribute(op);
    return mlirAttributeIsNull(maps) ? TUNE_OK : read_mapped(f, op, maps);
  }
  bool is_elementwise =
      tune_ir_string_starts(name, "arith.") || tune_ir_string_starts(name, "math.");
  return is_elementwise ? read_elementwise(f, op) : TUNE_OK;
}

tune_status tune_equal_sizes_find(MlirOperation function, tune_equal_size_list *out_list) {
  *out_list = (tune_equal_size_list){.count = 0};
  finder f = {tune_ir_body(function), out_list};
  tune_status status = TUNE_OK;
  for (MlirOperation op = mlirBlockGetFirstOperation(f.body);
       !mlirOperationIsNull(op) && tune_status_is_ok(status); op = mlirOperationGetNextInBlock(op))
    status = read_op(&f, op);
  if (!tune_status_is_ok(status))
    tune_equal_sizes_deinit(out_list);
  return status;
}

void tune_equal_sizes_deinit(tune_equal_size_list *list) {
  for (size_t i = 0; i < list->count; ++i) {
    free((char *)list->items[i].where);
    free((char *)list->items[i].op);
  }
  free(list->items);
  *list = (tune_equal_size_list){.count = 0};
}
