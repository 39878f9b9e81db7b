//===- workgroup_matmul_wgmma.c - A group's tile by tensor cores, four warps at a time -===//
//
// wgmma.mma_async.m64nNk16 of sm_90a (of tf32 m64nNk8), as the PTX ISA describes it: four warps add
// products of 64 rows by up to 256 columns, read from shared memory where descriptors say, to
// accumulators in registers. It runs beside the threads: while it does, these bring the next step's
// tiles.
//
// Of a block of 64 rows warp w (of its four) has rows 16 w on, and in a thread's registers are the
// pieces of workgroup_matmul_fragments.h, one for each eight columns: what follows is the same.
//
//===--------------------------------------------------------------------------===//

#include "dialects/diagnostic.h"
#include "transforms/lower/gpu/matmul/workgroup_matmul_bulk.h"
#include "transforms/lower/gpu/matmul/workgroup_matmul_cluster.h"
#include "transforms/lower/gpu/matmul/workgroup_matmul_copies.h"
#include "transforms/lower/gpu/matmul/workgroup_matmul_fragments.h"

#include <stdio.h>

enum { M = 64, N = 8, K_BYTES = 32, MOST_COLS = 256, WARPS = 4, MOST_BLOCKS = 4, ELEMENTS = 4 };

static int64_t group_rows(const tune_tile *tile) { return tile->rows / (tile->warps_y / WARPS); }
static int64_t group_cols(const tune_tile *tile) { return tile->cols / tile->warps_x; }
static int64_t blocks(const tune_tile *tile) { return group_rows(tile) / M; }

// The depth of a product.
static int64_t k_of(const tune_tile *tile) { return K_BYTES / tune_tile_bytes(tile->a.element); }

// f32 as tf32, of which the lower bits are not looked at.
static bool is_factor(MlirType type) {
  return tune_ir_is_short_float(type) || mlirTypeIsAF32(type);
}

static tune_status wgmma_check(const tune_tile *tile, const tune_device *device) {
  if (device->arch != 90)
    return tune_status_make_at(
        TUNE_INVALID_ARGUMENT, tile->forall,
        "products of four warps (tensor_cores = 2) are there on sm_90 alone; "
        "the device is sm_%d",
        device->arch);
  if (!is_factor(tile->a.element) || !mlirTypeEqual(tile->a.element, tile->b.element) ||
      !mlirTypeIsAF32(tile->sum))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, tile->forall,
                               "products of four warps (tensor_cores = 2) are of f16, bf16 or f32 "
                               "(as tf32), into f32");
  if (tile->warps_y % WARPS || tile->rows % (tile->warps_y / WARPS * M) ||
      tile->cols % (tile->warps_x * 2 * N) || group_cols(tile) > MOST_COLS ||
      tile->depth % k_of(tile) || blocks(tile) > MOST_BLOCKS)
    return tune_status_make_at(
        TUNE_INVALID_ARGUMENT, tile->forall,
        "%lld x %lld warps divide a tile of %lld x %lld, %lld deep; of four warps each has up to "
        "%d x %d rows, and a multiple of %d columns up to %d, %d deep",
        (long long)tile->warps_y, (long long)tile->warps_x, (long long)tile->rows,
        (long long)tile->cols, (long long)tile->depth, MOST_BLOCKS, M, 2 * N, MOST_COLS,
        (int)k_of(tile));
  return TUNE_OK;
}

static size_t wgmma_count(const tune_tile *tile) {
  return (size_t)(blocks(tile) * (group_cols(tile) / N));
}

// Where the part of the four warps begins.
static MlirValue first_row(const tune_tile *tile, const tune_ir_builder *builder) {
  MlirValue group = tune_tile_divide(builder, tile->thread, WARPS * TUNE_TILE_WARP);
  return tune_tile_scale(builder, tune_tile_divide(builder, group, tile->warps_x),
                         group_rows(tile));
}

static MlirValue first_col(const tune_tile *tile, const tune_ir_builder *builder) {
  MlirValue group = tune_tile_divide(builder, tile->thread, WARPS * TUNE_TILE_WARP);
  return tune_tile_scale(builder, tune_tile_remainder(builder, group, tile->warps_x),
                         group_cols(tile));
}

