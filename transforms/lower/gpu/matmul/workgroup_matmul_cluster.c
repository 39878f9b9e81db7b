//===- workgroup_matmul_cluster.c - Tiles shared by the workgroups of a cluster (sm_90) -===//

#include "transforms/lower/gpu/matmul/workgroup_matmul_cluster.h"

#include "dialects/diagnostic.h"
#include "transforms/lower/common/attributes.h"
#include "transforms/lower/gpu/launch_grid.h"

// MOST_GROUPS: of a cluster, on every device that has them.
enum { MOST_GROUPS = 8, PATTERN_ROWS = 8 };

//===--------------------------------------------------------------------------===//
// Which tiles
//===--------------------------------------------------------------------------===//

static tune_status refuse_size(const tune_tile *tile) {
  return tune_status_make_at(TUNE_INVALID_ARGUMENT, tile->forall,
                             "tune.tile.cluster_y, tune.tile.cluster_x: expected numbers from 1 "
                             "on, of up to %d groups together",
                             MOST_GROUPS);
}

static bool read_size(const tune_tile *tile, const char *name, int64_t *out_size) {
  MlirAttribute attribute = tune_ir_attribute(tile->forall, name);
  *out_size = 1;
  if (mlirAttributeIsNull(attribute))
    return true;
  *out_size = mlirAttributeIsAInteger(attribute) ? mlirIntegerAttrGetValueInt(attribute) : 0;
  return *out_size >= 1 && *out_size <= MOST_GROUPS;
}

tune_status tune_tile_cluster_read(tune_tile *tile) {
  if (!read_size(tile, "tune.tile.cluster_y", &tile->cluster_y) ||
      !read_size(tile, "tune.tile.cluster_x", &tile->cluster_x) ||
      tile->cluster_y * tile->cluster_x > MOST_GROUPS)
    return refuse_size(tile);
  if (tune_tile_has_cluster(tile) && !tile->is_bulk)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, tile->forall,
                               "groups of a cluster share what bulk copies bring "
                               "(tune.tile.bulk_copies = 1)");
  return TUNE_OK;
}

static int64_t number_at(MlirOperation forall, const char *name, intptr_t place) {
  return mlirDenseI64ArrayGetElement(tune_ir_attribute(forall, name), place);
}

// The last dimension but `behind` counts tiles, of which clusters take `size` at once.
static bool is_divided(const tune_tile *tile, intptr_t rank, intptr_t behind, int64_t size) {
  if (size == 1)
    return true;
  if (rank <= behind || mlirOperationGetNumOperands(tile->forall))
    return false;
  intptr_t place = rank - 1 - behind;
  int64_t step = number_at(tile->forall, "staticStep", place),
          end = number_at(tile->forall, "staticUpperBound", place);
  return number_at(tile->forall, "staticLowerBound", place) == 0 &&
         (end + step - 1) / step % size == 0;
}

static intptr_t rank_of(MlirOperation forall) {
  return mlirDenseArrayGetNumElements(tune_ir_attribute(forall, "staticStep"));
}

tune_status tune_tile_cluster_check(const tune_tile *tile) {
  intptr_t rank = rank_of(tile->forall);
  if (!is_divided(tile, rank, 1, tile->cluster_y) || !is_divided(tile, rank, 0, tile->cluster_x))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, tile->forall,
                               "clusters of %lld rows and %lld columns of tiles do not divide "
                               "those of the loop, its last two dimensions, counted from 0",
                               (long long)tile->cluster_y, (long long)tile->cluster_x);
  if (tile->a.rows % (PATTERN_ROWS * tile->cluster_x) ||
      tile->b.rows % (PATTERN_ROWS * tile->cluster_y))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, tile->forall,
                               "%lld groups divide the %lld lines of A's tile, and %lld the %lld "
                               "of B's; parts have multiples of %d lines",
                               (long long)tile->cluster_x, (long long)tile->a.rows,
                               (long long)tile->cluster_y, (long long)tile->b.rows, PATTERN_ROWS);
  return TUNE_OK;
}

// The number of the tile along a dimension, in its cluster.
static MlirValue number_in_cluster(const tune_tile *tile, const tune_ir_builder *builder,
                                   intptr_t place, int64_t size) {
  MlirBlock body = tune_ir_body(tile->forall);
  MlirValue tiles = tune_tile_divide(builder, mlirBlockGetArgument(body, place),
                                     number_at(tile->forall, "staticStep", place));
  return tune_tile_remainder(builder, tiles, size);
}

