//===- panel_ahead.c - The panel to come, read while the present one is multiplied -----===//

#include "transforms/lower/cpu/weights/panel_ahead.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_facts.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/common/attributes.h"
#include "transforms/lower/common/loop_range.h"
#include "transforms/lower/common/memory_access.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#define LINE_BYTES 64 // of a cache
#define MOST_PANELS 4 // memories of which panels are read in one loop
#define MOST_LINES 16 // of a row of a panel: it would be many instructions

// A panel that a loop over the depth reads: rows `depth.from` to `depth.to` of it.
typedef struct panel {
  MlirOperation load; // one of those that read it
  MlirValue memory;
  intptr_t depth; // which of its dimensions the loop goes along; the one before counts panels
  int64_t row_bytes;
} panel;

static int64_t divide_up(int64_t value, int64_t by) { return (value + by - 1) / by; }

// False unless `loop` is an scf.for with known bounds that goes around.
static bool read_range(MlirOperation loop, tune_loop_range *out_range) {
  return tune_loop_range_read_for(loop, out_range) && tune_loop_range_count(out_range) > 0;
}

static bool is_argument_of_function(MlirValue value) {
  return mlirValueIsABlockArgument(value) &&
         tune_ir_is(mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value)), "func.func");
}

//===--------------------------------------------------------------------------===//
// Finding panels
//===--------------------------------------------------------------------------===//

static bool is_panels_type(MlirType type) {
  return mlirTypeIsAMemRef(type) && mlirShapedTypeHasStaticShape(type) &&
         mlirShapedTypeGetRank(type) <= TUNE_IR_MAX_RANK &&
         mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type));
}

static int64_t bytes_of_element(MlirType type) {
  return (int64_t)tune_op_element_bytes(mlirShapedTypeGetElementType(type));
}

// The only place of the load among whose indices is what moves with `depth`; -1: there is none, or
// what comes before is not the same for all of `rows`.
static intptr_t find_depth(MlirOperation load, const tune_loop_range *depth,
                           const tune_loop_range *rows) {
  intptr_t found = -1;
  for (intptr_t i = 1; i < mlirOperationGetNumOperands(load); ++i) {
    MlirValue index = mlirOperationGetOperand(load, i);
    if (tune_ir_is_made_inside(index, depth->loop)) {
      if (found >= 0)
        return -1;
      found = i - 1;
    } else if (tune_ir_is_made_inside(index, rows->loop)) {
      return -1;
    }
  }
  return found;
}

static bool read_panel(MlirOperation load, const tune_loop_range *depth,
                       const tune_loop_range *rows, panel *out_panel) {
  if (!tune_ir_is(load, "vector.load"))
    return false;
  MlirValue memory = mlirOperationGetOperand(load, 0);
  MlirType type = mlirValueGetType(memory);
  if (!is_argument_of_function(memory) || !is_panels_type(type))
    return false;
  intptr_t dimension = find_depth(load, depth, rows);
  // Panels of rows that lie one after the other.
  if (dimension < 1 || dimension + 2 != mlirShapedTypeGetRank(type) ||
      mlirShapedTypeGetDimSize(type, dimension - 1) < 2)
    return false;
  int64_t row_bytes = mlirShapedTypeGetDimSize(type, dimension + 1) * bytes_of_element(type);
  *out_panel = (panel){.load = load, .memory = memory, .depth = dimension, .row_bytes = row_bytes};
  return row_bytes > 0 && row_bytes <= MOST_LINES * LINE_BYTES &&
         (row_bytes % LINE_BYTES == 0 || LINE_BYTES % row_bytes == 0);
}

// The panels that are read in the body of `depth`; how many.
static size_t list_panels(const tune_loop_range *depth, const tune_loop_range *rows,
                          panel *panels) {
  size_t count = 0;
  MlirBlock body = tune_ir_body(depth->loop);
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op) && count < MOST_PANELS; op = mlirOperationGetNextInBlock(op)) {
    panel found;
    bool is_new = read_panel(op, depth, rows, &found);
    for (size_t i = 0; i < count && is_new; ++i)
      is_new = !mlirValueEqual(panels[i].memory, found.memory);
    if (is_new)
      panels[count++] = found;
  }
  return count;
}

//===--------------------------------------------------------------------------===//
// Reading ahead
//===--------------------------------------------------------------------------===//