static void wgmma_place(const tune_tile *tile, const tune_ir_builder *builder, size_t piece,
                        size_t element, MlirValue *out_row, MlirValue *out_col) {
  int64_t across = group_cols(tile) / N, number = (int64_t)piece;
  MlirValue lane = tune_tile_remainder(builder, tile->thread, TUNE_TILE_WARP),
            warp = tune_tile_remainder(
                builder, tune_tile_divide(builder, tile->thread, TUNE_TILE_WARP), WARPS);
  MlirValue row = tune_tile_add(builder, tune_tile_scale(builder, warp, M / WARPS),
                                tune_tile_divide(builder, lane, 4)),
            col = tune_tile_scale(builder, tune_tile_remainder(builder, lane, 4), 2);
  *out_row = tune_tile_add_number(builder, tune_tile_add(builder, first_row(tile, builder), row),
                                  number / across * M + (element >= 2 ? 8 : 0));
  *out_col = tune_tile_add_number(builder, tune_tile_add(builder, first_col(tile, builder), col),
                                  number % across * N + (int64_t)(element % 2));
}

//===--------------------------------------------------------------------------===//
// Descriptors
//===--------------------------------------------------------------------------===//

static int64_t wide(const tune_tile_operand *operand) {
  return operand->swizzle / tune_tile_bytes(operand->element);
}

// Whether rows in shared memory are along the depth.
static bool is_along_depth(const tune_tile_operand *operand) {
  return operand->depth_is_row || operand->is_turned;
}

// Bytes of a panel.
static int64_t panel_of(const tune_tile_operand *operand) {
  return (operand->is_turned ? operand->cols : operand->rows) * operand->swizzle;
}

// Everything but where the operand begins. In rows along the depth the second offset is that from
// eight rows to the next, and the first means nothing; in rows along the lines the first goes from
// one panel to the next, the second from eight depths to the next ("Strides").
static int64_t descriptor_constants(const tune_tile_operand *operand) {
  enum { LEADING = 16, STRIDE = 32, SWIZZLE = 62, UNIT = 16 };
  int64_t leading = is_along_depth(operand) ? 1 : panel_of(operand) / UNIT;
  uint64_t mode = operand->swizzle == 128 ? 1 : operand->swizzle == 64 ? 2 : 3;
  return (int64_t)((uint64_t)leading << LEADING |
                   (uint64_t)(8 * operand->swizzle / UNIT) << STRIDE | mode << SWIZZLE);
}

// Bytes from the tile's first element to that of `line` and `depth`, numbers that begin a pattern
// of swizzles, or along the depth a part of its rows.
static int64_t offset_of(const tune_tile_operand *operand, int64_t line, int64_t depth) {
  int64_t row = is_along_depth(operand) ? line : depth,
          col = is_along_depth(operand) ? depth : line;
  return col / wide(operand) * panel_of(operand) + row * operand->swizzle +
         col % wide(operand) * tune_tile_bytes(operand->element);
}

static MlirType i64_type(const tune_ir_builder *builder) {
  return mlirIntegerTypeGet(builder->context, 64);
}

static MlirValue number(const tune_ir_builder *builder, int64_t value) {
  MlirType type = i64_type(builder);
  return tune_ir_build_constant(builder, type, mlirIntegerAttrGet(type, value));
}

// The descriptor of what begins at `line` (an index, a multiple of `lines` in all) at `stage`.
static MlirValue make_descriptor(const tune_ir_builder *builder, const tune_tile_operand *operand,
                                 MlirValue stage, MlirValue line, int64_t lines) {
  enum { UNIT = 16 };
  MlirType index = mlirIndexTypeGet(builder->context);
  MlirValue start = tune_ir_build_value(builder, "memref.extract_aligned_pointer_as_index", index,
                                        1, &operand->shared);
  int64_t bytes = operand->rows * operand->cols * tune_tile_bytes(operand->element);
  MlirValue place = tune_tile_scale(builder, stage, bytes / UNIT);
  place = tune_tile_add(builder, place,
                        tune_tile_scale(builder, tune_tile_divide(builder, line, lines),
                                        offset_of(operand, lines, 0) / UNIT));
  place = tune_tile_add(builder, place, tune_tile_divide(builder, start, UNIT));
  MlirValue wide_place =
      tune_ir_build_value(builder, "arith.index_cast", i64_type(builder), 1, &place);
  return tune_ir_build_binary(builder, "arith.addi", wide_place,
                              number(builder, descriptor_constants(operand)));
}

