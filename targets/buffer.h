//===- buffer.h - Tensors in host memory, with guards around them ------------------===//
//
// A buffer is a contiguous row-major tensor (or a scalar) at an aligned address, between
// two zones of known bytes and two inaccessible pages. A kernel that writes a little
// outside is found by the zones, one that writes far outside is stopped by the pages, and
// one that reads outside reads NaN (or -1), which shows in its result; or, of a buffer that is
// written, a large number, so that adding to it shows in the zone.
//
//     page without access | zone, a page | data … | zone, to a page's end | page without access
//
// Data starts on a page; 2 MiB and more on 2 MiB, advised to be backed by huge pages, which takes
// the luck of physical page placement out of times.
//
// Threads: a value; one thread at a time writes.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_BUFFER_H
#define TUNE_TARGETS_BUFFER_H

#include "formats/signature.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_buffer {
  tune_value_type type; // with a static shape
  void *data;           // row-major; not NULL, also for a tensor without elements
  size_t size;          // bytes of data
  void *mapping;        // what munmap(2) takes
  size_t mapping_size;
} tune_buffer;

// What the bytes of guards are. All ones is NaN in every float type and -1 in every integer, and
// shows where it is read. Around what is written is no NaN (12689 in f32): adding to one would
// leave it as it was.
#define TUNE_BUFFER_READ_GUARD 0xff
#define TUNE_BUFFER_WRITTEN_GUARD 0x46

// Makes a zeroed buffer for `type`, whose shape is static. OUT_OF_MEMORY.
tune_status tune_buffer_init(tune_buffer *buffer, const tune_value_type *type);
tune_status tune_buffer_init_copy(tune_buffer *buffer, const tune_buffer *other);
void tune_buffer_deinit(tune_buffer *buffer);

// DATA_LOSS, saying where and how much, if bytes around the data have changed.
tune_status tune_buffer_check_guards(const tune_buffer *buffer);
// What that says where so many bytes before and after some data have changed; OK for none.
tune_status tune_buffer_overwritten(size_t before, size_t after);

// Lets this process read the data but not write to them any more: whoever does crashes.
tune_status tune_buffer_protect(const tune_buffer *buffer);

typedef enum tune_buffer_place {
  TUNE_BUFFER_ELSEWHERE,
  TUNE_BUFFER_BEFORE, // in the guards before the data
  TUNE_BUFFER_WITHIN,
  TUNE_BUFFER_AFTER,
} tune_buffer_place;

// Where `address` lies. Async-signal-safe: it is for handlers of SIGSEGV.
tune_buffer_place tune_buffer_locate(const tune_buffer *buffer, const void *address);

// What seeded values are for floats: in [-1, 1], so that a sum of thousands of products stays well
// conditioned, or in (0, 1] for functions that do not take negative numbers.
typedef enum tune_fill {
  TUNE_FILL_SIGNED,
  TUNE_FILL_POSITIVE,
} tune_fill;

// Fills with values that follow from `seed` and the position alone, on every machine. Floats are
// uniform as `fill` says, scalar ones always positive; i8 and i16 in [-8, 7]; i32, i64 and index,
// which may be used to index something, in [0, index_limit); i1 is 0 or 1. `index_limit` >= 1.
// Where the buffer's type has a range they are from that instead: floats uniform, integers of many
// magnitudes, and its ends among them.
void tune_buffer_fill(tune_buffer *buffer, uint64_t seed, tune_fill fill, int64_t index_limit);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TARGETS_BUFFER_H
