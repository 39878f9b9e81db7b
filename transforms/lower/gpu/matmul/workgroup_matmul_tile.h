//===- workgroup_matmul_tile.h - The tile of a workgroup, and what steps on it share -===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_MATMUL_WORKGROUP_MATMUL_TILE_H
#define TUNE_TRANSFORMS_LOWER_GPU_MATMUL_WORKGROUP_MATMUL_TILE_H

#include "formats/device_facts.h"
#include "transforms/ir/ir_builder.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  TUNE_TILE_WARP = 32,
  TUNE_TILE_MOST_PIECES = 128,
  TUNE_TILE_MOST_LEVELS = 4,
  TUNE_TILE_MOST_RANK = 8,    // of the memory that operands are read from
  TUNE_TILE_MOST_CHUNKS = 32, // of an operand, that a thread reads ahead into registers
  TUNE_TILE_ASM_OPERANDS = 12
};

// A or B: what the loop reads of it in a step.
typedef struct tune_tile_operand {
  MlirOperation read; // vector.transfer_read, in the loop
  MlirType element;
  int64_t rows, cols; // of the tile as it lies in memory; those of a row are neighbours
  bool depth_is_row;  // neighbours are neighbours along the depth
  bool is_unsigned;   // integers that are zero-extended
  intptr_t dims[2];   // of the memory that its rows and its columns are
  int64_t pitch;      // elements from row to row in shared memory, without swizzles
  int64_t swizzle;    // 0, or bytes of a row of a panel: 32, 64 or 128
  bool is_turned;     // swizzled, its rows in shared memory are its columns, one by one
  int64_t chunk;      // elements that one copy takes
  MlirValue shared;   // memref<stages x rows x pitch>, or <stages x panels x rows x swizzle>
  MlirValue pairs;    // of bytes: the same as pairs of them, as many i16 in a row as there are
} tune_tile_operand;

typedef struct tune_tile_core tune_tile_core;

// One of the loops: along the depth, or around that along the windows of a convolution.
typedef struct tune_tile_level {
  MlirOperation loop;
  int64_t first, step, count; // what it counts by
} tune_tile_level;

typedef struct tune_tile {
  MlirOperation forall, loop, contract;          // loop: the outermost
  tune_tile_level levels[TUNE_TILE_MOST_LEVELS]; // from there on; the last has the product
  size_t level_count;
  MlirValue thread; // index in the group
  tune_tile_operand a, b;
  MlirType sum; // the accumulator's elements
  int64_t rows, cols, depth;
  int64_t steps; // of all loops
  int64_t warps_y, warps_x, stages, threads;
  int64_t warp;                     // its threads
  int64_t producer_warps;           // that only copy, behind the `threads`
  const tune_device_matrix *matrix; // what cooperative matrices are, or NULL
  bool is_async;                    // copies are cp.async
  bool is_swizzled;                 // of mma.sync, which may be either
  bool is_bulk;                     // or cp.async.bulk.tensor, of a step at once
  // Groups that share them: those of a row of the cluster have the same rows of A, those of a
  // column the same columns of B.
  int64_t cluster_y, cluster_x;
  MlirValue cluster_row, cluster_col; // of the group, in its cluster; null without one
  MlirValue
      barriers; // memref<… x i64>: for each stage that it is there; of clusters, that it is read
  const tune_tile_core *core;
} tune_tile;

// How a thread has its part of the output: in `pieces` vectors, each of some elements.
struct tune_tile_core {
  // INVALID_ARGUMENT (located) where the tile is none for it.
  tune_status (*check)(const tune_tile *tile, const tune_device *device);
  size_t (*count)(const tune_tile *tile); // of pieces
  MlirType (*type)(const tune_tile *tile);
  size_t elements; // of a piece
  // What it reads in shared memory: pairs of elements too, and whole panels of operands, by
  // descriptors of where these are.
  bool has_pairs, takes_descriptors;
  // How many of them are neighbours in a row of the output.
  size_t (*run)(const tune_tile *tile);
  // Element `element` of piece `piece` of a thread, in the tile.
  void (*place)(const tune_tile *tile, const tune_ir_builder *builder, size_t piece, size_t element,
                MlirValue *out_row, MlirValue *out_col);
  // Its place in the vector, as a static position of out_count numbers.
  void (*position)(size_t element, int64_t out_position[2], intptr_t *out_count);
  // Sets how the operand lies in shared memory: swizzled, or with other rows; may be NULL.
  void (*lay_out)(const tune_tile *tile, tune_tile_operand *operand);
  // The whole loop, from pieces to pieces; NULL where `multiply` is what is its own.
  void (*loop)(const tune_tile *tile, const tune_ir_builder *builder, MlirValue *pieces);
  // Adds the product of what is in shared memory at `stage`.
  void (*multiply)(const tune_tile *tile, const tune_ir_builder *builder, MlirValue stage,
                   MlirValue *sums);
  // Where sums are no pieces while the loop goes on, else NULL: how many there are, what they begin
  // with, and what adds them to the pieces.
  size_t (*sum_count)(const tune_tile *tile);
  void (*begin)(const tune_tile *tile, const tune_ir_builder *builder, MlirValue *out_sums);
  void (*end)(const tune_tile *tile, const tune_ir_builder *builder, const MlirValue *sums,
              MlirValue *pieces);
};