//===--------------------------------------------------------------------------===//
// Accumulators
//===--------------------------------------------------------------------------===//

static MlirNamedAttribute position(const tune_ir_builder *builder, int64_t place) {
  return tune_ir_named(builder->context, "position",
                       mlirDenseI64ArrayGet(builder->context, 1, &place));
}

// A struct of as many f32 as a thread has of a block: the form in which upstream's op takes them.
static MlirType sums_type(const tune_tile *tile, const tune_ir_builder *builder) {
  static const char BEGIN[] = "!llvm.struct<(f32";
  char text[sizeof BEGIN + 5 * MOST_COLS / 2 + 4];
  int64_t count = group_cols(tile) / N * ELEMENTS;
  int length = snprintf(text, sizeof text, "%s", BEGIN);
  for (int64_t i = 1; i < count; ++i)
    length += snprintf(text + length, sizeof text - (size_t)length, ", f32");
  snprintf(text + length, sizeof text - (size_t)length, ")>");
  return mlirTypeParseGet(builder->context, tune_ir_string(text));
}

static MlirValue pack(const tune_tile *tile, const tune_ir_builder *builder,
                      const MlirValue *pieces) {
  MlirType type = sums_type(tile, builder);
  MlirValue sums = tune_ir_build_value(builder, "llvm.mlir.undef", type, 0, NULL);
  for (int64_t i = 0; i < group_cols(tile) / N * ELEMENTS; ++i) {
    int64_t place[2];
    intptr_t count;
    tile->core->position((size_t)(i % ELEMENTS), place, &count);
    MlirValue operands[] = {
        sums, tune_ir_build_extract(builder, pieces[i / ELEMENTS], place, count, tile->sum)};
    MlirNamedAttribute at = position(builder, i);
    sums = tune_ir_build_result(builder, &(tune_ir_parts){.name = "llvm.insertvalue",
                                                          .operand_count = 2,
                                                          .operands = operands,
                                                          .type_count = 1,
                                                          .types = &type,
                                                          .attribute_count = 1,
                                                          .attributes = &at});
  }
  return sums;
}

static MlirValue take(const tune_ir_builder *builder, const tune_tile *tile, MlirValue sums,
                      int64_t place) {
  MlirNamedAttribute at = position(builder, place);
  return tune_ir_build_result(builder, &(tune_ir_parts){.name = "llvm.extractvalue",
                                                        .operand_count = 1,
                                                        .operands = &sums,
                                                        .type_count = 1,
                                                        .types = &tile->sum,
                                                        .attribute_count = 1,
                                                        .attributes = &at});
}

static void unpack(const tune_tile *tile, const tune_ir_builder *builder, MlirValue sums,
                   MlirValue *pieces) {
  for (int64_t p = 0; p < group_cols(tile) / N; ++p) {
    MlirValue elements[ELEMENTS];
    for (int64_t e = 0; e < ELEMENTS; ++e)
      elements[e] = take(builder, tile, sums, p * ELEMENTS + e);
    pieces[p] = tune_tile_from_elements(builder, tile->core->type(tile), ELEMENTS, elements);
  }
}

// `text`, an instruction or none, as one that takes the accumulators and gives them back: nothing
// that LLVM does to them then crosses it. The instructions themselves say nothing of registers.
static MlirValue tie(const tune_tile *tile, const tune_ir_builder *builder, const char *text,
                     MlirValue sums) {
  enum { MOST = MOST_COLS / 2, EACH = 8 };
  char constraints[2 * MOST * EACH];
  MlirValue operands[MOST];
  int64_t count = group_cols(tile) / N * ELEMENTS;
  int length = 0;
  for (int64_t i = 0; i < 2 * count; ++i) {
    char number[EACH] = "=f";
    if (i >= count)
      snprintf(number, sizeof number, "%d", (int)(i - count));
    length += snprintf(constraints + length, sizeof constraints - (size_t)length, "%s%s",
                       i ? "," : "", number);
  }
  for (int64_t i = 0; i < count; ++i)
    operands[i] = take(builder, tile, sums, i);
  MlirContext context = builder->context;
  MlirNamedAttribute attributes[] = {
      tune_ir_named(context, "asm_string", mlirStringAttrGet(context, tune_ir_string(text))),
      tune_ir_named(context, "constraints",
                    mlirStringAttrGet(context, tune_ir_string(constraints))),
      tune_ir_named(context, "has_side_effects", mlirUnitAttrGet(context))};
  MlirType type = mlirValueGetType(sums);
  return tune_ir_build_result(builder, &(tune_ir_parts){.name = "llvm.inline_asm",
                                                        .operand_count = (intptr_t)count,
                                                        .operands = operands,
                                                        .type_count = 1,
                                                        .types = &type,
                                                        .attribute_count = 3,
                                                        .attributes = attributes});
}

