//===- vector_legalization_access.h - Addresses and alignment of vector accesses -===//
//
// Reads vector.transfer_read, transfer_write, load and store, with the
// vector.mask around them, into one form, and answers questions about the indices.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_VECTORS_VECTOR_LEGALIZATION_ACCESS_H
#define TUNE_TRANSFORMS_LOWER_GPU_VECTORS_VECTOR_LEGALIZATION_ACCESS_H

#include "transforms/lower/gpu/vectors/vector_pieces.h"

#ifdef __cplusplus
extern "C" {
#endif

// The memory space of memrefs that are texel buffers.
#define TUNE_TEXEL_SPACE "texel"
// On a fetch of the texel after the one of the elements that it is for: these begin within it.
#define TUNE_SECOND_TEXEL "tune.second_texel"

typedef struct tune_access {
  MlirOperation op;    // the access
  MlirOperation outer; // the vector.mask around it, or itself
  bool writes;
  MlirValue value; // what is written
  MlirValue memref;
  MlirType element;
  intptr_t memref_rank;
  int64_t memref_sizes[TUNE_PIECES_RANK];
  MlirValue indices[TUNE_PIECES_RANK];
  tune_pieces_shape shape;              // of the vector
  intptr_t dimension[TUNE_PIECES_RANK]; // of the memref, for each of the vector; -1: none
  bool in_bounds[TUNE_PIECES_RANK];     // of the vector
  bool is_any[TUNE_PIECES_RANK];        // what is not in bounds may be anything (edge_peeling.h)
  MlirValue bounds[TUNE_PIECES_RANK];   // of the mask, as indices; null: none
  MlirValue padding;                    // a scalar, of what is outside
} tune_access;

// Reads `op`, if it is such an access to a memref. INVALID_ARGUMENT (located) for one that has no
// form in pieces: to tensors, of unknown sizes, under masks of unknown making.
tune_status tune_access_read(MlirOperation op, tune_access *out_access, bool *out_is_access);
// The same for a memref.load.
tune_status tune_access_read_scalar(MlirOperation op, tune_access *out_access, bool *out_is_access);

// Whether the buffer lies outside of the launch, row by row without gaps.
bool tune_access_is_plain(const tune_pieces *pieces, const tune_access *access);
// Whether each piece is four neighbours in memory at a multiple of four.
bool tune_access_can_be_wide(const tune_pieces *pieces, const tune_access *access);
// Whether every lane of a subgroup is there and accesses the same elements.
bool tune_access_is_uniform(const tune_pieces *pieces, const tune_access *access);

//===- vector_legalization_group.c ---------------------------------------------------------===//

// Whether it is memory that the launch takes for its groups.
bool tune_access_is_of_group(const tune_pieces *pieces, MlirValue memref);
// The same memory in fours, made the first time.
MlirValue tune_pieces_make_fours(tune_buffer_use *use);
// gpu.subgroup_mma_load_matrix; whether it may be from memory of a group in fours; and has it be,
// where all accesses to `use` (NULL: none is known) are.
bool tune_pieces_is_matrix_load(MlirOperation op);
bool tune_pieces_matrix_can_be_wide(const tune_pieces *pieces, MlirOperation load);
void tune_pieces_open_matrix_load(tune_buffer_use *use, MlirOperation load);

//===- vector_legalization_multiples.c -----------------------------------------------------===//

// The scf.for whose index `value` is, or a null op.
MlirOperation tune_access_loop_of(MlirValue value);

// Whether `value`, an index, is surely a multiple of `divisor`.
bool tune_access_is_multiple(MlirValue value, int64_t divisor);

// What is left of the place in memory of the element at `indices` of a plain buffer, divided by
// four; -1 where that is not known.
int tune_access_residue(const tune_access *access, const MlirValue *indices);

// `value`, an index that is a multiple of `divisor`, divided by it.
MlirValue tune_access_divide(const tune_ir_builder *builder, MlirValue value, int64_t divisor);

//===- vector_legalization_texels.c --------------------------------------------------------===//

// `width` elements, one or four, of a plain buffer of f32 from the place `indices` on, in its
// order. `texels` is a view of all of it, a memref of one dimension of vector<4xf32>, and `residue`
// what tune_access_residue says of the place. Elements beyond the end are anything.
MlirValue tune_access_fetch(const tune_ir_builder *builder, MlirValue texels,
                            const tune_access *access, const MlirValue *indices, int residue,
                            int64_t width);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_VECTORS_VECTOR_LEGALIZATION_ACCESS_H
