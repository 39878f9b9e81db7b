//===- vector_legalization_memory.h - Pieces in memory: views, places, shared reads -===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_VECTORS_VECTOR_LEGALIZATION_MEMORY_H
#define TUNE_TRANSFORMS_LOWER_GPU_VECTORS_VECTOR_LEGALIZATION_MEMORY_H

#include "transforms/lower/gpu/vectors/vector_legalization_access.h"

#ifdef __cplusplus
extern "C" {
#endif

//===- vector_legalization_buffers.c -------------------------------------------------------===//

// What a buffer is accessed through: itself, or a view of it.
typedef struct tune_access_view {
  MlirValue memref;
  bool is_wide; // of fours, the last dimension a quarter as long
  bool is_flat; // of texels, in one dimension
  int64_t step; // elements that are accessed at once: 4 or 1
} tune_access_view;

// How the launch accesses `memref`, or NULL.
tune_buffer_use *tune_pieces_find_use(const tune_pieces *pieces, MlirValue memref);
// Whether what is read may come through a texel buffer.
bool tune_access_fits_texels(const tune_pieces *pieces, const tune_access *access);
// Whether fours are words of 32 bits.
bool tune_access_is_of_words(const tune_pieces *pieces, const tune_access *access);
// What `access` goes through, made where it is no buffer.
tune_access_view tune_access_make_view(const tune_pieces *pieces, const tune_access *access);

//===- vector_legalization_places.c --------------------------------------------------------===//

// Where a piece lies in memory, and whether it does.
typedef struct tune_access_location {
  MlirValue indices[TUNE_PIECES_RANK];
  MlirValue condition; // null: always
  int residue;         // of the place, as tune_access_residue
} tune_access_location;

// value + constant, folded where that can be.
MlirValue tune_access_add_constant(const tune_ir_builder *builder, MlirValue value,
                                   int64_t constant);
// Of the element at `place` of the vector, each dimension a constant or, where `dynamic` is not
// NULL, a value.
tune_access_location tune_access_locate(const tune_ir_builder *builder, const tune_access *access,
                                        const int64_t *place, const MlirValue *dynamic);
// The elements from the place on, as many as the view gives at once; the place as above.
MlirValue tune_access_load(const tune_ir_builder *builder, const tune_access_view *from,
                           const tune_access *access, const int64_t *place,
                           const MlirValue *dynamic);
// Writes `value`, where the condition of `at` holds.
void tune_access_store(const tune_ir_builder *builder, const tune_access_view *to,
                       const tune_access *access, tune_access_location at, MlirValue value);

//===- vector_legalization_sharing.c -------------------------------------------------------===//

// Whether all lanes of a subgroup read the same, all of them, and enough of it to be divided.
bool tune_access_is_shared(const tune_pieces *pieces, const tune_access *access);
// The pieces of such a read.
tune_status tune_access_read_shared(const tune_pieces *pieces, const tune_access *access,
                                    const tune_access_view *from, const tune_ir_builder *builder,
                                    MlirValue *values);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_VECTORS_VECTOR_LEGALIZATION_MEMORY_H