// Until here accumulators are the threads'.
static void fence_sums(const tune_tile *tile, const tune_ir_builder *builder, MlirValue *sums) {
  for (int64_t i = blocks(tile); i-- > 0;)
    sums[i] = tie(tile, builder, i ? "" : "wgmma.fence.sync.aligned;", sums[i]);
}

// From here on they are again, but for those of the last `pending` steps.
static void wait_sums(const tune_tile *tile, const tune_ir_builder *builder, int64_t pending,
                      MlirValue *sums) {
  char wait[48];
  snprintf(wait, sizeof wait, "wgmma.wait_group.sync.aligned %d;", (int)pending);
  for (int64_t i = 0; i < blocks(tile); ++i)
    sums[i] = tie(tile, builder, i ? "" : wait, sums[i]);
}

//===--------------------------------------------------------------------------===//
// Products
//===--------------------------------------------------------------------------===//

static void make_plain(const tune_ir_builder *builder, const char *name) {
  tune_ir_build(builder, &(tune_ir_parts){.name = name});
}

// One product of four warps; the accumulators of its block.
static MlirValue multiply(const tune_tile *tile, const tune_ir_builder *builder, MlirValue a,
                          MlirValue b, MlirValue sums) {
  char shape[48];
  snprintf(shape, sizeof shape, "#nvvm.shape<m = %d, n = %lld, k = %d>", M,
           (long long)group_cols(tile), (int)k_of(tile));
  const char *type = mlirTypeIsAF32(tile->a.element)    ? "#nvvm.wgmma_type<tf32>"
                     : mlirTypeIsABF16(tile->a.element) ? "#nvvm.wgmma_type<bf16>"
                                                        : "#nvvm.wgmma_type<f16>";
  const struct {
    const char *name, *value;
  } words[] = {
      {"shape", shape},
      {"typeA", type},
      {"typeB", type},
      {"typeD", "#nvvm.wgmma_type<f32>"},
      {"scaleD", "#nvvm.wgmma_scale_out<one>"},
      {"scaleA", "#nvvm.wgmma_scale_in<one>"},
      {"scaleB", "#nvvm.wgmma_scale_in<one>"},
      {"layoutA", is_along_depth(&tile->a) ? "#nvvm.mma_layout<row>" : "#nvvm.mma_layout<col>"},
      {"layoutB", is_along_depth(&tile->b) ? "#nvvm.mma_layout<col>" : "#nvvm.mma_layout<row>"}};
  enum { WORD_COUNT = sizeof words / sizeof *words };
  MlirNamedAttribute attributes[WORD_COUNT];
  for (size_t i = 0; i < WORD_COUNT; ++i)
    attributes[i] =
        tune_ir_named(builder->context, words[i].name,
                      mlirAttributeParseGet(builder->context, tune_ir_string(words[i].value)));
  MlirValue operands[] = {sums, a, b};
  MlirType result = mlirValueGetType(sums);
  return tune_ir_build_result(builder, &(tune_ir_parts){.name = "nvvm.wgmma.mma_async",
                                                        .operand_count = 3,
                                                        .operands = operands,
                                                        .type_count = 1,
                                                        .types = &result,
                                                        .attribute_count = WORD_COUNT,
                                                        .attributes = attributes});
}