extern const tune_tile_core tune_tile_mma;      // workgroup_matmul_mma.c
extern const tune_tile_core tune_tile_int8;     // workgroup_matmul_int8.c
extern const tune_tile_core tune_tile_tf32;     // workgroup_matmul_tf32.c
extern const tune_tile_core tune_tile_fma;      // workgroup_matmul_fma.c
extern const tune_tile_core tune_tile_wgmma;    // workgroup_matmul_wgmma.c
extern const tune_tile_core tune_tile_matrices; // workgroup_matmul_matrices.c

//===- Arithmetic on indices (workgroup_matmul_values.c) ----------------------------------===//

MlirValue tune_tile_add(const tune_ir_builder *builder, MlirValue a, MlirValue b);
MlirValue tune_tile_add_number(const tune_ir_builder *builder, MlirValue a, int64_t b);
MlirValue tune_tile_scale(const tune_ir_builder *builder, MlirValue a, int64_t b);
MlirValue tune_tile_divide(const tune_ir_builder *builder, MlirValue a, int64_t b);    // floor
MlirValue tune_tile_remainder(const tune_ir_builder *builder, MlirValue a, int64_t b); // a >= 0

// The dimensions of memory that the two of a transfer's vector are, by its permutation map; false
// where they are not two.
bool tune_tile_find_dims(MlirOperation transfer, intptr_t out_dims[2]);
// Of an element: a float, or an integer of whole bytes.
int64_t tune_tile_bytes(MlirType type);
// vector.load of `count` neighbours, at an address that is a multiple of their size.
MlirValue tune_tile_load(const tune_ir_builder *builder, MlirValue memory, intptr_t rank,
                         const MlirValue *indices, int64_t count);
void tune_tile_store(const tune_ir_builder *builder, MlirValue vector, MlirValue memory,
                     intptr_t rank, const MlirValue *indices, int64_t bytes);
// An instruction without results, as text, of up to TUNE_TILE_ASM_OPERANDS operands: integers of 16
// or 32 bits, and addresses.
void tune_tile_build_asm(const tune_ir_builder *builder, const char *text, intptr_t count,
                         const MlirValue *operands);
// A vector of one or two dimensions, of up to eight rows, of scalars or of its rows.
MlirValue tune_tile_from_rows(const tune_ir_builder *builder, MlirType type, const MlirValue *rows);
MlirValue tune_tile_from_elements(const tune_ir_builder *builder, MlirType type, intptr_t count,
                                  const MlirValue *elements);

//===- Elements of what is around the loop (workgroup_matmul_elements.c) ------------------===//

// One element of vectors of the whole tile, while `sum` stands for that of the loop's result.
typedef struct tune_tile_elements {
  const tune_tile *tile;
  MlirValue sum;      // null where the loop's result may not be asked for
  MlirValue row, col; // where that element is
  struct {
    MlirValue vector, element;
    MlirValue indices[4];
    intptr_t rank;
  } known[256];
  size_t known_count;
} tune_tile_elements;

// The element of `vector` at `indices`, `rank` of them. INVALID_ARGUMENT (located) for an op that
// is not known here.
tune_status tune_tile_element(tune_tile_elements *self, const tune_ir_builder *builder,
                              MlirValue vector, const MlirValue *indices, intptr_t rank,
                              MlirValue *out_element);

#ifdef __cplusplus
}
#endif

//===- What follows (workgroup_matmul_writes.c) -------------------------------------------===//

// Puts writes of `pieces`, a thread's, in place of those of the whole tile, and takes away what
// made vectors of that. INVALID_ARGUMENT (located) for writes that are not of all of it, row by
// row, after the loop.
tune_status tune_tile_make_writes(const tune_tile *tile, const MlirValue *pieces);

#endif // TUNE_TRANSFORMS_LOWER_GPU_MATMUL_WORKGROUP_MATMUL_TILE_H