static MlirValue combine(const tune_ir_builder *builder, const char *name, MlirValue a, int64_t b) {
  return tune_ir_build_binary(builder, name, a, tune_ir_build_index(builder, b));
}

// How many steps of `range` come before its index.
static MlirValue build_step(const tune_ir_builder *builder, const tune_loop_range *range) {
  MlirValue distance =
      range->from ? combine(builder, "arith.subi", range->index, range->from) : range->index;
  return range->step == 1 ? distance : combine(builder, "arith.divui", distance, range->step);
}

static void build_prefetch(const tune_ir_builder *builder, const panel *of, MlirValue next,
                           MlirValue row, int64_t column) {
  MlirValue operands[TUNE_IR_MAX_RANK + 1];
  intptr_t count = mlirOperationGetNumOperands(of->load);
  for (intptr_t i = 0; i < count; ++i)
    operands[i] = mlirOperationGetOperand(of->load, i);
  operands[of->depth] = next;
  operands[of->depth + 1] = row;
  operands[of->depth + 2] = tune_ir_build_index(builder, column);
  tune_ir_build_prefetch(builder, count, operands);
}

// The number of the piece that step `step` of `depth` reads as its `i`th of `at_once`, of a share
// of `share` pieces that begins with `begin`. The last piece again where the share is there: that
// costs nothing but the instruction.
static MlirValue build_piece(const tune_ir_builder *inside, MlirValue step, int64_t i,
                             int64_t at_once, int64_t share, MlirValue begin) {
  MlirValue number = at_once == 1 ? step : combine(inside, "arith.muli", step, at_once);
  number = i ? combine(inside, "arith.addi", number, i) : number;
  number = combine(inside, "arith.minsi", number, share - 1);
  return tune_ir_build_binary(inside, "arith.addi", number, begin);
}

// Panels are read in pieces of whole rows and whole lines: so many rows, of so many lines.
static void read_ahead(const panel *of, const tune_loop_range *depth, const tune_loop_range *rows) {
  int64_t piece_rows = of->row_bytes < LINE_BYTES ? LINE_BYTES / of->row_bytes : 1;
  int64_t piece_lines = of->row_bytes < LINE_BYTES ? 1 : of->row_bytes / LINE_BYTES;
  int64_t pieces = divide_up(depth->to - depth->from, piece_rows);
  int64_t share = divide_up(pieces, tune_loop_range_count(rows)); // of a tile of rows
  int64_t at_once = divide_up(share, tune_loop_range_count(depth));
  int64_t line_elements =
      LINE_BYTES / bytes_of_element(mlirValueGetType(of->memory)); // where a row has several

  tune_ir_builder outside = tune_ir_builder_before(depth->loop);
  MlirValue next = combine(&outside, "arith.addi", mlirOperationGetOperand(of->load, of->depth), 1);
  MlirValue begin = combine(&outside, "arith.muli", build_step(&outside, rows), share);
  tune_ir_builder inside =
      tune_ir_builder_before(mlirBlockGetFirstOperation(tune_ir_body(depth->loop)));
  MlirValue step = build_step(&inside, depth);
  for (int64_t i = 0; i < at_once; ++i) {
    MlirValue number = build_piece(&inside, step, i, at_once, share, begin);
    MlirValue row = piece_rows == 1 ? number : combine(&inside, "arith.muli", number, piece_rows);
    row = depth->from ? combine(&inside, "arith.addi", row, depth->from) : row;
    for (int64_t line = 0; line < piece_lines; ++line)
      build_prefetch(&inside, of, next, row, line * line_elements);
  }
}

//===--------------------------------------------------------------------------===//
// Parts of weights
//===--------------------------------------------------------------------------===//