// The products of a step, on their way when this is done.
static void multiply_step(const tune_tile *tile, const tune_ir_builder *builder, MlirValue stage,
                          MlirValue *sums) {
  enum { UNIT = 16 };
  MlirValue a = make_descriptor(builder, &tile->a, stage, first_row(tile, builder), M),
            b = make_descriptor(builder, &tile->b, stage, first_col(tile, builder),
                                group_cols(tile));
  fence_sums(tile, builder, sums);
  for (int64_t depth = 0; depth < tile->depth; depth += k_of(tile))
    for (int64_t i = 0; i < blocks(tile); ++i)
      sums[i] =
          multiply(tile, builder,
                   tune_ir_build_binary(builder, "arith.addi", a,
                                        number(builder, offset_of(&tile->a, i * M, depth) / UNIT)),
                   tune_ir_build_binary(builder, "arith.addi", b,
                                        number(builder, offset_of(&tile->b, 0, depth) / UNIT)),
                   sums[i]);
  make_plain(builder, "nvvm.wgmma.commit.group.sync.aligned");
}

//===--------------------------------------------------------------------------===//
// The loop
//===--------------------------------------------------------------------------===//

// What the threads have copied may be read by tensor cores, which go past the ordinary way to
// memory.
static void fence_copies(const tune_ir_builder *builder) {
  MlirContext context = builder->context;
  MlirNamedAttribute attributes[] = {
      tune_ir_named(
          context, "kind",
          mlirAttributeParseGet(context, tune_ir_string("#nvvm.proxy_kind<async.shared>"))),
      tune_ir_named(context, "space",
                    mlirAttributeParseGet(context, tune_ir_string("#nvvm.shared_space<cta>")))};
  tune_ir_build(
      builder,
      &(tune_ir_parts){.name = "nvvm.fence.proxy", .attribute_count = 2, .attributes = attributes});
}

static void copy_step(const tune_tile *tile, const tune_ir_builder *builder, MlirValue step) {
  MlirValue stage = tune_tile_remainder(builder, step, tile->stages);
  tune_tile_operand_copy(tile, &tile->a, builder, stage, step);
  tune_tile_operand_copy(tile, &tile->b, builder, stage, step);
}

// Where a step is left, `inside` it.
static tune_ir_builder build_if_left(const tune_tile *tile, const tune_ir_builder *builder,
                                     MlirValue step) {
  return tune_ir_build_if(
      builder,
      tune_ir_build_compare(builder, "ult", step, tune_ir_build_index(builder, tile->steps)));
}

// Products of a step while copies for `stages` - 1 steps ahead begin, into what the step before has
// been read from. Each step ends a group of copies, also without any.
static void make_step(const tune_tile *tile, const tune_ir_builder *builder, MlirValue step,
                      MlirValue *sums) {
  if (tile->stages == 1) {
    copy_step(tile, builder, step);
    tune_tile_commit(tile, builder);
  }
  tune_tile_wait(tile, builder, tile->stages > 1 ? tile->stages - 2 : 0);
  fence_copies(builder);
  make_plain(builder, "gpu.barrier");
  multiply_step(tile, builder, tune_tile_remainder(builder, step, tile->stages), sums);
  if (tile->stages > 1) {
    MlirValue next = tune_tile_add_number(builder, step, tile->stages - 1);
    tune_ir_builder inside = build_if_left(tile, builder, next);
    copy_step(tile, &inside, next);
    tune_tile_commit(tile, builder);
  }
  wait_sums(tile, builder, 0, sums);
  if (tile->stages == 1)
    make_plain(builder, "gpu.barrier"); // before it is copied over
}

// Behind step `step`, of which the products are still on their way where there are several stages:
// then it is the tiles of the step before that have been read.
static void tell_readers(const tune_tile *tile, const tune_ir_builder *builder, MlirValue step) {
  if (tile->stages == 1) {
    tune_tile_bulk_tell(tile, builder, step);
    return;
  }
  MlirValue one = tune_ir_build_index(builder, 1);
  tune_ir_builder later =
      tune_ir_build_if(builder, tune_ir_build_compare(builder, "uge", step, one));
  tune_tile_bulk_tell(tile, &later, tune_ir_build_binary(&later, "arith.subi", step, one));
}