void tune_tile_cluster_place(tune_tile *tile) {
  if (!tune_tile_has_cluster(tile))
    return;
  intptr_t rank = rank_of(tile->forall);
  MlirBlock body = tune_ir_body(tile->forall);
  tune_ir_builder builder = tune_ir_builder_before(mlirBlockGetFirstOperation(body));
  tile->cluster_row = tile->cluster_col = tune_ir_build_index(&builder, 0);
  if (tile->cluster_y > 1)
    tile->cluster_row = number_in_cluster(tile, &builder, rank - 2, tile->cluster_y);
  if (tile->cluster_x > 1)
    tile->cluster_col = number_in_cluster(tile, &builder, rank - 1, tile->cluster_x);
  int64_t sizes[] = {tile->cluster_y, tile->cluster_x, 1}; // of the last dimensions, with threads
  mlirOperationSetDiscardableAttributeByName(tile->forall,
                                             tune_ir_string(TUNE_LAUNCH_CLUSTER_ATTRIBUTE),
                                             mlirDenseI64ArrayGet(builder.context, 3, sizes));
}

//===--------------------------------------------------------------------------===//
// Who copies what for whom
//===--------------------------------------------------------------------------===//

int64_t tune_tile_cluster_parts(const tune_tile *tile, const tune_tile_operand *operand,
                                MlirValue *out_part) {
  bool is_a = operand == &tile->a;
  int64_t parts = is_a ? tile->cluster_x : tile->cluster_y;
  *out_part = parts == 1 ? (MlirValue){NULL} : is_a ? tile->cluster_col : tile->cluster_row;
  return parts;
}

// Groups are ranked row by row: x is the axis that goes on faster (launch_grid.h).
MlirValue tune_tile_cluster_mask(const tune_tile *tile, const tune_tile_operand *operand,
                                 const tune_ir_builder *builder) {
  bool is_a = operand == &tile->a;
  int64_t bits = 0, step = is_a ? 1 : tile->cluster_x;
  for (int64_t i = 0; i < (is_a ? tile->cluster_x : tile->cluster_y); ++i)
    bits |= (int64_t)1 << i * step;
  MlirValue by =
      is_a ? tune_tile_scale(builder, tile->cluster_row, tile->cluster_x) : tile->cluster_col;
  MlirValue mask =
      tune_ir_build_binary(builder, "arith.shli", tune_ir_build_index(builder, bits), by);
  return tune_ir_build_value(builder, "arith.index_cast", mlirIntegerTypeGet(builder->context, 16),
                             1, &mask);
}

int64_t tune_tile_cluster_readers(const tune_tile *tile) {
  return tile->cluster_y + tile->cluster_x - 1;
}

//===--------------------------------------------------------------------------===//
// Waiting for each other
//===--------------------------------------------------------------------------===//

void tune_tile_cluster_meet(const tune_ir_builder *builder) {
  MlirNamedAttribute aligned =
      tune_ir_named(builder->context, "aligned", mlirUnitAttrGet(builder->context));
  tune_ir_parts parts = {
      .name = "nvvm.cluster.arrive", .attribute_count = 1, .attributes = &aligned};
  tune_ir_build(builder, &parts);
  parts.name = "nvvm.cluster.wait";
  tune_ir_build(builder, &parts);
}

// As many threads as the cluster has groups each tell one of them, if that is in the same row or
// column.
void tune_tile_cluster_tell(const tune_tile *tile, const tune_ir_builder *builder,
                            MlirValue address) {
  int64_t count = tile->cluster_y * tile->cluster_x;
  MlirValue number = tile->producer_warps
                         ? tune_tile_remainder(builder, tile->thread, TUNE_TILE_WARP)
                         : tile->thread;
  MlirValue tells =
      tune_ir_build_compare(builder, "ult", number, tune_ir_build_index(builder, count));
  if (tile->cluster_y > 1 && tile->cluster_x > 1) {
    MlirValue row = tune_tile_divide(builder, number, tile->cluster_x),
              col = tune_tile_remainder(builder, number, tile->cluster_x);
    MlirValue shares = tune_ir_build_binary(
        builder, "arith.ori", tune_ir_build_compare(builder, "eq", row, tile->cluster_row),
        tune_ir_build_compare(builder, "eq", col, tile->cluster_col));
    tells = tune_ir_build_binary(builder, "arith.andi", tells, shares);
  }
  tune_ir_builder inside = tune_ir_build_if(builder, tells);
  if (count == 1) {
    tune_tile_build_asm(&inside, "mbarrier.arrive.shared::cta.b64 _, [$0];", 1, &address);
    return;
  }
  MlirValue operands[] = {address, tune_ir_build_value(&inside, "arith.index_cast",
                                                       mlirIntegerTypeGet(builder->context, 32), 1,
                                                       &number)};
  tune_tile_build_asm(&inside,
                      "{\n"
                      ".reg .b32 there;\n"
                      "mapa.shared::cluster.u32 there, $0, $1;\n"
                      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n"
                      "}",
                      2, operands);
}