// Whether `value` is seen in a part of what was made ahead (weights_ahead.h), the same one for all
// of `rows`; that view.
static bool find_part(MlirValue value, const tune_loop_range *rows, MlirOperation *out_part) {
  if (!mlirTypeIsAMemRef(mlirValueGetType(value)))
    return false;
  while (mlirValueIsAOpResult(value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    if (!tune_memory_access_is_view(op))
      return false;
    value = mlirOperationGetOperand(op, 0);
    *out_part = op;
    if (tune_ir_is(op, "memref.view"))
      return is_argument_of_function(value) && mlirOperationGetNumOperands(op) == 2 &&
             !tune_ir_is_made_inside(mlirOperationGetResult(op, 0), rows->loop);
  }
  return false;
}

// The parts that are read in the body of `depth`; how many.
static size_t list_parts(const tune_loop_range *depth, const tune_loop_range *rows,
                         MlirOperation *parts) {
  size_t count = 0;
  MlirBlock body = tune_ir_body(depth->loop);
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op) && count < MOST_PANELS; op = mlirOperationGetNextInBlock(op)) {
    MlirOperation found;
    bool is_new =
        tune_memory_access_is_load(op) && find_part(mlirOperationGetOperand(op, 0), rows, &found);
    for (size_t i = 0; i < count && is_new; ++i)
      is_new = !mlirOperationEqual(parts[i], found);
    if (is_new)
      parts[count++] = found;
  }
  return count;
}

// Parts lie one after the other, each from the beginning of a line.
static void read_part_ahead(MlirOperation part, const tune_loop_range *depth,
                            const tune_loop_range *rows) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(part, 0));
  int64_t bytes = bytes_of_element(type);
  for (intptr_t i = 0; i < (intptr_t)mlirShapedTypeGetRank(type); ++i)
    bytes *= mlirShapedTypeGetDimSize(type, i);
  int64_t lines = divide_up(bytes, LINE_BYTES),
          share = divide_up(lines, tune_loop_range_count(rows)),
          at_once = divide_up(share, tune_loop_range_count(depth));
  if (at_once > MOST_LINES)
    return;
  tune_ir_builder outside = tune_ir_builder_before(depth->loop);
  MlirValue next =
      combine(&outside, "arith.addi", mlirOperationGetOperand(part, 1), lines * LINE_BYTES);
  MlirValue begin = combine(&outside, "arith.muli", build_step(&outside, rows), share);
  tune_ir_builder inside =
      tune_ir_builder_before(mlirBlockGetFirstOperation(tune_ir_body(depth->loop)));
  MlirValue step = build_step(&inside, depth);
  for (int64_t i = 0; i < at_once; ++i) {
    MlirValue line = build_piece(&inside, step, i, at_once, share, begin);
    MlirValue operands[] = {mlirOperationGetOperand(part, 0),
                            tune_ir_build_binary(&inside, "arith.addi",
                                                 combine(&inside, "arith.muli", line, LINE_BYTES),
                                                 next)};
    tune_ir_build_prefetch(&inside, 2, operands);
  }
}

//===--------------------------------------------------------------------------===//
// Functions
//===--------------------------------------------------------------------------===//

static void run_on_loop(MlirOperation loop) {
  tune_loop_range depth, rows;
  MlirOperation parent = mlirOperationGetParentOperation(loop);
  if (!read_range(loop, &depth) || !read_range(parent, &rows))
    return;
  panel panels[MOST_PANELS];
  size_t count = list_panels(&depth, &rows, panels);
  for (size_t i = 0; i < count; ++i)
    read_ahead(&panels[i], &depth, &rows);
  MlirOperation parts[MOST_PANELS];
  count = list_parts(&depth, &rows, parts);
  for (size_t i = 0; i < count; ++i)
    read_part_ahead(parts[i], &depth, &rows);
}

static MlirWalkResult list_loop(MlirOperation op, void *user_data) {
  return !tune_ir_is(op, "scf.for") || tune_op_list_add(user_data, op) ? MlirWalkResultAdvance
                                                                       : MlirWalkResultInterrupt;
}

static bool run_on_function(MlirOperation function) {
  tune_op_list loops = {0};
  mlirOperationWalk(function, list_loop, &loops, MlirWalkPreOrder);
  for (size_t i = 0; i < loops.count; ++i)
    run_on_loop(loops.ops[i]);
  tune_op_list_deinit(&loops);
  return !loops.failed;
}

tune_status tune_panel_ahead_run(MlirOperation module) {
  bool is_done = true;
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(module));
       !mlirOperationIsNull(op) && is_done; op = mlirOperationGetNextInBlock(op)) {
    if (!tune_ir_take_flag(op, TUNE_PANEL_AHEAD_ATTRIBUTE))
      continue;
    tune_ir_load_dialects(mlirOperationGetContext(module),
                          (const char *const[]){"arith", "memref", NULL});
    is_done = run_on_function(op);
  }
  return is_done ? TUNE_OK : tune_status_out_of_memory("reading panels ahead");
}
