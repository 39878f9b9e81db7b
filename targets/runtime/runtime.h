//===- runtime.h - Functions that artifacts are linked with ------------------===//
//
// libtune_runtime.a is linked into every artifact, and into a user's program where it links
// `--emit=obj`. It needs malloc, free, memcpy and memset, and a byte for each thread, no more, and
// is never instrumented by sanitizers, since artifacts are linked without theirs.
//
// Memory: an arena that keeps what is freed. A kernel that takes scratch memory on each call
// would otherwise have it mapped and page-faulted on each call, which costs up to a third of a
// matmul's time. A block belongs to a size class (eight to a power of two); an allocation takes a
// free block of its class, or of the next few classes, before it asks malloc. Blocks are given
// back to malloc by tune_runtime_trim, where malloc has run out, and when the shared object is
// unloaded.
//
// Guarded memory is for runs that are looked at and not timed: it comes from malloc alone, holds
// ones in all bits (NaN in every float type, -1 in every integer) and stands between zones of
// known bytes. What reads memory it never wrote shows in what it makes of it, and what writes past
// its memory is counted.
//
// Threads: everything here may be called by any thread at any time (OpenMP bodies allocate).
//
// Only tune_runtime_* is visible outside of the shared object the runtime is linked into, so that
// two artifacts in one process do not share an arena by accident of symbol resolution.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_RUNTIME_RUNTIME_H
#define TUNE_TARGETS_RUNTIME_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TUNE_RUNTIME_VISIBLE __attribute__((visibility("default")))
#define TUNE_RUNTIME_HIDDEN __attribute__((visibility("hidden")))

// At least `size` bytes (0 is fine), 64-byte aligned, contents undefined. NULL where memory has
// run out. Goes back with tune_runtime_free.
TUNE_RUNTIME_VISIBLE void *tune_runtime_allocate(size_t size);
// NULL is ignored.
TUNE_RUNTIME_VISIBLE void tune_runtime_free(void *memory);
// Gives every free block back to malloc.
TUNE_RUNTIME_VISIBLE void tune_runtime_trim(void);
// Whether what is allocated from now on is guarded; not at first.
TUNE_RUNTIME_VISIBLE void tune_runtime_guard(bool is_guarded);
// How many bytes in the zones of guarded memory have changed, of what is there and of what was.
TUNE_RUNTIME_VISIBLE size_t tune_runtime_overwritten(void);

// What MLIR's finalize-memref-to-llvm{use-generic-functions} calls for memref.alloc and dealloc.
// `alignment` is a power of two.
TUNE_RUNTIME_HIDDEN void *_mlir_memref_to_llvm_alloc(size_t size);
TUNE_RUNTIME_HIDDEN void *_mlir_memref_to_llvm_aligned_alloc(size_t alignment, size_t size);
TUNE_RUNTIME_HIDDEN void _mlir_memref_to_llvm_free(void *memory);

// MLIR's UnrankedMemRefType: `descriptor` points to {allocated, aligned, offset, sizes[rank],
// strides[rank]}; offset and strides count elements.
typedef struct tune_unranked_memref {
  int64_t rank;
  void *descriptor;
} tune_unranked_memref;

// What MLIR calls for a memref.copy of a layout it cannot turn into memcpy: copies all elements of
// `source` to `destination`, which has the same shape and does not overlap it.
TUNE_RUNTIME_HIDDEN void memrefCopy(int64_t element_size, tune_unranked_memref *source,
                                    tune_unranked_memref *destination);

// What LLVM calls on x86-64 for f16 and bf16 where the CPU has no instruction. The psABI passes
// both types in the low 16 bits of an xmm register, which C compilers of 2022 cannot all name; a
// float whose low 16 bits are the value is passed the same way. Round to nearest, ties to even;
// NaN stays NaN and becomes quiet.
typedef float tune_half_register;
TUNE_RUNTIME_HIDDEN float __extendhfsf2(tune_half_register value);
TUNE_RUNTIME_HIDDEN tune_half_register __truncsfhf2(float value);
TUNE_RUNTIME_HIDDEN tune_half_register __truncdfhf2(double value);
TUNE_RUNTIME_HIDDEN tune_half_register __truncsfbf2(float value);
TUNE_RUNTIME_HIDDEN tune_half_register __truncdfbf2(double value);

#endif // TUNE_TARGETS_RUNTIME_RUNTIME_H
