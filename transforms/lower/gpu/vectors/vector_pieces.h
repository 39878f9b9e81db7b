//===- vector_pieces.h - The pieces that vectors of any shape become ---------===//
//
// Scalars and vectors of four (vector_legalization.h): which a value has, and ops on them. Below
// what knows ops of the input, which all files of the legalization do in terms of this.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_VECTORS_VECTOR_PIECES_H
#define TUNE_TRANSFORMS_LOWER_GPU_VECTORS_VECTOR_PIECES_H

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/ir/op_map.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_PIECES_RANK 8

typedef struct tune_pieces_shape {
  MlirType element;
  intptr_t rank;
  int64_t sizes[TUNE_PIECES_RANK];
  int64_t width; // of a piece: 4, or 1 for scalars
  int64_t count; // of pieces
} tune_pieces_shape;

typedef struct tune_piece_list {
  tune_pieces_shape shape;
  MlirValue *values; // shape.count
} tune_piece_list;

// How a buffer is accessed within one launch.
typedef struct tune_buffer_use {
  MlirValue memref;
  bool is_read, is_written;
  bool is_wide;       // every access can be in fours
  MlirValue of_fours; // memory of a group: the same in fours, where that is made
} tune_buffer_use;

typedef struct tune_pieces {
  MlirOperation function;
  int64_t texels, share, pairs, dot; // of the function's attributes; 0: none
  bool has_words;                    // fours of narrow elements are accessed as words of 32 bits
  tune_op_map map;                   // from values to lists
  tune_piece_list *lists;
  size_t list_count, list_capacity;
  tune_op_list dead;    // ops that were replaced, in order
  MlirOperation launch; // the one that ops are in, or null
  tune_op_map use_map;  // from memrefs to uses, in this launch
  tune_buffer_use *uses;
  size_t use_count, use_capacity;
} tune_pieces;

// Of a vector type, or of a scalar as one without dimensions. INVALID_ARGUMENT at `op` for scalable
// vectors and more than TUNE_PIECES_RANK dimensions.
tune_status tune_pieces_read_shape(MlirType type, MlirOperation op, tune_pieces_shape *out_shape);
int64_t tune_pieces_element_count(const tune_pieces_shape *shape);
// The type of a piece with elements of `element`.
MlirType tune_pieces_type(const tune_pieces_shape *shape, MlirType element);

// Makes room for the pieces of `value`; borrowed until the next call.
tune_status tune_pieces_add(tune_pieces *pieces, MlirValue value, const tune_pieces_shape *shape,
                            MlirValue **out_values);
// The pieces of `value`, or of a scalar itself as one piece. INVALID_ARGUMENT at `op` where what
// made it has none.
tune_status tune_pieces_find(tune_pieces *pieces, MlirOperation op, MlirValue value,
                             tune_piece_list *out_list);
// Element `at`, row-major, of `list`.
MlirValue tune_pieces_element(const tune_ir_builder *builder, const tune_piece_list *list,
                              int64_t at);
// The pieces of `shape` made of all its elements, into `values`.
void tune_pieces_assemble(const tune_ir_builder *builder, const tune_pieces_shape *shape,
                          const MlirValue *elements, MlirValue *values);
// A piece of `width` elements all equal to the scalar `value`.
MlirValue tune_pieces_splat(const tune_ir_builder *builder, int64_t width, MlirValue value);

// `op` has been replaced and goes at the end.
tune_status tune_pieces_bury(tune_pieces *pieces, MlirOperation op);
tune_status tune_pieces_refuse(MlirOperation op);
tune_status tune_pieces_out_of_memory(void);

// Words of 32 bits that a piece of four of `element` is, where that is narrower than 32 bits and a
// number: 1 of bytes, 2 of 16 bits; else 0.
int64_t tune_pieces_words(MlirType element);
// `value`, a vector, as another one of so many bits.
MlirValue tune_pieces_bitcast(const tune_ir_builder *builder, MlirValue value, MlirType type);
// vector<`count` x i32>.
MlirType tune_pieces_words_type(MlirContext context, int64_t count);

// The place of element `at` of `sizes`, row-major.
void tune_pieces_unravel(int64_t at, intptr_t rank, const int64_t *sizes, int64_t *out_place);
int64_t tune_pieces_ravel(intptr_t rank, const int64_t *sizes, const int64_t *place);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_VECTORS_VECTOR_PIECES_H