// The same with copies that one thread begins, of these or (producer_warps) of another warp. The
// products of a step are still on their way when the next one begins: what is copied over is what
// those before it have read.
static void make_bulk_step(const tune_tile *tile, const tune_ir_builder *builder, MlirValue step,
                           MlirValue *sums) {
  bool copies = !tile->producer_warps;
  if (copies && tile->stages == 1)
    tune_tile_bulk_copy(tile, builder, step);
  tune_tile_bulk_wait(tile, builder, step);
  multiply_step(tile, builder, tune_tile_remainder(builder, step, tile->stages), sums);
  wait_sums(tile, builder, tile->stages > 1, sums);
  if (copies)
    make_plain(builder, "gpu.barrier");
  // The tiles of step `next` are copied over what has been read by now.
  MlirValue next = tune_tile_add_number(builder, step, tile->stages - (tile->stages > 1));
  tune_ir_builder inside = build_if_left(tile, builder, next);
  if (!copies || tune_tile_has_cluster(tile))
    tell_readers(tile, &inside, step);
  if (copies && tile->stages > 1)
    tune_tile_bulk_copy(tile, &inside, next);
}

static void begin_copies(const tune_tile *tile, const tune_ir_builder *builder) {
  if (tile->is_bulk)
    tune_tile_bulk_begin(tile, builder);
  for (int64_t s = 0; s < tile->stages - 1; ++s) {
    MlirValue step = tune_ir_build_index(builder, s);
    if (s < tile->steps && tile->is_bulk)
      tune_tile_bulk_copy(tile, builder, step);
    else if (s < tile->steps)
      copy_step(tile, builder, step);
    if (!tile->is_bulk)
      tune_tile_commit(tile, builder);
  }
}

static void wgmma_loop(const tune_tile *tile, const tune_ir_builder *builder, MlirValue *pieces) {
  int64_t count = blocks(tile), each = group_cols(tile) / N;
  MlirValue sums[MOST_BLOCKS] = {{NULL}};
  for (int64_t i = 0; i < count; ++i)
    sums[i] = pack(tile, builder, pieces + i * each);
  if (!tile->producer_warps)
    begin_copies(tile, builder);
  MlirOperation loop;
  tune_ir_builder inside = tune_ir_build_for(builder, tile->steps, count, sums, &loop);
  MlirBlock body = tune_ir_body(loop);
  for (int64_t i = 0; i < count; ++i)
    sums[i] = mlirBlockGetArgument(body, 1 + i);
  (tile->is_bulk ? make_bulk_step : make_step)(tile, &inside, mlirBlockGetArgument(body, 0), sums);
  tune_ir_build(&inside,
                &(tune_ir_parts){.name = "scf.yield", .operand_count = count, .operands = sums});
  for (int64_t i = 0; i < count; ++i)
    sums[i] = mlirOperationGetResult(loop, i);
  if (tile->is_bulk && tile->stages > 1)
    wait_sums(tile, builder, 0, sums);
  for (int64_t i = 0; i < count; ++i)
    unpack(tile, builder, sums[i], pieces + i * each);
}

// Rows as wide as one copy of a box of memory can swizzle; along the lines no wider than what four
// warps have of them, so that these begin where a panel does. Words of 32 bits are multiplied along
// the depth alone: where they lie otherwise they are turned as they are copied.
static void wgmma_lay_out(const tune_tile *tile, tune_tile_operand *operand) {
  enum { MOST = 128 };
  int64_t cols = operand->cols;
  operand->is_turned = !operand->depth_is_row && tune_tile_bytes(operand->element) == 4;
  if (operand->is_turned) {
    cols = operand->rows;
    operand->chunk = 1;
  } else if (!operand->depth_is_row) {
    cols = operand == &tile->a ? M : group_cols(tile);
  }
  int64_t bytes = cols * tune_tile_bytes(operand->element);
  operand->swizzle = bytes < MOST ? bytes : MOST;
}

const tune_tile_core tune_tile_wgmma = {.check = wgmma_check,
                                        .count = wgmma_count,
                                        .type = tune_fragment_type,
                                        .takes_descriptors = true,
                                        .elements = ELEMENTS,
                                        .run = tune_fragment_run,
                                        .place = wgmma_place,
                                        .position = tune_fragment_position,
                                        .lay_out = wgmma_lay_out,
                                        .loop = wgmma_loop};
